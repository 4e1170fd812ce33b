package main

/*
#include "result.h"
*/
import "C"

import (
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// bytesAt views n bytes of the caller's memory; they are only read, and only
// while the call lasts. Nothing has no address.
func bytesAt(p unsafe.Pointer, n C.size_t) []byte { return viewAt[byte](p, n) }

// viewAt views n elements of the caller's memory.
func viewAt[T any](p unsafe.Pointer, n C.size_t) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), int(n))
}

// listAt views an array of byte arrays. The address of an empty one is not
// looked at: it may be any.
func listAt(p unsafe.Pointer, n C.size_t) [][]byte {
	slices := viewAt[C.slice_boxed_uint8_t](p, n)
	out := make([][]byte, len(slices))
	for i := range slices {
		if s := &slices[i]; s.len != 0 {
			out[i] = bytesAt(unsafe.Pointer(s.ptr), s.len)
		}
	}
	return out
}

// idAt copies 32 bytes.
func idAt(p unsafe.Pointer) [32]byte { return *(*[32]byte)(p) }

// boxed copies bytes to C memory.
func boxed(b []byte) (C.slice_boxed_uint8_t, error) {
	p, err := copied(b)
	if err != nil {
		return C.slice_boxed_uint8_t{}, err
	}
	return C.slice_boxed_uint8_t{ptr: (*C.uint8_t)(p), len: C.size_t(len(b))}, nil
}

// boxedNumbers copies numbers to C memory.
func boxedNumbers[T ~uint64](n []T) (C.slice_boxed_uint64_t, error) {
	p, err := copied(n)
	if err != nil {
		return C.slice_boxed_uint64_t{}, err
	}
	return C.slice_boxed_uint64_t{ptr: (*C.uint64_t)(p), len: C.size_t(len(n))}, nil
}

// copied copies elements without pointers of Go to C memory.
func copied[T any](elements []T) (unsafe.Pointer, error) {
	var one T
	p := C.filc_array(C.size_t(len(elements)) * C.size_t(unsafe.Sizeof(one)))
	if p == nil {
		return nil, &cuzk.Error{Code: cuzk.Memory, Message: "no memory for a result"}
	}
	copy(unsafe.Slice((*T)(p), len(elements)), elements)
	return p, nil
}
