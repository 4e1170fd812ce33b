package curve

import (
	"errors"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

// Lengths in bytes of encoded points (docs/filecoin.md 4.5, ZCash format): coordinates
// are 48 bytes big endian, of G2 the c1 part first; the top three bits of the
// first byte are flags.
const (
	SizeG1           = bls.SizeOfG1AffineUncompressed
	SizeG2           = bls.SizeOfG2AffineUncompressed
	SizeG1Compressed = bls.SizeOfG1AffineCompressed
	SizeG2Compressed = bls.SizeOfG2AffineCompressed
)

// What can be wrong with the bytes of a point.
var (
	ErrInfinity   = errors.New("point at infinity")
	ErrFlags      = errors.New("not an uncompressed point")
	ErrCoordinate = errors.New("coordinate not below the field modulus")
	ErrOffCurve   = errors.New("not on curve")
	ErrSubgroup   = errors.New("not in the subgroup")
)

// Check says how much of a decoded point is verified beyond canonical form.
type Check int

const (
	CheckNone     Check = iota // for bytes that were checked before
	CheckCurve                 // on the curve and not the identity
	CheckSubgroup              // also in the prime-order subgroup
)

const (
	flagInfinity = 0x40
	flagMask     = 0xe0
)

// DecodeG1 reads an uncompressed point from the first SizeG1 bytes of b. The
// point at infinity is always refused: no Filecoin file may contain it.
func DecodeG1(p *G1Affine, b []byte, check Check) error {
	if b[0]&flagMask != 0 {
		return flagError(b[0])
	}
	if !decodeElement(&p.X, b) || !decodeElement(&p.Y, b[fp.Bytes:]) {
		return ErrCoordinate
	}
	return checkPoint(p, check)
}

// DecodeG2 reads an uncompressed point from the first SizeG2 bytes of b.
func DecodeG2(p *G2Affine, b []byte, check Check) error {
	if b[0]&flagMask != 0 {
		return flagError(b[0])
	}
	if !decodeElement(&p.X.A1, b) || !decodeElement(&p.X.A0, b[fp.Bytes:]) ||
		!decodeElement(&p.Y.A1, b[2*fp.Bytes:]) || !decodeElement(&p.Y.A0, b[3*fp.Bytes:]) {
		return ErrCoordinate
	}
	return checkPoint(p, check)
}

func flagError(first byte) error {
	if first&flagInfinity != 0 {
		return ErrInfinity
	}
	return ErrFlags
}

func checkPoint[P interface {
	IsInfinity() bool
	IsOnCurve() bool
	IsInSubGroup() bool
}](p P, check Check) error {
	if check >= CheckCurve && (p.IsInfinity() || !p.IsOnCurve()) {
		return ErrOffCurve
	}
	if check >= CheckSubgroup && !p.IsInSubGroup() {
		return ErrSubgroup
	}
	return nil
}

// decodeElement reads 48 big-endian bytes.
func decodeElement(z *fp.Element, b []byte) bool {
	v, err := fp.BigEndian.Element((*[fp.Bytes]byte)(b))
	*z = v
	return err == nil
}

// EncodeG1 writes a finite point uncompressed into the first SizeG1 bytes of b.
func EncodeG1(b []byte, p *G1Affine) {
	fp.BigEndian.PutElement((*[fp.Bytes]byte)(b), p.X)
	fp.BigEndian.PutElement((*[fp.Bytes]byte)(b[fp.Bytes:]), p.Y)
}

// EncodeG2 writes a finite point uncompressed into the first SizeG2 bytes of b.
func EncodeG2(b []byte, p *G2Affine) {
	fp.BigEndian.PutElement((*[fp.Bytes]byte)(b), p.X.A1)
	fp.BigEndian.PutElement((*[fp.Bytes]byte)(b[fp.Bytes:]), p.X.A0)
	fp.BigEndian.PutElement((*[fp.Bytes]byte)(b[2*fp.Bytes:]), p.Y.A1)
	fp.BigEndian.PutElement((*[fp.Bytes]byte)(b[3*fp.Bytes:]), p.Y.A0)
}
