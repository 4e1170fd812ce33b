package ffi_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/filecoin-project/go-address"
	commcid "github.com/filecoin-project/go-fil-commcid"
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/filecoin-project/go-state-types/proof"
	"github.com/ipfs/go-cid"
	"github.com/stretchr/testify/require"

	ffi "github.com/libcuzk/libcuzk/bindings/go/filecoinffi"
	cuzk "github.com/libcuzk/libcuzk/core"
)

const golden = "../../../tests/golden/"

// hexBytes is a string of hex digits, as golden files write bytes.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile(golden + "sectors/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, v))
}

// goldenProof is the published crates' proof of a kind for sector 0 of 2k-v1_1.
func goldenProof(t *testing.T, kind string) []byte {
	t.Helper()
	var file struct{ Proof hexBytes }
	readJSON(t, "2k-v1_1/proof-"+kind+"-0.json", &file)
	return file.Proof
}

func sealedCID(t *testing.T, commR []byte) cid.Cid {
	t.Helper()
	c, err := commcid.ReplicaCommitmentV1ToCID(commR)
	require.NoError(t, err)
	return c
}

func unsealedCID(t *testing.T, commD []byte) cid.Cid {
	t.Helper()
	c, err := commcid.DataCommitmentV1ToCID(commD)
	require.NoError(t, err)
	return c
}

// useKeys makes the calls run on an engine that has the golden 2 KiB verifying
// keys alone: what a host that only verifies has.
func useKeys(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for kind, name := range map[string]string{
		"porep":        "stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f",
		"winning_post": "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e",
		"window_post":  "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0",
		"update":       "empty-sector-update-merkletree-poseidon_hasher-8-0-0-fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194",
	} {
		raw, err := os.ReadFile(golden + "vk/" + kind + "-2048.vk")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "v28-"+name+".vk"), raw, 0o600))
	}
	e, err := cuzk.Open(cuzk.Options{ParamsDir: dir, Backend: cuzk.CPU})
	require.NoError(t, err)
	ffi.Use(e)
	t.Cleanup(func() { ffi.Use(nil); require.NoError(t, e.Close()) })
}

func holds(t *testing.T, want bool) func(bool, error) {
	return func(got bool, err error) {
		t.Helper()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestVerifyGolden verifies the published crates' proofs of all kinds.
func TestVerifyGolden(t *testing.T) {
	useKeys(t)
	var s struct {
		Number abi.SectorNumber `json:"sector_number"`
		Miner  abi.ActorID      `json:"miner_id"`
		CommR  hexBytes         `json:"comm_r"`
		CommD  hexBytes         `json:"comm_d"`
		Ticket hexBytes
		Seed   hexBytes
	}
	readJSON(t, "2k-v1_1/sector-0.json", &s)
	seal := proof.SealVerifyInfo{
		SealProof: abi.RegisteredSealProof_StackedDrg2KiBV1_1, SectorID: abi.SectorID{Miner: s.Miner, Number: s.Number},
		Randomness: abi.SealRandomness(s.Ticket), InteractiveRandomness: abi.InteractiveSealRandomness(s.Seed),
		Proof: goldenProof(t, "porep"), SealedCID: sealedCID(t, s.CommR), UnsealedCID: unsealedCID(t, s.CommD),
	}
	holds(t, true)(verifier{}.VerifySeal(seal))
	wrong := seal
	wrong.Randomness = seal.Randomness[:31] // padded with a zero
	holds(t, false)(ffi.VerifySeal(wrong))
	wrong.Randomness = append(bytes.Clone(seal.Randomness), 0)
	_, err := ffi.VerifySeal(wrong)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err), "longer than 32 bytes")
	for name, change := range map[string]func(*proof.SealVerifyInfo){
		"no CID":             func(i *proof.SealVerifyInfo) { i.SealedCID = cid.Undef },
		"a CID of data":      func(i *proof.SealVerifyInfo) { i.SealedCID = seal.UnsealedCID },
		"a CID of a replica": func(i *proof.SealVerifyInfo) { i.UnsealedCID = seal.SealedCID },
		"an unknown proof":   func(i *proof.SealVerifyInfo) { i.SealProof = 20 },
		"a miner of 64 bits": func(i *proof.SealVerifyInfo) { i.Miner = 1 << 63 },
	} {
		wrong := seal
		change(&wrong)
		ok, err := ffi.VerifySeal(wrong)
		require.Error(t, err, name)
		require.False(t, ok)
	}

	for kind, verify := range map[string]func(context.Context, proof.WindowPoStVerifyInfo) (bool, error){
		"winning_post": func(ctx context.Context, i proof.WindowPoStVerifyInfo) (bool, error) {
			return verifier{}.VerifyWinningPoSt(ctx, proof.WinningPoStVerifyInfo(i))
		},
		"window_post": verifier{}.VerifyWindowPoSt,
	} {
		var file struct {
			Miner      abi.ActorID `json:"miner_id"`
			Randomness hexBytes    `json:"randomness"`
			Sectors    []struct {
				Number abi.SectorNumber `json:"sector_number"`
				CommR  hexBytes         `json:"comm_r"`
			}
		}
		readJSON(t, "2k-v1_1/"+kind+".json", &file)
		info := proof.WindowPoStVerifyInfo{Randomness: abi.PoStRandomness(file.Randomness), Prover: file.Miner}
		number := abi.RegisteredPoStProof_StackedDrgWinning2KiBV1
		if kind == "window_post" {
			number = abi.RegisteredPoStProof_StackedDrgWindow2KiBV1_1
		}
		info.Proofs = []proof.PoStProof{{PoStProof: number, ProofBytes: goldenProof(t, kind)}}
		for _, s := range file.Sectors {
			info.ChallengedSectors = append(info.ChallengedSectors,
				proof.SectorInfo{SealProof: abi.RegisteredSealProof_StackedDrg2KiBV1_1, SectorNumber: s.Number, SealedCID: sealedCID(t, s.CommR)})
		}
		holds(t, true)(verify(t.Context(), info))
		info.Randomness[31] |= 0xc0 // the hosts mask it
		holds(t, true)(verify(t.Context(), info))
		info.Proofs[0].PoStProof = 99
		_, err := verify(t.Context(), info)
		require.Error(t, err, "an unknown number beside the proof")
		info.Proofs[0].PoStProof = number
		info.Randomness[0] ^= 1
		holds(t, false)(verify(t.Context(), info))
	}

	var u struct {
		Old hexBytes `json:"comm_r_old"`
		New hexBytes `json:"comm_r_new"`
		D   hexBytes `json:"comm_d_new"`
	}
	readJSON(t, "2k-v1_1/update.json", &u)
	info := proof.ReplicaUpdateInfo{OldSealedSectorCID: sealedCID(t, u.Old), NewSealedSectorCID: sealedCID(t, u.New),
		NewUnsealedSectorCID: unsealedCID(t, u.D), Proof: goldenProof(t, "update")}
	holds(t, true)(verifier{}.VerifyReplicaUpdate(info))
	raw, err := os.ReadFile(golden + "sectors/2k-v1_1/update-0.vanilla")
	require.NoError(t, err)
	holds(t, true)(ffi.SectorUpdate.VerifyVanillaProofs(0, info.OldSealedSectorCID, info.NewSealedSectorCID, info.NewUnsealedSectorCID, [][]byte{raw}))
	info.OldSealedSectorCID, info.NewSealedSectorCID = info.NewSealedSectorCID, info.OldSealedSectorCID
	holds(t, false)(verifier{}.VerifyReplicaUpdate(info))
}

// TestHostShapes runs what only had to compile so far: every shape reaches its
// call and hands back a typed error.
func TestHostShapes(t *testing.T) {
	useKeys(t)
	ref := sectorRef{abi.SectorID{Miner: 1000, Number: 7}, abi.RegisteredSealProof_StackedDrg2KiBV1_1}
	undefined := []error{}
	_, err := sealer{}.SealCommit2(t.Context(), ref, []byte("{}"))
	undefined = append(undefined, err)
	_, err = sealer{}.SealCommit2Circuit(t.Context(), ref, []byte("{}"))
	undefined = append(undefined, err)
	_, err = sealer{}.ProveReplicaUpdate2(t.Context(), ref, cid.Undef, cid.Undef, cid.Undef, nil)
	undefined = append(undefined, err)
	_, err = sealer{}.GenerateWinningPoStWithVanilla(t.Context(), 0, 1000, make(abi.PoStRandomness, 32), nil)
	undefined = append(undefined, err)
	_, err = sealer{}.GenerateWindowPoStWithVanilla(t.Context(), 10, 1000, make(abi.PoStRandomness, 32), nil, 1)
	undefined = append(undefined, err)
	_, err = sealer{}.GenerateWindowPoStAdv(10, 1000, make(abi.PoStRandomness, 32), nil)
	undefined = append(undefined, err)
	miner, err := address.NewIDAddress(1000)
	require.NoError(t, err)
	for k := range uint(2) {
		_, err = proveDirect(direct, 10*abi.RegisteredPoStProof(k), miner, make(abi.PoStRandomness, 32), nil, k)
		undefined = append(undefined, err)
	}
	for i, err := range undefined {
		require.ErrorAs(t, err, new(*cuzk.Error), i)
	}
	work, err := vanillaWork(10, 1000, make(abi.PoStRandomness, 32), []proof.SectorInfo{{SectorNumber: 9}, {SectorNumber: 4}})
	require.NoError(t, err)
	require.Len(t, work[4], 10)
	winner, err := verifier{}.GenerateWinningPoStSectorChallenge(t.Context(), 3, 1000, make(abi.PoStRandomness, 32), 1)
	require.NoError(t, err)
	require.Equal(t, []uint64{0}, winner)
}
