package main

/*
#include "shim.h"
*/
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// prove runs the request that make returns and writes the proof if it fits. That
// it does not is known before it is computed, and is this caller's failure alone:
// the job of a key goes on for others.
func prove(engine C.uint64_t, proof *C.uint8_t, capacity C.size_t, proofLen *C.size_t, failure *C.cuzki_failure,
	make func(*cuzk.Engine) (cuzk.Request, error)) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		r, err := make(e)
		if err != nil {
			return err
		}
		ctx, release := context.WithCancel(context.Background())
		defer release()
		j, err := e.Submit(ctx, r)
		if err != nil {
			return err
		}
		size, err := j.Size(ctx)
		if err == nil {
			err = fits(size, capacity)
		}
		if err != nil {
			*proofLen = C.size_t(size)
			release()
			if j.Report().Key == "" {
				<-j.Stopped() // nobody else wants it, and so far it reads the caller's memory
			}
			return err
		}
		if j.Report().Key == "" {
			<-j.Stopped() // it reads the caller's memory
		} else {
			<-j.Done() // it has a copy
		}
		result, err := j.Result()
		if err != nil {
			return err
		}
		return fill(proof, capacity, proofLen, result)
	})
}

// keeper returns the engine if a job with these options may outlive its call, so that
// its input must be copied; a blocking call outlives its job, unless that has a
// key and with it other callers.
func keeper(e *cuzk.Engine, t cuzk.JobOptions) *cuzk.Engine {
	if t.Wait && t.Key == "" {
		return nil
	}
	return e
}

// submit starts a job on the request that make returns, which must not refer to
// the caller's memory: see clone.
func submit(engine C.uint64_t, out *C.uint64_t, failure *C.cuzki_failure, make func(*cuzk.Engine) (cuzk.Request, error)) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		r, err := make(e)
		if err != nil {
			return err
		}
		ctx, release := context.WithCancel(context.Background())
		j, err := e.Submit(ctx, r)
		if err != nil {
			release()
			return err
		}
		*out = C.uint64_t(jobs.put(submitted{j, release}))
		return nil
	})
}

// verify sets valid to 1 if check says so.
func verify(engine C.uint64_t, valid *C.int32_t, failure *C.cuzki_failure, check func(*cuzk.Engine) (bool, error)) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		ok, err := check(e)
		if ok && err == nil {
			*valid = 1
		}
		return err
	})
}

// piece views len bytes behind a pointer in the caller's struct. The pointer
// itself is only touched if len is not 0: then it must be one.
func piece(name string, pointer unsafe.Pointer, len C.size_t) ([]byte, error) {
	switch {
	case len == 0:
		return nil, nil
	case len > maxLen:
		return nil, argument(name, "%s: length %d", name, len)
	case *(*uintptr)(pointer) == 0:
		return nil, argument(name, "%s is NULL", name)
	}
	return bytesAt(*(*unsafe.Pointer)(pointer), len), nil
}

// clone copies the parts of an input in their place, if the engine accepts so
// much: a length that is garbage must not be asked of the allocator, whose
// failure would end the process. Without an engine nothing is copied.
func clone(e *cuzk.Engine, name string, parts [][]byte) error {
	if e == nil {
		return nil
	}
	limit, total := uint64(e.Options().MaxInput), uint64(0)
	for _, p := range parts {
		if total += uint64(len(p)); total > limit { // both below 2^63 before: no overflow
			return &cuzk.Error{Code: cuzk.InputValue, Detail: name, Message: fmt.Sprintf("%s: input of %d bytes and more, limit is %d", name, total, limit)}
		}
	}
	for i := range parts {
		parts[i] = bytes.Clone(parts[i])
	}
	return nil
}

// maxLen is the largest length of anything in memory.
const maxLen = 1<<63 - 1

// pieces views an array of cuzk_bytes, or clones it for an engine.
func pieces(name string, pointer unsafe.Pointer, count C.size_t, e *cuzk.Engine) ([][]byte, error) {
	if count == 0 {
		return nil, nil
	}
	if count > maxPieces || *(*uintptr)(pointer) == 0 {
		return nil, argument(name, "%s: %d pieces at %#x", name, count, *(*uintptr)(pointer))
	}
	array := unsafe.Slice(*(**C.cuzk_bytes)(pointer), int(count))
	out := make([][]byte, len(array))
	for i := range array {
		data, err := piece(fmt.Sprintf("%s[%d]", name, i), unsafe.Pointer(&array[i].data), array[i].len)
		if err != nil {
			return nil, err
		}
		out[i] = data
	}
	return out, clone(e, name, out)
}

// maxPieces is far above any number of sectors in a proof; it catches garbage
// before memory is asked for it.
const maxPieces = 1 << 24
