package ffi_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/filecoin-project/go-address"
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/filecoin-project/go-state-types/proof"
	"github.com/ipfs/go-cid"
	"github.com/stretchr/testify/require"

	ffi "github.com/libcuzk/libcuzk/bindings/go/filecoinffi"
)

// The exact signatures of filecoin-ffi: a host that stores a call in a variable,
// a struct field or an interface needs them to the letter.
var (
	_ func([]byte, abi.SectorNumber, abi.ActorID) ([]byte, error)                                                         = ffi.SealCommitPhase2
	_ func([]byte, abi.SectorNumber) ([]byte, error)                                                                      = ffi.SealCommitPhase2CircuitProofs
	_ func(proof.SealVerifyInfo) (bool, error)                                                                            = ffi.VerifySeal
	_ func(proof.WinningPoStVerifyInfo) (bool, error)                                                                     = ffi.VerifyWinningPoSt
	_ func(proof.WindowPoStVerifyInfo) (bool, error)                                                                      = ffi.VerifyWindowPoSt
	_ func(abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, uint64) ([]uint64, error)                            = ffi.GenerateWinningPoStSectorChallenge
	_ func(abi.RegisteredPoStProof, uint) (uint, error)                                                                   = ffi.GetNumPartitionForFallbackPost
	_ func(abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, [][]byte) ([]proof.PoStProof, error)                 = ffi.GenerateWinningPoStWithVanilla
	_ func(abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, [][]byte) ([]proof.PoStProof, error)                 = ffi.GenerateWindowPoStWithVanilla
	_ func(abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, [][]byte, uint) (*ffi.PartitionProof, error)         = ffi.GenerateSinglePartitionWindowPoStWithVanilla
	_ func(abi.RegisteredPoStProof, []ffi.PartitionProof) (*proof.PoStProof, error)                                       = ffi.MergeWindowPoStPartitionProofs
	_ func(abi.RegisteredUpdateProof, cid.Cid, cid.Cid, cid.Cid, [][]byte) ([]byte, error)                                = ffi.SectorUpdate.GenerateUpdateProofWithVanilla
	_ func(abi.RegisteredUpdateProof, cid.Cid, cid.Cid, cid.Cid, [][]byte) (bool, error)                                  = ffi.SectorUpdate.VerifyVanillaProofs
	_ func(abi.RegisteredSealProof, []abi.PieceInfo) (cid.Cid, error)                                                     = ffi.GenerateUnsealedCID
	_ func(proof.AggregateSealVerifyProofAndInfos, [][]byte) ([]byte, error)                                              = ffi.AggregateSealProofs
	_ func(proof.AggregateSealVerifyProofAndInfos) (bool, error)                                                          = ffi.VerifyAggregateSeals
	_ func(abi.RegisteredSealProof) (string, error)                                                                       = ffi.GetSealVersion
	_ func(abi.RegisteredPoStProof) (string, error)                                                                       = ffi.GetPoStVersion
	_ func(proof.ReplicaUpdateInfo) (bool, error)                                                                         = ffi.SectorUpdate.VerifyUpdateProof
	_ func(abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, []abi.SectorNumber) (*ffi.FallbackChallenges, error) = ffi.GeneratePoStFallbackSectorChallenges
)

// verifier has the shape of lotus' verifiers, which a node holds behind an
// interface; randomness is masked in place on the caller's slice.
type verifier struct{}

type chainVerifier interface {
	VerifySeal(proof.SealVerifyInfo) (bool, error)
	VerifyReplicaUpdate(proof.ReplicaUpdateInfo) (bool, error)
	VerifyWinningPoSt(context.Context, proof.WinningPoStVerifyInfo) (bool, error)
	VerifyWindowPoSt(context.Context, proof.WindowPoStVerifyInfo) (bool, error)
	GenerateWinningPoStSectorChallenge(context.Context, abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, uint64) ([]uint64, error)
}

var _ chainVerifier = verifier{}

func (verifier) VerifySeal(info proof.SealVerifyInfo) (bool, error) { return ffi.VerifySeal(info) }

func (verifier) VerifyReplicaUpdate(update proof.ReplicaUpdateInfo) (bool, error) {
	return ffi.SectorUpdate.VerifyUpdateProof(update)
}

func (verifier) VerifyWinningPoSt(_ context.Context, info proof.WinningPoStVerifyInfo) (bool, error) {
	info.Randomness[31] &= 0x3f
	return ffi.VerifyWinningPoSt(info)
}

func (verifier) VerifyWindowPoSt(_ context.Context, info proof.WindowPoStVerifyInfo) (bool, error) {
	info.Randomness[31] &= 0x3f
	return ffi.VerifyWindowPoSt(info)
}

func (verifier) GenerateWinningPoStSectorChallenge(
	_ context.Context, proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, eligible uint64,
) ([]uint64, error) {
	randomness[31] &= 0x3f
	return ffi.GenerateWinningPoStSectorChallenge(proofType, minerID, randomness, eligible)
}

// sectorRef names a sector of a miner, as hosts do.
type sectorRef struct {
	ID        abi.SectorID
	ProofType abi.RegisteredSealProof
}

// sealer has the proving calls of a sealing worker.
type sealer struct{}

func (sealer) SealCommit2(_ context.Context, sector sectorRef, phase1 []byte) ([]byte, error) {
	return ffi.SealCommitPhase2(phase1, sector.ID.Number, sector.ID.Miner)
}

func (sealer) SealCommit2Circuit(_ context.Context, sector sectorRef, phase1 []byte) ([]byte, error) {
	return ffi.SealCommitPhase2CircuitProofs(phase1, sector.ID.Number)
}

func (sealer) ProveReplicaUpdate2(_ context.Context, sector sectorRef, oldSealed, newSealed, unsealed cid.Cid, vanilla [][]byte) ([]byte, error) {
	kind, err := sector.ProofType.RegisteredUpdateProof()
	if err != nil {
		return nil, err
	}
	ok, err := ffi.SectorUpdate.VerifyVanillaProofs(kind, oldSealed, newSealed, unsealed, vanilla)
	if err != nil || !ok {
		return nil, errors.Join(err, errors.New("vanilla proofs do not hold"))
	}
	return ffi.SectorUpdate.GenerateUpdateProofWithVanilla(kind, oldSealed, newSealed, unsealed, vanilla)
}

func (sealer) GenerateWinningPoStWithVanilla(
	_ context.Context, proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, vanilla [][]byte,
) ([]proof.PoStProof, error) {
	return ffi.GenerateWinningPoStWithVanilla(proofType, minerID, randomness, vanilla)
}

func (sealer) GenerateWindowPoStWithVanilla(
	_ context.Context, proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, vanilla [][]byte, partition int,
) (proof.PoStProof, error) {
	pp, err := ffi.GenerateSinglePartitionWindowPoStWithVanilla(proofType, minerID, randomness, vanilla, uint(partition))
	if err != nil {
		return proof.PoStProof{}, err
	}
	return proof.PoStProof{PoStProof: pp.PoStProof, ProofBytes: pp.ProofBytes}, nil
}

func (sealer) GenerateWindowPoStAdv(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, vanilla [][]byte,
) ([]proof.PoStProof, error) {
	return ffi.GenerateWindowPoStWithVanilla(proofType, minerID, randomness, vanilla)
}

// selector holds the calls as values that run in a child process or not.
type selector struct {
	winning func(abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, [][]byte) ([]proof.PoStProof, error)
	single  func(abi.RegisteredPoStProof, abi.ActorID, abi.PoStRandomness, [][]byte, uint) (*ffi.PartitionProof, error)
}

var direct = selector{winning: ffi.GenerateWinningPoStWithVanilla, single: ffi.GenerateSinglePartitionWindowPoStWithVanilla}

// windowPoSt has the shape of the hosts' loops over partitions: the partitions
// of a failed worker leave their place empty, all are merged, and the worker's
// own error is what the caller sees.
func windowPoSt(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, sectors []proof.SectorInfo,
	prove func(partition uint, sectors []proof.SectorInfo) (proof.PoStProof, error),
) (out []proof.PoStProof, err error) {
	count, err := ffi.GetNumPartitionForFallbackPost(proofType, uint(len(sectors)))
	if err != nil {
		return nil, err
	}
	var retErr error
	list := make([]ffi.PartitionProof, count)
	for k := range count {
		one, err := prove(k, sectors)
		if err != nil {
			retErr = errors.Join(retErr, err)
			continue
		}
		list[k] = ffi.PartitionProof(one)
	}
	merged, err := ffi.MergeWindowPoStPartitionProofs(proofType, list)
	if err != nil {
		return nil, err
	}
	return append(out, *merged), retErr
}

// vanillaWork has the shape of what asks storage for vanilla proofs.
func vanillaWork(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, sectors []proof.SectorInfo,
) (map[abi.SectorNumber][]uint64, error) {
	numbers := make([]abi.SectorNumber, len(sectors))
	for i, s := range sectors {
		numbers[i] = s.SectorNumber
	}
	ch, err := ffi.GeneratePoStFallbackSectorChallenges(proofType, minerID, randomness, numbers)
	if err != nil {
		return nil, err
	}
	work := map[abi.SectorNumber][]uint64{}
	for i := range ch.Sectors {
		work[ch.Sectors[i]] = ch.Challenges[ch.Sectors[i]]
	}
	for _, s := range sectors {
		work[s.SectorNumber] = ch.Challenges[s.SectorNumber]
	}
	return work, nil
}

// proveDirect has the shape of a JSON-RPC server in a child process.
func proveDirect(s selector, proofType abi.RegisteredPoStProof, maddr address.Address, randomness abi.PoStRandomness, vanilla [][]byte, k uint) (any, error) {
	mid, err := address.IDFromAddress(maddr)
	if err != nil {
		return nil, err
	}
	if k == 0 {
		return s.winning(proofType, abi.ActorID(mid), randomness, vanilla)
	}
	return s.single(proofType, abi.ActorID(mid), randomness, vanilla, k)
}

// TestFailedPartition: the empty place of a failed partition goes through the
// merge, so that the worker's error is what comes out.
func TestFailedPartition(t *testing.T) {
	cause := errors.New("worker 3 has no disk")
	out, err := windowPoSt(abi.RegisteredPoStProof_StackedDrgWindow2KiBV1_1, 1000, make(abi.PoStRandomness, 32), make([]proof.SectorInfo, 3),
		func(k uint, _ []proof.SectorInfo) (proof.PoStProof, error) {
			if k == 1 {
				return proof.PoStProof{}, cause
			}
			return proof.PoStProof{ProofBytes: []byte{1, 2}}, nil
		})
	require.ErrorIs(t, err, cause)
	require.Equal(t, []proof.PoStProof{{PoStProof: abi.RegisteredPoStProof_StackedDrgWindow2KiBV1_1, ProofBytes: []byte{1, 2}}}, out)
}

// TestJSON: the types that cross processes have filecoin-ffi's JSON.
func TestJSON(t *testing.T) {
	for want, v := range map[string]any{
		`{"PoStProof":10,"ProofBytes":"AQI="}`:               ffi.PartitionProof{PoStProof: 10, ProofBytes: []byte{1, 2}},
		`{"Sectors":[3,7],"Challenges":{"3":[1],"7":[2,4]}}`: ffi.FallbackChallenges{Sectors: []abi.SectorNumber{3, 7}, Challenges: map[abi.SectorNumber][]uint64{7: {2, 4}, 3: {1}}},
	} {
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, want, string(raw))
		require.Equal(t, want, string(raw))
	}
	merged, err := ffi.MergeWindowPoStPartitionProofs(10, nil)
	require.NoError(t, err)
	raw, err := json.Marshal(merged)
	require.NoError(t, err)
	require.Equal(t, `{"PoStProof":10,"ProofBytes":""}`, string(raw))
}

// TestUnsealedCID: the CID of 32 GiB of zeros is public knowledge.
func TestUnsealedCID(t *testing.T) {
	want, err := cid.Decode("baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq")
	require.NoError(t, err)
	for _, pieces := range [][]abi.PieceInfo{nil, {{Size: 32 << 30, PieceCID: want}}} {
		got, err := ffi.GenerateUnsealedCID(abi.RegisteredSealProof_StackedDrg32GiBV1_1, pieces)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err = ffi.GenerateUnsealedCID(abi.RegisteredSealProof_StackedDrg32GiBV1_1, make([]abi.PieceInfo, 1))
	require.Error(t, err)
}
