package ffi

import cuzk "github.com/libcuzk/libcuzk/core"

// AggregateSealProofs returns the SnarkPack aggregate of the seal proofs of the sectors in
// Infos, of which SealedCID and InteractiveRandomness are read.
func AggregateSealProofs(aggregateInfo AggregateSealVerifyProofAndInfos, proofs [][]byte) ([]byte, error) {
	return with(func(f FFI) ([]byte, error) { return f.AggregateSealProofs(aggregateInfo, proofs) })
}

// VerifyAggregateSeals reports whether an aggregate holds.
func VerifyAggregateSeals(aggregate AggregateSealVerifyProofAndInfos) (bool, error) {
	return with(func(f FFI) (bool, error) { return f.VerifyAggregateSeals(aggregate) })
}

// AggregateSealProofs is the package function of that name.
func (f FFI) AggregateSealProofs(aggregateInfo AggregateSealVerifyProofAndInfos, proofs [][]byte) ([]byte, error) {
	r := cuzk.Aggregate{
		AggregateInfo:   cuzk.AggregateInfo{RegisteredProof: int(aggregateInfo.SealProof), Version: int(aggregateInfo.AggregateProof)},
		Proofs:          proofs,
		CommitmentsOnly: true,
	}
	for _, info := range aggregateInfo.Infos {
		var s cuzk.AggregateSector
		var err error
		if s.CommR, err = CommR(info.SealedCID); err != nil {
			return nil, err
		}
		if s.Seed, err = randomness32("InteractiveRandomness", info.InteractiveRandomness); err != nil {
			return nil, err
		}
		r.Sectors = append(r.Sectors, s)
	}
	return f.Engine.Run(background(), r)
}

// VerifyAggregateSeals is the package function of that name.
func (f FFI) VerifyAggregateSeals(aggregate AggregateSealVerifyProofAndInfos) (bool, error) {
	known := cuzk.AggregateInfo{RegisteredProof: int(aggregate.SealProof), Version: int(aggregate.AggregateProof)}
	if len(aggregate.Infos) == 0 {
		return false, argument("Infos", "no sectors")
	}
	var err error
	if known.ProverID, err = proverID(aggregate.Miner); err != nil {
		return false, err
	}
	for _, info := range aggregate.Infos {
		s := cuzk.AggregateSector{SectorNumber: uint64(info.Number)}
		if s.CommR, err = CommR(info.SealedCID); err != nil {
			return false, err
		}
		if s.CommD, err = CommD(info.UnsealedCID); err != nil {
			return false, err
		}
		if s.Ticket, err = randomness32("Randomness", info.Randomness); err != nil {
			return false, err
		}
		if s.Seed, err = randomness32("InteractiveRandomness", info.InteractiveRandomness); err != nil {
			return false, err
		}
		known.Sectors = append(known.Sectors, s)
	}
	return f.Engine.VerifyAggregate(background(), known, aggregate.Proof)
}
