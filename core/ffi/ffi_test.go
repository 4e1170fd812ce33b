package ffi

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// Types of another module, as go-state-types has them.
type (
	theirPoSt   int64
	theirUpdate int64
	theirMiner  uint64
	theirRandom []byte
)

// TestWindowPoSt proves through the package functions, on the engine that the
// environment describes: whole, and by partition and merge.
func TestWindowPoSt(t *testing.T) {
	t.Setenv("FIL_PROOFS_PARAMETER_CACHE", params(t))
	c := loadPoSt(t, "2k-window3/window_post", 5)
	proof, miner, randomness := theirPoSt(c.proof), theirMiner(c.miner), theirRandom(c.randomness)
	before := bytes.Clone(randomness)
	proofs, err := GenerateWindowPoStWithVanilla(proof, miner, randomness, c.vanilla)
	require.NoError(t, err)
	require.Equal(t, before, []byte(randomness))
	require.Len(t, proofs, 1)
	require.Len(t, proofs[0].ProofBytes, 2*192)

	var parts []PartitionProof
	for k := range uint(2) {
		part, err := GenerateSinglePartitionWindowPoStWithVanilla(proof, miner, randomness, c.vanilla[2*k:min(3, 2*k+2)], k)
		require.NoError(t, err)
		require.EqualValues(t, proof, part.PoStProof)
		parts = append(parts, *part)
	}
	merged, err := MergeWindowPoStPartitionProofs(proof, parts)
	require.NoError(t, err)

	info := WindowPoStVerifyInfo{Randomness: randomness, ChallengedSectors: c.sectors, Prover: c.miner}
	for _, p := range append(proofs, *merged) {
		info.Proofs = []PoStProof{p}
		ok, err := VerifyWindowPoSt(info)
		require.NoError(t, err)
		require.True(t, ok)
	}
	// As the chain hands them in: a good sector again in place of a skipped one.
	// Of several with one number the last counts.
	other := c.sectors[2]
	other.SealedCID = SealedCID([32]byte{1})
	info.ChallengedSectors = append([]SectorInfo{c.sectors[2], other}, c.sectors...)
	ok, err := VerifyWindowPoSt(info)
	require.NoError(t, err)
	require.True(t, ok)
	info.ChallengedSectors = c.sectors[:2]
	_, err = VerifyWindowPoSt(info)
	require.Equal(t, cuzk.ProofMalformed, cuzk.CodeOf(err), "two partitions for one")
}

func TestWinningPoSt(t *testing.T) {
	f := open(t, params(t))
	c := loadPoSt(t, "2k-v1_1/winning_post", 5)
	proofs, err := f.GenerateWinningPoStWithVanilla(c.proof, c.miner, c.randomness, c.vanilla)
	require.NoError(t, err)
	require.Len(t, proofs, 1)
	require.Equal(t, c.proof, proofs[0].PoStProof)
	info := WinningPoStVerifyInfo{Randomness: c.randomness, Proofs: proofs, ChallengedSectors: c.sectors, Prover: c.miner}
	ok, err := f.VerifyWinningPoSt(info)
	require.NoError(t, err)
	require.True(t, ok)
	info.ChallengedSectors[0].SealedCID = SealedCID([32]byte{1})
	ok, err = f.VerifyWinningPoSt(info)
	require.NoError(t, err)
	require.False(t, ok, "false is a value, not an error")
}

// TestVerifyGolden verifies the published crates' proofs of all kinds with
// verifying keys alone.
func TestVerifyGolden(t *testing.T) {
	f := open(t, keys(t))
	var s struct {
		Number  SectorNumber `json:"sector_number"`
		Miner   ActorID      `json:"miner_id"`
		CommR   hex32        `json:"comm_r"`
		CommD   hex32        `json:"comm_d"`
		Ticket  hexBytes
		Seed    hexBytes
		RegSeal string `json:"registered_seal_proof"`
	}
	readJSON(t, "2k-v1_1/sector-0.json", &s)
	seal := SealVerifyInfo{SealProof: 5, SectorID: SectorID{s.Miner, s.Number}, Randomness: s.Ticket, InteractiveRandomness: s.Seed,
		Proof: goldenProof(t, "porep"), SealedCID: SealedCID(s.CommR), UnsealedCID: UnsealedCID(s.CommD)}
	holds(t, true)(f.VerifySeal(seal))
	seal.Miner++
	holds(t, false)(f.VerifySeal(seal))
	seal.SealProof = 15
	_, err := f.VerifySeal(seal)
	require.Equal(t, cuzk.SRSMissing, cuzk.CodeOf(err), "a non-interactive proof is an aggregate")

	for kind, verify := range map[string]func(WindowPoStVerifyInfo) (bool, error){
		"winning_post": func(i WindowPoStVerifyInfo) (bool, error) { return f.VerifyWinningPoSt(WinningPoStVerifyInfo(i)) },
		"window_post":  f.VerifyWindowPoSt,
	} {
		c := loadPoSt(t, "2k-v1_1/"+kind, 5)
		info := WindowPoStVerifyInfo{c.randomness, []PoStProof{{c.proof, goldenProof(t, kind)}}, c.sectors, c.miner}
		holds(t, true)(verify(info))
		info.Randomness = bytes.Clone(c.randomness)
		info.Randomness[0] ^= 1
		holds(t, false)(verify(info))
	}

	u := loadUpdate(t)
	u.Proof = goldenProof(t, "update")
	holds(t, true)(f.VerifyUpdateProof(u))
	u.OldSealedSectorCID, u.NewSealedSectorCID = u.NewSealedSectorCID, u.OldSealedSectorCID
	holds(t, false)(f.VerifyUpdateProof(u))
}

func holds(t *testing.T, want bool) func(bool, error) {
	return func(got bool, err error) {
		t.Helper()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func loadUpdate(t *testing.T) ReplicaUpdateInfo {
	var file struct {
		Old hex32 `json:"comm_r_old"`
		New hex32 `json:"comm_r_new"`
		D   hex32 `json:"comm_d_new"`
	}
	readJSON(t, "2k-v1_1/update.json", &file)
	return ReplicaUpdateInfo{OldSealedSectorCID: SealedCID(file.Old), NewSealedSectorCID: SealedCID(file.New), NewUnsealedSectorCID: UnsealedCID(file.D)}
}

// TestRefusals: each wrong argument is a typed error before any parameter file
// is looked for.
func TestRefusals(t *testing.T) {
	f := open(t, t.TempDir())
	c := loadPoSt(t, "2k-window3/window_post", 5)
	c1, err := os.ReadFile(sectors + "2k-v1_1/c1-0.json")
	require.NoError(t, err)
	update, err := os.ReadFile(sectors + "2k-v1_1/update-0.vanilla")
	require.NoError(t, err)
	u := loadUpdate(t)
	longer := append([][]byte{append(bytes.Clone(c.vanilla[0]), 0)}, c.vanilla[1:]...)
	for name, x := range map[string]struct {
		code cuzk.Code
		call func() (any, error)
	}{
		"c1 of another sector":         {cuzk.InputMismatch, func() (any, error) { return f.SealCommitPhase2(c1, 102, 1001) }},
		"c1 of another miner":          {cuzk.InputMismatch, func() (any, error) { return f.SealCommitPhase2(c1, 101, 1002) }},
		"miner of 64 bits":             {cuzk.Argument, func() (any, error) { return f.SealCommitPhase2(c1, 101, 1<<63) }},
		"empty c1":                     {cuzk.InputSyntax, func() (any, error) { return f.SealCommitPhase2(nil, 101, 1001) }},
		"empty c1 for circuit proofs":  {cuzk.InputSyntax, func() (any, error) { return f.SealCommitPhase2CircuitProofs(nil, 101) }},
		"circuit proofs of any prover": {cuzk.SRSMissing, func() (any, error) { return f.SealCommitPhase2CircuitProofs(c1, 102) }},
		"window as winning":            {cuzk.Argument, func() (any, error) { return f.GenerateWinningPoStWithVanilla(10, c.miner, c.randomness, c.vanilla) }},
		"winning as window":            {cuzk.Argument, func() (any, error) { return f.GenerateWindowPoStWithVanilla(0, c.miner, c.randomness, c.vanilla) }},
		"unknown PoSt":                 {cuzk.Argument, func() (any, error) { return f.GenerateWindowPoStWithVanilla(-1, c.miner, c.randomness, c.vanilla) }},
		"short randomness":             {cuzk.InputMismatch, func() (any, error) { return f.GenerateWindowPoStWithVanilla(10, c.miner, c.randomness[:31], c.vanilla) }},
		"long randomness": {cuzk.Argument, func() (any, error) {
			return f.GenerateWindowPoStWithVanilla(10, c.miner, append(bytes.Clone(c.randomness), 0), c.vanilla)
		}},
		"randomness above the modulus": {cuzk.InputValue, func() (any, error) {
			return f.GenerateWindowPoStWithVanilla(10, c.miner, bytes.Repeat([]byte{255}, 32), c.vanilla)
		}},
		"trailing byte": {cuzk.InputSyntax, func() (any, error) { return f.GenerateWindowPoStWithVanilla(10, c.miner, c.randomness, longer) }},
		"other version": {cuzk.InputMismatch, func() (any, error) { return f.GenerateWindowPoStWithVanilla(5, c.miner, c.randomness, c.vanilla) }},
		"no sectors":    {cuzk.InputValue, func() (any, error) { return f.GenerateWindowPoStWithVanilla(10, c.miner, c.randomness, nil) }},
		"partition of a winning": {cuzk.Argument, func() (any, error) {
			return f.GenerateSinglePartitionWindowPoStWithVanilla(0, c.miner, c.randomness, c.vanilla, 0)
		}},
		"huge partition index": {cuzk.Argument, func() (any, error) {
			return f.GenerateSinglePartitionWindowPoStWithVanilla(10, c.miner, c.randomness, c.vanilla[:1], 1<<63)
		}},
		"merge of a winning": {cuzk.Argument, func() (any, error) { return f.MergeWindowPoStPartitionProofs(0, nil) }},
		"sealed CID as unsealed": {cuzk.InputValue, func() (any, error) {
			return f.GenerateUpdateProofWithVanilla(0, u.OldSealedSectorCID, u.NewSealedSectorCID, u.NewSealedSectorCID, [][]byte{update})
		}},
		"no CID": {cuzk.Argument, func() (any, error) {
			return f.GenerateUpdateProofWithVanilla(0, nil, u.NewSealedSectorCID, u.NewUnsealedSectorCID, [][]byte{update})
		}},
		"swapped CIDs": {cuzk.InputMismatch, func() (any, error) {
			return f.GenerateUpdateProofWithVanilla(0, u.NewSealedSectorCID, u.OldSealedSectorCID, u.NewUnsealedSectorCID, [][]byte{update})
		}},
		"two partitions of one": {cuzk.InputValue, func() (any, error) {
			return f.GenerateUpdateProofWithVanilla(0, u.OldSealedSectorCID, u.NewSealedSectorCID, u.NewUnsealedSectorCID, [][]byte{update, update})
		}},
		"no sectors to verify": {cuzk.Argument, func() (any, error) { return f.VerifyWinningPoSt(WinningPoStVerifyInfo{}) }},
		"no proof to verify":   {cuzk.Argument, func() (any, error) { return f.VerifyWindowPoSt(WindowPoStVerifyInfo{}) }},
		"two sizes": {cuzk.Argument, func() (any, error) {
			return f.VerifyWinningPoSt(WinningPoStVerifyInfo{ChallengedSectors: []SectorInfo{{SealProof: 5}, {SealProof: 6, SectorNumber: 1}}})
		}},
		"an unknown number beside a proof": {cuzk.Argument, func() (any, error) {
			return f.VerifyWinningPoSt(WinningPoStVerifyInfo{c.randomness, []PoStProof{{99, make([]byte, 192)}}, c.sectors[:1], c.miner})
		}},
		"comm_r of zeros": {cuzk.InputValue, func() (any, error) {
			return f.VerifyWindowPoSt(WindowPoStVerifyInfo{c.randomness, []PoStProof{{10, make([]byte, 192)}}, []SectorInfo{{SealedCID: SealedCID([32]byte{})}}, c.miner})
		}},
		"missing parameters": {cuzk.SRSMissing, func() (any, error) { return f.GenerateWindowPoStWithVanilla(10, c.miner, c.randomness, c.vanilla) }},
	} {
		got, err := x.call()
		require.Equal(t, x.code, cuzk.CodeOf(err), "%s: %v", name, err)
		require.Empty(t, got, name)
	}
}

// TestVerifyVanillaProofs: the published vanilla proof of an update holds, and
// does not with another commitment or a changed sibling.
func TestVerifyVanillaProofs(t *testing.T) {
	f := open(t, t.TempDir())
	u := loadUpdate(t)
	raw, err := os.ReadFile(sectors + "2k-v1_1/update-0.vanilla")
	require.NoError(t, err)
	check := func(info ReplicaUpdateInfo, vanilla []byte) (bool, error) {
		return f.VerifyVanillaProofs(info.UpdateProofType, info.OldSealedSectorCID, info.NewSealedSectorCID, info.NewUnsealedSectorCID, [][]byte{vanilla})
	}
	holds(t, true)(check(u, raw))
	swapped := u
	swapped.OldSealedSectorCID, swapped.NewSealedSectorCID = u.NewSealedSectorCID, u.OldSealedSectorCID
	holds(t, false)(check(swapped, raw))
	holds(t, true)(check(u, append(bytes.Clone(raw), 0))) // trailing bytes do not matter
	_, err = check(u, raw[:len(raw)-1])
	require.Equal(t, cuzk.InputSyntax, cuzk.CodeOf(err))

	// Any changed bit is noticed: false where it is a value, an error where it
	// is a length, an index or no field element any more.
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		changed := bytes.Clone(raw)
		at := random.IntN(len(raw))
		changed[at] ^= 1 << random.IntN(8)
		ok, _ := check(u, changed)
		require.False(t, ok, "byte %d, seed %d", at, seed)
	}
}

// TestSectorUpdateOfTheirs: the calls for updates fit a caller's own types.
func TestSectorUpdateOfTheirs(t *testing.T) {
	t.Setenv("FIL_PROOFS_PARAMETER_CACHE", t.TempDir())
	var theirs FunctionsSectorUpdate[theirUpdate]
	u := loadUpdate(t)
	_, err := theirs.GenerateUpdateProofWithVanilla(theirUpdate(9), u.OldSealedSectorCID, u.NewSealedSectorCID, u.NewUnsealedSectorCID, nil)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
	u.UpdateProofType = 5
	_, err = SectorUpdate.VerifyUpdateProof(u)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
}

// TestMergeJoins: parts are joined unseen, also none and an empty one.
func TestMergeJoins(t *testing.T) {
	for _, parts := range [][]PartitionProof{nil, {{}}, {{10, []byte{1}}, {}, {5, []byte{2, 3}}}} {
		got, err := MergeWindowPoStPartitionProofs(theirPoSt(11), parts)
		require.NoError(t, err)
		require.EqualValues(t, 11, got.PoStProof)
		want := []byte{}
		for _, p := range parts {
			want = append(want, p.ProofBytes...)
		}
		require.Equal(t, want, got.ProofBytes)
	}
}
