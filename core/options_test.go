package core_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"libcuzk/core"
)

func TestValidateReportsEveryProblem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	bad := core.Options{ParamsDir: file, Backend: "gpu", Threads: -1, MemoryBudget: -2, MaxInput: -3}
	err := bad.Validate()
	require.Equal(t, core.Argument, core.CodeOf(err))
	for _, word := range []string{"ParamsDir", "Backend", "Threads", "MemoryBudget", "MaxInput"} {
		require.ErrorContains(t, err, word)
	}
	_, err = core.Open(bad)
	require.Equal(t, core.Argument, core.CodeOf(err))
	require.NoError(t, core.Options{}.Validate())
	require.NoError(t, core.Options{ParamsDir: "/nowhere/yet"}.Validate())
}

func TestStringReplays(t *testing.T) {
	require.Equal(t, "core.Options{}", core.Options{}.String())
	o := core.Options{ParamsDir: "/p", Backend: core.CPU, Threads: 2, CheckDigest: true, CheckSubgroup: true, MemoryBudget: 5, MaxInput: 6}
	require.Equal(t, `core.Options{ParamsDir: "/p", Backend: "cpu", Threads: 2, CheckDigest: true, CheckSubgroup: true, MemoryBudget: 5, MaxInput: 6}`, o.String())
}

func TestCUDAIsNeverSilentlyTheCPU(t *testing.T) {
	_, err := core.Open(core.Options{Backend: core.CUDA})
	require.Equal(t, core.NoDevice, core.CodeOf(err))
}

// TestVersionIsTheHeaders compares Version with include/cuzk.h.
func TestVersionIsTheHeaders(t *testing.T) {
	header, err := os.ReadFile("../include/cuzk.h")
	require.NoError(t, err)
	v := strings.Split(core.Version, ".")
	for i, part := range []string{"MAJOR", "MINOR", "PATCH"} {
		require.Contains(t, string(header), "#define CUZK_VERSION_"+part+" "+v[i]+"\n")
	}
}
