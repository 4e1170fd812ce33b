package filecoin

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const golden = "../../../tests/golden"

// readGolden reads a golden file, gunzipping it where only name.gz exists.
func readGolden(t *testing.T, name string) []byte {
	t.Helper()
	path := filepath.Join(golden, name)
	b, err := os.ReadFile(path)
	if err == nil {
		return b
	}
	f, err := os.Open(path + ".gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	b, err = io.ReadAll(z)
	require.NoError(t, err)
	return b
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(readGolden(t, name), v), name)
}

// goldenNode is a node in hex.
type goldenNode Node

func (n *goldenNode) UnmarshalText(b []byte) error {
	_, err := hex.Decode(n[:], b)
	return err
}

type goldenSector struct {
	CommD, CommR, Seed, Ticket, ProverID Node
	MinerID, SectorNumber                uint64
	Proof                                SealProof
}

func readSector(t *testing.T, name string) (s goldenSector) {
	t.Helper()
	var raw struct {
		CommD        goldenNode `json:"comm_d"`
		CommR        goldenNode `json:"comm_r"`
		Seed, Ticket goldenNode
		ProverID     goldenNode `json:"prover_id"`
		MinerID      uint64     `json:"miner_id"`
		SectorNumber uint64     `json:"sector_number"`
		Proof        string     `json:"registered_seal_proof"`
	}
	readJSON(t, name, &raw)
	p, err := ParseSealProof(raw.Proof)
	require.NoError(t, err)
	return goldenSector{
		Node(raw.CommD), Node(raw.CommR), Node(raw.Seed), Node(raw.Ticket), Node(raw.ProverID),
		raw.MinerID, raw.SectorNumber, p,
	}
}

func (g goldenSector) seal() *Seal {
	return &Seal{Proof: g.Proof, ProverID: g.ProverID, SectorNumber: g.SectorNumber,
		CommD: g.CommD, CommR: g.CommR, Ticket: g.Ticket, Seed: g.Seed}
}

// witnessInputs returns the public inputs of every recorded partition, in hex
// and without ONE.
func witnessInputs(t *testing.T, name string) map[int][]string {
	t.Helper()
	var raw struct {
		Partitions []struct {
			Partition int
			Inputs    []string
			NumInputs int `json:"num_inputs"`
		}
	}
	readJSON(t, name, &raw)
	out := map[int][]string{}
	for _, p := range raw.Partitions {
		require.Len(t, p.Inputs, p.NumInputs)
		out[p.Partition] = p.Inputs[1:]
	}
	return out
}

// compareInputs checks a statement against a recorded witness file and returns
// how many partitions it compared.
func compareInputs(t *testing.T, s Statement, file string) int {
	t.Helper()
	want := witnessInputs(t, file)
	for k, inputs := range want {
		got, err := s.PublicInputs(k)
		require.NoError(t, err)
		require.Len(t, got, s.Shape().NumInputs())
		hexes := make([]string, len(got))
		for i := range got {
			n := FromField(&got[i])
			hexes[i] = hex.EncodeToString(n[:])
		}
		require.Equal(t, inputs, hexes, "%s partition %d", file, k)
	}
	return len(want)
}

// glob returns paths under golden that match the pattern, without .gz.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(golden, pattern))
	require.NoError(t, err)
	for i, p := range paths {
		rel, err := filepath.Rel(golden, p)
		require.NoError(t, err)
		paths[i] = strings.TrimSuffix(rel, ".gz")
	}
	return paths
}
