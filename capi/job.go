package main

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"context"
	"time"
	"unsafe"

	"github.com/libcuzk/libcuzk/capi/internal/guard"
	cuzk "github.com/libcuzk/libcuzk/core"
)

// submitted is a job and the caller's claim on it. A job with an idempotency key
// may have many callers: it is cancelled when the last has released it.
type submitted struct {
	*cuzk.Job
	release context.CancelFunc
}

// tick is how often a waiting call reports progress.
const tick = 100 * time.Millisecond

// cuzkgo_job_wait waits for a job, and calls a callback, if not 0, on the caller's thread: a Go
// function that C called runs on the thread of its caller.
//
//export cuzkgo_job_wait
func cuzkgo_job_wait(job C.uint64_t, timeoutMs C.int64_t, callback C.uintptr_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		j, err := jobs.get(uint64(job), "job")
		if err != nil {
			return err
		}
		return wait(j.Job, int64(timeoutMs), func() {
			if callback != 0 && report(j.Job, callback) != 0 {
				j.Cancel()
			}
		})
	})
}

// wait returns the job's outcome or, after timeoutMs, an error of code Timeout;
// a negative timeoutMs never ends. show is called every tick and at the end.
func wait(j *cuzk.Job, timeoutMs int64, show func()) error {
	var timeout <-chan time.Time // nil: never
	if timeoutMs >= 0 {
		timer := time.NewTimer(time.Duration(min(timeoutMs, int64(maxWait/time.Millisecond))) * time.Millisecond)
		defer timer.Stop()
		timeout = timer.C
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-j.Done():
			show()
			_, err := j.Result()
			return err
		case <-timeout:
			show()
			if _, err := j.Result(); cuzk.CodeOf(err) != cuzk.Busy {
				return err
			}
			return &cuzk.Error{Code: cuzk.Timeout, Message: "job still runs (" + j.Report().Progress.Stage + ")"}
		case <-ticker.C:
			show()
		}
	}
}

// maxWait bounds a wait so that its nanoseconds fit: a hundred years.
const maxWait = 100 * 365 * 24 * time.Hour

// report calls a cuzki_callback with the job's progress.
func report(j *cuzk.Job, callback C.uintptr_t) C.int32_t {
	p := j.Report().Progress
	stage := C.CString(p.Stage)
	defer C.free(unsafe.Pointer(stage))
	return C.cuzki_progress(callback, stage, C.uint64_t(p.Done), C.uint64_t(p.Total))
}

// cuzkgo_job_cancel asks a job to stop; ended is 1 if it had before.
//
//export cuzkgo_job_cancel
func cuzkgo_job_cancel(job C.uint64_t, ended *C.int32_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		j, err := jobs.get(uint64(job), "job")
		if err == nil && !j.Cancel() {
			*ended = 1
		}
		return err
	})
}

// cuzkgo_job_free forgets a job, which is cancelled if nobody else wants it.
//
//export cuzkgo_job_free
func cuzkgo_job_free(job C.uint64_t) {
	_ = guard.Call(func() error {
		if j, ok := jobs.take(uint64(job)); ok {
			j.release()
		}
		return nil
	})
}
