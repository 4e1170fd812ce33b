package main

/*
#include "shim.h"
*/
import "C"

import cuzk "github.com/libcuzk/libcuzk/core"

// measures are the parts by their C number.
var measures = map[C.int32_t]string{
	C.CUZK_MEASURE_FIELD:      "field",
	C.CUZK_MEASURE_NTT:        "ntt",
	C.CUZK_MEASURE_MSM_G1:     "msm_g1",
	C.CUZK_MEASURE_MSM_G2:     "msm_g2",
	C.CUZK_MEASURE_BIT_SUM_G1: "bit_sum_g1",
	C.CUZK_MEASURE_POSEIDON:   "poseidon",
	C.CUZK_MEASURE_SHA256:     "sha256",
}

// cuzkgo_submit_measure starts a job that measures. Its result is in the byte
// order of every machine that Go's vector code and the prover run on.
//
//export cuzkgo_submit_measure
func cuzkgo_submit_measure(engine C.uint64_t, r *C.cuzk_measure_request, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(*cuzk.Engine) (cuzk.Request, error) {
		what, ok := measures[r.what]
		if !ok {
			return nil, argument("request.what", "what is %d, want a CUZK_MEASURE_*", r.what)
		}
		job, err := jobOptions(r.job, false)
		return cuzk.Measure{What: what, Log2: int(r.log2_size), Repeats: int(r.repeats), Job: job}, err
	})
}
