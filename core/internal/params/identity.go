package params

import (
	"io/fs"
	"syscall"
	"time"
)

// Identity is what a file is known by: when another file takes its place, one of
// the figures differs.
type Identity struct {
	Path    string
	Size    int64 // bytes
	ModTime time.Time
	Inode   uint64
	Volume  uint64 // device number of the file system
}

// IdentityOf returns the identity of a file that was looked at.
func IdentityOf(path string, info fs.FileInfo) Identity {
	id := Identity{Path: path, Size: info.Size(), ModTime: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Inode, id.Volume = sys.Ino, uint64(sys.Dev)
	}
	return id
}
