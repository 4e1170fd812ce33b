// Package files opens, reads and writes files by plain system calls.
//
// A call on a network or FUSE file system may never return, and nothing can interrupt it. So each
// call here runs on a goroutine of its own, in a system call, of which the Go runtime knows: a page
// fault of a mapped file would hold up every garbage collection, and with it the whole process.
// When the context of a call ends first, the caller goes on and the goroutine is left behind, with
// all memory and descriptors that its call may still use; [Pending] names it until it returns.
//
// Package os is not used because its files start the runtime's network poller, which ends the
// process where no descriptor is free. A lint test forbids its file functions elsewhere.
package files

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Identity is what a regular file is known by: another file of the same path differs in some field.
type Identity struct {
	Path    string
	Size    int64 // bytes
	ModTime time.Time
	Inode   uint64
	Volume  uint64 // device number of the file system
}

// File is a regular file that is open for reading. It is safe for concurrent use.
type File struct {
	Identity
	fd    int
	users atomic.Int64 // holders, and calls under way; the descriptor is closed at 0
}

// Open opens a regular file for reading. Anything else (a pipe, device or folder) is refused
// without waiting for it. The error has code status.FileIO, or status.Memory, and wraps the error number.
func Open(ctx context.Context, path string) (*File, error) {
	return call(ctx, "open", path, func() (*File, error) { return open(path) }, (*File).Close)
}

func open(path string) (*File, error) {
	fd, err := openat(path, unix.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, failed("opening", path, err)
	}
	id, err := identify(path, func(st *unix.Stat_t) error { return unix.Fstat(fd, st) })
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	f := &File{Identity: id, fd: fd}
	f.users.Store(1)
	return f, nil
}

// Stat looks at a regular file without opening it. Errors are those of [Open].
func Stat(ctx context.Context, path string) (Identity, error) {
	return call(ctx, "stat", path, func() (Identity, error) {
		return identify(path, func(st *unix.Stat_t) error { return unix.Stat(path, st) })
	}, nil)
}

func identify(path string, stat func(*unix.Stat_t) error) (Identity, error) {
	var st unix.Stat_t
	if err := again(func() error { return stat(&st) }); err != nil {
		return Identity{}, failed("looking at", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return Identity{}, notRegular(path, uint32(st.Mode))
	}
	return Identity{Path: path, Size: st.Size, ModTime: time.Unix(st.Mtim.Unix()), Inode: st.Ino, Volume: uint64(st.Dev)}, nil
}

// CheckFolder returns nil if path is a folder.
func CheckFolder(ctx context.Context, path string) error {
	_, err := call(ctx, "stat", path, func() (struct{}, error) {
		var st unix.Stat_t
		if err := again(func() error { return unix.Stat(path, &st) }); err != nil {
			return struct{}{}, failed("looking at", path, err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return struct{}{}, status.New(status.FileIO, path, "%s: %w", path, unix.ENOTDIR)
		}
		return struct{}{}, nil
	}, nil)
	return err
}

// Share returns the same open file once more, to be closed on its own.
func (f *File) Share() *File {
	f.users.Add(1)
	return f
}

// Close ends the use of the file. Its descriptor goes when no call uses it any more.
func (f *File) Close() {
	if f.users.Add(-1) > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleanUp)
	defer cancel()
	_, _ = call(ctx, "close", f.Path, func() (struct{}, error) { return struct{}{}, unix.Close(f.fd) }, nil) // it was only read
}

// cleanUp bounds calls whose result nobody needs.
const cleanUp = time.Second

// openat opens a path without waiting for whom it belongs to.
func openat(path string, flags int, mode uint32) (fd int, err error) {
	err = again(func() error {
		fd, err = unix.Open(path, flags|unix.O_NONBLOCK|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// again repeats a call that a signal has interrupted.
func again(fn func() error) error {
	for {
		if err := fn(); err != unix.EINTR { //nolint:errorlint // the raw error number
			return err
		}
	}
}

// failed is the error of a system call on path.
func failed(doing, path string, err error) error {
	code := status.FileIO
	if errors.Is(err, unix.ENOMEM) {
		code = status.Memory
	}
	e := status.New(code, path, "%s %s: %w", doing, path, err)
	for _, passing := range []error{unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EAGAIN, unix.EBUSY, unix.ESTALE, unix.ETIMEDOUT} {
		e.Retryable = e.Retryable || errors.Is(err, passing)
	}
	return e
}

func notRegular(path string, mode uint32) error {
	is := map[uint32]string{
		unix.S_IFDIR: "a folder", unix.S_IFIFO: "a pipe", unix.S_IFCHR: "a device", unix.S_IFBLK: "a device", unix.S_IFSOCK: "a socket",
	}[mode&unix.S_IFMT]
	return status.New(status.FileIO, path, "%s is %s, not a regular file", path, is)
}

// Missing reports whether an error says that a file or its folder does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) }

// Blame puts the path of a file before what an error says of its contents, which are
// parameters. Other errors are returned as they are.
func Blame(path string, err error) error {
	var e *status.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case status.SRSLayout, status.SRSMismatch, status.SRSPoint, status.SRSDigest:
	default:
		return err
	}
	out := *e
	out.Message = path + ": " + e.Message
	out.Detail = path
	if e.Detail != "" && e.Detail != path {
		out.Detail += ": " + e.Detail
	}
	return &out
}
