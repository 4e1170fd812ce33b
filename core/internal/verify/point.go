package verify

import (
	"fmt"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// pointReader takes uncompressed points off the front of buf. The first failure
// sticks in err; later reads are no-ops.
type pointReader struct {
	buf []byte
	err error
}

func (d *pointReader) g1(p *bls.G1Affine, name string) {
	if d.err != nil {
		return
	}
	if reason := uncompressedG1(p, d.buf[:g1Size]); reason != "" {
		d.err = status.New(status.SRSPoint, name, "%s: %s", name, reason)
		return
	}
	d.buf = d.buf[g1Size:]
}

func (d *pointReader) ic(p *bls.G1Affine, i int) {
	if d.err != nil {
		return
	}
	if reason := uncompressedG1(p, d.buf[:g1Size]); reason != "" {
		name := fmt.Sprintf("vk.ic[%d]", i)
		d.err = status.New(status.SRSPoint, name, "%s: %s", name, reason)
		return
	}
	d.buf = d.buf[g1Size:]
}

func (d *pointReader) g2(p *bls.G2Affine, name string) {
	if d.err != nil {
		return
	}
	if reason := uncompressedG2(p, d.buf[:g2Size]); reason != "" {
		d.err = status.New(status.SRSPoint, name, "%s: %s", name, reason)
		return
	}
	d.buf = d.buf[g2Size:]
}

// Flags in the first byte of an encoded point (ZCash format).
const (
	flagCompressed = 0x80
	flagInfinity   = 0x40
	flagLargest    = 0x20
	flagMask       = flagCompressed | flagInfinity | flagLargest
)

// uncompressedG1 decodes x‖y. It returns the reason of a failure, "" if the
// point is a finite point of the curve; the subgroup is not checked here.
func uncompressedG1(p *bls.G1Affine, b []byte) string {
	if b[0]&flagInfinity != 0 {
		return "point at infinity"
	}
	if b[0]&flagMask != 0 {
		return "not an uncompressed point"
	}
	if !coordinates(b, &p.X, &p.Y) {
		return "coordinate not below the field modulus"
	}
	if p.IsInfinity() || !p.IsOnCurve() {
		return "not on curve"
	}
	return ""
}

// uncompressedG2 decodes x.c1‖x.c0‖y.c1‖y.c0 like uncompressedG1.
func uncompressedG2(p *bls.G2Affine, b []byte) string {
	if b[0]&flagInfinity != 0 {
		return "point at infinity"
	}
	if b[0]&flagMask != 0 {
		return "not an uncompressed point"
	}
	if !coordinates(b, &p.X.A1, &p.X.A0, &p.Y.A1, &p.Y.A0) {
		return "coordinate not below the field modulus"
	}
	if p.IsInfinity() || !p.IsOnCurve() {
		return "not on curve"
	}
	return ""
}

// coordinates decodes consecutive big-endian base field elements.
func coordinates(b []byte, dst ...*fp.Element) bool {
	for i, z := range dst {
		if z.SetBytesCanonical(b[i*fp.Bytes:(i+1)*fp.Bytes]) != nil {
			return false
		}
	}
	return true
}

// checkSubgroups names the first point of the key outside the prime-order
// subgroup. The ic points are tested together first (one random combination
// costs much less than a test of each) and singly only to find the culprit.
func checkSubgroups(k *Key) error {
	fail := func(name string) error {
		return status.New(status.SRSPoint, name, "%s: not in the subgroup", name)
	}
	for _, p := range []struct {
		name  string
		point interface{ IsInSubGroup() bool }
	}{
		{"vk.alpha_g1", &k.AlphaG1},
		{"vk.beta_g1", &k.BetaG1},
		{"vk.beta_g2", &k.BetaG2},
		{"vk.gamma_g2", &k.GammaG2},
		{"vk.delta_g1", &k.DeltaG1},
		{"vk.delta_g2", &k.DeltaG2},
	} {
		if !p.point.IsInSubGroup() {
			return fail(p.name)
		}
	}
	if bls.IsInSubGroupBatchG1(k.IC) {
		return nil
	}
	for i := range k.IC {
		if !k.IC[i].IsInSubGroup() {
			return fail(fmt.Sprintf("vk.ic[%d]", i))
		}
	}
	return fail("vk.ic")
}
