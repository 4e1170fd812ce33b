package ffi

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// TestHeaderNumbers: the numbers that C callers send are those of the registered
// proofs of these names: each of the C header's constants against the table.
func TestHeaderNumbers(t *testing.T) {
	want := map[string]int{}
	for p := range filecoin.NumSealProofs {
		want["REGISTERED_SEAL_PROOF_"+shout(p.Name())] = int(p)
	}
	for p := range filecoin.NumPoStProofs {
		want["REGISTERED_PO_ST_PROOF_"+shout(p.FFIName())] = int(p)
	}
	for p := range filecoin.NumUpdateProofs {
		want["REGISTERED_UPDATE_PROOF_"+shout(p.Name())] = int(p)
	}
	want["REGISTERED_AGGREGATION_PROOF_SNARK_PACK_V1"] = 0
	want["REGISTERED_AGGREGATION_PROOF_SNARK_PACK_V2"] = 1
	require.Len(t, want, 42)
	header, err := os.ReadFile("../../include/cuzk_filcrypto.h")
	require.NoError(t, err)
	got := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^ +(REGISTERED_\w+) = (\d+),?$`).FindAllStringSubmatch(string(header), -1) {
		n, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		got[m[1]] = n
	}
	require.Equal(t, want, got)
}

// shout spells a Rust name as filecoin-ffi's header does: every capital begins
// a word, and all is in capitals.
func shout(name string) string {
	return strings.ToUpper(strings.TrimPrefix(regexp.MustCompile(`[A-Z]`).ReplaceAllString(name, "_$0"), "_"))
}

// TestWinningProof: the seal proofs of a size, whatever their version, have one
// WinningPoSt (go-state-types abi/sector.go).
func TestWinningProof(t *testing.T) {
	for p := range filecoin.NumSealProofs {
		got, err := winningProof([]SectorInfo{{SealProof: RegisteredSealProof(p)}})
		require.NoError(t, err)
		post := filecoin.PoStProof(got)
		require.Equal(t, filecoin.WinningPoSt, post.Kind())
		require.Equal(t, p.SectorSize(), post.SectorSize())
	}
	for _, n := range []RegisteredSealProof{-1, 20} {
		_, err := winningProof([]SectorInfo{{SealProof: n}})
		require.Error(t, err)
	}
}
