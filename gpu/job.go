package gpu

// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_submit(cuzk_gpu_library *l, cuzk_cuda_srs *s, const cuzk_cuda_witness *w, cuzk_cuda_job **out, ERR) { return l->submit(s, w, out, err); }
// static int32_t call_start(cuzk_gpu_library *l, cuzk_cuda_job *j, ERR) { return l->start(j, err); }
// static int32_t call_wait(cuzk_gpu_library *l, cuzk_cuda_job *j, cuzk_cuda_result *out, ERR) { return l->wait(j, out, err); }
// static void call_release(cuzk_gpu_library *l, cuzk_cuda_job *j) { l->release(j); }
import "C"

import (
	"runtime"
	"time"
	"unsafe"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Witness is a packed assignment (core/internal/r1cs.Witness).
type Witness struct {
	Inputs  []fr.Element // ONE first
	Bits    []uint64     // bitmap over aux, 0 at scalar variables
	Scalars []fr.Element // values of the scalar variables
}

// Job is one partition on its way through a device.
type Job struct {
	params *Params
	c      *C.cuzk_cuda_job
}

// Stage names what a device does for a partition.
type Stage int

// The stages, in the order in which they start.
const (
	Upload   Stage = C.CUZK_CUDA_UPLOAD
	Rows     Stage = C.CUZK_CUDA_ROWS
	NTT      Stage = C.CUZK_CUDA_NTT
	SumH     Stage = C.CUZK_CUDA_SUM_H
	SumL     Stage = C.CUZK_CUDA_SUM_L
	SumA     Stage = C.CUZK_CUDA_SUM_A
	SumB1    Stage = C.CUZK_CUDA_SUM_B1
	SumB2    Stage = C.CUZK_CUDA_SUM_B2
	Download Stage = C.CUZK_CUDA_DOWNLOAD
	Stages         = C.CUZK_CUDA_STAGES
)

// String names the stage.
func (s Stage) String() string {
	return [Stages]string{"upload", "rows", "ntt", "h", "l", "a", "b_g1", "b_g2", "download"}[s]
}

// Span is when a stage ran, on the device's clock since the device was opened.
type Span struct{ Start, End time.Duration }

// Sums are the sums over the parameters of one partition.
type Sums struct {
	H, L, A, B1 bls.G1Affine
	B2          bls.G2Affine
	Spans       [Stages]Span
}

// Submit copies a witness and starts its way to the device. It waits while as
// many jobs exist as there are slots. Release the job.
func (p *Params) Submit(w *Witness) (*Job, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	c := C.cuzk_cuda_witness{
		inputs: (*C.uint64_t)(pinned(&pins, w.Inputs)), num_inputs: C.uint64_t(len(w.Inputs)),
		bits: (*C.uint64_t)(pinned(&pins, w.Bits)), num_bit_words: C.uint64_t(len(w.Bits)),
		scalars: (*C.uint64_t)(pinned(&pins, w.Scalars)), num_scalars: C.uint64_t(len(w.Scalars)),
	}
	j := &Job{params: p}
	var e C.cuzk_cuda_error
	if C.call_submit(p.device.library.c, p.c, &c, &j.c, &e) != 0 {
		return nil, failure(&e)
	}
	return j, nil
}

// Start queues all work of a partition whose parameters are on the device.
func (j *Job) Start() error {
	var e C.cuzk_cuda_error
	if C.call_start(j.params.device.library.c, j.c, &e) != 0 {
		return failure(&e)
	}
	return nil
}

// Wait waits for a job that was started, or proved by a run, and returns the
// sums. Call it once.
func (j *Job) Wait() (*Sums, error) {
	var r C.cuzk_cuda_result
	var e C.cuzk_cuda_error
	if C.call_wait(j.params.device.library.c, j.c, &r, &e) != 0 {
		return nil, failure(&e)
	}
	s := &Sums{
		H: *(*bls.G1Affine)(unsafe.Pointer(&r.h)), L: *(*bls.G1Affine)(unsafe.Pointer(&r.l)),
		A: *(*bls.G1Affine)(unsafe.Pointer(&r.a)), B1: *(*bls.G1Affine)(unsafe.Pointer(&r.b1)),
		B2: *(*bls.G2Affine)(unsafe.Pointer(&r.b2)),
	}
	for i := range s.Spans {
		s.Spans[i] = Span{milliseconds(r.spans[i].start_ms), milliseconds(r.spans[i].end_ms)}
	}
	return s, nil
}

func milliseconds(v C.double) time.Duration {
	return time.Duration(float64(v) * float64(time.Millisecond))
}

// Release waits until the device no longer uses the job's memory and gives its
// slot to the next.
func (j *Job) Release() {
	C.call_release(j.params.device.library.c, j.c)
	j.c = nil
}
