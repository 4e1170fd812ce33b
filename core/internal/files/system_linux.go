package files

import "golang.org/x/sys/unix"

// allocate reserves size bytes of a file that is to be written.
func allocate(fd int, size int64) error { return unix.Fallocate(fd, 0, 0, size) }

// renameNew renames a file to a name that nothing has yet: EEXIST if something has it.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
