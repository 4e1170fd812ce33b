package cuzk

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/files/fusefs"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
)

// TestStalledFileSystem: the parameters are on a file system that answers no reads beyond the first
// megabyte. The jobs that need them end by deadline and cancel, the collector and other engines go on, and closing
// does not wait for it.
func TestStalledFileSystem(t *testing.T) {
	name, srs, vk := paramsFiles(t, filecoin.WindowPoSt)
	var stalled atomic.Bool
	stalled.Store(true)
	mount := fusefs.New(t, map[string][]byte{name + ".params": srs, name + ".vk": vk}, func(name string, at int64) bool {
		return stalled.Load() && at >= 1<<20 && strings.HasSuffix(name, ".params")
	})
	path := filepath.Join(mount.Dir, name+".params")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, len(srs), info.Size())
	request, _ := postCase(t, "2k-v1_1/window_post")
	e, err := Open(Options{ParamsDir: mount.Dir, Backend: CPU})
	require.NoError(t, err)
	other, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU})
	require.NoError(t, err)
	defer other.Close()

	began := time.Now()
	late := request
	late.Job.Deadline = began.Add(3 * time.Second)
	job, err := e.Submit(t.Context(), late)
	require.NoError(t, err)
	_, err = other.ProvePoSt(t.Context(), request)
	require.NoError(t, err, "another engine")
	_, err = job.Wait(t.Context())
	require.Equal(t, Deadline, CodeOf(err), "%v", err)
	require.Eventually(t, func() bool { return len(files.Pending()) > 0 }, time.Second, time.Millisecond)
	require.Equal(t, path, files.Pending()[0].Path)
	for range 5 {
		collect := time.Now()
		runtime.GC()
		require.Less(t, time.Since(collect), 2*time.Second, "the collector waits for a page")
	}
	job, err = e.Submit(t.Context(), request)
	require.NoError(t, err)
	time.Sleep(500 * time.Millisecond)
	cancelled := time.Now()
	job.Cancel()
	_, err = job.Wait(t.Context())
	require.Error(t, err)
	require.Less(t, time.Since(cancelled), 2*time.Second)
	closing := time.Now()
	require.NoError(t, e.Close())
	require.Less(t, time.Since(closing), 10*time.Second)
}

// TestLoadedNeedsNoFile: after the first proof the folder may vanish; proofs are made and verified all the same. A
// folder that comes back with other files is noticed.
func TestLoadedNeedsNoFile(t *testing.T) {
	name, srs, vk := paramsFiles(t, filecoin.WindowPoSt)
	dir := filepath.Join(t.TempDir(), "params")
	put := func() {
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".params"), srs, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".vk"), vk, 0o600))
	}
	put()
	request, info := postCase(t, "2k-v1_1/window_post")
	e, err := Open(Options{ParamsDir: dir, Backend: CPU})
	require.NoError(t, err)
	defer e.Close()
	prove := func() {
		proof, err := e.ProvePoSt(t.Context(), request)
		require.NoError(t, err)
		valid, err := e.VerifyPoSt(t.Context(), info, proof)
		require.NoError(t, err)
		require.True(t, valid)
	}
	prove()
	require.NoError(t, os.RemoveAll(dir))
	prove()
	require.NoError(t, os.WriteFile(dir, nil, 0o600), "a file in its place")
	prove()
	require.NoError(t, os.Remove(dir))
	srs[len(vk)+4+95] ^= 1 // of the first point of h
	put()
	_, err = e.ProvePoSt(t.Context(), request)
	require.Equal(t, SRSPoint, CodeOf(err), "%v", err)
	require.ErrorContains(t, err, filepath.Join(dir, name+".params: srs.h[0]"))
}

// TestParamsReplaceNothing: test parameters have the names of the network's, which they never replace.
func TestParamsReplaceNothing(t *testing.T) {
	name, _, vk := paramsFiles(t, filecoin.WindowPoSt)
	e, err := Open(Options{ParamsDir: t.TempDir(), Backend: CPU})
	require.NoError(t, err)
	defer e.Close()
	make := func(dir string) error {
		_, err := e.MakeParams(t.Context(), Params{Kind: KindWindowPoSt, SectorSize: 2048, Dir: dir, SeedLabel: "golden"}, nil)
		return err
	}
	require.Equal(t, Argument, CodeOf(make("")), "no default folder")
	for _, ext := range []string{".params", ".vk"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name+ext)
		require.NoError(t, os.WriteFile(path, vk, 0o600))
		err := make(dir)
		require.Equal(t, FileIO, CodeOf(err), "%v", err)
		require.ErrorContains(t, err, path+" exists")
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
	}
}
