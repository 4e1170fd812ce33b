package main

/*
#include "shim.h"
*/
import "C"

import cuzk "github.com/libcuzk/libcuzk/core"

// kinds are the proof kinds by their C number.
var kinds = map[C.int32_t]cuzk.Kind{
	C.CUZK_KIND_POREP:        cuzk.KindPoRep,
	C.CUZK_KIND_WINNING_POST: cuzk.KindWinningPoSt,
	C.CUZK_KIND_WINDOW_POST:  cuzk.KindWindowPoSt,
	C.CUZK_KIND_UPDATE:       cuzk.KindUpdate,
	C.CUZK_KIND_AGGREGATE:    cuzk.KindAggregate,
}

// cuzkgo_submit_params starts a job that makes test parameters.
//
//export cuzkgo_submit_params
func cuzkgo_submit_params(engine C.uint64_t, options *C.cuzk_params_options, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(*cuzk.Engine) (cuzk.Request, error) {
		kind, ok := kinds[options.kind]
		if !ok {
			return nil, argument("options.kind", "kind is %d, want a CUZK_KIND_*", options.kind)
		}
		if options.seed_label != nil && *options.seed_label == 0 {
			return nil, argument("options.seed_label", "seed_label is empty: NULL asks for random secrets")
		}
		if options.length > maxPieces {
			return nil, argument("options.length", "length is %d", options.length)
		}
		dir, err := optionalText("options.dir", options.dir)
		if err != nil {
			return nil, err
		}
		job, err := jobOptions(options.job, false)
		return cuzk.Params{Kind: kind, SectorSize: uint64(options.sector_size), Length: int(options.length),
			Dir: dir, SeedLabel: textAt(options.seed_label), Job: job}, err
	})
}
