// Code generated from scratch_g1.go by gen; DO NOT EDIT.

package curve

import (
	"context"
	"unsafe"
)

// ScratchG2 returns how many bytes MSMG2 takes beyond its arguments for n points,
// and that SumSelectedG2 takes no more: buckets of every lane, chunks of decoded
// points, and what each worker has for itself.
func ScratchG2(n, workers int) int64 {
	if n == 0 {
		return 0
	}
	const point, wait = int64(unsafe.Sizeof(G2Affine{})), int64(unsafe.Sizeof(waitG2{}))
	w := newWindows(msmWidth(n))
	p := newMSMPlan(context.Background(), n, w.count, workers)
	buckets := int64(w.buckets())
	shared := int64(p.lanes())*buckets*point + int64(p.slots*p.chunk)*(point+int64(unsafe.Sizeof(recoded{})))
	filler := int64(unsafe.Sizeof(fillerG2{})) + vectorScratchG2 + buckets*4 + buckets/8 + batchSize*(4+wait)
	accumulator := int64(unsafe.Sizeof(accumulatorG2{})) + vectorScratchG2 + sumChunk*point
	return max(shared+int64(workers)*filler, int64(workers)*accumulator)
}

// vectorScratchG2 is what an adder has for vectors.
const vectorScratchG2 = max(int64(unsafe.Sizeof(vectorsG2{})), int64(unsafe.Sizeof(ifmaG2{})))
