package ffi

import (
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

func TestUnsealedCID(t *testing.T) {
	zero := filecoin.ZeroCommD(32 * filecoin.GiB)
	half := filecoin.ZeroCommD(16 * filecoin.GiB)
	for _, pieces := range [][]PieceInfo{
		nil,
		{{32 << 30, UnsealedCID(zero)}},
		{{16 << 30, UnsealedCID(half)}, {16 << 30, UnsealedCID(half)}},
	} {
		got, err := GenerateUnsealedCID(theirPoSt(8), pieces)
		require.NoError(t, err)
		require.Equal(t, "baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq", text(got))
	}
	_, err := GenerateUnsealedCID(theirPoSt(8), []PieceInfo{{64 << 30, UnsealedCID(zero)}})
	require.Equal(t, cuzk.InputValue, cuzk.CodeOf(err))
	_, err = GenerateUnsealedCID(theirPoSt(8), []PieceInfo{{32 << 30, SealedCID(zero)}})
	require.Equal(t, cuzk.InputValue, cuzk.CodeOf(err))
	_, err = GenerateUnsealedCID(theirPoSt(20), nil)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
}

func TestVersions(t *testing.T) {
	name, err := GetSealVersion(theirPoSt(8))
	require.NoError(t, err)
	require.Equal(t, "StackedDrg32GiBV1_1", name)
	name, err = GetPoStVersion(theirPoSt(13))
	require.NoError(t, err)
	require.Equal(t, "StackedDrgWindow32GiBV1_2", name)
	_, err = GetPoStVersion(theirPoSt(15))
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
}
