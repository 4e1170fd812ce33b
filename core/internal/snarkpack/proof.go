package snarkpack

import (
	"encoding/binary"
	"fmt"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Proof is an aggregate of n = 2^len(Rounds) Groth16 proofs (A_i, B_i, C_i). Pairs
// belong to the two secrets of the SRS: index 0 to a, 1 to b. Its points and elements
// lie in the prime-order subgroups; points may be infinite.
type Proof struct {
	ComAB [2]GT        // commitments to the A_i and B_i: <A, v>·<w, B>
	ComC  [2]GT        // commitments to the C_i: <C, v>
	IpAB  GT           // Π e(A_i, B_i)^(r^i)
	AggC  bls.G1Affine // Σ r^i·C_i

	Rounds []Round

	A     bls.G1Affine // what is left of the vectors after the rounds
	B     bls.G2Affine
	C     bls.G1Affine
	V     [2]bls.G2Affine
	W     [2]bls.G1Affine
	VOpen [2]bls.G2Affine // openings of the keys at z (Kate, Zaverucha, Goldberg)
	WOpen [2]bls.G1Affine
}

// Round is what one halving of the vectors adds: commitments and products of left
// halves with right ones.
type Round struct {
	TabL, TabR [2]GT
	TucL, TucR [2]GT
	ZabL, ZabR GT
	ZcL, ZcR   bls.G1Affine
}

// Count returns n, the number of proofs with padding.
func (p *Proof) Count() int { return 1 << len(p.Rounds) }

// elements lists the GT elements in the order of the encoding up to the first point,
// then those behind the count.
func (p *Proof) elements() (head, tail []*GT) {
	head = []*GT{&p.ComAB[0], &p.ComAB[1], &p.ComC[0], &p.ComC[1], &p.IpAB}
	for i := range p.Rounds {
		r := &p.Rounds[i]
		tail = append(tail, &r.TabL[0], &r.TabL[1], &r.TabR[0], &r.TabR[1])
	}
	for i := range p.Rounds {
		r := &p.Rounds[i]
		tail = append(tail, &r.TucL[0], &r.TucL[1], &r.TucR[0], &r.TucR[1])
	}
	for i := range p.Rounds {
		tail = append(tail, &p.Rounds[i].ZabL, &p.Rounds[i].ZabR)
	}
	return head, tail
}

// points lists the points behind the GT elements, in order, with their names.
func (p *Proof) points() []point {
	var list []point
	for i := range p.Rounds {
		r := &p.Rounds[i]
		list = append(list, point{fmt.Sprintf("z_c_l[%d]", i), &r.ZcL}, point{fmt.Sprintf("z_c_r[%d]", i), &r.ZcR})
	}
	return append(list,
		point{"final_a", &p.A}, point{"final_b", &p.B}, point{"final_c", &p.C},
		point{"final_v[0]", &p.V[0]}, point{"final_v[1]", &p.V[1]},
		point{"final_w[0]", &p.W[0]}, point{"final_w[1]", &p.W[1]},
		point{"v_opening[0]", &p.VOpen[0]}, point{"v_opening[1]", &p.VOpen[1]},
		point{"w_opening[0]", &p.WOpen[0]}, point{"w_opening[1]", &p.WOpen[1]})
}

// point is a *bls.G1Affine or *bls.G2Affine of an aggregate.
type point struct {
	name string
	at   interface {
		SetBytes([]byte) (int, error)
	}
}

func (p point) size() int {
	if _, ok := p.at.(*bls.G2Affine); ok {
		return bls.SizeOfG2AffineCompressed
	}
	return bls.SizeOfG1AffineCompressed
}

// decode reads a compressed point of the prime-order subgroup or infinity.
func (p point) decode(b []byte) error {
	fail := func(reason string) error {
		return status.New(status.ProofMalformed, "aggregate."+p.name, "aggregate.%s: %s", p.name, reason)
	}
	switch b[0] & 0xc0 {
	case 0x80:
	case 0xc0:
		for i := range b {
			if b[i] != 0 && (i > 0 || b[i] != 0xc0) {
				return fail("bytes behind the flag of infinity")
			}
		}
	default:
		return fail("not a compressed point")
	}
	if _, err := p.at.SetBytes(b); err != nil {
		return fail(err.Error())
	}
	return nil
}

func (p point) append(dst []byte) []byte {
	switch at := p.at.(type) {
	case *bls.G1Affine:
		b := at.Bytes()
		return append(dst, b[:]...)
	case *bls.G2Affine:
		b := at.Bytes()
		return append(dst, b[:]...)
	}
	return dst
}

// countAt is where the number of proofs stands, behind five GT elements and a point.
const countAt = 5*torusSize + bls.SizeOfG1AffineCompressed

// Parse reads an aggregate. Bytes behind it are ignored, as the published verifier
// does; everything else that is not the encoding of an aggregate is an error of code
// ProofMalformed.
func Parse(data []byte, workers int) (*Proof, error) {
	fail := func(detail, format string, args ...any) (*Proof, error) {
		return nil, status.New(status.ProofMalformed, detail, format, args...)
	}
	if len(data) < Size(2) {
		return fail("aggregate", "aggregate of %d bytes, the shortest has %d", len(data), Size(2))
	}
	n := binary.LittleEndian.Uint32(data[countAt:])
	if n < 2 || n > MaxProofs || n&(n-1) != 0 {
		return fail("aggregate.n", "aggregate of %d proofs, not a power of two from 2 to %d", n, MaxProofs)
	}
	if want := Size(int(n)); len(data) < want {
		return fail("aggregate", "aggregate of %d bytes, one of %d proofs has %d", len(data), n, want)
	}
	p := &Proof{Rounds: make([]Round, rounds(int(n)))}
	head, tail := p.elements()
	packed := append([]byte(nil), data[:len(head)*torusSize]...)
	packed = append(packed, data[countAt+4:countAt+4+len(tail)*torusSize]...)
	all := append(head, tail...)
	elements, bad := decodeTorus(packed, len(all), workers)
	if bad >= 0 {
		return fail(fmt.Sprintf("aggregate.gt[%d]", bad), "element %d of the target group is not in canonical form or not in the subgroup", bad)
	}
	for i := range all {
		*all[i] = elements[i]
	}
	return p, p.decodePoints(data, countAt+4+len(tail)*torusSize, workers)
}

// decodePoints reads agg_c and the points from offset on.
func (p *Proof) decodePoints(data []byte, offset, workers int) error {
	points := append([]point{{"agg_c", &p.AggC}}, p.points()...)
	at := make([]int, len(points))
	at[0] = countAt - bls.SizeOfG1AffineCompressed
	for i := 1; i < len(points); i++ {
		at[i] = offset
		offset += points[i].size()
	}
	errs := make([]error, len(points))
	spawn.Range(workers, len(points), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = points[i].decode(data[at[i] : at[i]+points[i].size()])
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Bytes encodes the aggregate. The identity of GT, which no honest aggregate contains,
// has no encoding and is an error of code Internal.
func (p *Proof) Bytes() ([]byte, error) {
	head, tail := p.elements()
	out := make([]byte, 0, Size(p.Count()))
	add := func(elements []*GT) error {
		for i, z := range elements {
			var ok bool
			if out, ok = appendTorus(out, z); !ok {
				return status.New(status.Internal, "aggregate", "element %d of the target group is the identity", i)
			}
		}
		return nil
	}
	if err := add(head); err != nil {
		return nil, err
	}
	out = point{"agg_c", &p.AggC}.append(out)
	out = binary.LittleEndian.AppendUint32(out, uint32(p.Count()))
	if err := add(tail); err != nil {
		return nil, err
	}
	for _, q := range p.points() {
		out = q.append(out)
	}
	return out, nil
}
