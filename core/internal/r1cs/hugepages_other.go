//go:build !linux

package r1cs

// hugePages does nothing: only Linux is asked for huge pages.
func hugePages([]byte) {}
