package ffi

import (
	"encoding/base32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// text is a CID as people write it: "b" and lower-case base32.
func text(c CID) string {
	return "b" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(c.Bytes()))
}

// TestCID: the CID of 32 GiB of zeros and the beginning of every sealed CID are
// public knowledge.
func TestCID(t *testing.T) {
	zero := filecoin.ZeroCommD(32 * filecoin.GiB)
	require.Equal(t, "baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq", text(UnsealedCID(zero)))
	require.True(t, strings.HasPrefix(text(SealedCID(zero)), "bagboea4b5abc"))

	got, err := CommD(UnsealedCID(zero))
	require.NoError(t, err)
	require.Equal(t, zero, got)
	got, err = CommR(SealedCID(zero))
	require.NoError(t, err)
	require.Equal(t, zero, got)
	for _, bad := range []CID{UnsealedCID(zero), RawCID{}, RawCID(SealedCID(zero)[:39]), append(SealedCID(zero), 0)} {
		_, err = CommR(bad)
		require.Equal(t, cuzk.InputValue, cuzk.CodeOf(err))
	}
	_, err = CommD(nil)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
}
