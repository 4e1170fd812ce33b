package gpu

// #include "cuda/cuzk_cuda.h"
import "C"

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Code says what kind of failure an Error is.
type Code int

// The codes; all but Missing are those of cuzk_cuda.h.
const (
	Missing  Code = -1                   // no device library, or one of another version
	Argument Code = C.CUZK_CUDA_ARGUMENT // sizes that contradict each other
	Memory   Code = C.CUZK_CUDA_MEMORY   // device or pinned memory is exhausted
	Call     Code = C.CUZK_CUDA_CALL     // a CUDA call failed; the device still works
	Lost     Code = C.CUZK_CUDA_LOST     // a CUDA call failed and every later one will
	Point    Code = C.CUZK_CUDA_POINT    // a point of the parameters was refused
	Internal Code = C.CUZK_CUDA_INTERNAL // fault of the library
	Stopped  Code = C.CUZK_CUDA_STOPPED  // the run was stopped
)

// Error is a failure of the device library.
type Error struct {
	Code              Code
	CUDA              int     // cudaError_t, or 0
	Device            int     // index, or −1
	Stage             string  // "open", "srs", "ntt", …
	Message           string  // the call and what CUDA says
	Needed, Available uint64  // bytes, of Memory
	Section           Section // of Point
	Index             uint64  // of Point: position in the section
	Reason            string  // of Point
}

// Error renders "device 0, ntt: cudaMalloc …".
func (e *Error) Error() string {
	if e.Device < 0 {
		return fmt.Sprintf("%s: %s", e.Stage, e.Message)
	}
	s := fmt.Sprintf("device %d, %s: %s", e.Device, e.Stage, e.Message)
	if e.Code == Point {
		s += fmt.Sprintf(": [%d]: %s", e.Index, e.Reason)
	}
	return s
}

var reasons = map[C.int32_t]string{
	C.CUZK_CUDA_POINT_INFINITY:   "point at infinity",
	C.CUZK_CUDA_POINT_FLAGS:      "not an uncompressed point",
	C.CUZK_CUDA_POINT_COORDINATE: "coordinate not below the field modulus",
	C.CUZK_CUDA_POINT_CURVE:      "not on curve",
}

// failure converts what the library filled in.
func failure(e *C.cuzk_cuda_error) *Error {
	return &Error{
		Code: Code(e.code), CUDA: int(e.cuda), Device: int(e.device),
		Stage: C.GoString(&e.stage[0]), Message: C.GoString(&e.message[0]),
		Needed: uint64(e.needed), Available: uint64(e.available),
		Section: Section(e.section), Index: uint64(e.index), Reason: reasons[e.reason],
	}
}

// UUID identifies a device across restarts.
type UUID [16]byte

// String renders the UUID as nvidia-smi does, "GPU-xxxxxxxx-xxxx-…".
func (u UUID) String() string {
	h := hex.EncodeToString(u[:])
	return "GPU-" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
