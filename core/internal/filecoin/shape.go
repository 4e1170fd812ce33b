package filecoin

import (
	"fmt"
	"math/bits"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Shape describes one circuit: equal shapes have equal constraints and share
// parameters, whatever the version of the registered proof. It is comparable
// and serves as a map key; fields that do not concern the kind are zero.
type Shape struct {
	Kind       Kind
	SectorSize uint64 // bytes
	Log2Nodes  int    // nodes of 32 bytes; tree D has this many levels

	// Trees C and R: a path goes up BaseLevels levels of arity Base, then one
	// of arity Sub and one of arity Top where those are not zero.
	Base, Sub, Top int
	BaseLevels     int

	Layers     int // porep: labels of a column
	Challenges int // porep, update: per partition; PoSt: per sector
	Sectors    int // PoSt: sectors of one circuit

	Partitions int // update: partitions that divide the sector, a power of two
	ApexLeaves int // update: nodes of tree D above a partition's challenges
	HSelect    int // update: the 6-bit selector that the chain fixes
}

// NewShape returns the circuit of a kind for a sector size in bytes. Sizes are
// those of the published crates, test sizes included.
func NewShape(kind Kind, sectorSize uint64) (Shape, error) {
	switch kind {
	case PoRep:
		return sealedShape(kind, sectorSize, func(s *Shape, z size) {
			s.Layers, s.Challenges = z.layers, z.challenges
		})
	case WinningPoSt:
		return sealedShape(kind, sectorSize, func(s *Shape, _ size) {
			s.Sectors, s.Challenges = WinningChallenges, 1
		})
	case WindowPoSt:
		return sealedShape(kind, sectorSize, func(s *Shape, z size) {
			s.Sectors, s.Challenges = z.windowSectors, WindowChallenges
		})
	case Update:
		return updateShape(sectorSize)
	}
	return Shape{}, status.New(status.Argument, "kind", "unknown proof kind %d", kind)
}

func sealedShape(kind Kind, sectorSize uint64, fill func(*Shape, size)) (Shape, error) {
	z, ok := sizes[sectorSize]
	if !ok {
		return Shape{}, unknownSize(kind, sectorSize)
	}
	s := treeShape(kind, sectorSize, z.sub, z.top)
	fill(&s, z)
	return s, nil
}

func updateShape(sectorSize uint64) (Shape, error) {
	z, ok := updateSizes[sectorSize]
	if !ok {
		return Shape{}, unknownSize(Update, sectorSize)
	}
	s := treeShape(Update, sectorSize, z.sub, z.top)
	s.Challenges, s.Partitions, s.ApexLeaves, s.HSelect = z.challenges, z.partitions, z.apex, z.hSelect
	return s, nil
}

func treeShape(kind Kind, sectorSize uint64, sub, top int) Shape {
	log2 := bits.TrailingZeros64(sectorSize / NodeSize)
	below := log2 - log2Arity(sub) - log2Arity(top)
	return Shape{
		Kind: kind, SectorSize: sectorSize, Log2Nodes: log2,
		Base: baseArity, Sub: sub, Top: top, BaseLevels: below / log2Arity(baseArity),
	}
}

// log2Arity is the number of index bits of a level, 0 for an absent one.
func log2Arity(arity int) int {
	if arity == 0 {
		return 0
	}
	return bits.TrailingZeros(uint(arity))
}

func unknownSize(kind Kind, sectorSize uint64) error {
	return status.New(status.Unsupported, "sector_size", "no %s circuit for a sector size of %d bytes", kind, sectorSize)
}

// Nodes is the number of 32-byte nodes of a sector.
func (s Shape) Nodes() uint64 { return 1 << s.Log2Nodes }

// Arities returns the arities of a path of trees C and R, leaf to root.
func (s Shape) Arities() []int {
	a := make([]int, 0, s.BaseLevels+2)
	for range s.BaseLevels {
		a = append(a, s.Base)
	}
	for _, upper := range []int{s.Sub, s.Top} {
		if upper != 0 {
			a = append(a, upper)
		}
	}
	return a
}

// NumInputs is the number of public inputs without ONE.
func (s Shape) NumInputs() int {
	switch s.Kind {
	case PoRep:
		return 3 + s.Challenges*(4+Degree)
	case Update:
		return 4
	default:
		return s.Sectors * (1 + s.Challenges)
	}
}

// TreeName is the tree as parameter files spell it (RFP core/merkle/tree.rs:80).
func (s Shape) TreeName() string {
	return fmt.Sprintf("merkletree-poseidon_hasher-%d-%d-%d", s.Base, s.Sub, s.Top)
}

// String returns kind-bytes, for instance porep-2048.
func (s Shape) String() string { return fmt.Sprintf("%s-%d", s.Kind, s.SectorSize) }
