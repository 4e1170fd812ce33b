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

	"libcuzk/core"
)

// prove runs the request that make returns and writes the proof if it fits;
// make is given the check for that, so that it happens before proving.
func prove(engine C.uint64_t, proof *C.uint8_t, capacity C.size_t, proofLen *C.size_t, failure *C.cuzki_failure,
	make func(fits func(size int) error) (core.Request, error)) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		r, err := make(func(size int) error {
			err := fits(size, capacity)
			if err != nil {
				*proofLen = C.size_t(size)
			}
			return err
		})
		if err != nil {
			return err
		}
		result, err := e.Run(context.Background(), r)
		if err != nil {
			return err
		}
		return fill(proof, capacity, proofLen, result)
	})
}

// submit starts a job on the request that make returns, which must not refer to
// the caller's memory.
func submit(engine C.uint64_t, out *C.uint64_t, failure *C.cuzki_failure, make func() (core.Request, error)) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		r, err := make()
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
func verify(engine C.uint64_t, valid *C.int32_t, failure *C.cuzki_failure, check func(*core.Engine) (bool, error)) C.int32_t {
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

// maxLen is the largest length of anything in memory.
const maxLen = 1<<63 - 1

// pieces views an array of cuzk_bytes; copied says whether they are cloned.
func pieces(name string, pointer unsafe.Pointer, count C.size_t, copied bool) ([][]byte, error) {
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
		if copied {
			data = bytes.Clone(data)
		}
		out[i] = data
	}
	return out, nil
}

// maxPieces is far above any number of sectors in a proof; it catches garbage
// before memory is asked for it.
const maxPieces = 1 << 24
