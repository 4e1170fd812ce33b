package curve

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// accumulatorG1 sums a stream of points into batchSize lanes, so that every
// batch of additions is independent, and folds the lanes at the end.
type accumulatorG1 struct {
	lane  [batchSize]G1Affine
	next  int
	adder adderG1
}

// add adds p to the sum.
func (a *accumulatorG1) add(p *G1Affine) {
	lane := &a.lane[a.next]
	a.adder.push(lane, lane, p)
	a.next = (a.next + 1) % batchSize
}

// fold returns the sum of everything added and leaves it in lane 0.
func (a *accumulatorG1) fold() G1Affine {
	a.adder.flush()
	for n := batchSize / 2; n > 0; n /= 2 {
		for i := range n {
			a.adder.push(&a.lane[i], &a.lane[i], &a.lane[n+i])
		}
		a.adder.flush()
		clear(a.lane[n : 2*n])
	}
	a.next = 0
	return a.lane[0]
}

// SumSelectedG1 returns the sum of the points of src whose bit is set in bitmap
// (bit i of word i/64 belongs to point i). Points without a set bit are neither
// added nor, where a whole run of sumChunk of them is unselected, loaded. It
// checks ctx between runs.
func SumSelectedG1(ctx context.Context, src SourceG1, bitmap []uint64, workers int) (G1Affine, error) {
	chunks := (src.Len() + sumChunk - 1) / sumChunk
	var next atomic.Int64
	var mu sync.Mutex // guards total
	var total G1Affine
	err := spawn.Each(ctx, workers, min(workers, chunks), func(int) error {
		acc, buf := new(accumulatorG1), make([]G1Affine, 0)
		for {
			k := int(next.Add(1)) - 1
			if k >= chunks {
				break
			}
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := acc.addSelected(ctx, src, bitmap, k*sumChunk, &buf); err != nil {
				return err
			}
		}
		sum := acc.fold()
		mu.Lock()
		defer mu.Unlock()
		total.Add(&total, &sum)
		return nil
	})
	return total, cancelCause(ctx, err)
}

// addSelected adds the selected points of the run that starts at from.
func (a *accumulatorG1) addSelected(ctx context.Context, src SourceG1, bitmap []uint64, from int, buf *[]G1Affine) error {
	to := min(from+sumChunk, src.Len())
	words := bitmap[from/64 : min((to+63)/64, len(bitmap))]
	if !anySet(words) {
		return nil
	}
	if cap(*buf) < to-from {
		*buf = make([]G1Affine, sumChunk)
	}
	points, err := src.Range(ctx, (*buf)[:to-from], from)
	if err != nil {
		return err
	}
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			j := i*64 + bits.TrailingZeros64(word)
			if j >= len(points) {
				break
			}
			a.add(&points[j])
		}
	}
	a.adder.flush() // before buf gets other points
	return nil
}
