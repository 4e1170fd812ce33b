package ffi

import cuzk "github.com/libcuzk/libcuzk/core"

// GenerateWinningPoStWithVanilla returns one WinningPoSt, of the one sector
// whose vanilla proof is in proofs.
func GenerateWinningPoStWithVanilla[P ~int64, M ~uint64](proofType P, minerID M, randomness []byte, proofs [][]byte) ([]PoStProof, error) {
	return with(func(f FFI) ([]PoStProof, error) {
		return f.GenerateWinningPoStWithVanilla(RegisteredPoStProof(proofType), ActorID(minerID), randomness, proofs)
	})
}

// GenerateWindowPoStWithVanilla returns one WindowPoSt of all sectors, whose
// vanilla proofs come in ascending sector number without repetition.
func GenerateWindowPoStWithVanilla[P ~int64, M ~uint64](proofType P, minerID M, randomness []byte, proofs [][]byte) ([]PoStProof, error) {
	return with(func(f FFI) ([]PoStProof, error) {
		return f.GenerateWindowPoStWithVanilla(RegisteredPoStProof(proofType), ActorID(minerID), randomness, proofs)
	})
}

// GenerateSinglePartitionWindowPoStWithVanilla proves one partition of a
// WindowPoSt; proofs are the vanilla proofs of its sectors only.
func GenerateSinglePartitionWindowPoStWithVanilla[P ~int64, M ~uint64](
	proofType P, minerID M, randomness []byte, proofs [][]byte, partitionIndex uint,
) (*PartitionProof, error) {
	return with(func(f FFI) (*PartitionProof, error) {
		return f.GenerateSinglePartitionWindowPoStWithVanilla(
			RegisteredPoStProof(proofType), ActorID(minerID), randomness, proofs, partitionIndex)
	})
}

// MergeWindowPoStPartitionProofs joins the proofs of the partitions of a
// WindowPoSt, in order. Like filecoin-ffi it does not look into them: hosts merge
// also when a partition failed, whose empty proof must not hide that error.
// [cuzk.MergePartitions] is the call that checks. It needs no engine.
func MergeWindowPoStPartitionProofs[P ~int64](proofType P, partitionProofs []PartitionProof) (*PoStProof, error) {
	return FFI{}.MergeWindowPoStPartitionProofs(RegisteredPoStProof(proofType), partitionProofs)
}

// GenerateWinningPoStWithVanilla is the package function of that name.
func (f FFI) GenerateWinningPoStWithVanilla(proofType RegisteredPoStProof, minerID ActorID, randomness []byte, proofs [][]byte) ([]PoStProof, error) {
	return f.proveWhole(cuzk.KindWinningPoSt, proofType, minerID, randomness, proofs)
}

// GenerateWindowPoStWithVanilla is the package function of that name.
func (f FFI) GenerateWindowPoStWithVanilla(proofType RegisteredPoStProof, minerID ActorID, randomness []byte, proofs [][]byte) ([]PoStProof, error) {
	return f.proveWhole(cuzk.KindWindowPoSt, proofType, minerID, randomness, proofs)
}

// GenerateSinglePartitionWindowPoStWithVanilla is the package function of that
// name.
func (f FFI) GenerateSinglePartitionWindowPoStWithVanilla(
	proofType RegisteredPoStProof, minerID ActorID, randomness []byte, proofs [][]byte, partitionIndex uint,
) (*PartitionProof, error) {
	r, err := postRequest(cuzk.KindWindowPoSt, proofType, minerID, randomness, proofs)
	if err != nil {
		return nil, err
	}
	r.Single, r.Partition = true, int(partitionIndex)
	proof, err := f.Engine.ProvePoSt(background(), r)
	if err != nil {
		return nil, err
	}
	return &PartitionProof{proofType, proof}, nil
}

// MergeWindowPoStPartitionProofs is the package function of that name.
func (f FFI) MergeWindowPoStPartitionProofs(proofType RegisteredPoStProof, partitionProofs []PartitionProof) (*PoStProof, error) {
	if err := cuzk.CheckPoStKind(int(proofType), cuzk.KindWindowPoSt); err != nil {
		return nil, err
	}
	proof := []byte{}
	for _, p := range partitionProofs {
		proof = append(proof, p.ProofBytes...)
	}
	return &PoStProof{proofType, proof}, nil
}

// proveWhole makes a PoSt of a kind. The result has one element, as that of
// filecoin-ffi has.
func (f FFI) proveWhole(kind cuzk.Kind, proofType RegisteredPoStProof, minerID ActorID, randomness []byte, proofs [][]byte) ([]PoStProof, error) {
	r, err := postRequest(kind, proofType, minerID, randomness, proofs)
	if err != nil {
		return nil, err
	}
	proof, err := f.Engine.ProvePoSt(background(), r)
	if err != nil {
		return nil, err
	}
	return []PoStProof{{proofType, proof}}, nil
}

func postRequest(kind cuzk.Kind, proofType RegisteredPoStProof, minerID ActorID, randomness []byte, proofs [][]byte) (r cuzk.PoSt, err error) {
	r = cuzk.PoSt{RegisteredProof: int(proofType), Vanilla: proofs}
	if err = cuzk.CheckPoStKind(r.RegisteredProof, kind); err != nil {
		return r, err
	}
	if r.ProverID, err = proverID(minerID); err != nil {
		return r, err
	}
	r.Randomness, err = randomness32("randomness", randomness)
	return r, err
}
