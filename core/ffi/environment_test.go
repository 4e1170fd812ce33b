package ffi

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
)

func environment(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := pairs[name]
		return v, ok
	}
}

func TestOptionsFromEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	type env = map[string]string
	for _, c := range []struct {
		env  env
		want cuzk.Options
	}{
		{env{}, cuzk.Options{}},
		{env{"FIL_PROOFS_PARAMETER_CACHE": "/p"}, cuzk.Options{ParamsDir: "/p"}},
		{env{"FIL_PROOFS_VERIFY_PRODUCTION_PARAMS": "True", "BELLMAN_NO_GPU": "1"}, cuzk.Options{CheckDigest: true, Backend: cuzk.CPU}},
		{env{"FIL_PROOFS_VERIFY_PRODUCTION_PARAMS": "0", "BELLMAN_NO_GPU": "0"}, cuzk.Options{}},
		{env{"FIL_PROOFS_VERIFY_CACHE": "no", "FIL_PROOFS_ROWS_TO_DISCARD": "2", "FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS": "8",
			"FIL_PROOFS_GPU_FRAMEWORK": "opencl", "FIL_PROOFS_PARENT_CACHE": "/q", "FIL_PROOFS_CACHE_DIR": "/r"}, cuzk.Options{}},
	} {
		got, err := OptionsFromEnvironment(environment(c.env))
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for name, values := range map[string][]string{
		"FIL_PROOFS_PARAMETER_CACHE":                {"", file, "a\x00b"},
		"FIL_PROOFS_VERIFY_PRODUCTION_PARAMS":       {"", "2", "maybe", " true"},
		"FIL_PROOFS_VERIFY_CACHE":                   {"", "x"},
		"FIL_PROOFS_ROWS_TO_DISCARD":                {"", "-1", "two", "4294967296"},
		"FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS": {"", "1.5", "0x10"},
		"FIL_PROOFS_GPU_FRAMEWORK":                  {"", "vulkan", "CUDA"},
		"FIL_PROOFS_PARENT_CACHE":                   {""},
		"FIL_PROOFS_CACHE_DIR":                      {""},
	} {
		for _, value := range values {
			_, err := OptionsFromEnvironment(environment(env{name: value}))
			var e *cuzk.Error
			require.True(t, errors.As(err, &e), "%s=%q", name, value)
			require.Equal(t, cuzk.Argument, e.Code)
			require.Equal(t, name, e.Detail)
			require.Contains(t, e.Message, name)
		}
	}
}

// TestLazy: junk is an error of every call until it is gone; then one engine
// serves all.
func TestLazy(t *testing.T) {
	env := map[string]string{"FIL_PROOFS_PARAMETER_CACHE": ""}
	l := Lazy{Lookup: environment(env)}
	for range 2 {
		_, err := l.Get()
		require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
	}
	env["FIL_PROOFS_PARAMETER_CACHE"] = "/p"
	first, err := l.Get()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, first.Close()) })
	require.Equal(t, "/p", first.Options().ParamsDir)
	second, err := l.Get()
	require.NoError(t, err)
	require.Same(t, first, second)
}
