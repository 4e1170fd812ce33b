package cuzk

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChallenges compares with the published challenges of both versions and
// both kinds.
func TestChallenges(t *testing.T) {
	for name, number := range map[string]int{
		"2k-window3/window_post": 10, "2k-v1/window_post": 5, "2k-v1_1/winning_post": 0, "8m-v1_1/window_post": 11,
	} {
		r, _ := postCase(t, name)
		var want struct {
			Sectors []struct {
				Number     uint64 `json:"sector_number"`
				Challenges []uint64
			}
		}
		raw, err := os.ReadFile(sectors + name + ".json")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &want))
		var numbers []uint64
		for _, s := range want.Sectors {
			numbers = append(numbers, s.Number)
		}
		wrong := r.Randomness
		wrong[31] |= 0xc0
		_, err = PoStChallenges(number, wrong, numbers)
		require.Equal(t, InputValue, CodeOf(err), "randomness that is no field element")
		got, err := PoStChallenges(number, r.Randomness, numbers)
		require.NoError(t, err, name)
		for i, s := range want.Sectors {
			require.Equal(t, s.Challenges, got[i], "%s sector %d", name, s.Number)
		}
	}
	for _, bad := range []struct {
		number int
		n      int
		code   Code
	}{{-1, 1, Argument}, {15, 1, Argument}, {0, 0, InputValue}, {0, 2, InputValue}, {10, 0, InputValue}} {
		_, err := PoStChallenges(bad.number, [32]byte{}, make([]uint64, bad.n))
		require.Equal(t, bad.code, CodeOf(err), bad)
	}
}

func TestWinningPoStSector(t *testing.T) {
	// SHA-256 of 72 zero bytes begins 834a709ba2534ebe.
	i, err := WinningPoStSector(3, [32]byte{}, [32]byte{}, 1<<63)
	require.NoError(t, err)
	require.Equal(t, uint64(0x3e4e53a29b704a83), i)
	for _, bad := range []struct {
		number   int
		prover   [32]byte
		eligible uint64
		code     Code
	}{{8, [32]byte{}, 1, Argument}, {3, [32]byte{}, 0, Argument}, {3, [32]byte{31: 0xff}, 1, InputValue}, {99, [32]byte{}, 1, Argument}} {
		_, err := WinningPoStSector(bad.number, [32]byte{}, bad.prover, bad.eligible)
		require.Equal(t, bad.code, CodeOf(err), bad)
	}
}

func TestWindowPoStPartitions(t *testing.T) {
	for _, c := range []struct {
		number  int
		n, want uint64
	}{{5, 0, 1}, {5, 2, 1}, {10, 3, 2}, {8, 2349, 1}, {13, 2350, 2}, {14, 2301, 2}, {8, 1 << 60, 490813752493337}} {
		got, err := WindowPoStPartitions(c.number, c.n)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c)
	}
	_, err := WindowPoStPartitions(3, 1)
	require.Equal(t, Argument, CodeOf(err))
}
