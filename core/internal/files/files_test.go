package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

func TestReadsWhatIsThere(t *testing.T) {
	want := make([]byte, 3*Piece+17)
	rand.NewChaCha8([32]byte{1}).Read(want)
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, want, 0o600))
	f, err := Open(t.Context(), path)
	require.NoError(t, err)
	again := f.Share()
	f.Close()
	got := make([]byte, len(want)-5)
	require.NoError(t, again.ReadAt(t.Context(), got, 5))
	require.True(t, bytes.Equal(want[5:], got))
	err = again.Use(t.Context(), []Span{{7, 3}, {100, 2}, {8, 1}}, func(data []byte) error {
		require.Equal(t, append(append(bytes.Clone(want[7:10]), want[100:102]...), want[8]), data)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, os.Remove(path), "an open file needs no name")
	require.NoError(t, again.ReadAt(t.Context(), got, 0))
	require.NoError(t, unix.Ftruncate(reopened(t, again), 100))
	err = again.ReadAt(t.Context(), got, 0)
	require.Equal(t, status.FileIO, status.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, "ends at byte 100")
	fd := again.fd
	again.Close()
	_, err = unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	require.ErrorIs(t, err, unix.EBADF, "the last user closes the descriptor")
}

// reopened opens the file of f for writing.
func reopened(t *testing.T, f *File) int {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.fd), unix.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

// TestOnlyRegularFiles: nothing else is opened, and none is waited for.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink(pipe, link))
	for path, is := range map[string]string{pipe: "pipe", link: "pipe", dir: "folder", "/dev/zero": "device", "/dev/null": "device"} {
		began := time.Now()
		for _, fn := range []func() error{
			func() error { _, err := Open(t.Context(), path); return err },
			func() error { _, err := Stat(t.Context(), path); return err },
			func() error { _, err := ReadFile(t.Context(), path, 1<<20); return err },
		} {
			err := fn()
			require.Equal(t, status.FileIO, status.CodeOf(err), "%s: %v", path, err)
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, is)
		}
		require.Less(t, time.Since(began), time.Second)
	}
	_, err := Open(t.Context(), filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.True(t, Missing(err))
	require.NoError(t, CheckFolder(t.Context(), dir))
	require.Error(t, CheckFolder(t.Context(), pipe))
	require.Empty(t, Pending())
}

// TestCallsThatDoNotReturn: who waits goes on when its context ends, the call is named until it returns, and its
// result is disposed of then. A path that does not answer is refused before it has used up the threads.
func TestCallsThatDoNotReturn(t *testing.T) {
	hold, disposed := make(chan struct{}), make(chan int, maxPending)
	stuck := func(ctx context.Context) error {
		_, err := call(ctx, "read", "/stuck", func() (int, error) { <-hold; return 7, nil }, func(v int) { disposed <- v })
		return err
	}
	before := LeftBehind()
	cause := errors.New("the caller's own words")
	for i := range maxPending {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Millisecond, func() { cancel(cause) })
		err := stuck(ctx)
		require.ErrorIs(t, err, cause)
		require.Len(t, Pending(), i+1)
		require.Equal(t, "read", Pending()[i].Name)
		require.True(t, Stalled("/stuck"))
	}
	err := stuck(context.Background())
	require.Equal(t, status.FileIO, status.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, "does not answer")
	require.True(t, err.(*status.Error).Retryable)
	_, err = Look(t.Context(), "/stuck", true)
	require.ErrorContains(t, err, "does not answer")
	_, err = Stat(t.Context(), "/")
	require.ErrorContains(t, err, "a folder", "other paths answer")
	close(hold)
	for range maxPending {
		require.Equal(t, 7, <-disposed)
	}
	require.Eventually(t, func() bool { return len(Pending()) == 0 && !Stalled("/stuck") }, time.Second, time.Millisecond)
	require.EqualValues(t, maxPending, LeftBehind()-before)
	_, err = call(t.Context(), "read", "/stuck", func() (int, error) { panic("torn") }, nil)
	require.Equal(t, status.Panic, status.CodeOf(err))
}

func TestRoot(t *testing.T) {
	for _, name := range []string{"proc/meminfo", "proc/self/cgroup"} {
		want, err := os.ReadFile("/" + name)
		require.NoError(t, err)
		got, err := fs.ReadFile(Root("/"), name)
		require.NoError(t, err)
		require.Equal(t, len(want) > 0, len(got) > 0)
	}
	_, err := fs.ReadFile(Root("/"), "none/of/these")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = fs.ReadFile(Root("/"), "../etc/passwd")
	require.ErrorIs(t, err, fs.ErrInvalid)
}
