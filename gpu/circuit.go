package gpu

// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_circuit(cuzk_gpu_library *l, cuzk_cuda_device *d, const cuzk_cuda_circuit_info *i, cuzk_cuda_circuit **out, ERR) { return l->circuit_create(d, i, out, err); }
// static void call_circuit_free(cuzk_gpu_library *l, cuzk_cuda_circuit *c) { l->circuit_free(c); }
import "C"

import (
	"runtime"
	"unsafe"
)

// Circuit is a constraint system on a device.
type Circuit struct {
	device *Device
	c      *C.cuzk_cuda_circuit
}

// NewCircuit copies a constraint system to the device.
func (d *Device) NewCircuit(m *Matrices) (*Circuit, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	info := C.cuzk_cuda_circuit_info{
		rows: C.uint64_t(m.Rows), inputs: C.uint64_t(m.Inputs), aux: C.uint64_t(m.Aux), scalars: C.uint64_t(m.Scalars),
		coefs:     (*C.uint64_t)(pinned(&pins, m.Coefs)),
		templates: (*C.cuzk_cuda_template)(pinned(&pins, m.Templates)),
		instances: (*C.cuzk_cuda_instance)(pinned(&pins, m.Instances)),
		wires:     (*C.uint32_t)(pinned(&pins, m.Wires)),
		starts:    (*C.uint32_t)(pinned(&pins, m.Starts)),
		terms:     (*C.cuzk_cuda_term)(pinned(&pins, m.Terms)),
		num_coefs: C.uint64_t(len(m.Coefs)), num_templates: C.uint64_t(len(m.Templates)),
		num_instances: C.uint64_t(len(m.Instances)), num_wires: C.uint64_t(len(m.Wires)),
		num_starts: C.uint64_t(len(m.Starts)), num_terms: C.uint64_t(len(m.Terms)),
		bits: (*C.uint64_t)(pinned(&pins, m.Bits)),
		l:    m.L.c(&pins), a: m.A.c(&pins), b: m.B.c(&pins),
	}
	if m.Program != nil {
		info.program = m.Program.c(&pins)
	}
	words := (m.Aux + 63) / 64
	for _, bitmap := range [][]uint64{m.Bits, m.L.Dense, m.A.Dense, m.B.Dense} {
		if bitmap != nil && len(bitmap) != words {
			return nil, &Error{Code: Argument, Device: d.Index, Stage: "circuit", Message: "a bitmap over aux has the wrong length"}
		}
	}
	c := &Circuit{device: d}
	var e C.cuzk_cuda_error
	if C.call_circuit(d.library.c, d.c, &info, &c.c, &e) != 0 {
		return nil, failure(&e)
	}
	return c, nil
}

// Close frees the circuit once its parameters are freed.
func (c *Circuit) Close() {
	C.call_circuit_free(c.device.library.c, c.c)
	c.c = nil
}

func (q *Query) c(pins *runtime.Pinner) C.cuzk_cuda_query {
	return C.cuzk_cuda_query{
		inputs: (*C.uint32_t)(pinned(pins, q.Inputs)), num_inputs: C.uint64_t(len(q.Inputs)),
		dense: (*C.uint64_t)(pinned(pins, q.Dense)),
		which: (*C.uint32_t)(pinned(pins, q.Which)), num_which: C.uint64_t(len(q.Which)),
	}
}

func (p *Program) c(pins *runtime.Pinner) C.cuzk_cuda_program {
	hashes := make([]C.cuzk_cuda_hash, len(p.Hashes))
	for i, h := range p.Hashes {
		hashes[i] = C.cuzk_cuda_hash{t: C.uint32_t(h.T), partial: C.uint32_t(h.Partial),
			constants: (*C.uint64_t)(pinned(pins, h.Constants)), num_constants: C.uint64_t(len(h.Constants))}
	}
	return C.cuzk_cuda_program{
		rules: (*C.cuzk_cuda_rule)(pinned(pins, p.Rules)), num_rules: C.uint64_t(len(p.Rules)),
		args: (*C.uint32_t)(pinned(pins, p.Args)), num_args: C.uint64_t(len(p.Args)),
		starts: (*C.uint32_t)(pinned(pins, p.Starts)), num_starts: C.uint64_t(len(p.Starts)),
		order: (*C.uint32_t)(pinned(pins, p.Order)), num_order: C.uint64_t(len(p.Order)),
		waves: (*C.uint32_t)(pinned(pins, p.Waves)), num_waves: C.uint64_t(len(p.Waves)),
		given: (*C.uint32_t)(pinned(pins, p.Given)), num_given: C.uint64_t(len(p.Given)),
		hashes: (*C.cuzk_cuda_hash)(pinned(pins, hashes)), num_hashes: C.uint64_t(len(hashes)),
	}
}

// pinned returns the address of a slice's memory, which stays where it is until
// the pins are taken out; nil for an empty slice.
func pinned[T any](pins *runtime.Pinner, s []T) unsafe.Pointer {
	if len(s) == 0 {
		return nil
	}
	pins.Pin(&s[0])
	return unsafe.Pointer(&s[0])
}
