package main

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/libcuzk/libcuzk/capi/internal/guard"
	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_init opens an engine. paramsEnv is FIL_PROOFS_PARAMETER_CACHE, NULL
// if unset, beside the device library in this library's folder, NULL if there is
// none.
//
//export cuzkgo_init
func cuzkgo_init(options *C.cuzk_options, paramsEnv, deviceLibrary *C.char, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		o, err := optionsOf(options, paramsEnv)
		if err != nil {
			return err
		}
		if deviceLibrary != nil {
			o.DeviceLibraryDir = filepath.Dir(textAt(deviceLibrary))
		}
		e, err := cuzk.Open(o)
		if err != nil {
			return err
		}
		*out = C.uint64_t(engines.put(e))
		return nil
	})
}

// optionsOf translates the C options.
func optionsOf(c *C.cuzk_options, paramsEnv *C.char) (cuzk.Options, error) {
	const known = C.CUZK_CHECK_DIGEST | C.CUZK_CHECK_SUBGROUP
	o := cuzk.Options{
		Threads:       int(c.threads),
		CheckDigest:   c.params_check&C.CUZK_CHECK_DIGEST != 0,
		CheckSubgroup: c.params_check&C.CUZK_CHECK_SUBGROUP != 0,
		MemoryBudget:  limitOf(c.memory_budget, 0),
		MaxInput:      limitOf(c.max_input, math.MaxInt64),

		DeviceMemoryLimit: limitOf(c.device_memory_limit, 0),
		DeviceSlots:       int(c.device_slots),
		MaxBatchSize:      int(c.max_batch_size),
		MaxBatchWait:      time.Duration(min(uint64(c.max_batch_wait_ms), uint64(maxWait/time.Millisecond))) * time.Millisecond,
	}
	var err error
	if o.ParamsDir, err = optionalText("options.params_dir", c.params_dir); err != nil {
		return o, err
	}
	if o.DeviceLibrary, err = optionalText("options.device_library", c.device_library); err != nil {
		return o, err
	}
	names, err := optionalText("options.devices", c.devices)
	if err != nil {
		return o, err
	}
	if names != "" {
		o.Devices = strings.Split(names, ",")
	}
	switch c.backend {
	case C.CUZK_BACKEND_AUTO:
	case C.CUZK_BACKEND_CPU:
		o.Backend = cuzk.CPU
	case C.CUZK_BACKEND_CUDA:
		o.Backend = cuzk.CUDA
	default:
		return o, argument("options.backend", "backend is %d, want CUZK_BACKEND_AUTO, _CPU or _CUDA", c.backend)
	}
	if c.params_check&^known != 0 {
		return o, argument("options.params_check", "params_check is %#x: unknown bits", uint32(c.params_check))
	}
	if c.params_dir == nil && paramsEnv != nil {
		if o.ParamsDir = textAt(paramsEnv); o.ParamsDir == "" {
			return o, argument("FIL_PROOFS_PARAMETER_CACHE", "FIL_PROOFS_PARAMETER_CACHE is set but empty")
		}
		if err := o.Check(); err != nil {
			return o, argument("FIL_PROOFS_PARAMETER_CACHE", "FIL_PROOFS_PARAMETER_CACHE: %v", err)
		}
	}
	return o, nil
}

// limitOf translates a number of bytes. What no memory has, such as 2^64-1, asks for
// no limit.
func limitOf(bytes C.uint64_t, none int64) int64 {
	if bytes > math.MaxInt64 {
		return none
	}
	return int64(bytes)
}

func argument(detail, format string, args ...any) error {
	return &cuzk.Error{Code: cuzk.Argument, Detail: detail, Message: fmt.Sprintf(format, args...)}
}

// cuzkgo_free closes an engine. Its handle is dead at once; the call returns
// when its jobs have stopped.
//
//export cuzkgo_free
func cuzkgo_free(engine C.uint64_t) {
	_ = guard.Call(func() error {
		if e, ok := engines.take(uint64(engine)); ok {
			return e.Close()
		}
		return nil
	})
}
