// GOMAXPROCS is set once: later the limits of the control group would be read
// through a descriptor that the host may have closed and given to something else.
//
//go:debug updatemaxprocs=0

// Command filcrypto is filecoin-ffi's C interface on libcuzk: with
// -buildmode=c-shared it becomes libcuzk_filcrypto.so. The public functions of
// include/cuzk_filcrypto.h are in shim.c; they call the hidden exports cuzkgo_*
// here. What C gets is allocated in C (result.c).
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../include -I${SRCDIR}/../internal/fork -std=gnu11 -Wall -Wextra
#include <stdlib.h>
#include "result.h"
*/
import "C"

import (
	"context"
	"unsafe"

	_ "github.com/libcuzk/libcuzk/capi/internal/fork" // C alone: see its header
	"github.com/libcuzk/libcuzk/capi/internal/guard"
	_ "github.com/libcuzk/libcuzk/capi/internal/signals" // C alone, too
	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/ffi"
)

func main() {}

// engine is opened by the first call that needs it: filecoin-ffi's calls carry
// none.
var engine = ffi.Lazy{Lookup: getenv}

// getenv asks C: Go's own copy of the environment is from when the library was
// loaded.
func getenv(name string) (string, bool) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	value := C.getenv(c)
	if value == nil {
		return "", false
	}
	return C.GoString(value), true
}

// answer runs the body of a call; its failure, or its panic, becomes that of
// the result, whose address is given.
func answer(result unsafe.Pointer, body func() error) {
	if err := guard.Call(body); err != nil {
		text := C.CString(err.Error())
		defer C.free(unsafe.Pointer(text))
		C.filc_fail((*C.filc_head)(result), text)
	}
}

// prove runs a request on the engine and returns the proof as C memory.
func prove(r cuzk.Request) (C.slice_boxed_uint8_t, error) {
	e, err := engine.Get()
	if err != nil {
		return C.slice_boxed_uint8_t{}, err
	}
	proof, err := e.Run(context.Background(), r)
	if err != nil {
		return C.slice_boxed_uint8_t{}, err
	}
	return boxed(proof)
}

// verify runs a check on the engine.
func verify(value *C.bool, check func(*cuzk.Engine) (bool, error)) error {
	e, err := engine.Get()
	if err != nil {
		return err
	}
	ok, err := check(e)
	*value = C.bool(ok)
	return err
}
