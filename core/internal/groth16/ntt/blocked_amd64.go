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
// second-level cache, a transform of a pass in each lane of vectors V. T is a list of
// roots of unity.
//
// A pass sees the vector as blocks of size·stride elements, a matrix of size rows
// and stride columns, and transforms the columns. Between two passes element
// (u, c), u the frequency and c the column, is multiplied by ω^(u·c), ω the root
// of the block (the four-step method of Gentleman and Sande).
type blocked[V, T any] struct {
	arithmetic[V, T]
	n, workers int
	passes     []pass[T]
	overN      fr.Element // 1/n

	mu     sync.Mutex // guards tables
	tables map[tableKey][]V
}

// pass is one of the passes; directions are indexed by forward and inverse.
type pass[T any] struct {
	size, stride int
	earlier      int           // product of the sizes of the passes before
	root         [2]fr.Element // of a block of size·stride elements
	twiddles     [2]T          // powers of the size-th root, size/2 of them
}

// arithmetic is what a level of vector arithmetic does on the rows of a tile, one
// column per lane.
type arithmetic[V, T any] struct {
	lanes int
	// load and store move rows; row r of lane l is r·stride elements after e[l].
	load  func(rows []V, e []*fr.Element, stride int)
	store func(e []*fr.Element, rows []V, stride int)
	// twiddles prepares the powers of the size-th roots of both directions.
	twiddles func(root *[2]fr.Element, size int) [2]T
	// analyse transforms from natural to bit-reversed order, synthesise back.
	analyse, synthesise func(rows []V, w T)
	// multiply sets x[i] to x[i]·factor[i].
	multiply func(x, factor []V)
	// fill sets row u, in bit-reversed order, to first·ratio[l]^u in lane l.
	fill func(rows []V, first *fr.Element, ratio []fr.Element)
}

const (
	forward = iota
	inverse
)

const vectorMin = 1 << 8

// newVector prepares transforms on the vectors of the machine.
func newVector(n, workers int) Transform {
	if field.Use() == field.IFMA {
		return newBlocked(ifma, n, workers)
	}
	return newBlocked(avx2, n, workers)
}

func newBlocked[V, T any](a arithmetic[V, T], n, workers int) Transform {
	b := &blocked[V, T]{arithmetic: a, n: n, workers: max(1, workers), tables: map[tableKey][]V{}}
	b.overN.SetUint64(uint64(n))
	b.overN.Inverse(&b.overN)
	log := bits.TrailingZeros(uint(n))
	count := (log + maxPassLog - 1) / maxPassLog
	count = max(count, 2) // the last pass needs as many rows, the first as many columns as there are lanes
	for stride := n; count > 0; count-- {
		width := (log + count - 1) / count
		log -= width
		p := pass[T]{size: 1 << width, earlier: n / stride}
		p.stride = stride >> width
		b.prepare(&p, stride)
		b.passes = append(b.passes, p)
		stride = p.stride
	}
	return b
}

// prepare computes the roots of a pass over blocks of the given length.
func (b *blocked[V, T]) prepare(p *pass[T], block int) {
	root, err := Root(block)
	if err != nil {
		panic(err) // New has checked the size
	}
	p.root[forward] = root
	p.root[inverse].Inverse(&root)
	var w [2]fr.Element
	for d := range w {
		w[d] = power(&p.root[d], p.stride)
	}
	p.twiddles = b.twiddles(&w, p.size)
}

// Inverse runs the passes from large strides to small. The powers of shift are
// part of the factors between passes, 1/n of those after the first.
func (b *blocked[V, T]) Inverse(ctx context.Context, v []fr.Element, shift *fr.Element) error {
	for i := range b.passes {
		p := &b.passes[i]
		step := power(shift, p.earlier)
		f := factors{root: p.root[inverse], first: fr.One(), step: step}
		if i == 0 {
			f.first = b.overN
		}
		table := b.table(p, f)
		err := b.each(ctx, p, v, func(t *tile[V, T]) {
			t.read()
			b.analyse(t.buf, p.twiddles[inverse])
			t.twist(table, &f)
			t.write()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Forward runs the passes from small strides to large.
func (b *blocked[V, T]) Forward(ctx context.Context, v []fr.Element) error {
	for i := len(b.passes) - 1; i >= 0; i-- {
		p := &b.passes[i]
		f := factors{root: p.root[forward], first: fr.One(), step: fr.One()}
		table := b.table(p, f)
		err := b.each(ctx, p, v, func(t *tile[V, T]) {
			t.read()
			t.twist(table, &f)
			b.synthesise(t.buf, p.twiddles[forward])
			t.write()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls fn for every group of columns.
func (b *blocked[V, T]) each(ctx context.Context, p *pass[T], v []fr.Element, fn func(*tile[V, T])) error {
	const look = 64 // groups between two looks at ctx, a millisecond or two
	spawn.Range(b.workers, b.n/p.size/b.lanes, func(_, lo, hi int) {
		t := &tile[V, T]{
			pass: p, arithmetic: &b.arithmetic, v: v,
			buf: make([]V, p.size), factor: make([]V, p.size), start: make([]*fr.Element, b.lanes),
		}
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

// tile is a column of a pass for each lane.
type tile[V, T any] struct {
	*pass[T]
	*arithmetic[V, T]
	v      []fr.Element
	buf    []V
	factor []V           // of this tile, where the pass has no table
	start  []*fr.Element // first element of each column
	column int           // index of the first column in its block
}

// at chooses group g: neighbouring columns of a block, or, where a block has one
// column, neighbouring blocks.
func (t *tile[V, T]) at(g int) {
	first := g * t.lanes
	t.column = first % t.stride
	for l := range t.start {
		if t.stride == 1 {
			t.start[l] = &t.v[(first+l)*t.size]
		} else {
			t.start[l] = &t.v[first/t.stride*t.size*t.stride+t.column+l]
		}
	}
}

func (t *tile[V, T]) read() { t.load(t.buf, t.start, t.stride) }

func (t *tile[V, T]) write() { t.store(t.start, t.buf, t.stride) }

// twist multiplies by the factors between passes, from the table if there is one.
func (t *tile[V, T]) twist(table []V, f *factors) {
	switch {
	case t.stride == 1 && f.step.IsOne():
		return // the last pass has none but the shift's
	case table == nil:
		t.fill(t.factor, &f.first, f.ratios(t.lanes, t.stride, t.column))
		t.multiply(t.buf, t.factor)
	default:
		t.multiply(t.buf, table[t.column/t.lanes*t.size:][:t.size])
	}
}
