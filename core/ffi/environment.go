package ffi

import (
	"os"
	"strconv"
	"strings"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// shared is the engine of the package functions.
var shared = Lazy{Lookup: os.LookupEnv}

// OptionsFromEnvironment reads the variables that operators set for the
// published prover (storage-proofs-core settings.rs, bellperson
// gpu/locks.rs) as options. A value that the published prover could not read
// either is an error of code Argument whose detail is the variable's name.
//
//	FIL_PROOFS_PARAMETER_CACHE            folder of parameters
//	FIL_PROOFS_VERIFY_PRODUCTION_PARAMS   verify the published digest of each parameter file
//	BELLMAN_NO_GPU                        anything but 0: prove on the CPU
//
// FIL_PROOFS_VERIFY_CACHE, _ROWS_TO_DISCARD, _WINDOW_POST_SYNTHESIS_NUM_CPUS,
// _GPU_FRAMEWORK, _PARENT_CACHE and _CACHE_DIR are checked and have no effect:
// they concern sealing, or choices that an engine makes itself. The file
// rust-fil-proofs.config.toml is not read.
func OptionsFromEnvironment(lookup func(name string) (string, bool)) (cuzk.Options, error) {
	var o cuzk.Options
	for _, v := range variables {
		value, set := lookup(v.name)
		if !set {
			continue
		}
		if want := v.read(value, &o); want != "" {
			return cuzk.Options{}, argument(v.name, "%s is %q, want %s", v.name, value, want)
		}
	}
	if err := o.Check(); err != nil {
		return cuzk.Options{}, argument("FIL_PROOFS_PARAMETER_CACHE", "FIL_PROOFS_PARAMETER_CACHE: %v", err)
	}
	return o, nil
}

// variables are all that are read. read puts a value into the options, or
// returns what it should have been.
var variables = []struct {
	name string
	read func(value string, o *cuzk.Options) (want string)
}{
	{"FIL_PROOFS_PARAMETER_CACHE", func(value string, o *cuzk.Options) string {
		o.ParamsDir = value
		return folder(value, nil)
	}},
	{"FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", func(value string, o *cuzk.Options) (want string) {
		o.CheckDigest, want = truth(value)
		return want
	}},
	{"BELLMAN_NO_GPU", func(value string, o *cuzk.Options) string {
		if value != "0" {
			o.Backend = cuzk.CPU
		}
		return ""
	}},
	{"FIL_PROOFS_VERIFY_CACHE", func(value string, _ *cuzk.Options) string { _, want := truth(value); return want }},
	{"FIL_PROOFS_ROWS_TO_DISCARD", count},
	{"FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS", count},
	{"FIL_PROOFS_GPU_FRAMEWORK", func(value string, _ *cuzk.Options) string {
		if value != "cuda" && value != "opencl" {
			return "cuda or opencl"
		}
		return ""
	}},
	{"FIL_PROOFS_PARENT_CACHE", folder},
	{"FIL_PROOFS_CACHE_DIR", folder},
}

func folder(value string, _ *cuzk.Options) string {
	if value == "" {
		return "a folder"
	}
	return ""
}

func count(value string, _ *cuzk.Options) string {
	if _, err := strconv.ParseUint(value, 10, 32); err != nil {
		return "a whole number"
	}
	return ""
}

// truth reads a boolean as the published settings do.
func truth(value string) (yes bool, want string) {
	switch strings.ToLower(value) {
	case "1", "true", "on", "yes":
		return true, ""
	case "0", "false", "off", "no":
		return false, ""
	}
	return false, "true or false"
}
