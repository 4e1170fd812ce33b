package guard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/capi/internal/guard"
	cuzk "github.com/libcuzk/libcuzk/core"
)

func TestCall(t *testing.T) {
	require.NoError(t, guard.Call(func() error { return nil }))
	want := errors.New("no")
	require.Equal(t, want, guard.Call(func() error { return want }))
	err := guard.Call(func() error { panic("boom") })
	require.Equal(t, cuzk.Panic, cuzk.CodeOf(err))
	require.ErrorContains(t, err, "boom")
	require.ErrorContains(t, err, "guard_test.go")
}
