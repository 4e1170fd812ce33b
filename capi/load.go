package main

/*
#include "shim.h"
*/
import "C"

import cuzk "github.com/libcuzk/libcuzk/core"

// cuzkgo_submit_load starts a job that loads parameters.
//
//export cuzkgo_submit_load
func cuzkgo_submit_load(engine C.uint64_t, kind C.int32_t, sectorSize C.uint64_t, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(*cuzk.Engine) (cuzk.Request, error) {
		k, ok := kinds[kind]
		if !ok {
			return nil, argument("kind", "kind is %d, want a CUZK_KIND_*", kind)
		}
		return cuzk.Load{Kind: k, SectorSize: uint64(sectorSize)}, nil
	})
}

// cuzkgo_params_evict lets go of parameters.
//
//export cuzkgo_params_evict
func cuzkgo_params_evict(engine C.uint64_t, kind C.int32_t, sectorSize C.uint64_t, freed *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		k, ok := kinds[kind]
		if !ok && kind != 0 {
			return argument("kind", "kind is %d, want 0 or a CUZK_KIND_*", kind)
		}
		bytes, err := e.Evict(k, uint64(sectorSize))
		*freed = C.uint64_t(bytes)
		return err
	})
}
