package gpu

// #include "load.h"
//
// #define ERR cuzk_cuda_error *err
// static int32_t call_srs(cuzk_gpu_library *l, cuzk_cuda_circuit *c, const cuzk_cuda_srs_options *o, cuzk_cuda_srs **out, ERR) { return l->srs_create(c, o, out, err); }
// static int32_t call_placement(cuzk_gpu_library *l, cuzk_cuda_srs *s, cuzk_cuda_placement *out, ERR) { return l->srs_placement(s, out, err); }
// static int32_t call_finish(cuzk_gpu_library *l, cuzk_cuda_srs *s, ERR) { return l->srs_finish(s, err); }
// static int32_t call_get(cuzk_gpu_library *l, cuzk_cuda_srs *s, int32_t section, uint64_t first, uint64_t count, uint8_t *to, ERR) { return l->srs_get(s, section, first, count, to, err); }
// static void call_srs_free(cuzk_gpu_library *l, cuzk_cuda_srs *s) { l->srs_free(s); }
import "C"

// Params are the proving parameters of one circuit in the memory of a device,
// as far as it suffices: first every section is filled, then Finish makes them
// ready.
type Params struct {
	device *Device
	c      *C.cuzk_cuda_srs
}

// NewParams decides where the sections go and reserves memory for them and for
// proving.
func (c *Circuit) NewParams(o ParamsOptions) (*Params, error) {
	p := &Params{device: c.device}
	options := C.cuzk_cuda_srs_options{
		device_limit: C.uint64_t(o.DeviceLimit), host_limit: C.uint64_t(o.HostLimit),
		stay_limit: C.uint64_t(o.StayLimit), witness_limit: C.uint64_t(o.WitnessLimit), piece: C.uint32_t(max(0, o.Piece)),
	}
	if o.Again {
		options.again = 1
	}
	if o.OneStream {
		options.one_stream = 1
	}
	var e C.cuzk_cuda_error
	if C.call_srs(c.device.library.c, c.c, &options, &p.c, &e) != 0 {
		return nil, failure(&e)
	}
	return p, nil
}

// Placement says where the sections are.
func (p *Params) Placement() (Placement, error) {
	var c C.cuzk_cuda_placement
	var e C.cuzk_cuda_error
	if C.call_placement(p.device.library.c, p.c, &c, &e) != 0 {
		return Placement{}, failure(&e)
	}
	out := Placement{
		DeviceBytes: uint64(c.device_bytes), HostBytes: uint64(c.host_bytes), Locked: c.locked != 0,
		Sketches: c.sketches != 0, Streams: c.in_pieces != 0, Slots: int(c.slots), Together: int(c.together), Beside: c.beside != 0,
		Urgent: c.urgent != 0,
	}
	for i := range out.Home {
		out.Home[i], out.Copies[i], out.Pieces[i] = Home(c.home[i]), int(c.copies[i]), int(c.pieces[i])
	}
	return out, nil
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

// Encoded sets to to points of a section from position first on, as a `.params`
// file has them, before Finish. Sections that are in the file have none. Safe for
// concurrent use.
func (p *Params) Encoded(s Section, first int, to []byte) error {
	if len(to) == 0 {
		return nil
	}
	var e C.cuzk_cuda_error
	if C.call_get(p.device.library.c, p.c, C.int32_t(s), C.uint64_t(first), C.uint64_t(len(to)/s.PointSize()), (*C.uint8_t)(&to[0]), &e) != 0 {
		return failure(&e)
	}
	return nil
}

// Close frees the parameters once their jobs are released.
func (p *Params) Close() {
	C.call_srs_free(p.device.library.c, p.c)
	p.c = nil
}
