package files

import (
	"context"
	"io/fs"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Piece is the most bytes that one call reads: what fits the second-level cache, so that the copy costs little.
const Piece = 256 << 10

// buffers are for calls that read. A call that was left behind keeps its buffer.
var buffers = sync.Pool{New: func() any { return new([Piece]byte) }}

// Span is a part of a file.
type Span struct {
	At    int64
	Bytes int
}

// Use reads spans of at most [Piece] bytes together and calls use with them, one behind the other. The
// bytes are gone when use returns.
func (f *File) Use(ctx context.Context, spans []Span, use func(data []byte) error) error {
	if err := admit(ctx, f.Path); err != nil {
		return err
	}
	f.users.Add(1)
	buf, err := launch(ctx, "read", f.Path, func() (*[Piece]byte, error) {
		defer f.drop()
		buf := buffers.Get().(*[Piece]byte)
		n := 0
		for _, s := range spans {
			if err := f.read(buf[n:n+s.Bytes], s.At); err != nil {
				buffers.Put(buf)
				return nil, err
			}
			n += s.Bytes
		}
		return buf, nil
	}, func(buf *[Piece]byte) { buffers.Put(buf) })
	if err != nil {
		return err
	}
	defer buffers.Put(buf)
	n := 0
	for _, s := range spans {
		n += s.Bytes
	}
	return use(buf[:n])
}

// ReadAt fills dst from position at of the file. After an error nothing writes to dst any more.
func (f *File) ReadAt(ctx context.Context, dst []byte, at int64) error {
	for len(dst) > 0 {
		n := min(len(dst), Piece)
		err := f.Use(ctx, []Span{{at, n}}, func(data []byte) error { copy(dst, data); return nil })
		if err != nil {
			return err
		}
		dst, at = dst[n:], at+int64(n)
	}
	return nil
}

// read fills dst from position at.
func (f *File) read(dst []byte, at int64) error {
	for len(dst) > 0 {
		var n int
		err := again(func() (err error) { n, err = unix.Pread(f.fd, dst, at); return err })
		if err != nil {
			return failed("reading", f.Path, err)
		}
		if n == 0 {
			return status.New(status.FileIO, f.Path, "reading %s: it ends at byte %d, it had %d when it was opened", f.Path, at, f.Size)
		}
		dst, at = dst[n:], at+int64(n)
	}
	return nil
}

// drop is Close for a call that ends: it may close the descriptor on its own goroutine.
func (f *File) drop() {
	if f.users.Add(-1) == 0 {
		_ = unix.Close(f.fd)
	}
}

// ReadFile returns the contents of a regular file of at most limit bytes.
func ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	f, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > limit {
		return nil, status.New(status.FileIO, path, "%s has %d bytes, at most %d are expected", path, f.Size, limit)
	}
	data := make([]byte, f.Size)
	return data, f.ReadAt(ctx, data, 0)
}

// Root is a file system of small files below a folder, such as /proc, whose lengths are not known before they are read.
type Root string

// Open is not supported: files are read whole.
func (Root) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: unix.ENOTSUP}
}

// ReadFile returns the contents of a file; only the first megabyte is looked at.
func (r Root) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	fd, err := openat(string(r)+"/"+name, unix.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	data := make([]byte, 0, 16<<10)
	for len(data) < 1<<20 {
		data = append(data, make([]byte, 4096)...)
		var n int
		err := again(func() (err error) { n, err = unix.Read(fd, data[len(data)-4096:]); return err })
		data = data[:len(data)-4096+max(n, 0)]
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if n == 0 {
			break
		}
	}
	return data, nil
}

// Look is Stat. Where known is true the caller can do without the answer: a second is
// waited for it at most, and none where an earlier call on the path has not returned.
func Look(ctx context.Context, path string, known bool) (Identity, error) {
	if !known {
		return Stat(ctx, path)
	}
	if Stalled(path) {
		return Identity{}, status.New(status.FileIO, path, "%s does not answer", path)
	}
	ctx, cancel := context.WithTimeout(ctx, cleanUp)
	defer cancel()
	return Stat(ctx, path)
}
