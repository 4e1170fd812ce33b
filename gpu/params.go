package gpu

// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_srs(cuzk_gpu_library *l, cuzk_cuda_circuit *c, cuzk_cuda_srs **out, ERR) { return l->srs_create(c, out, err); }
// static int32_t call_put(cuzk_gpu_library *l, cuzk_cuda_srs *s, int32_t section, uint64_t first, uint64_t count, const uint8_t *points, ERR) { return l->srs_put(s, section, first, count, points, err); }
// static int32_t call_generate(cuzk_gpu_library *l, cuzk_cuda_srs *s, int32_t section, uint64_t first, uint64_t count, const uint64_t *g, const uint64_t *scalars, const uint64_t *start, const uint64_t *ratio, ERR) { return l->srs_generate(s, section, first, count, g, scalars, start, ratio, err); }
// static int32_t call_finish(cuzk_gpu_library *l, cuzk_cuda_srs *s, ERR) { return l->srs_finish(s, err); }
// static int32_t call_get(cuzk_gpu_library *l, cuzk_cuda_srs *s, int32_t section, uint64_t at, uint64_t *p, ERR) { return l->srs_get(s, section, at, p, err); }
// static void call_srs_free(cuzk_gpu_library *l, cuzk_cuda_srs *s) { l->srs_free(s); }
import "C"

import (
	"unsafe"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Section names a part of the parameters, in the order of a `.params` file.
type Section int

// The sections; B2 is in G2.
const (
	H  Section = C.CUZK_CUDA_H
	L  Section = C.CUZK_CUDA_L
	A  Section = C.CUZK_CUDA_A
	B1 Section = C.CUZK_CUDA_B1
	B2 Section = C.CUZK_CUDA_B2
)

// pointSize is the length in bytes of an encoded point.
func (s Section) pointSize() int {
	if s == B2 {
		return bls.SizeOfG2AffineUncompressed
	}
	return bls.SizeOfG1AffineUncompressed
}

// Params are the proving parameters of one circuit in the memory of a device:
// first every section is filled in order, then Finish makes them ready. Filling
// is for one goroutine at a time.
type Params struct {
	device *Device
	c      *C.cuzk_cuda_srs
}

// NewParams reserves memory for all sections of the circuit's parameters.
func (c *Circuit) NewParams() (*Params, error) {
	p := &Params{device: c.device}
	var e C.cuzk_cuda_error
	if C.call_srs(c.device.library.c, c.c, &p.c, &e) != 0 {
		return nil, failure(&e)
	}
	return p, nil
}

// Put decodes points at positions first, … from their bytes in a `.params`
// file and checks each to be canonical and on the curve.
func (p *Params) Put(s Section, first int, points []byte) error {
	if len(points) == 0 {
		return nil
	}
	count := len(points) / s.pointSize()
	var e C.cuzk_cuda_error
	if C.call_put(p.device.library.c, p.c, C.int32_t(s), C.uint64_t(first), C.uint64_t(count), (*C.uint8_t)(&points[0]), &e) != 0 {
		return failure(&e)
	}
	return nil
}

// Generate fills positions first, … with scalars times the group's generator.
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

// Finish checks that every point was given and prepares proving; the points
// cannot be read back afterwards.
func (p *Params) Finish() error {
	var e C.cuzk_cuda_error
	if C.call_finish(p.device.library.c, p.c, &e) != 0 {
		return failure(&e)
	}
	return nil
}

// PointG1 returns a point of a section in G1 before Finish.
func (p *Params) PointG1(s Section, at int) (point bls.G1Affine, err error) {
	if s == B2 {
		return point, &Error{Code: Argument, Device: p.device.Index, Stage: "srs", Message: "the section is in G2"}
	}
	return point, p.get(s, at, unsafe.Pointer(&point))
}

// PointG2 returns a point of section B2 before Finish.
func (p *Params) PointG2(at int) (point bls.G2Affine, err error) {
	return point, p.get(B2, at, unsafe.Pointer(&point))
}

func (p *Params) get(s Section, at int, point unsafe.Pointer) error {
	var e C.cuzk_cuda_error
	if C.call_get(p.device.library.c, p.c, C.int32_t(s), C.uint64_t(at), (*C.uint64_t)(point), &e) != 0 {
		return failure(&e)
	}
	return nil
}

// Close frees the parameters once their jobs are released.
func (p *Params) Close() {
	C.call_srs_free(p.device.library.c, p.c)
	p.c = nil
}
