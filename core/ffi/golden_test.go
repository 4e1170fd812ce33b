package ffi

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
)

const sectors = "../../tests/golden/sectors/"

// hex32 is 32 bytes, or any number for hexBytes, as golden files write them.
type (
	hex32    [32]byte
	hexBytes []byte
)

func (h *hex32) UnmarshalText(text []byte) error {
	n, err := hex.Decode(h[:], text)
	if err == nil && n != len(h) {
		err = hex.ErrLength
	}
	return err
}

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile(sectors + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, v))
}

// postCase is a golden PoSt as a caller of filecoin-ffi has it.
type postCase struct {
	proof      RegisteredPoStProof
	miner      ActorID
	randomness []byte
	numbers    []SectorNumber
	challenges [][]uint64
	sectors    []SectorInfo
	vanilla    [][]byte
}

func loadPoSt(t *testing.T, name string, seal RegisteredSealProof) (c postCase) {
	t.Helper()
	var file struct {
		Proof      string   `json:"registered_post_proof"`
		Miner      ActorID  `json:"miner_id"`
		Randomness hexBytes `json:"randomness"`
		Sectors    []struct {
			Number     SectorNumber `json:"sector_number"`
			CommR      hex32        `json:"comm_r"`
			Challenges []uint64
			File       string
		}
	}
	readJSON(t, name+".json", &file)
	proof, err := filecoin.ParsePoStProof(file.Proof)
	require.NoError(t, err)
	c = postCase{proof: RegisteredPoStProof(proof), miner: file.Miner, randomness: file.Randomness}
	for _, s := range file.Sectors {
		raw, err := os.ReadFile(sectors + filepath.Dir(name) + "/" + s.File)
		require.NoError(t, err)
		c.numbers = append(c.numbers, s.Number)
		c.challenges = append(c.challenges, s.Challenges)
		c.sectors = append(c.sectors, SectorInfo{seal, s.Number, SealedCID(s.CommR)})
		c.vanilla = append(c.vanilla, raw)
	}
	return c
}

// goldenProof is the proof of sector 0 of a kind in 2k-v1_1.
func goldenProof(t *testing.T, kind string) []byte {
	t.Helper()
	var file struct{ Proof hexBytes }
	readJSON(t, "2k-v1_1/proof-"+kind+"-0.json", &file)
	return file.Proof
}

// keys is a parameter folder with the golden 2 KiB verifying keys alone: what a
// host that only verifies has.
func keys(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, kind := range []filecoin.Kind{filecoin.PoRep, filecoin.WinningPoSt, filecoin.WindowPoSt, filecoin.Update} {
		shape, err := filecoin.NewShape(kind, 2*filecoin.KiB)
		require.NoError(t, err)
		raw, err := os.ReadFile("../../tests/golden/vk/" + kind.String() + "-2048.vk")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, shape.ParamsName()+".vk"), raw, 0o600))
	}
	return dir
}

// open returns the calls on an engine of the test's own.
func open(t *testing.T, dir string) FFI {
	t.Helper()
	e, err := cuzk.Open(cuzk.Options{ParamsDir: dir, Backend: cuzk.CPU})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return FFI{e}
}

// params makes the golden parameters of the PoSt kinds and returns their folder.
func params(t *testing.T) string {
	t.Helper()
	testparams.Open(t, filecoin.WinningPoSt)
	testparams.Open(t, filecoin.WindowPoSt)
	return testparams.Dir(t)
}
