// Package guard keeps panics from leaving the library: one that crosses into C
// ends the host.
package guard

import (
	"fmt"
	"runtime/debug"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// Call runs body; a panic in it becomes an error of code Panic whose detail is
// the stack.
func Call(body func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &cuzk.Error{Code: cuzk.Panic, Message: fmt.Sprintf("caught panic: %v", v), Detail: string(debug.Stack())}
		}
	}()
	return body()
}
