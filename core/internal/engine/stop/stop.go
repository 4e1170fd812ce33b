// Package stop says why a context ended, in the codes of the C ABI.
package stop

import (
	"context"
	"errors"

	"libcuzk/core/internal/status"
)

// Cause returns the typed reason for which ctx ended: its cause where that is
// classified already, otherwise an error of code status.Deadline or
// status.Cancelled. It is nil while ctx lives.
func Cause(ctx context.Context) error {
	cause := context.Cause(ctx)
	var typed *status.Error
	switch {
	case cause == nil || errors.As(cause, &typed):
		return cause
	case errors.Is(cause, context.DeadlineExceeded):
		return status.New(status.Deadline, "", "deadline passed: %w", cause)
	default:
		return status.New(status.Cancelled, "", "cancelled: %w", cause)
	}
}

// Stopped reports whether err says that work was stopped, not that it failed.
func Stopped(err error) bool {
	switch status.CodeOf(err) {
	case status.Cancelled, status.Deadline, status.Closed:
		return true
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
