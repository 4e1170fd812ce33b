package gpu

// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_job(cuzk_gpu_library *l, cuzk_cuda_srs *s, cuzk_cuda_job **out, ERR) { return l->job_create(s, out, err); }
// static int32_t call_fill(cuzk_gpu_library *l, cuzk_cuda_job *j, int32_t part, uint64_t first, const uint64_t *from, uint64_t n, ERR) { return l->fill(j, part, first, from, n, err); }
// static int32_t call_start(cuzk_gpu_library *l, cuzk_cuda_job *j, ERR) { return l->start(j, err); }
// static int32_t call_wait(cuzk_gpu_library *l, cuzk_cuda_job *j, cuzk_cuda_result *out, ERR) { return l->wait(j, out, err); }
// static int32_t call_pauses(cuzk_gpu_library *l, cuzk_cuda_job *j, cuzk_cuda_pause *out, uint32_t capacity, uint32_t *count, ERR) { return l->pauses(j, out, capacity, count, err); }
// static void call_release(cuzk_gpu_library *l, cuzk_cuda_job *j) { l->release(j); }
import "C"

import (
	"time"
	"unsafe"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
)

// Job is one partition on its way through a device.
type Job struct {
	params *Params
	c      *C.cuzk_cuda_job
}

// NewJob returns a job whose witness is to be filled in. It waits while as many
// jobs exist as there are slots. Release the job.
func (p *Params) NewJob() (*Job, error) {
	j := &Job{params: p}
	var e C.cuzk_cuda_error
	if C.call_job(p.device.library.c, p.c, &j.c, &e) != 0 {
		return nil, failure(&e)
	}
	return j, nil
}

// Fill copies the i-th piece of a witness and starts its way to the device. All
// pieces of one witness make a job ready, in any order, on any goroutines.
func (j *Job) Fill(w *Witness, i int) error {
	for _, x := range w.parts() {
		if n := x.pieces(); i >= n {
			i -= n
			continue
		}
		first := i * x.step
		from := unsafe.Add(x.from, first*x.size)
		var e C.cuzk_cuda_error
		if C.call_fill(j.params.device.library.c, j.c, C.int32_t(x.part), C.uint64_t(first), (*C.uint64_t)(from), C.uint64_t(min(x.step, x.count-first)), &e) != 0 {
			return failure(&e)
		}
		return nil
	}
	return &Error{Code: Argument, Device: j.params.device.Index, Stage: "upload", Message: "no such piece of the witness"}
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
		s.Spans[i] = span(r.spans[i])
	}
	var err error
	s.Pauses, err = j.pauses()
	return s, err
}

// pauses of a job that has ended.
func (j *Job) pauses() (out []Pause, err error) {
	list := make([]C.cuzk_cuda_pause, 64)
	for {
		var n C.uint32_t
		var e C.cuzk_cuda_error
		if C.call_pauses(j.params.device.library.c, j.c, &list[0], C.uint32_t(len(list)), &n, &e) != 0 {
			return nil, failure(&e)
		}
		if int(n) > len(list) {
			list = make([]C.cuzk_cuda_pause, n)
			continue
		}
		for _, p := range list[:n] {
			out = append(out, Pause{Stage(p.stage), span(p.span)})
		}
		return out, nil
	}
}

func span(s C.cuzk_cuda_span) Span { return Span{milliseconds(s.start_ms), milliseconds(s.end_ms)} }

func milliseconds(v C.double) time.Duration {
	return time.Duration(float64(v) * float64(time.Millisecond))
}

// Release waits until the device no longer uses the job's memory and gives its
// slot to the next.
func (j *Job) Release() {
	C.call_release(j.params.device.library.c, j.c)
	j.c = nil
}
