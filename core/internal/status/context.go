package status

import (
	"context"
	"errors"
)

// Ended classifies why a context has ended: its cause if that is classified
// already, otherwise Deadline or Cancelled. It is nil while ctx runs.
func Ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := Classify(context.Cause(ctx))
	var classified *Error
	if !errors.As(cause, &classified) {
		return New(Cancelled, "", "cancelled: %w", cause)
	}
	return cause
}

// EndedOr prefers the reason why ctx has ended to what work that failed says itself;
// a nil err stays nil.
func EndedOr(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return Ended(ctx)
	}
	return err
}

// Classify turns a plain context error into a typed one and leaves every other
// error alone.
func Classify(err error) error {
	var classified *Error
	switch {
	case err == nil || errors.As(err, &classified):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return New(Deadline, "", "deadline passed: %w", err)
	case errors.Is(err, context.Canceled):
		return New(Cancelled, "", "cancelled: %w", err)
	}
	return err
}

// Stopped reports whether err says that work was stopped, by a cancel, a deadline
// or the engine's end, and not that it failed.
func Stopped(err error) bool {
	switch CodeOf(err) {
	case Cancelled, Deadline, Closed:
		return true
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
