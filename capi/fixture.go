package main

/*
#include "shim.h"
*/
import "C"

import cuzk "github.com/libcuzk/libcuzk/core"

// cuzkgo_submit_fixture starts a job that makes the input of a proof.
//
//export cuzkgo_submit_fixture
func cuzkgo_submit_fixture(engine C.uint64_t, o *C.cuzk_fixture_options, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(*cuzk.Engine) (cuzk.Request, error) {
		kind, ok := kinds[o.kind]
		if !ok {
			return nil, argument("options.kind", "kind is %d, want a CUZK_KIND_*", o.kind)
		}
		if o.sectors > maxPieces {
			return nil, argument("options.sectors", "sectors is %d, want 65536 at most", o.sectors)
		}
		job, err := jobOptions(o.job, false)
		return cuzk.Fixture{Kind: kind, SectorSize: uint64(o.sector_size), Seed: uint64(o.seed),
			Sectors: int(o.sectors), Dir: textAt(o.dir), Job: job}, err
	})
}
