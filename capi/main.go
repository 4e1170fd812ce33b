// GOMAXPROCS is set once: later the limits of the control group would be read
// through a descriptor that the host may have closed and given to something else.
//
//go:debug updatemaxprocs=0

// Command capi is libcuzk as a C library: with -buildmode=c-shared it becomes
// libcuzk.so, with c-archive libcuzk.a. The public functions of include/cuzk.h
// are in shim.c; they call the hidden exports cuzkgo_* here. There is no logic
// on either side but translation: numbers to handles, structs to options,
// errors to error objects.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../include -I${SRCDIR}/internal/fork -I${SRCDIR}/internal/signals -std=gnu11 -Wall -Wextra
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unsafe"

	_ "github.com/libcuzk/libcuzk/capi/internal/fork" // C alone: see its header
	"github.com/libcuzk/libcuzk/capi/internal/guard"
	_ "github.com/libcuzk/libcuzk/capi/internal/signals" // C alone, too
	cuzk "github.com/libcuzk/libcuzk/core"
)

func main() {}

// The live handles of this process. They are the library's only state; a
// handle is useless to whoever did not get it from here.
var (
	engines = newTable[*cuzk.Engine](C.CUZKI_TAG_ENGINE)
	jobs    = newTable[submitted](C.CUZKI_TAG_JOB)
)

// call runs the body of an exported function. A panic, which would otherwise
// end the host, becomes an error, and an error becomes the C failure.
func call(failure *C.cuzki_failure, body func() error) C.int32_t {
	err := guard.Call(body)
	if err == nil {
		return C.CUZK_OK
	}
	var e *cuzk.Error
	if !errors.As(err, &e) {
		e = &cuzk.Error{Code: cuzk.Internal, Message: err.Error()}
	}
	failure.message, failure.detail = line(e.Message), line(e.Detail)
	if e.Retryable {
		failure.retryable = 1
	}
	return C.int32_t(e.Code)
}

// line makes a C string, to be freed, of text that may hold what a caller gave,
// such as the name of a folder: cuzk.h promises one line of UTF-8 without control
// characters, so that nobody writes into a terminal or a log through it.
func line(text string) *C.char {
	var out strings.Builder
	for _, r := range strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\n", "; ") {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			fmt.Fprintf(&out, "\\u%04x", r)
			continue
		}
		out.WriteRune(r)
	}
	return C.CString(out.String())
}

// optionalText copies a C string that stands for a default when it is NULL. An empty
// one is a mistake of the caller, such as a variable that is not set.
func optionalText(name string, p *C.char) (string, error) {
	if p != nil && *p == 0 {
		return "", argument(name, "%s is empty: NULL stands for the default", name)
	}
	return textAt(p), nil
}

// flag reads a field that is 0 or 1; other values are kept for later meanings.
func flag(name string, value C.uint32_t) (bool, error) {
	if value > 1 {
		return false, argument(name, "%s is %d, want 0 or 1", name, value)
	}
	return value == 1, nil
}

// bytesAt views n bytes of the caller's memory; they are only read, and only
// while the call lasts. Nothing has no address.
func bytesAt(p unsafe.Pointer, n C.size_t) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), int(n))
}

// textAt copies a C string; "" for NULL.
func textAt(p *C.char) string {
	if p == nil {
		return ""
	}
	return C.GoString(p)
}

// fill copies data to the caller's buffer after the two-call rule: *size is
// what data needs, also when it does not fit.
func fill(out *C.uint8_t, capacity C.size_t, size *C.size_t, data []byte) error {
	*size = C.size_t(len(data))
	if err := fits(len(data), capacity); err != nil {
		return err
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(out)), len(data)), data)
	return nil
}

// fits returns an error of code BufferShort if need exceeds capacity.
func fits(need int, capacity C.size_t) error {
	if capacity >= C.size_t(need) {
		return nil
	}
	return &cuzk.Error{Code: cuzk.BufferShort, Message: fmt.Sprintf("buffer holds %d, need %d", capacity, need)}
}
