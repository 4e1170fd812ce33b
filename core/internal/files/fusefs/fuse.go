//go:build linux

// Package fusefs mounts a folder of files whose reads can be made to stall, without a library: it
// speaks the few messages of the kernel's FUSE protocol (linux/fuse.h, version 7.31) that reading takes.
// For tests.
package fusefs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// Mount is a mounted folder.
type Mount struct {
	Dir   string
	names []string // of its files; file i is node 2+i, the root is 1
	data  [][]byte
	stall func(name string, offset int64) bool // whether a read is never answered
	fd    int
}

// Operations of the protocol.
const (
	opLookup, opForget, opGetattr, opOpen, opRead, opRelease = 1, 2, 3, 14, 15, 18
	opFlush, opInit, opOpendir, opReleasedir, opInterrupt    = 25, 26, 27, 29, 36
	opDestroy, opBatchForget                                 = 38, 42
)

const (
	headIn  = 40 // bytes of fuse_in_header
	headOut = 16
	firstID = 2
)

// New mounts a folder with files of these contents. A read for whose file and offset stall returns true is
// never answered. It skips the test where FUSE cannot be mounted.
func New(t *testing.T, files map[string][]byte, stall func(name string, offset int64) bool) *Mount {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE: %v", err)
	}
	m := &Mount{Dir: t.TempDir(), stall: stall, fd: fd}
	for name, data := range files {
		m.names, m.data = append(m.names, name), append(m.data, data)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", fd, os.Getuid(), os.Getgid())
	if err := unix.Mount("cuzk-test", m.Dir, "fuse", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		_ = unix.Close(fd)
		t.Skipf("FUSE cannot be mounted: %v", err)
	}
	var g spawn.Group
	g.Go(m.serve)
	t.Cleanup(func() {
		require.NoError(t, unix.Unmount(m.Dir, unix.MNT_DETACH|unix.MNT_FORCE))
		_ = unix.Close(fd) // what waits for an answer fails now
	})
	return m
}

// serve answers the kernel until the folder is unmounted.
func (m *Mount) serve() error {
	buf := make([]byte, 1<<20)
	for {
		n, err := unix.Read(m.fd, buf)
		if err == unix.EINTR || err == unix.ENOENT { //nolint:errorlint // raw
			continue
		}
		if err != nil || n < headIn {
			return nil
		}
		id := binary.NativeEndian.Uint64(buf[8:])
		out, code, answer := m.answer(binary.NativeEndian.Uint32(buf[4:]), binary.NativeEndian.Uint64(buf[16:]), buf[headIn:n])
		if !answer {
			continue
		}
		reply := make([]byte, headOut, headOut+len(out))
		binary.NativeEndian.PutUint32(reply, uint32(headOut+len(out)))
		binary.NativeEndian.PutUint32(reply[4:], uint32(-int32(code)))
		binary.NativeEndian.PutUint64(reply[8:], id)
		_, _ = unix.Write(m.fd, append(reply, out...))
	}
}

// answer makes the reply to a message about a node.
func (m *Mount) answer(op uint32, node uint64, in []byte) (out []byte, code unix.Errno, answer bool) {
	switch op {
	case opInit: // major, minor, readahead, flags, background, threshold, write, …
		return words(uint32(7), uint32(31), uint32(1<<17), uint32(0), uint32(0), uint32(1<<16), [10]uint32{}), 0, true
	case opLookup:
		i := slices.Index(m.names, string(bytes.TrimRight(in, "\x00")))
		if i < 0 {
			return nil, unix.ENOENT, true
		}
		id := uint64(firstID + i)
		return append(words(id, uint64(0), uint64(60), uint64(60), uint64(0)), m.attributes(id)...), 0, true
	case opGetattr:
		return append(words(uint64(60), uint64(0)), m.attributes(node)...), 0, true
	case opOpen, opOpendir:
		return words(uint64(0), uint64(0)), 0, true
	case opRead:
		at, size := int64(binary.NativeEndian.Uint64(in[8:])), int64(binary.NativeEndian.Uint32(in[16:]))
		data := m.data[node-firstID]
		if m.stall(m.names[node-firstID], at) {
			return nil, 0, false
		}
		return data[min(at, int64(len(data))):min(at+size, int64(len(data)))], 0, true
	case opRelease, opFlush, opReleasedir, opDestroy:
		return nil, 0, true
	case opForget, opBatchForget, opInterrupt:
		return nil, 0, false
	}
	return nil, unix.ENOSYS, true
}

// attributes is the fuse_attr of a node.
func (m *Mount) attributes(node uint64) []byte {
	mode, size := uint32(unix.S_IFDIR|0o755), uint64(0)
	if node >= firstID {
		mode, size = unix.S_IFREG|0o644, uint64(len(m.data[node-firstID]))
	}
	// ino, size, blocks, atime, mtime, ctime, their nanoseconds, mode, nlink, uid, gid, rdev, blksize, flags
	return words(node, size, (size+511)/512, [3]uint64{}, [3]uint32{}, mode, uint32(1), [3]uint32{}, uint32(4096), uint32(0))
}

// words encodes numbers as the kernel reads them.
func words(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&b, binary.NativeEndian, v)
	}
	return b.Bytes()
}
