package verify

import (
	"encoding/binary"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Sizes in bytes of the wire format (docs/filecoin.md 4.6): everything before the ic
// points, and one uncompressed point of each group.
const (
	keyFixedSize = 3*g1Size + 3*g2Size + 4
	g1Size       = bls.SizeOfG1AffineUncompressed
	g2Size       = bls.SizeOfG2AffineUncompressed
)

// MaxInputs bounds the number of ic points that a key may announce, so that a
// corrupt count cannot ask for gigabytes. The largest Filecoin circuit
// (WindowPoSt 64 GiB) has fewer than 30,000.
const MaxInputs = 1 << 20

// Key is a Groth16 verifying key as bellperson stores it: a `.vk` file, which is
// also how a `.params` file begins. Field names follow bellperson's
// verifying_key.rs; IC[0] belongs to the constant ONE.
type Key struct {
	AlphaG1, BetaG1 bls.G1Affine
	BetaG2, GammaG2 bls.G2Affine
	DeltaG1         bls.G1Affine
	DeltaG2         bls.G2Affine
	IC              []bls.G1Affine
}

// ParseKey reads a whole `.vk` file. Trailing bytes are an error. Every point
// is checked to be canonical, on the curve, in the subgroup and not the identity.
func ParseKey(data []byte) (*Key, error) {
	key, n, err := ParseKeyPrefix(data)
	if err != nil {
		return nil, err
	}
	if n != len(data) {
		return nil, status.New(status.SRSLayout, "vk", "verifying key has %d bytes, %d belong to it", len(data), n)
	}
	return key, nil
}

// ParseKeyPrefix reads the verifying key at the beginning of data and returns
// how many bytes it occupies.
func ParseKeyPrefix(data []byte) (*Key, int, error) {
	if len(data) < keyFixedSize {
		return nil, 0, status.New(status.SRSLayout, "vk", "verifying key truncated: %d bytes of at least %d", len(data), keyFixedSize)
	}
	count := binary.BigEndian.Uint32(data[keyFixedSize-4:])
	if count == 0 || count > MaxInputs {
		return nil, 0, status.New(status.SRSLayout, "vk.ic", "verifying key announces %d ic points, not 1 to %d", count, MaxInputs)
	}
	size := keyFixedSize + int(count)*g1Size
	if len(data) < size {
		return nil, 0, status.New(status.SRSLayout, "vk.ic", "verifying key truncated: %d bytes of %d", len(data), size)
	}
	d := pointReader{buf: data}
	key := &Key{IC: make([]bls.G1Affine, count)}
	d.g1(&key.AlphaG1, "vk.alpha_g1")
	d.g1(&key.BetaG1, "vk.beta_g1")
	d.g2(&key.BetaG2, "vk.beta_g2")
	d.g2(&key.GammaG2, "vk.gamma_g2")
	d.g1(&key.DeltaG1, "vk.delta_g1")
	d.g2(&key.DeltaG2, "vk.delta_g2")
	d.buf = d.buf[4:]
	for i := range key.IC {
		d.ic(&key.IC[i], i)
	}
	if d.err != nil {
		return nil, 0, d.err
	}
	if err := checkSubgroups(key); err != nil {
		return nil, 0, err
	}
	return key, size, nil
}

// Size returns the length in bytes of the encoded key.
func (k *Key) Size() int { return keyFixedSize + len(k.IC)*g1Size }

// AppendTo appends the wire form of the key to dst.
func (k *Key) AppendTo(dst []byte) []byte {
	g1 := func(p *bls.G1Affine) { b := p.RawBytes(); dst = append(dst, b[:]...) }
	g2 := func(p *bls.G2Affine) { b := p.RawBytes(); dst = append(dst, b[:]...) }
	g1(&k.AlphaG1)
	g1(&k.BetaG1)
	g2(&k.BetaG2)
	g2(&k.GammaG2)
	g1(&k.DeltaG1)
	g2(&k.DeltaG2)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(k.IC)))
	for i := range k.IC {
		g1(&k.IC[i])
	}
	return dst
}
