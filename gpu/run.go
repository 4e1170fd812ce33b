package gpu

// #include <stdlib.h>
// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_run(cuzk_gpu_library *l, cuzk_cuda_srs *s, cuzk_cuda_job *const *jobs, uint32_t n, cuzk_cuda_run **out, uint64_t *passes, int32_t *sections, uint32_t *count, ERR) { return l->run_create(s, jobs, n, out, passes, sections, count, err); }
// static int32_t call_execute(cuzk_gpu_library *l, cuzk_cuda_run *r, ERR) { return l->run_execute(r, err); }
// static void call_stop(cuzk_gpu_library *l, cuzk_cuda_run *r) { l->run_stop(r); }
// static void call_run_free(cuzk_gpu_library *l, cuzk_cuda_run *r) { l->run_free(r); }
import "C"

import "unsafe"

// Run is a group of jobs whose parameters come to the device in pieces; each
// piece serves all of them. One run of the same parameters exists at a time.
type Run struct {
	device *Device
	c      *C.cuzk_cuda_run
	// Wanted are the passes over sections that must be put while the run
	// executes, in order.
	Wanted []Pass
}

// NewRun joins submitted jobs, at most as many as there are slots.
func (p *Params) NewRun(jobs []*Job) (*Run, error) {
	r := &Run{device: p.device}
	list := (*[1 << 20]*C.cuzk_cuda_job)(C.calloc(C.size_t(len(jobs)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(list))
	for i, j := range jobs {
		list[i] = j.c
	}
	var passes [C.CUZK_CUDA_PASSES]C.uint64_t
	var sections [C.CUZK_CUDA_PASSES]C.int32_t
	var n C.uint32_t
	var e C.cuzk_cuda_error
	if C.call_run(p.device.library.c, p.c, &list[0], C.uint32_t(len(jobs)), &r.c, &passes[0], &sections[0], &n, &e) != 0 {
		return nil, failure(&e)
	}
	for i := range int(n) {
		r.Wanted = append(r.Wanted, Pass{uint64(passes[i]), Section(sections[i])})
	}
	return r, nil
}

// Execute queues all work and returns when the last sums are queued; Wait of the
// jobs then returns them. After Stop it returns an error of code Stopped.
func (r *Run) Execute() error {
	var e C.cuzk_cuda_error
	if C.call_execute(r.device.library.c, r.c, &e) != 0 {
		return failure(&e)
	}
	return nil
}

// Stop makes Execute, and calls of Put that wait for it, return soon. From any
// goroutine.
func (r *Run) Stop() { C.call_stop(r.device.library.c, r.c) }

// Close ends the run; Execute has returned.
func (r *Run) Close() {
	C.call_run_free(r.device.library.c, r.c)
	r.c = nil
}
