package filecoin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDataCommitment: pieces of zeros make a sector of zeros, in whatever sizes;
// another piece changes it, and only its place decides how.
func TestDataCommitment(t *testing.T) {
	const sector = 2 * KiB
	zeros := func(paddedSize uint64) Piece {
		n := Node{}
		for size := uint64(32); size < paddedSize; size *= 2 {
			n = HashD(&n, &n)
		}
		return Piece{n, paddedSize / 128 * 127}
	}
	want := ZeroCommD(sector)
	for _, sizes := range [][]uint64{nil, {2048}, {1024, 1024}, {128, 128, 256, 512, 1024}, {1024, 128}, {128, 1024}} {
		var pieces []Piece
		for _, s := range sizes {
			pieces = append(pieces, zeros(s))
		}
		got, err := DataCommitment(sector, pieces)
		require.NoError(t, err, sizes)
		require.Equal(t, want, got, sizes)
	}
	a, b := Piece{Node{1}, 1016}, Piece{Node{2}, 1016}
	got, err := DataCommitment(sector, []Piece{a, b})
	require.NoError(t, err)
	require.Equal(t, HashD(&a.CommP, &b.CommP), got)
	// A small piece before a large one is followed by zeros.
	small, half := Piece{Node{3}, 508}, zeros(512)
	got, err = DataCommitment(sector, []Piece{small, b})
	require.NoError(t, err)
	left := HashD(&small.CommP, &half.CommP)
	require.Equal(t, HashD(&left, &b.CommP), got)
	// One piece alone is its own tree, as the published function has it.
	got, err = DataCommitment(sector, []Piece{a})
	require.NoError(t, err)
	require.Equal(t, a.CommP, got)

	for name, pieces := range map[string][]Piece{
		"too large":           {{Node{1}, 2033}},
		"too large together":  {a, b, small},
		"no power of two":     {{Node{1}, 128}},
		"larger than 64 bits": {{Node{1}, ^uint64(0)}},
		"too many":            make([]Piece, 17),
	} {
		_, err := DataCommitment(sector, pieces)
		require.Error(t, err, name)
	}
}
