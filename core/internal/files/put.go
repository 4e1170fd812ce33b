package files

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Put writes data to a path: into what is there, a device, pipe or symbolic link too, or a new file.
func Put(path string, data []byte) error {
	s, err := PutStream(path)
	if err != nil {
		return err
	}
	_, err = s.Write(data)
	return errors.Join(err, s.Close())
}

// Stream is a file, device or pipe that is written from the beginning. It implements io.WriteCloser.
type Stream struct {
	path string
	fd   int
}

// PutStream opens a path for [Put] in pieces. A pipe that nobody reads is an error.
func PutStream(path string) (*Stream, error) {
	fd, err := openat(path, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_NOCTTY, 0o666)
	if err != nil {
		return nil, failed("opening", path, err)
	}
	_ = unix.SetNonblock(fd, false) // so that a pipe is waited for when it is full
	return &Stream{path, fd}, nil
}

// Write writes all of data.
func (s *Stream) Write(data []byte) (n int, err error) {
	for n < len(data) {
		var m int
		err := again(func() (err error) { m, err = unix.Write(s.fd, data[n:]); return err })
		if err != nil {
			return n, failed("writing", s.path, err)
		}
		n += m
	}
	return n, nil
}

// Close closes it.
func (s *Stream) Close() error {
	if err := unix.Close(s.fd); err != nil && err != unix.EINTR { //nolint:errorlint // raw: it is closed all the same
		return failed("closing", s.path, err)
	}
	return nil
}
