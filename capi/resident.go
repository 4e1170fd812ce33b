package main

/*
#include "shim.h"
*/
import "C"

import (
	"bytes"
	"context"
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

// termsOf translates job options; NULL asks for nothing special. A blocking call
// waits for room for its input, a submit does not.
func termsOf(o *C.cuzk_job_options, blocking bool) (t cuzk.Terms, err error) {
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
	if o.witness_only != 0 && blocking {
		return t, argument("job.witness_only", "a call that blocks returns a proof, and witness_only makes none: submit it")
	}
	t.Priority, t.Key, t.WitnessOnly = priority, textAt(o.key), o.witness_only != 0
	if o.deadline_ms > 0 {
		t.Deadline = time.Now().Add(time.Duration(min(uint64(o.deadline_ms), uint64(maxWait/time.Millisecond))) * time.Millisecond)
	}
	return t, nil
}

// cuzkgo_copy copies something of a job or an engine.
//
//export cuzkgo_copy
func cuzkgo_copy(what C.int32_t, handle C.uint64_t, out *C.uint8_t, capacity C.size_t, size *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		data, err := copied(what, uint64(handle))
		if err != nil {
			return err
		}
		return fill(out, capacity, size, data)
	})
}

// copied returns what cuzkgo_copy is asked for.
func copied(what C.int32_t, handle uint64) ([]byte, error) {
	if what == C.CUZKI_JOB_RESULT || what == C.CUZKI_JOB_REPORT {
		j, err := jobs.get(handle, "job")
		if err != nil {
			return nil, err
		}
		if what == C.CUZKI_JOB_RESULT {
			return j.Result()
		}
		return j.Report().JSON(), nil
	}
	e, err := engines.get(handle, "engine")
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	switch what {
	case C.CUZKI_ENGINE_METRICS:
		err = e.WriteMetrics(&text)
	case C.CUZKI_ENGINE_TRACE:
		err = e.WriteTrace(&text)
	default:
		text.Write(e.Status().JSON())
	}
	return text.Bytes(), err
}

// cuzkgo_submit_load starts a job that loads parameters.
//
//export cuzkgo_submit_load
func cuzkgo_submit_load(engine C.uint64_t, kind C.int32_t, sectorSize C.uint64_t, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(*cuzk.Engine) (cuzk.Request, error) {
		k, ok := kinds[kind]
		if !ok {
			return nil, argument("kind", "kind is %d, want a CUZK_KIND_*", kind)
		}
		return cuzk.Load{Kind: k, SectorSize: uint64(sectorSize)}, nil
	})
}

// cuzkgo_params_evict lets go of parameters.
//
//export cuzkgo_params_evict
func cuzkgo_params_evict(engine C.uint64_t, kind C.int32_t, sectorSize C.uint64_t, freed *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		k, ok := kinds[kind]
		if !ok && kind != 0 {
			return argument("kind", "kind is %d, want 0 or a CUZK_KIND_*", kind)
		}
		bytes, err := e.Evict(k, uint64(sectorSize))
		*freed = C.uint64_t(bytes)
		return err
	})
}

// cuzkgo_engine_drain waits until an engine's jobs have ended.
//
//export cuzkgo_engine_drain
func cuzkgo_engine_drain(engine C.uint64_t, timeoutMs C.int64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		ctx := context.Background()
		if timeoutMs >= 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(min(int64(timeoutMs), int64(maxWait/time.Millisecond)))*time.Millisecond)
			defer cancel()
		}
		err = e.Drain(ctx)
		if err != nil && ctx.Err() != nil {
			return &cuzk.Error{Code: cuzk.Timeout, Message: "jobs are still under way; no new ones are accepted"}
		}
		return err
	})
}
