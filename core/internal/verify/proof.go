package verify

import (
	"fmt"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// ProofSize is the length in bytes of one encoded proof: A compressed (48),
// B compressed (96), C compressed (48). A proof of several partitions is the
// concatenation in partition order (docs/filecoin.md 4.7).
const ProofSize = 2*bls.SizeOfG1AffineCompressed + bls.SizeOfG2AffineCompressed

// Proof is one Groth16 proof whose points are known to be in the subgroups.
type Proof struct {
	A bls.G1Affine
	B bls.G2Affine
	C bls.G1Affine
}

// DecodeProofs reads a concatenation of proofs. The number of bytes must be a
// positive multiple of [ProofSize].
func DecodeProofs(data []byte) ([]Proof, error) {
	if len(data) == 0 || len(data)%ProofSize != 0 {
		return nil, status.New(status.ProofMalformed, "proof", "%d bytes are not a positive multiple of %d", len(data), ProofSize)
	}
	proofs := make([]Proof, len(data)/ProofSize)
	for i := range proofs {
		if err := proofs[i].decode(data[i*ProofSize:(i+1)*ProofSize], i); err != nil {
			return nil, err
		}
	}
	return proofs, nil
}

// decode reads one proof; index is only for the error text.
func (p *Proof) decode(b []byte, index int) error {
	const g1, g2 = bls.SizeOfG1AffineCompressed, bls.SizeOfG2AffineCompressed
	fail := func(point, reason string) error {
		detail := fmt.Sprintf("proof[%d].%s", index, point)
		return status.New(status.ProofMalformed, detail, "%s: %s", detail, reason)
	}
	if reason := compressed(b[:g1], &p.A); reason != "" {
		return fail("a", reason)
	}
	if reason := compressed(b[g1:g1+g2], &p.B); reason != "" {
		return fail("b", reason)
	}
	if reason := compressed(b[g1+g2:], &p.C); reason != "" {
		return fail("c", reason)
	}
	return nil
}

// compressed decodes a compressed point of either group; "" means that it is a
// point of the prime-order subgroup and not the identity.
func compressed(b []byte, p interface {
	SetBytes([]byte) (int, error)
	IsInSubGroup() bool
},
) string {
	if b[0]&flagCompressed == 0 {
		return "not a compressed point"
	}
	if b[0]&flagInfinity != 0 {
		return "point at infinity"
	}
	// SetBytes rejects coordinates that are not canonical, x without a point
	// on the curve and points outside the subgroup.
	if n, err := p.SetBytes(b); err != nil {
		return err.Error()
	} else if n != len(b) {
		return "not a compressed point"
	}
	return ""
}
