//go:build !amd64 || !linux || !cgo || purego

// Package emulator runs AVX-512 instructions on machines that lack them; this build
// does without.
package emulator

// Supported says that Install works in this build.
const Supported = false

// Install does nothing here.
func Install() {}
