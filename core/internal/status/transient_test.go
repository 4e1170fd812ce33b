package status

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRetryableFollowsFromCodeAndCause: what may succeed a moment later says so,
// whichever place made the error; what needs another input does not.
func TestRetryableFollowsFromCodeAndCause(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want bool
	}{
		{New(Busy, "", "job still runs"), true},
		{New(Timeout, "", "wait ended"), true},
		{New(Memory, "", "no memory"), true},
		{New(Device, "", "launch failed"), true},
		{New(FileIO, "x", "open: %w", &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}), true},
		{New(FileIO, "x", "open: %w", errors.Join(errors.New("first"), syscall.ENFILE)), true},
		{New(FileIO, "x", "open: %w", &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}), false},
		{New(FileIO, "x", "open: %w", syscall.ENOENT), false},
		{New(SRSMismatch, "x", "x was replaced: %w", ErrChanged), true},
		{New(SRSMismatch, "x", "another circuit"), false},
		{New(Argument, "x", "bad"), false},
		{New(Budget, "x", "never"), false},
		{New(Closed, "", "closed"), false},
		{New(ProofInvalid, "", "no"), false},
	} {
		require.Equal(t, c.want, c.err.Retryable, "%v", c.err)
		var within *Error
		require.ErrorAs(t, Within("sectors[1]", c.err), &within)
		require.Equal(t, c.want, within.Retryable, "a place changes nothing")
	}
}

// TestSeveralNamesAll: the detail lists every place, the message the first ones.
func TestSeveralNamesAll(t *testing.T) {
	one := New(InputMismatch, "sectors[3].comm_r", "sectors[3].comm_r: differs")
	require.Same(t, error(one), Several("sectors", 5, []error{nil, one}))
	require.NoError(t, Several("sectors", 5, []error{nil, nil}))
	var many []error
	for range 100 {
		many = append(many, one)
	}
	err := Several("sectors", 200, many)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, InputMismatch, e.Code)
	require.Contains(t, e.Message, "100 of 200 sectors")
	require.Contains(t, e.Message, "and 80 more")
	require.Equal(t, 100*len("sectors[3].comm_r")+99*len(", "), len(e.Detail))
	cancelled := New(Cancelled, "", "stopped")
	require.Equal(t, Cancelled, CodeOf(Several("sectors", 2, []error{one, cancelled})), "what was stopped found nothing")
}
