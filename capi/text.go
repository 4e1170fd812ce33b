package main

/*
#include "shim.h"
*/
import "C"

import "bytes"

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
