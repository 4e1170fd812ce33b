package groth16

import (
	"context"
	"errors"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// stopped classifies why ctx ended.
func stopped(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		return status.New(status.Deadline, "", "deadline passed: %w", cause)
	}
	return status.New(status.Cancelled, "", "cancelled: %w", cause)
}
