package status

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEndedIsTyped(t *testing.T) {
	require.NoError(t, Ended(t.Context()), "alive")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, Cancelled, CodeOf(Ended(ctx)))
	require.ErrorIs(t, Ended(ctx), context.Canceled)

	ctx, cancel = context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	require.Equal(t, Deadline, CodeOf(Ended(ctx)))

	typed := New(Closed, "", "closing")
	for cause, want := range map[error]Code{typed: Closed, errors.New("host shuts down"): Cancelled} {
		ctx, stop := context.WithCancelCause(t.Context())
		stop(cause)
		require.Equal(t, want, CodeOf(Ended(ctx)))
		require.ErrorIs(t, Ended(ctx), cause, "the cause stays visible")
	}
}

func TestStopped(t *testing.T) {
	require.True(t, Stopped(New(Deadline, "", "late")))
	require.True(t, Stopped(context.Canceled))
	require.False(t, Stopped(errors.New("broken")))
	require.False(t, Stopped(New(Device, "", "broken")))
	require.False(t, Stopped(nil))
}
