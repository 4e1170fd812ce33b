package main

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"time"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// priorities are those of cuzk.h.
var priorities = map[C.int32_t]string{
	C.CUZK_PRIORITY_AUTO:     "",
	C.CUZK_PRIORITY_LOW:      "low",
	C.CUZK_PRIORITY_NORMAL:   "normal",
	C.CUZK_PRIORITY_HIGH:     "high",
	C.CUZK_PRIORITY_CRITICAL: "critical",
}

// jobOptions translates job options; NULL asks for nothing special. A blocking call
// waits for room for its input, a submit does not.
func jobOptions(o *C.cuzk_job_options, blocking bool) (t cuzk.JobOptions, err error) {
	t.Wait = blocking
	if o == nil {
		return t, nil
	}
	priority, ok := priorities[o.priority]
	if !ok {
		return t, argument("job.priority", "priority is %d, want a CUZK_PRIORITY_*", o.priority)
	}
	if o.reserved != 0 {
		return t, &cuzk.Error{Code: cuzk.StructSize, Detail: "job.reserved", Message: fmt.Sprintf("job.reserved is %d, must be 0", o.reserved)}
	}
	if t.WitnessOnly, err = flag("job.witness_only", o.witness_only); err != nil {
		return t, err
	}
	if t.Key, err = optionalText("job.key", o.key); err != nil {
		return t, err
	}
	if t.WitnessOnly && blocking {
		return t, argument("job.witness_only", "a call that blocks returns a proof, and witness_only makes none: submit it")
	}
	t.Priority = priority
	if o.deadline_ms > 0 {
		t.Deadline = time.Now().Add(time.Duration(min(uint64(o.deadline_ms), uint64(maxWait/time.Millisecond))) * time.Millisecond)
	}
	return t, nil
}
