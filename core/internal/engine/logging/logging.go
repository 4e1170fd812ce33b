// Package logging hands lines for people to the host of the engine.
package logging

import (
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// Level is how much a log line matters.
type Level string

// Levels. Nothing is logged in the course of a job that goes well, but its end.
const (
	Debug Level = "debug" // a job that was done
	Info  Level = "info"  // parameters came or went; a job was cancelled
	Warn  Level = "warn"  // a job failed
	Error Level = "error" // something that should not happen: a proof that did not hold
)

// Logger calls a function of the host with each line; nil drops them.
type Logger func(level Level, line string)

// Log formats a line and hands it to the host, on the caller's goroutine; callers
// hold no lock. A panic of the host's function is dropped.
func (l Logger) Log(level Level, format string, args ...any) {
	if l == nil {
		return
	}
	_ = spawn.Guard(func() error {
		l(level, fmt.Sprintf(format, args...))
		return nil
	})
}
