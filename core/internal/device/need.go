package device

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Need is how much of a device a circuit's parameters take, in bytes, with the
// work area and the slots: estimates, for a caller that divides a device's
// memory between circuits. [Backend.Bytes] tells what it became.
type Need struct {
	Stream   uint64 // at least, with parameters that come in pieces
	Resident uint64 // with all of them on the device
	Best     uint64 // with every copy of bases that pays
}

// What proving takes beside vectors and bases: a sum's workspace at least and
// as a rule, tables of generators and buffers while parameters are loaded.
const (
	leastWorkspace = 1 << 30
	usualWorkspace = 24 << 30
	loadingBuffers = 4 * 2 * 48 << 20
)

// NeedOf estimates what a circuit needs.
func NeedOf(c *r1cs.Circuit, p *groth16.Plan) Need {
	n := uint64(c.Domain())
	vector := n * fr.Bytes
	witness := uint64(c.NumInputs+c.NumScalars())*fr.Bytes + uint64(c.NumAux)/8
	var bases, multiplied uint64 // bytes of all, and of those of scalars
	for _, x := range []struct {
		points, scalars int
		size            uint64
	}{
		{p.Layout.H, p.Layout.H, curve.SizeG1},
		{p.L.Len(), len(p.L.Inputs()) + len(p.L.Which()), curve.SizeG1},
		{p.A.Len(), len(p.A.Inputs()) + len(p.A.Which()), curve.SizeG1},
		{p.B.Len(), len(p.B.Inputs()) + len(p.B.Which()), curve.SizeG1 + curve.SizeG2},
	} {
		bases += uint64(x.points) * x.size
		multiplied += uint64(x.scalars) * x.size
	}
	// Sums of few points take little beside: entries in order and the points of
	// levels, which scale with the domain.
	least, usual := min(leastWorkspace, 512*n), min(usualWorkspace, 4096*n)
	return Need{
		Stream:   max(3*vector, 2*vector+witness) + least + loadingBuffers,
		Resident: bases + 3*vector + uint64(DefaultSlots)*witness + least + loadingBuffers,
		Best:     bases + 15*multiplied + 5*vector + uint64(DefaultSlots)*witness + usual + loadingBuffers,
	}
}

// HostBytes is what all sections take of host memory, for [Limits].Host.
func HostBytes(l params.Layout) uint64 {
	var n uint64
	for i, points := range lengths(l) {
		n += uint64(points) * uint64(sections[i].size)
	}
	return n + n/512 + 1<<20
}
