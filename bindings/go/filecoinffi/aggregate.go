package ffi

import (
	"github.com/filecoin-project/go-state-types/proof"

	"github.com/libcuzk/libcuzk/core/ffi"
)

// AggregateSealProofs returns the aggregate of seal proofs, in the order of
// aggregateInfo.Infos, of which only SealedCID and InteractiveRandomness are used.
func AggregateSealProofs(aggregateInfo proof.AggregateSealVerifyProofAndInfos, proofs [][]byte) ([]byte, error) {
	request := ffi.AggregateSealVerifyProofAndInfos{
		SealProof:      ffi.RegisteredSealProof(aggregateInfo.SealProof),
		AggregateProof: ffi.RegisteredAggregationProof(aggregateInfo.AggregateProof),
	}
	for _, info := range aggregateInfo.Infos {
		sealed, err := toCommR("SealedCID", info.SealedCID)
		if err != nil {
			return nil, err
		}
		request.Infos = append(request.Infos,
			ffi.AggregateSealVerifyInfo{InteractiveRandomness: info.InteractiveRandomness, SealedCID: sealed})
	}
	return on(func(f ffi.FFI) ([]byte, error) { return f.AggregateSealProofs(request, proofs) })
}

// VerifyAggregateSeals reports whether an aggregate of seal proofs holds.
func VerifyAggregateSeals(aggregate proof.AggregateSealVerifyProofAndInfos) (bool, error) {
	known := ffi.AggregateSealVerifyProofAndInfos{
		SealProof:      ffi.RegisteredSealProof(aggregate.SealProof),
		AggregateProof: ffi.RegisteredAggregationProof(aggregate.AggregateProof),
		Proof:          aggregate.Proof,
	}
	var err error
	if known.Miner, err = toActorID(aggregate.Miner); err != nil {
		return false, err
	}
	for _, info := range aggregate.Infos {
		s := ffi.AggregateSealVerifyInfo{
			Number: ffi.SectorNumber(info.Number), Randomness: info.Randomness, InteractiveRandomness: info.InteractiveRandomness,
		}
		if s.SealedCID, err = toCommR("SealedCID", info.SealedCID); err != nil {
			return false, err
		}
		if s.UnsealedCID, err = toCommD("UnsealedCID", info.UnsealedCID); err != nil {
			return false, err
		}
		known.Infos = append(known.Infos, s)
	}
	return on(func(f ffi.FFI) (bool, error) { return f.VerifyAggregateSeals(known) })
}
