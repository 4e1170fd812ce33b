package engine

import (
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
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

// log hands a line to the host, on the goroutine that has something to say and
// without locks. A host's panic is its own affair.
func (e *Engine) log(level Level, format string, args ...any) {
	if e.config.Log == nil {
		return
	}
	_ = spawn.Guard(func() error {
		e.config.Log(level, fmt.Sprintf(format, args...))
		return nil
	})
}

// ended books and logs the end of a job.
func (e *Engine) ended(r Report) {
	e.meters.ended(r)
	took := r.Ended.Sub(r.Submitted)
	switch r.State {
	case jobs.Done:
		e.log(Debug, "%s job %d done in %s", r.Kind, r.ID, took)
	case jobs.Cancelled:
		e.log(Info, "%s job %d stopped after %s: %v", r.Kind, r.ID, took, r.Err)
	default:
		e.log(Warn, "%s job %d failed after %s: %v", r.Kind, r.ID, took, r.Err)
	}
}
