// Code generated from bucket_g1.go by gen; DO NOT EDIT.

package curve

// fillerG2 is one worker's scratch for adding points to buckets in batches of
// independent additions. Points for a bucket that is already part of the batch
// wait; waiting points of the same bucket are added to each other in pairs, so
// that any distribution of digits, also all equal ones, needs few batches.
type fillerG2 struct {
	adder   adderG2
	used    []uint64 // bitmap over buckets: part of the current batch
	touched []int32  // the buckets set in used
	wait    []waitG2
	partner []int32 // during drain: 1 + position in wait of an unpaired point of the bucket
}

type waitG2 struct {
	point  G2Affine
	bucket int32
}

func newFillerG2(buckets int) *fillerG2 {
	return &fillerG2{
		used:    make([]uint64, (buckets+63)/64),
		touched: make([]int32, 0, batchSize),
		wait:    make([]waitG2, 0, batchSize),
		partner: make([]int32, buckets),
	}
}

// fill adds every point, times its digit in the given window, to the buckets;
// bucket[m−1] collects the points of digit ±m.
func (f *fillerG2) fill(bucket []G2Affine, w *windows, window int, points []G2Affine, scalars []recoded) {
	for i := range points {
		m, negative := w.digit(&scalars[i], window)
		if m == 0 {
			continue
		}
		b := int32(m - 1)
		if f.isUsed(b) {
			f.postpone(bucket, &points[i], b, negative)
			continue
		}
		f.mark(b)
		f.adder.pushSigned(&bucket[b], &bucket[b], &points[i], negative)
		if f.adder.n == 0 {
			f.release()
		}
	}
	f.settle()
	for len(f.wait) > 0 {
		f.drain(bucket)
	}
}

func (f *fillerG2) isUsed(b int32) bool { return f.used[b>>6]>>(b&63)&1 != 0 }

func (f *fillerG2) mark(b int32) {
	f.used[b>>6] |= 1 << (b & 63)
	f.touched = append(f.touched, b)
}

// release forgets which buckets are part of a batch that has been performed.
func (f *fillerG2) release() {
	for _, b := range f.touched {
		f.used[b>>6] = 0
	}
	f.touched = f.touched[:0]
}

// settle performs the current batch.
func (f *fillerG2) settle() {
	f.adder.flush()
	f.release()
}

// postpone puts a point on the waiting list and makes room when that is full.
func (f *fillerG2) postpone(bucket []G2Affine, p *G2Affine, b int32, negative bool) {
	f.wait = append(f.wait, waitG2{*p, b})
	if negative {
		y := &f.wait[len(f.wait)-1].point.Y
		y.Neg(y)
	}
	if len(f.wait) < batchSize {
		return
	}
	f.settle()
	for len(f.wait) > batchSize/2 {
		f.drain(bucket)
	}
}

// drain performs one batch from the waiting list: of each bucket's points the
// first goes to the bucket and the others are added to each other in pairs. At
// least half of the list goes away.
func (f *fillerG2) drain(bucket []G2Affine) {
	const done = -1
	for i := range f.wait {
		e := &f.wait[i]
		b := e.bucket
		switch {
		case !f.isUsed(b):
			f.mark(b)
			f.adder.push(&bucket[b], &bucket[b], &e.point)
			e.bucket = done
		case f.partner[b] != 0:
			first := &f.wait[f.partner[b]-1].point
			f.partner[b] = 0
			f.adder.push(first, first, &e.point)
			e.bucket = done
		default:
			f.partner[b] = int32(i + 1)
		}
	}
	for _, b := range f.touched {
		f.partner[b] = 0
	}
	f.settle()
	kept := f.wait[:0]
	for i := range f.wait {
		if f.wait[i].bucket != done {
			kept = append(kept, f.wait[i])
		}
	}
	f.wait = kept
}

// reduceBucketsG2 returns Σ (i+1)·bucket[i].
func reduceBucketsG2(bucket []G2Affine, adder *adderG2) G2Jac {
	if len(bucket) < 4*reduceSegments {
		var run, total G2Jac
		for i := len(bucket) - 1; i >= 0; i-- {
			run.AddMixed(&bucket[i])
			total.AddAssign(&run)
		}
		return total
	}
	// Segment s holds buckets s·size…: run[s] is their plain sum, total[s] the
	// sum with weights 1…size; the bucket's weight is s·size more than that.
	size := len(bucket) / reduceSegments
	run, total := make([]G2Affine, reduceSegments), make([]G2Affine, reduceSegments)
	for t := size - 1; t >= 0; t-- {
		for s := range run {
			adder.push(&run[s], &run[s], &bucket[s*size+t])
		}
		adder.flush()
		for s := range total {
			adder.push(&total[s], &total[s], &run[s])
		}
		adder.flush()
	}
	var above, weighted G2Jac // Σ_{j>s} run[j], Σ s·run[s]
	for s := reduceSegments - 1; s > 0; s-- {
		above.AddMixed(&run[s])
		weighted.AddAssign(&above)
	}
	for ; size > 1; size /= 2 {
		weighted.DoubleAssign()
	}
	for s := range total {
		weighted.AddMixed(&total[s])
	}
	return weighted
}
