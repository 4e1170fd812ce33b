package snarkpack

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// message collects the parts of one challenge in their encodings (bincode: fixed
// widths, no separators; bellperson transcript.rs).
type message []byte

// prefix begins every message, in both versions.
const prefix = "snarkpack-v1"

func newMessage(tag string) *message {
	m := message(prefix + tag)
	return &m
}

func (m *message) scalars(s ...*fr.Element) *message {
	var b [fr.Bytes]byte
	for _, e := range s {
		fr.LittleEndian.PutElement(&b, *e)
		*m = append(*m, b[:]...)
	}
	return m
}

func (m *message) g1(points ...*bls.G1Affine) *message {
	for _, p := range points {
		b := p.Bytes()
		*m = append(*m, b[:]...)
	}
	return m
}

func (m *message) g2(points ...*bls.G2Affine) *message {
	for _, p := range points {
		b := p.Bytes()
		*m = append(*m, b[:]...)
	}
	return m
}

func (m *message) gt(elements ...*GT) *message {
	for _, z := range elements {
		*m = appendGT(*m, z)
	}
	return m
}

// bytes appends a string behind its length.
func (m *message) bytes(b []byte) *message {
	*m = binary.LittleEndian.AppendUint64(*m, uint64(len(b)))
	*m = append(*m, b...)
	return m
}

// challenge hashes the message, with counters 1, 2, … behind it as long as the
// digest, taken as a little-endian number of 255 bits, is no scalar other than 0
// and 1. About one digest in eleven fails.
func (m *message) challenge() (c fr.Element) {
	h := sha256.New()
	h.Write(*m)
	for counter := uint64(1); ; counter++ {
		h.Write(binary.BigEndian.AppendUint64(nil, counter))
		digest := [32]byte(h.Sum(nil))
		digest[31] &= 0x7f
		c, err := fr.LittleEndian.Element(&digest)
		if err == nil && !c.IsZero() && !c.IsOne() {
			return c
		}
	}
}

// Hcom binds the commitments to the proofs.
func Hcom(comAB, comC *[2]GT) fr.Element {
	return newMessage("hcom").gt(&comAB[0], &comAB[1], &comC[0], &comC[1]).challenge()
}

// Randomizer returns r, whose powers combine the proofs.
func Randomizer(hcom *fr.Element, included [32]byte) fr.Element {
	return newMessage("random-r").scalars(hcom).bytes(included[:]).challenge()
}

// FirstChallenge returns the challenge before the rounds.
func FirstChallenge(hcom *fr.Element, ipAB *GT, aggC *bls.G1Affine, r *fr.Element) fr.Element {
	return newMessage("gipa-0").scalars(hcom).gt(ipAB).g1(aggC).scalars(r).challenge()
}

// RoundChallenge returns y, the inverse of the challenge x of round k, from that of
// the round before. In version 1 round 0 keeps the challenge before the rounds.
func RoundChallenge(v Version, k int, previous *fr.Element, round *Round) fr.Element {
	if v == V1 && k == 0 {
		return *previous
	}
	m := newMessage("gipa-" + strconv.Itoa(k)).scalars(previous)
	return m.round(round).challenge()
}

func (m *message) round(r *Round) *message {
	return m.gt(&r.ZabL, &r.ZabR).g1(&r.ZcL, &r.ZcR).
		gt(&r.TabL[0], &r.TabL[1], &r.TabR[0], &r.TabR[1]).
		gt(&r.TucL[0], &r.TucL[1], &r.TucR[0], &r.TucR[1])
}

// EvaluationPoint returns z, where the polynomials of the final keys are opened. x is
// the challenge of the last round.
func (p *Proof) EvaluationPoint(v Version, x *fr.Element) fr.Element {
	if v == V1 {
		return newMessage("random-z").scalars(x).g2(&p.V[0], &p.V[1]).g1(&p.W[0], &p.W[1]).challenge()
	}
	link := p.extraLink(x)
	return newMessage("random-z").scalars(&link).g2(&p.V[0], &p.V[1]).g1(&p.W[0], &p.W[1]).
		g1(&p.A).g2(&p.B).g1(&p.C).challenge()
}

func (p *Proof) extraLink(x *fr.Element) fr.Element {
	last := &p.Rounds[len(p.Rounds)-1]
	return newMessage("gipa-extra-link").scalars(x).g1(&p.A).g2(&p.B).g1(&p.C).round(last).challenge()
}
