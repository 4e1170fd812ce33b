package stop

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"libcuzk/core/internal/status"
)

func TestCauseIsTyped(t *testing.T) {
	require.NoError(t, Cause(t.Context()), "alive")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, status.Cancelled, status.CodeOf(Cause(ctx)))
	require.ErrorIs(t, Cause(ctx), context.Canceled)

	ctx, cancel = context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	require.Equal(t, status.Deadline, status.CodeOf(Cause(ctx)))

	why, stop := context.WithCancelCause(t.Context())
	typed := status.New(status.Closed, "", "closing")
	stop(typed)
	require.Same(t, typed, Cause(why), "a classified cause stays what it is")
}

func TestStopped(t *testing.T) {
	require.True(t, Stopped(status.New(status.Deadline, "", "late")))
	require.True(t, Stopped(context.Canceled))
	require.False(t, Stopped(errors.New("broken")))
	require.False(t, Stopped(status.New(status.Device, "", "broken")))
	require.False(t, Stopped(nil))
}
