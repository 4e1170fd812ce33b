package ffi

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
)

func TestFallbackChallenges(t *testing.T) {
	for _, name := range []string{"2k-v1/window_post", "2k-window3/window_post", "2k-v1_1/winning_post"} {
		c := loadPoSt(t, name, 5)
		got, err := GeneratePoStFallbackSectorChallenges(theirPoSt(c.proof), theirMiner(c.miner), theirRandom(c.randomness), c.numbers)
		require.NoError(t, err)
		require.Equal(t, c.numbers, got.Sectors)
		for i, n := range c.numbers {
			require.Equal(t, c.challenges[i], got.Challenges[n], name)
		}
	}
	// Any order and repetition, as the published call takes them.
	c := loadPoSt(t, "2k-window3/window_post", 5)
	mixed := append(slices.Clone(c.numbers), c.numbers[0])
	slices.Reverse(mixed)
	got, err := GeneratePoStFallbackSectorChallenges(c.proof, c.miner, c.randomness, mixed)
	require.NoError(t, err)
	require.Equal(t, c.numbers, got.Sectors)
	require.Equal(t, c.challenges[0], got.Challenges[c.numbers[0]])
	w := loadPoSt(t, "2k-v1_1/winning_post", 5)
	first, err := GeneratePoStFallbackSectorChallenges(w.proof, w.miner, w.randomness, append(w.numbers, 7, 3))
	require.NoError(t, err)
	require.Equal(t, w.numbers, first.Sectors, "one sector wins")
	_, err = GeneratePoStFallbackSectorChallenges(c.proof, c.miner, c.randomness, []SectorNumber{})
	require.Equal(t, cuzk.InputValue, cuzk.CodeOf(err))
}

func TestWinningSectorAndPartitions(t *testing.T) {
	got, err := GenerateWinningPoStSectorChallenge(theirPoSt(3), theirMiner(1001), make(theirRandom, 32), 1)
	require.NoError(t, err)
	require.Equal(t, []uint64{0}, got)
	_, err = GenerateWinningPoStSectorChallenge(RegisteredPoStProof(3), ActorID(1001), make([]byte, 32), 0)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
	n, err := GetNumPartitionForFallbackPost(theirPoSt(13), 2350)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	// Divided in single precision, as the published function does.
	n, err = GetNumPartitionForFallbackPost(theirPoSt(13), math.MaxUint)
	require.NoError(t, err)
	require.EqualValues(t, 7853020209479680, n)
}
