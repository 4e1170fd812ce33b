package cuzk_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

func TestValidateReportsEveryProblem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	bad := cuzk.Options{ParamsDir: file, Backend: "gpu", Threads: -1, MemoryBudget: -2, MaxInput: -3,
		Devices: []string{"0,1"}, DeviceLibrary: "a\x00b", DeviceMemoryLimit: -4, DeviceSlots: 65, MaxBatchSize: -5, MaxBatchWait: -6}
	err := bad.Validate()
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
	for _, word := range []string{"Backend", "Threads", "MemoryBudget", "MaxInput",
		"Devices", "DeviceLibrary", "DeviceMemoryLimit", "DeviceSlots", "MaxBatchSize", "MaxBatchWait"} {
		require.ErrorContains(t, err, word)
	}
	require.NotContains(t, err.Error(), "ParamsDir", "Validate looks at no file")
	_, err = cuzk.Open(bad)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
	require.ErrorContains(t, err, "ParamsDir")
	require.NoError(t, cuzk.Options{}.Validate())
	require.NoError(t, cuzk.Options{ParamsDir: "/nowhere/yet"}.Validate())
}

func TestStringReplays(t *testing.T) {
	require.Equal(t, "cuzk.Options{}", cuzk.Options{}.String())
	d := cuzk.Options{Devices: []string{"0", "GPU-1"}, DeviceLibrary: "x.so", DeviceMemoryLimit: 1, DeviceSlots: 2, MaxBatchSize: 3, MaxBatchWait: 4}
	require.Equal(t, `cuzk.Options{Devices: []string{"0", "GPU-1"}, DeviceLibrary: "x.so", DeviceMemoryLimit: 1, DeviceSlots: 2, MaxBatchSize: 3, MaxBatchWait: 4}`, d.String())
	o := cuzk.Options{ParamsDir: "/p", Backend: cuzk.CPU, Threads: 2, CheckDigest: true, CheckSubgroup: true, MemoryBudget: 5, MaxInput: 6}
	require.Equal(t, `cuzk.Options{ParamsDir: "/p", Backend: "cpu", Threads: 2, CheckDigest: true, CheckSubgroup: true, MemoryBudget: 5, MaxInput: 6}`, o.String())
}

func TestCUDAIsNeverSilentlyTheCPU(t *testing.T) {
	for _, o := range []cuzk.Options{{Backend: cuzk.CUDA}, {Devices: []string{"0"}}} {
		o.DeviceLibrary = "/nowhere/libcuzk_cuda.so"
		_, err := cuzk.Open(o)
		require.Equal(t, cuzk.NoDevice, cuzk.CodeOf(err))
		require.ErrorContains(t, err, "/nowhere/libcuzk_cuda.so")
	}
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(cuzk.Options{Backend: cuzk.CPU, Devices: []string{"0"}}.Validate()))
	_, err := cuzk.Open(cuzk.Options{DeviceLibrary: "/nowhere/libcuzk_cuda.so"})
	require.Equal(t, cuzk.NoDevice, cuzk.CodeOf(err), "who names the library must have it")
	require.ErrorContains(t, err, "/nowhere/libcuzk_cuda.so")
}

// TestDevicesOfTheStandIn: what was asked for is what is used, and rejected
// devices are named.
func TestDevicesOfTheStandIn(t *testing.T) {
	l := fake.Open(t, "..")
	open := func(o cuzk.Options) *cuzk.Engine {
		o.DeviceLibrary = l.Path
		e, err := cuzk.Open(o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	}
	var log bytes.Buffer
	s := open(cuzk.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}).Status()
	require.Contains(t, log.String(), `level=INFO msg="proofs are computed on device 0 (host twin), device 1 (host twin)"`)
	require.Equal(t, "cuda", s.Backend)
	require.Len(t, s.Devices, 2)
	s = open(cuzk.Options{Devices: []string{"1"}, DeviceSlots: 2, DeviceMemoryLimit: 1 << 30}).Status()
	require.Equal(t, "device 1 (host twin)", s.Why)
	require.Len(t, s.Devices, 1)
	require.Equal(t, 2, s.Devices[0].Slots)
	require.Equal(t, int64(1<<30), s.Devices[0].Memory)
	require.True(t, s.Devices[0].Usable)
	require.Equal(t, "cpu", open(cuzk.Options{Backend: cuzk.CPU}).Status().Backend)
	l.Cards(1<<30, 0)
	_, err := cuzk.Open(cuzk.Options{Backend: cuzk.CUDA, DeviceLibrary: l.Path})
	require.Equal(t, cuzk.NoDevice, cuzk.CodeOf(err))
	require.ErrorContains(t, err, "no device is visible")
}

// TestVersionIsTheHeaders compares Version with include/cuzk.h.
func TestVersionIsTheHeaders(t *testing.T) {
	header, err := os.ReadFile("../include/cuzk.h")
	require.NoError(t, err)
	v := strings.Split(cuzk.Version, ".")
	for i, part := range []string{"MAJOR", "MINOR", "PATCH"} {
		require.Contains(t, string(header), "#define CUZK_VERSION_"+part+" "+v[i]+"\n")
	}
}
