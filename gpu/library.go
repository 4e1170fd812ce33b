// Package gpu is the Go face of libcuzk_cuda.so, the device library (gpu/cuda):
// it opens it at run time, so that libcuzk builds and runs without CUDA, and
// gives its objects Go types. It knows nothing of Filecoin or of proofs;
// core/internal/device joins it to the prover.
//
// A [Device] holds circuits, a [Circuit] its parameters, and [Params] prove
// partitions, several at a time. Failures are *[Error].
package gpu

// #cgo LDFLAGS: -ldl
// #cgo noescape cuzki_gpu_load
// #include <stdlib.h>
// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_count(cuzk_gpu_library *l, int32_t *n, ERR) { return l->count(n, err); }
// static int32_t call_describe(cuzk_gpu_library *l, int32_t i, cuzk_cuda_info *out, ERR) { return l->describe(i, out, err); }
import "C"

import (
	"sync"
	"unsafe"
)

// Library is an opened device library. It stays in the process: CUDA cannot be
// unloaded. Safe for concurrent use.
type Library struct {
	Path string
	c    *C.cuzk_gpu_library // C memory, never freed
}

// loaded keeps one Library per path, because a second load of the same file
// gives the same objects.
var loaded struct {
	sync.Mutex
	libraries map[string]*Library
}

// Load opens the device library at path. An error has code Missing.
func Load(path string) (*Library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if l, ok := loaded.libraries[path]; ok {
		return l, nil
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	c := (*C.cuzk_gpu_library)(C.calloc(1, C.sizeof_cuzk_gpu_library))
	var message [512]C.char
	if C.cuzki_gpu_load(name, c, &message[0], C.size_t(len(message))) == 0 {
		C.free(unsafe.Pointer(c))
		return nil, &Error{Code: Missing, Device: -1, Stage: "load", Message: C.GoString(&message[0])}
	}
	l := &Library{Path: path, c: c}
	if loaded.libraries == nil {
		loaded.libraries = map[string]*Library{}
	}
	loaded.libraries[path] = l
	return l, nil
}

// Symbol finds a further function of the library, nil if there is none. The
// stand-in of tests has controls that the real library lacks.
func (l *Library) Symbol(name string) unsafe.Pointer {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.cuzki_gpu_symbol(l.c, c)
}

// Devices lists what CUDA shows, usable or not. CUDA_VISIBLE_DEVICES acts before.
func (l *Library) Devices() ([]Info, error) {
	var n C.int32_t
	var e C.cuzk_cuda_error
	if C.call_count(l.c, &n, &e) != 0 {
		return nil, failure(&e)
	}
	all := make([]Info, n)
	for i := range all {
		var d C.cuzk_cuda_info
		if C.call_describe(l.c, C.int32_t(i), &d, &e) != 0 {
			all[i] = Info{Index: i, Rejected: failure(&e).Error()}
			continue
		}
		all[i] = Info{
			Index: i, Name: C.GoString(&d.name[0]), UUID: *(*UUID)(unsafe.Pointer(&d.uuid)),
			Major: int(d.major), Minor: int(d.minor), Multiprocessors: int(d.multiprocessors),
			Memory: uint64(d.memory), Available: uint64(d.available),
			Driver: int(d.driver), Runtime: int(d.runtime), Rejected: C.GoString(&d.reason[0]),
		}
	}
	return all, nil
}
