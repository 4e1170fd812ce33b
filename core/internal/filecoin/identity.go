package filecoin

import (
	"crypto/sha256"
	"encoding/binary"
)

// ProverID is the payload of the miner's ID address: unsigned LEB128 of the
// actor number, left-aligned (FFI proofs.go:918-925).
func ProverID(minerID uint64) (id Node) {
	binary.PutUvarint(id[:], minerID)
	return id
}

// Seal is what the chain knows of a sealed sector.
type Seal struct {
	Proof        SealProof
	ProverID     Node
	SectorNumber uint64
	CommD, CommR Node
	Ticket, Seed Node
}

// ReplicaID binds a replica to its prover, sector, randomness and data (RFP
// porep/vanilla/params.rs:1266-1282). The sector number is big endian.
func (s *Seal) ReplicaID() Node {
	porepID := s.Proof.PoRepID()
	buf := make([]byte, 0, 4*NodeSize+8)
	buf = append(buf, s.ProverID[:]...)
	buf = binary.BigEndian.AppendUint64(buf, s.SectorNumber)
	buf = append(buf, s.Ticket[:]...)
	buf = append(buf, s.CommD[:]...)
	buf = append(buf, porepID[:]...)
	return Truncate(sha256.Sum256(buf))
}

// Statement returns the public side of the sector's seal proof.
func (s *Seal) Statement() *PoRepStatement {
	return &PoRepStatement{Proof: s.Proof, ReplicaID: s.ReplicaID(), CommD: s.CommD, CommR: s.CommR, Seed: s.Seed}
}

// ZeroCommD is the commitment to a sector of zero bytes.
func ZeroCommD(sectorSize uint64) (root Node) {
	for n := uint64(NodeSize); n < sectorSize; n <<= 1 {
		root = HashD(&root, &root)
	}
	return root
}
