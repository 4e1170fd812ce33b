package files

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

var pair = []string{"x.params", "x.vk"}

// makePair makes a pair whose files both have the contents given.
func makePair(ctx context.Context, dir, contents string, replace bool) error {
	s, err := Begin(ctx, dir, pair, replace)
	if err != nil {
		return err
	}
	defer s.Abort()
	for _, name := range pair {
		w, err := s.Create(ctx, name, int64(len(contents)))
		if err != nil {
			return err
		}
		if err := w.Append(ctx, []byte(contents)); err != nil {
			return err
		}
		if err := w.Close(ctx); err != nil {
			return err
		}
	}
	return s.Commit(ctx)
}

// whole returns the contents of a pair, "" if there is none, and fails if the files do not belong together.
func whole(t *testing.T, dir string) string {
	t.Helper()
	var found [2]string
	for i, name := range pair {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		found[i] = string(data)
	}
	require.Equal(t, found[0], found[1], "the files do not belong together")
	return found[0]
}

func names(t *testing.T, dir string) (out []string) {
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out
}

func TestPairIsMadeAsOne(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, makePair(t.Context(), dir, "one", false))
	require.Equal(t, "one", whole(t, dir))
	err := makePair(t.Context(), dir, "two", false)
	require.Equal(t, status.FileIO, status.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, "x.params exists")
	require.Equal(t, "one", whole(t, dir))
	require.NoError(t, makePair(t.Context(), dir, "two", true))
	require.Equal(t, "two", whole(t, dir))
	require.Equal(t, pair, names(t, dir), "nothing else is left")
	info, err := os.Lstat(filepath.Join(dir, pair[0]))
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
}

// TestPairsThatCannotBeMade are refused before the work, and leave what was there.
func TestPairsThatCannotBeMade(t *testing.T) {
	for name, taken := range map[string]func(path string) error{
		"folder": func(p string) error { return os.MkdirAll(filepath.Join(p, "x"), 0o700) },
		"pipe":   func(p string) error { return unix.Mkfifo(p, 0o600) },
		"device": func(p string) error { return os.Symlink("/dev/null", p) },
	} {
		for _, which := range pair {
			dir := t.TempDir()
			require.NoError(t, taken(filepath.Join(dir, which)))
			_, err := Begin(t.Context(), dir, pair, true)
			require.Equal(t, status.FileIO, status.CodeOf(err), "%s: %v", name, err)
			require.Equal(t, []string{which}, names(t, dir))
		}
	}
	_, err := Begin(t.Context(), filepath.Join(t.TempDir(), "none"), pair, false)
	require.True(t, Missing(err), "%v", err)
}

// TestPairBehindLinks: what a link points to is replaced, not the link.
func TestPairBehindLinks(t *testing.T) {
	dir, real := t.TempDir(), t.TempDir()
	for _, name := range pair {
		require.NoError(t, os.WriteFile(filepath.Join(real, name), []byte("old"), 0o600))
		require.NoError(t, os.Symlink(filepath.Join(real, name), filepath.Join(dir, name)))
	}
	require.NoError(t, makePair(t.Context(), dir, "new", true))
	require.Equal(t, "new", whole(t, real))
	for _, name := range pair {
		_, err := os.Readlink(filepath.Join(dir, name))
		require.NoError(t, err)
	}
}

// TestOneMakerAtATime: the second waits until the first is done, as long as it may.
func TestOneMakerAtATime(t *testing.T) {
	dir := t.TempDir()
	s, err := Begin(t.Context(), dir, pair, true)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	_, err = Begin(ctx, dir, pair, true)
	require.Equal(t, status.Deadline, status.CodeOf(err), "%v", err)
	done := make(chan error, 1)
	go func() { done <- makePair(context.Background(), dir, "two", true) }()
	time.Sleep(50 * time.Millisecond)
	s.Abort()
	require.NoError(t, <-done)
	require.Equal(t, "two", whole(t, dir))
	require.Equal(t, pair, names(t, dir))
}

// TestWithoutLinks: file systems such as FAT have none.
func TestWithoutLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, makePair(t.Context(), dir, "one", false))
	s, err := Begin(t.Context(), dir, pair, true)
	require.NoError(t, err)
	for _, name := range pair {
		require.NoError(t, os.WriteFile(s.in("new", name), []byte("two"), 0o600))
	}
	require.NoError(t, s.commitWithoutLinks())
	require.Equal(t, "two", whole(t, dir))
	require.NoError(t, os.Remove(filepath.Join(dir, pair[0]))) // as if killed in between
	require.NoError(t, s.resolve())
	require.Equal(t, "one", whole(t, dir))
	s.Abort()
	require.Equal(t, pair, names(t, dir))
}

// TestPairOverKill kills a maker at each system call of the kinds that change a folder: the pair is whole afterwards, as it
// was or as it was to become, and the next maker removes what is left.
func TestPairOverKill(t *testing.T) {
	if dir := os.Getenv("CUZK_TEST_MAKE_PAIR"); dir != "" {
		require.NoError(t, makePair(t.Context(), dir, "two", true))
		return
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for _, before := range []string{"", "one"} {
		for _, call := range []string{"rename,renameat,renameat2", "symlink,symlinkat", "link,linkat",
			"unlink,unlinkat,rmdir", "mkdir,mkdirat", "fsync", "fallocate", "pwrite64", "flock"} {
			for when := 1; ; when++ {
				dir := t.TempDir()
				if before != "" {
					require.NoError(t, makePair(t.Context(), dir, before, false))
				}
				cmd := exec.Command("strace", "-f", "-o", "/dev/null", "-e", "trace="+call,
					"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, when), program, "-test.run", "^TestPairOverKill$")
				if when >= 40 {
					break
				}
				cmd.Env = append(os.Environ(), "CUZK_TEST_MAKE_PAIR="+dir)
				out, err := cmd.CombinedOutput()
				if strings.Contains(string(out), "attach: ptrace") || strings.Contains(string(out), "PTRACE_TRACEME") {
					t.Skipf("strace cannot trace here: %s", out)
				}
				now := whole(t, dir)
				require.Contains(t, []string{before, "two"}, now, "%s %d", call, when)
				require.NoError(t, makePair(t.Context(), dir, "three", true), "%s %d", call, when)
				require.Equal(t, "three", whole(t, dir))
				require.Equal(t, pair, names(t, dir), "%s %d", call, when)
				if err == nil {
					require.Equal(t, "two", now)
					break // it was not called so often
				}
			}
		}
	}
}
