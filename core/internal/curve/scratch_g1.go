package curve

import (
	"context"
	"unsafe"
)

// ScratchG1 returns how many bytes MSMG1 takes beyond its arguments for n points,
// and that SumSelectedG1 takes no more: buckets of every lane, chunks of decoded
// points, and what each worker has for itself.
func ScratchG1(n, workers int) int64 {
	if n == 0 {
		return 0
	}
	const point, wait = int64(unsafe.Sizeof(G1Affine{})), int64(unsafe.Sizeof(waitG1{}))
	w := newWindows(msmWidth(n))
	p := newMSMPlan(context.Background(), n, w.count, workers)
	buckets := int64(w.buckets())
	shared := int64(p.lanes())*buckets*point + int64(p.slots*p.chunk)*(point+int64(unsafe.Sizeof(recoded{})))
	filler := int64(unsafe.Sizeof(fillerG1{})) + vectorScratchG1 + buckets*4 + buckets/8 + batchSize*(4+wait)
	accumulator := int64(unsafe.Sizeof(accumulatorG1{})) + vectorScratchG1 + sumChunk*point
	return max(shared+int64(workers)*filler, int64(workers)*accumulator)
}

// vectorScratchG1 is what an adder has for vectors.
const vectorScratchG1 = max(int64(unsafe.Sizeof(vectorsG1{})), int64(unsafe.Sizeof(ifmaG1{})))
