package cuzk

import "github.com/libcuzk/libcuzk/core/internal/spawn"

// guarded runs a call that is no job, on the host's goroutine: a panic in it,
// which would end the host, becomes an error of code Panic.
func guarded[T any](call func() (T, error)) (v T, err error) {
	err = spawn.Guard(func() (err error) {
		v, err = call()
		return err
	})
	return v, err
}
