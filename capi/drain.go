package main

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"time"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_engine_drain waits until an engine's jobs have ended.
//
//export cuzkgo_engine_drain
func cuzkgo_engine_drain(engine C.uint64_t, timeoutMs C.int64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		ctx := context.Background()
		if timeoutMs >= 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(min(int64(timeoutMs), int64(maxWait/time.Millisecond)))*time.Millisecond)
			defer cancel()
		}
		err = e.Drain(ctx)
		if err != nil && ctx.Err() != nil {
			return &cuzk.Error{Code: cuzk.Timeout, Message: "jobs are still under way; no new ones are accepted"}
		}
		return err
	})
}
