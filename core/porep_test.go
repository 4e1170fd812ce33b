package cuzk

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
)

// porepCase loads a golden C1 and what the chain knows of its sector.
func porepCase(t *testing.T, c1, sector string) (PoRep, PoRepInfo) {
	t.Helper()
	raw, err := os.ReadFile(sectors + c1)
	require.NoError(t, err)
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		require.NoError(t, err)
		raw, err = io.ReadAll(z)
		require.NoError(t, err)
	}
	var file struct {
		Proof        string `json:"registered_seal_proof"`
		SectorNumber uint64 `json:"sector_number"`
		ProverID     string `json:"prover_id"`
		CommR        string `json:"comm_r"`
		CommD        string `json:"comm_d"`
		Ticket, Seed string
	}
	text, err := os.ReadFile(sectors + sector)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &file))
	proof, err := filecoin.ParseSealProof(file.Proof)
	require.NoError(t, err)
	node := func(s string) [32]byte {
		b, err := hex.DecodeString(s)
		require.NoError(t, err)
		return [32]byte(b)
	}
	info := PoRepInfo{
		RegisteredProof: int(proof), SectorNumber: file.SectorNumber, ProverID: node(file.ProverID),
		CommR: node(file.CommR), CommD: node(file.CommD), Ticket: node(file.Ticket), Seed: node(file.Seed),
	}
	return PoRep{C1: raw, SectorNumber: info.SectorNumber, ProverID: info.ProverID}, info
}

// TestCircuitProofsWithoutProver: the published call for circuit proofs is not
// told whose sector it is; everything else is checked all the same. The folder
// has no parameters, so that what passes the checks ends with SRSMissing.
func TestCircuitProofsWithoutProver(t *testing.T) {
	e, err := Open(Options{ParamsDir: t.TempDir(), Backend: CPU})
	require.NoError(t, err)
	defer e.Close()
	for _, files := range [][2]string{{"2k-v1_1/c1-0.json", "2k-v1_1/sector-0.json"}, {"2k-ni/c1.json.gz", "2k-ni/sector-0.json"}} {
		good, info := porepCase(t, files[0], files[1])
		commR, err := json.Marshal(bytesAsNumbers(info.CommR))
		require.NoError(t, err)
		info.CommR[5] ^= 1
		other, err := json.Marshal(bytesAsNumbers(info.CommR))
		require.NoError(t, err)
		for name, c := range map[string]struct {
			change func(*PoRep)
			code   Code
		}{
			"known":        {func(*PoRep) {}, SRSMissing},
			"not known":    {func(r *PoRep) { r.ProverID, r.SectorNumber = [32]byte{}, 0 }, SRSMissing},
			"other prover": {func(r *PoRep) { r.ProverID[0] ^= 1 }, InputMismatch},
			"not asked":    {func(r *PoRep) { r.ProverID, r.CircuitProofs = [32]byte{}, false }, InputMismatch},
			"other comm_r": {func(r *PoRep) {
				r.ProverID = [32]byte{}
				r.C1 = bytes.Replace(r.C1, commR, other, 1)
			}, InputMismatch},
		} {
			t.Run(files[0]+" "+name, func(t *testing.T) {
				r := good
				r.CircuitProofs = true
				c.change(&r)
				proof, err := e.Run(t.Context(), r)
				requireCode(t, err, c.code)
				require.Nil(t, proof)
			})
		}
	}
}

// bytesAsNumbers is how serde writes an array of bytes.
func bytesAsNumbers(b [32]byte) (numbers []int) {
	for _, v := range b {
		numbers = append(numbers, int(v))
	}
	return numbers
}

// TestCircuitProofs proves all 13 partitions of a non-interactive sector,
// un-aggregated. Minutes: CUZK_TEST_LONG=1, as in make test-long.
func TestCircuitProofs(t *testing.T) {
	if os.Getenv("CUZK_TEST_LONG") == "" {
		t.Skip("set CUZK_TEST_LONG=1")
	}
	testparams.Open(t, filecoin.PoRep)
	e, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU})
	require.NoError(t, err)
	defer e.Close()
	r, info := porepCase(t, "2k-ni/c1.json.gz", "2k-ni/sector-0.json")
	r.CircuitProofs, info.CircuitProofs = true, true
	proof, err := e.Run(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, proof, 13*192)
	ok, err := e.VerifyPoRep(t.Context(), info, proof)
	require.NoError(t, err)
	require.True(t, ok)

	// The order of partitions counts, and the aggregated form is no such proof.
	swapped := bytes.Clone(proof)
	copy(swapped, proof[192:384])
	copy(swapped[192:], proof[:192])
	ok, err = e.VerifyPoRep(t.Context(), info, swapped)
	require.NoError(t, err)
	require.False(t, ok)
	info.CircuitProofs = false
	_, err = e.VerifyPoRep(t.Context(), info, proof)
	requireCode(t, err, ProofMalformed)
}

// requireCode requires a typed error with a message.
func requireCode(t *testing.T, err error, code Code) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code, "%v", err)
	require.NotEmpty(t, e.Message)
}
