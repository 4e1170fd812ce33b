package engine

import (
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
)

// Level is how much a log line matters.
type Level = logging.Level

// Levels.
const (
	Debug = logging.Debug
	Info  = logging.Info
	Warn  = logging.Warn
	Error = logging.Error
)

func (e *Engine) logger() logging.Logger { return e.config.Log }

// ended counts and logs the end of a job.
func (e *Engine) ended(r Report) {
	e.meters.ended(r)
	took := r.Ended.Sub(r.Submitted)
	switch r.State {
	case jobs.Done:
		e.logger().Log(Debug, "%s job %d done in %s", r.Kind, r.ID, took)
	case jobs.Cancelled:
		e.logger().Log(Info, "%s job %d stopped after %s: %v", r.Kind, r.ID, took, r.Err)
	default:
		e.logger().Log(Warn, "%s job %d failed after %s: %v", r.Kind, r.ID, took, r.Err)
	}
}
