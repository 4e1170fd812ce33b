package gpu

// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_take(cuzk_gpu_library *l, cuzk_cuda_srs *s, cuzk_cuda_buffer *out, ERR) { return l->srs_take(s, out, err); }
// static void call_give(cuzk_gpu_library *l, cuzk_cuda_srs *s, uint32_t buffer) { l->srs_give(s, buffer); }
// static int32_t call_put(cuzk_gpu_library *l, cuzk_cuda_srs *s, uint32_t buffer, uint64_t pass, int32_t section, uint64_t first, uint64_t count, ERR) { return l->srs_put(s, buffer, pass, section, first, count, err); }
// static int32_t call_generate(cuzk_gpu_library *l, cuzk_cuda_srs *s, int32_t section, uint64_t first, uint64_t count, const uint64_t *g, const uint64_t *scalars, const uint64_t *start, const uint64_t *ratio, ERR) { return l->srs_generate(s, section, first, count, g, scalars, start, ratio, err); }
import "C"

import (
	"unsafe"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Part is the number of points of a section that are put at a time.
func (p *Params) Part(s Section) int {
	if s == B2 {
		return p.device.part / 2
	}
	return p.device.part
}

// Buffers is the number of parts that can be on their way at once.
func (p *Params) Buffers() int { return p.device.buffers }

// Put brings one part of a section: read fills pinned memory with the points at
// positions first, … as a `.params` file has them; the device decodes them and
// checks each to be canonical and on the curve. A point that is refused may show
// in a later call or in Finish. First is a multiple of Part. Pass is 0 while
// parameters are loaded, else that of a run: then Put waits until the piece is
// wanted. From at most Buffers goroutines at a time, which take parts in order.
func (p *Params) Put(pass uint64, s Section, first, count int, read func(to []byte) error) error {
	if count == 0 {
		return nil
	}
	var b C.cuzk_cuda_buffer
	var e C.cuzk_cuda_error
	if C.call_take(p.device.library.c, p.c, &b, &e) != 0 {
		return failure(&e)
	}
	taken := true
	defer func() {
		if taken {
			C.call_give(p.device.library.c, p.c, b.index)
		}
	}()
	if size := count * s.PointSize(); uint64(size) > uint64(b.bytes) {
		return &Error{Code: Argument, Device: p.device.Index, Stage: "srs", Message: "more points than a part has"}
	} else if err := read(unsafe.Slice((*byte)(b.memory), size)); err != nil {
		return err
	}
	taken = false // put gives it back, whatever happens
	if C.call_put(p.device.library.c, p.c, b.index, C.uint64_t(pass), C.int32_t(s), C.uint64_t(first), C.uint64_t(count), &e) != 0 {
		return failure(&e)
	}
	return nil
}

// Generate fills positions first, … with scalars times the group's generator.
// First is a multiple of Part, and so is their number, or the section ends there.
// For test parameters: who knows the scalars can prove anything.
func (p *Params) Generate(s Section, first int, scalars []fr.Element) error {
	if len(scalars) == 0 {
		return nil
	}
	return p.generate(s, first, len(scalars), (*C.uint64_t)(&scalars[0][0]), nil, nil)
}

// GeneratePowers fills positions 0 … count−1 with start·ratio^i times the
// generator.
func (p *Params) GeneratePowers(s Section, count int, start, ratio fr.Element) error {
	return p.generate(s, 0, count, nil, (*C.uint64_t)(&start[0]), (*C.uint64_t)(&ratio[0]))
}

func (p *Params) generate(s Section, first, count int, scalars, start, ratio *C.uint64_t) error {
	_, _, g1, g2 := bls.Generators()
	g := (*C.uint64_t)(unsafe.Pointer(&g1))
	if s == B2 {
		g = (*C.uint64_t)(unsafe.Pointer(&g2))
	}
	var e C.cuzk_cuda_error
	if C.call_generate(p.device.library.c, p.c, C.int32_t(s), C.uint64_t(first), C.uint64_t(count), g, scalars, start, ratio, &e) != 0 {
		return failure(&e)
	}
	return nil
}
