package curve

import (
	"context"
	"errors"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// sumChunk is how many points SumSelected loads at once: a multiple of 64, and
// few enough that a cancel is seen within milliseconds.
const sumChunk = 1 << 13

// anySet says whether any bit of words is set.
func anySet(words []uint64) bool {
	var or uint64
	for _, w := range words {
		or |= w
	}
	return or != 0
}

// cancelled classifies the cause of an ended context.
func cancelled(cause error) error {
	var classified *status.Error
	switch {
	case errors.As(cause, &classified):
		return cause
	case errors.Is(cause, context.DeadlineExceeded):
		return status.New(status.Deadline, "", "deadline passed: %w", cause)
	}
	return status.New(status.Cancelled, "", "cancelled: %w", cause)
}

// cancelCause classifies err if it is only the end of ctx.
func cancelCause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return cancelled(err)
	}
	return err
}
