package gpu

// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_open(cuzk_gpu_library *l, const cuzk_cuda_options *o, cuzk_cuda_device **out, ERR) { return l->open(o, out, err); }
// static void call_close(cuzk_gpu_library *l, cuzk_cuda_device *d) { l->close(d); }
// static int32_t call_memory(cuzk_gpu_library *l, cuzk_cuda_device *d, uint64_t *used, uint64_t *peak, uint64_t *available, ERR) { return l->memory(d, used, peak, available, err); }
import "C"

// Device is an opened device. Safe for concurrent use until Close.
type Device struct {
	Index         int
	library       *Library
	c             *C.cuzk_cuda_device
	part, buffers int // see Options
}

// Open opens a device by index.
func (l *Library) Open(o Options) (*Device, error) {
	if o.Part == 0 {
		o.Part = DefaultPart
	}
	if o.Buffers == 0 {
		o.Buffers = DefaultBuffers
	}
	c := C.cuzk_cuda_options{
		index: C.int32_t(o.Index), slots: C.uint32_t(max(0, o.Slots)), memory_limit: C.uint64_t(o.MemoryLimit),
		part: C.uint32_t(o.Part), buffers: C.uint32_t(o.Buffers),
	}
	d := &Device{Index: o.Index, library: l, part: o.Part, buffers: o.Buffers}
	var e C.cuzk_cuda_error
	if C.call_open(l.c, &c, &d.c, &e) != 0 {
		return nil, failure(&e)
	}
	return d, nil
}

// Close lets go of the device; its memory is freed once its circuits and their
// parameters are freed too.
func (d *Device) Close() {
	C.call_close(d.library.c, d.c)
	d.c = nil
}

// Memory returns how much device memory is in use.
func (d *Device) Memory() (Usage, error) {
	var used, peak, available C.uint64_t
	var e C.cuzk_cuda_error
	if C.call_memory(d.library.c, d.c, &used, &peak, &available, &e) != 0 {
		return Usage{}, failure(&e)
	}
	return Usage{uint64(used), uint64(peak), uint64(available)}, nil
}
