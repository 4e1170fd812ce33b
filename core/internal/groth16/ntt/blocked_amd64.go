//go:build amd64 && !purego

package ntt

import (
	"context"
	"math/bits"
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// blocked cuts a transform into passes of at most 2^8 points that work in a
// second-level cache, four transforms of a pass at a time in the lanes of vectors.
//
// A pass sees the vector as blocks of size·stride elements, a matrix of size rows
// and stride columns, and transforms the columns. Between two passes element
// (u, c), u the frequency and c the column, is multiplied by ω^(u·c), ω the root
// of the block (the four-step method of Gentleman and Sande).
type blocked struct {
	n, workers int
	passes     []pass
	overN      fr.Element // 1/n

	mu     sync.Mutex // guards tables
	tables map[tableKey][]field.Fr4
}

// pass is one of the passes; directions are indexed by forward and inverse.
type pass struct {
	size, stride int
	earlier      int            // product of the sizes of the passes before
	root         [2]fr.Element  // of a block of size·stride elements
	twiddles     [2][]field.Fr4 // powers of the size-th root, size/2 of them
}

const (
	forward = iota
	inverse
)

const vectorMin = 1 << 8

func newBlocked(n, workers int) Transform {
	b := &blocked{n: n, workers: max(1, workers), tables: map[tableKey][]field.Fr4{}}
	b.overN.SetUint64(uint64(n))
	b.overN.Inverse(&b.overN)
	log := bits.TrailingZeros(uint(n))
	count := (log + maxPassLog - 1) / maxPassLog
	count = max(count, 2) // the last pass needs four rows, the first four columns
	for stride := n; count > 0; count-- {
		width := (log + count - 1) / count
		log -= width
		p := pass{size: 1 << width, earlier: n / stride}
		p.stride = stride >> width
		p.prepare(stride)
		b.passes = append(b.passes, p)
		stride = p.stride
	}
	return b
}

// prepare computes the roots of a pass over blocks of the given length.
func (p *pass) prepare(block int) {
	root, err := Root(block)
	if err != nil {
		panic(err) // New has checked the size
	}
	p.root[forward] = root
	p.root[inverse].Inverse(&root)
	for d := range p.root {
		w := power(&p.root[d], p.stride)
		p.twiddles[d] = powers(&w, p.size/2)
	}
}

// Inverse runs the passes from large strides to small. The powers of shift are
// part of the factors between passes, 1/n of those after the first.
func (b *blocked) Inverse(ctx context.Context, v []fr.Element, shift *fr.Element) error {
	for i := range b.passes {
		p := &b.passes[i]
		step := power(shift, p.earlier)
		f := factors{direction: inverse, first: fr.One(), step: step}
		if i == 0 {
			f.first = b.overN
		}
		table := b.table(p, f)
		err := b.each(ctx, p, v, func(t *tile) {
			t.load()
			t.dif()
			t.twist(table, &f)
			t.store()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Forward runs the passes from small strides to large.
func (b *blocked) Forward(ctx context.Context, v []fr.Element) error {
	f := factors{direction: forward, first: fr.One(), step: fr.One()}
	for i := len(b.passes) - 1; i >= 0; i-- {
		p := &b.passes[i]
		table := b.table(p, f)
		err := b.each(ctx, p, v, func(t *tile) {
			t.load()
			t.twist(table, &f)
			t.dit()
			t.store()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls fn for every group of four columns.
func (b *blocked) each(ctx context.Context, p *pass, v []fr.Element, fn func(*tile)) error {
	const look = 64 // groups between two looks at ctx, a millisecond or two
	spawn.Range(b.workers, b.n/p.size/4, func(_, lo, hi int) {
		t := &tile{pass: p, v: v, buf: make([]field.Fr4, p.size), factor: make([]field.Fr4, p.size)}
		for g := lo; g < hi; g++ {
			if g%look == 0 && ctx.Err() != nil {
				return
			}
			t.at(g)
			fn(t)
		}
	})
	return context.Cause(ctx)
}

// tile is four columns of a pass in vectors.
type tile struct {
	*pass
	v      []fr.Element
	buf    []field.Fr4
	factor []field.Fr4 // of this tile, where the pass has no table
	start  [4]int      // first element of each column
	column int         // index of the first column in its block
}

// at chooses group g: four neighbouring columns of a block, or, where a block has
// one column, four neighbouring blocks.
func (t *tile) at(g int) {
	t.column = 4 * g % t.stride
	for l := range t.start {
		if t.stride == 1 {
			t.start[l] = (4*g + l) * t.size
		} else {
			t.start[l] = 4*g/t.stride*t.size*t.stride + t.column + l
		}
	}
}

func (t *tile) load() {
	v, s := t.v, &t.start
	for r := range t.buf {
		o := r * t.stride
		field.LoadFr4(&t.buf[r], &v[s[0]+o], &v[s[1]+o], &v[s[2]+o], &v[s[3]+o])
	}
}

func (t *tile) store() {
	v, s := t.v, &t.start
	for r := range t.buf {
		o := r * t.stride
		field.StoreFr4(&v[s[0]+o], &v[s[1]+o], &v[s[2]+o], &v[s[3]+o], &t.buf[r])
	}
}

// dif transforms from natural to bit-reversed order. Additions double the
// numbers at most maxPassLog times.
func (t *tile) dif() {
	w := &t.twiddles[inverse][0]
	for half := t.size / 2; half > 1; half /= 2 {
		for at := 0; at < t.size; at += 2 * half {
			field.DIFFr4(&t.buf[at], &t.buf[at+half], w, half, t.size/2/half)
		}
	}
	t.neighbours()
}

// dit transforms from bit-reversed to natural order.
func (t *tile) dit() {
	t.neighbours()
	w := &t.twiddles[forward][0]
	for half := 2; half < t.size; half *= 2 {
		for at := 0; at < t.size; at += 2 * half {
			field.DITFr4(&t.buf[at], &t.buf[at+half], w, half, t.size/2/half)
		}
	}
}

// neighbours is the stage whose factor is one.
func (t *tile) neighbours() {
	for at := 0; at < t.size; at += 2 {
		field.SumDifferenceFr4(&t.buf[at], &t.buf[at+1], 1)
	}
}

// twist multiplies by the factors between passes, from the table if there is one.
func (t *tile) twist(table []field.Fr4, f *factors) {
	switch {
	case t.stride == 1 && f.step.IsOne():
		return // the last pass has none but the shift's
	case table == nil:
		f.fill(t.pass, t.factor, t.column)
		field.MulFr4(&t.buf[0], &t.buf[0], &t.factor[0], t.size)
	default:
		field.MulFr4(&t.buf[0], &t.buf[0], &table[t.column/4*t.size], t.size)
	}
}
