package gpu

// #include "cuda/cuzk_cuda.h"
import "C"

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
