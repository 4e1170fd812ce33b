package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Set is files of one folder that are made together and take their names as one: whatever fails, and also if the
// process is killed at any system call, the folder has all the files that it had before, or all of the new ones.
//
// They are written in a folder ".NAME.making" next to them, whose lock keeps other makers out. What one
// that was killed has left there is put in order by the next.
//
// Two names cannot be replaced by one system call. So for a moment both are symbolic links through a third one,
// "current", to what they had before, and it is the replacing of that link which replaces both files.
type Set struct {
	dir, stage string
	names      []string
	replace    bool
	lock       int  // descriptor
	done       bool // committed or aborted
}

// Begin locks the names of a set in an existing folder, waiting for other makers as long as ctx runs. It tries
// everything that can be tried: an error here comes before the work. Names that are taken are refused
// unless replace is true; what is no regular file (a folder, a pipe) always is. A name that is a symbolic link
// stands for what it points to, and all must then be in one folder.
func Begin(ctx context.Context, dir string, names []string, replace bool) (*Set, error) {
	if err := CheckFolder(ctx, dir); err != nil {
		return nil, err
	}
	at := filepath.Join(dir, names[0])
	s, err := call(ctx, "stat", at, func() (*Set, error) { return newSet(dir, names, replace) }, nil)
	if err != nil {
		return nil, err
	}
	for {
		locked, err := call(ctx, "lock", s.stage, s.tryLock, nil)
		if err != nil {
			return nil, err
		}
		if locked {
			break
		}
		select {
		case <-ctx.Done():
			return nil, status.Ended(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	_, err = call(ctx, "mkdir", s.stage, func() (struct{}, error) { return struct{}{}, s.prepare() }, nil)
	if err != nil {
		s.Abort()
		return nil, err
	}
	return s, nil
}

// newSet follows the links of the user.
func newSet(dir string, names []string, replace bool) (*Set, error) {
	s := &Set{replace: replace}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if to, err := os.Readlink(path); err == nil && !strings.Contains(to, making) {
			if path, err = filepath.EvalSymlinks(path); err != nil {
				return nil, failed("following", filepath.Join(dir, name), errno(err))
			}
		}
		in, base := filepath.Split(path)
		if s.dir == "" {
			s.dir = filepath.Clean(in)
		}
		if filepath.Clean(in) != s.dir {
			return nil, status.New(status.FileIO, path, "%s and %s are links into different folders, they cannot be replaced as one",
				filepath.Join(dir, names[0]), filepath.Join(dir, name))
		}
		s.names = append(s.names, base)
	}
	s.stage = filepath.Join(s.dir, "."+strings.TrimSuffix(s.names[0], filepath.Ext(s.names[0]))+making)
	return s, nil
}

const making = ".making"

func (s *Set) path(name string) string { return filepath.Join(s.dir, name) }

// in is a path in the folder of the set.
func (s *Set) in(parts ...string) string {
	return filepath.Join(append([]string{s.stage}, parts...)...)
}

// tryLock locks the set's folder, made if need be, unless another maker has it.
func (s *Set) tryLock() (bool, error) {
	if err := again(func() error { return unix.Mkdir(s.stage, 0o777) }); err != nil && err != unix.EEXIST { //nolint:errorlint // raw
		return false, failed("making the folder", s.stage, err)
	}
	fd, err := openat(s.in("lock"), unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW, 0o666)
	if err == unix.ENOENT { //nolint:errorlint // raw: the maker before us removes the folder
		return false, nil
	}
	if err != nil {
		return false, failed("locking", s.stage, err)
	}
	switch err := again(func() error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) }); {
	case err == unix.EWOULDBLOCK: //nolint:errorlint // raw
		_ = unix.Close(fd)
		return false, nil
	case err != nil && err != unix.ENOTSUP && err != unix.ENOSYS && err != unix.ENOLCK: //nolint:errorlint // raw: a file system without locks
		_ = unix.Close(fd)
		return false, failed("locking", s.stage, err)
	}
	var mine, there unix.Stat_t
	if unix.Fstat(fd, &mine) != nil || unix.Stat(s.in("lock"), &there) != nil || mine.Ino != there.Ino {
		_ = unix.Close(fd) // it was removed meanwhile
		return false, nil
	}
	s.lock = fd
	return true, nil
}

// prepare puts in order what a killed maker has left, and looks at the names.
func (s *Set) prepare() error {
	if err := s.resolve(); err != nil {
		return err
	}
	s.clear()
	for _, name := range s.names {
		var st unix.Stat_t
		err := again(func() error { return unix.Lstat(s.path(name), &st) })
		switch {
		case err == unix.ENOENT: //nolint:errorlint // raw
		case err != nil:
			return failed("looking at", s.path(name), err)
		case st.Mode&unix.S_IFMT != unix.S_IFREG:
			return notRegular(s.path(name), uint32(st.Mode))
		case !s.replace:
			return status.New(status.FileIO, s.path(name),
				"%s exists, and is not replaced: remove it, or choose another folder", s.path(name))
		}
	}
	for _, sub := range []string{"new", "old"} {
		if err := again(func() error { return unix.Mkdir(s.in(sub), 0o777) }); err != nil {
			return failed("making the folder", s.in(sub), err)
		}
	}
	return nil
}

// Create opens a file of the set for writing, of which size bytes are reserved if the file system can.
func (s *Set) Create(ctx context.Context, name string, size int64) (*Writer, error) {
	path := s.in("new", name)
	return call(ctx, "open", path, func() (*Writer, error) {
		fd, err := openat(path, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_NOFOLLOW, 0o666)
		if err != nil {
			return nil, failed("creating", path, err)
		}
		if size > 0 {
			err := again(func() error { return allocate(fd, size) })
			if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EFBIG) || errors.Is(err, unix.EDQUOT) {
				_ = unix.Close(fd)
				return nil, failed("reserving space for", s.path(name), err)
			}
		}
		return &Writer{path: path, fd: fd}, nil
	}, func(w *Writer) { _ = unix.Close(w.fd) })
}

// Commit gives all files their names. After an error the folder is as it was.
func (s *Set) Commit(ctx context.Context) error {
	s.done = true
	_, err := call(ctx, "rename", s.path(s.names[0]), func() (struct{}, error) {
		err := s.commit()
		s.end()
		return struct{}{}, err
	}, nil)
	return err
}

// Abort gives the set up, unless it was committed. It waits a second at most.
func (s *Set) Abort() {
	if s.done {
		return
	}
	s.done = true
	ctx, cancel := context.WithTimeout(context.Background(), cleanUp)
	defer cancel()
	_, _ = call(ctx, "unlink", s.stage, func() (struct{}, error) { s.end(); return struct{}{}, nil }, nil)
}

// end removes the folder of the set and unlocks it.
func (s *Set) end() {
	if s.resolve() == nil {
		s.clear()
		_ = unix.Unlink(s.in("lock"))
		_ = unix.Rmdir(s.stage)
	}
	_ = unix.Close(s.lock)
}

func (s *Set) commit() error {
	step := func(doing, path string, fn func() error) error {
		if err := again(fn); err != nil {
			return failed(doing, path, err)
		}
		return nil
	}
	err := step("linking", s.in("current"), func() error { return unix.Symlink("old", s.in("current")) })
	for _, name := range s.names {
		if err == nil {
			err = s.keep(name)
		}
	}
	if noLinks(err) {
		_ = unix.Unlink(s.in("current"))
		return s.commitWithoutLinks()
	}
	if err != nil {
		return err
	}
	for _, name := range s.names { // each name now means what it did, through "current"
		link := s.in("link")
		if err := step("linking", s.path(name), func() error { return unix.Symlink(s.target(name), link) }); err != nil {
			return err
		}
		if err := step("renaming", s.path(name), func() error { return s.rename(link, s.path(name)) }); err != nil {
			return err
		}
	}
	if err := step("linking", s.in("next"), func() error { return unix.Symlink("new", s.in("next")) }); err != nil {
		return err
	}
	syncFolder(s.stage)
	return step("renaming", s.in("current"), func() error { return unix.Rename(s.in("next"), s.in("current")) })
}

// noLinks reports whether an error says that the file system has no links, or not for us.
func noLinks(err error) bool {
	for _, n := range []unix.Errno{unix.EPERM, unix.ENOTSUP, unix.ENOSYS, unix.EMLINK} {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}

// commitWithoutLinks moves the old files aside and the new ones to their place. Killed in between it leaves the
// old ones in the set's folder, from where the next maker brings them back.
func (s *Set) commitWithoutLinks() error {
	move := func(from, to string) error {
		err := again(func() error { return unix.Rename(from, to) })
		if err != nil && err != unix.ENOENT { //nolint:errorlint // raw
			return failed("renaming", to, err)
		}
		return nil
	}
	for i, name := range s.names {
		err := move(s.path(name), s.in("old", name))
		if err == nil {
			continue
		}
		for _, name := range s.names[:i] {
			_ = move(s.in("old", name), s.path(name))
		}
		return err
	}
	for i, name := range s.names {
		err := move(s.in("new", name), s.path(name))
		if err == nil {
			continue
		}
		for _, name := range s.names[:i] {
			_ = unix.Unlink(s.path(name))
		}
		for _, name := range s.names {
			_ = move(s.in("old", name), s.path(name))
		}
		return err
	}
	return nil
}

// keep links the file that has a name now into "old".
func (s *Set) keep(name string) error {
	err := again(func() error { return unix.Link(s.path(name), s.in("old", name)) })
	if err != nil && err != unix.ENOENT { //nolint:errorlint // raw
		return failed("linking", s.path(name), err)
	}
	return nil
}

// rename replaces a name only if that is allowed.
func (s *Set) rename(from, to string) error {
	if !s.replace {
		err := renameNew(from, to)
		if err != unix.EINVAL && err != unix.ENOSYS { //nolint:errorlint // raw: a file system or kernel without it
			return err
		}
	}
	return unix.Rename(from, to)
}

// target is what the link of a name points to while the set takes its names.
func (s *Set) target(name string) string {
	return filepath.Join(filepath.Base(s.stage), "current", name)
}

// resolve puts files in the place of the links of a commit, whether it was done or not.
func (s *Set) resolve() error {
	for _, name := range s.names {
		to, err := os.Readlink(s.path(name))
		if err != nil || to != s.target(name) {
			continue
		}
		_ = unix.Unlink(s.in("plain"))
		switch err := os.Link(s.in("current", name), s.in("plain")); {
		case err == nil:
			if err := unix.Rename(s.in("plain"), s.path(name)); err != nil {
				return failed("renaming", s.path(name), err)
			}
		case errors.Is(err, unix.ENOENT): // there was none
			if err := os.Remove(s.path(name)); err != nil {
				return failed("removing", s.path(name), errno(err))
			}
		default:
			return failed("linking", s.path(name), errno(err))
		}
	}
	s.bringBack()
	syncFolder(s.dir)
	return nil
}

// bringBack ends a commitWithoutLinks that was killed: where a name is missing the old files take theirs again.
func (s *Set) bringBack() {
	if unix.Access(s.in("current"), unix.F_OK) == nil {
		return
	}
	missing := false
	for _, name := range s.names {
		missing = missing || unix.Access(s.path(name), unix.F_OK) != nil
	}
	for _, name := range s.names {
		if missing {
			_ = unix.Rename(s.in("old", name), s.path(name))
		}
	}
}

// clear removes all but the lock from the folder of the set.
func (s *Set) clear() {
	for _, name := range s.names {
		_ = unix.Unlink(s.in("new", name))
		_ = unix.Unlink(s.in("old", name))
	}
	for _, name := range []string{"current", "next", "link", "plain"} {
		_ = unix.Unlink(s.in(name))
	}
	_ = unix.Rmdir(s.in("new"))
	_ = unix.Rmdir(s.in("old"))
}

// syncFolder writes a folder's names to disk, which not every file system can.
func syncFolder(dir string) {
	if fd, err := openat(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0); err == nil {
		_ = unix.Fsync(fd)
		_ = unix.Close(fd)
	}
}

func errno(err error) error {
	var n unix.Errno
	if errors.As(err, &n) {
		return n
	}
	return err
}

// Writer writes a file of a [Set].
type Writer struct {
	path string
	fd   int
	at   int64 // of the next Write
}

// WriteAt writes data at a position. If ctx ends first, data may still be read.
func (w *Writer) WriteAt(ctx context.Context, data []byte, at int64) error {
	_, err := call(ctx, "write", w.path, func() (struct{}, error) {
		for len(data) > 0 {
			var n int
			err := again(func() (err error) { n, err = unix.Pwrite(w.fd, data, at); return err })
			if err != nil {
				return struct{}{}, failed("writing", w.path, err)
			}
			data, at = data[n:], at+int64(n)
		}
		return struct{}{}, nil
	}, nil)
	return err
}

// Append writes data behind what was written so.
func (w *Writer) Append(ctx context.Context, data []byte) error {
	at := w.at
	w.at += int64(len(data))
	return w.WriteAt(ctx, data, at)
}

// Close brings the file to disk and closes it. A file system that knows no fsync (EINVAL) or refuses it (EPERM)
// does not spoil what was written.
func (w *Writer) Close(ctx context.Context) error {
	_, err := call(ctx, "fsync", w.path, func() (struct{}, error) {
		err := again(func() error { return unix.Fsync(w.fd) })
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
			err = nil
		}
		if e := unix.Close(w.fd); err == nil && e != unix.EINTR { //nolint:errorlint // raw: it is closed all the same
			err = e
		}
		if err != nil {
			return struct{}{}, failed("writing", w.path, err)
		}
		return struct{}{}, nil
	}, nil)
	return err
}

// WriteFile makes one file through fill, which writes it with Append. size is its length if that is known.
func WriteFile(ctx context.Context, path string, size int64, replace bool, fill func(*Writer) error) error {
	dir, name := filepath.Split(path)
	s, err := Begin(ctx, filepath.Clean(dir), []string{name}, replace)
	if err != nil {
		return err
	}
	defer s.Abort()
	w, err := s.Create(ctx, name, size)
	if err != nil {
		return err
	}
	err = fill(w)
	if e := w.Close(ctx); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return s.Commit(ctx)
}
