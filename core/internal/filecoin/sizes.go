package filecoin

// Binary units of sector sizes, in bytes.
const (
	KiB uint64 = 1 << 10
	MiB uint64 = 1 << 20
	GiB uint64 = 1 << 30
)

// Constants of all sizes (RFP fp/constants.rs:29-32, core/drgraph.rs:28,
// porep/vanilla/graph.rs:27).
const (
	WinningChallenges = 66 // leaves of the one WinningPoSt sector
	WindowChallenges  = 10 // leaves of each WindowPoSt sector

	DRGDegree      = 6
	ExpanderDegree = 8
	Degree         = DRGDegree + ExpanderDegree

	baseArity = 8
)

// size is the geometry of a sealed sector (RFP fp/constants.rs:65-118,
// 123-159, 212-235; fp/parameters.rs:107-130).
type size struct {
	sub, top      int // arities above the base tree, 0 for none
	layers        int
	challenges    int // per partition, min. 2 of 1 or 176 of 10 partitions
	partitions    int // interactive and synthetic
	niPartitions  int // non-interactive
	windowSectors int // of one WindowPoSt partition
}

func small(sub, top int) size {
	return size{sub: sub, top: top, layers: 2, challenges: 2, partitions: 1, niPartitions: 13, windowSectors: 2}
}

func production(sub, top, windowSectors int) size {
	return size{sub, top, 11, 18, 10, 126, windowSectors}
}

var sizes = map[uint64]size{
	2 * KiB:   small(0, 0),
	4 * KiB:   small(2, 0),
	16 * KiB:  small(8, 0),
	32 * KiB:  small(8, 2),
	8 * MiB:   small(0, 0),
	16 * MiB:  small(2, 0),
	512 * MiB: small(0, 0),
	1 * GiB:   small(2, 0),
	32 * GiB:  production(8, 0, 2349),
	64 * GiB:  production(8, 2, 2300),
}

// updateSize is the geometry of a sector update (RFP upd/constants.rs:65-153).
type updateSize struct {
	sub, top   int
	partitions int
	challenges int // per partition
	apex       int // leaves of the apex tree of a partition
	h          int // bits of a node index that select its rho
	hSelect    int // 1 << index of h in the list that the circuit offers
	hs         [6]int
}

// The circuit offers six values of h; for small sectors all are 1, so the
// first one is selected there.
func updateSmall(sub, top, partitions, apex int) updateSize {
	return updateSize{sub, top, partitions, 10, apex, 1, 1, [6]int{1, 1, 1, 1, 1, 1}}
}

func updateLarge(sub, top, partitions, challenges int) updateSize {
	return updateSize{sub, top, partitions, challenges, 128, 10, 1 << 3, [6]int{7, 8, 9, 10, 11, 12}}
}

var updateSizes = map[uint64]updateSize{
	1 * KiB:   updateSmall(4, 0, 1, 8),
	2 * KiB:   updateSmall(0, 0, 1, 8),
	4 * KiB:   updateSmall(2, 0, 1, 8),
	8 * KiB:   updateSmall(4, 0, 1, 8),
	16 * KiB:  updateSmall(8, 0, 2, 128),
	32 * KiB:  updateSmall(8, 2, 2, 128),
	8 * MiB:   updateLarge(0, 0, 4, 10),
	16 * MiB:  updateLarge(2, 0, 4, 10),
	512 * MiB: updateLarge(0, 0, 16, 86),
	32 * GiB:  updateLarge(8, 0, 16, 86),
	64 * GiB:  updateLarge(8, 2, 16, 86),
}

// UpdateHs returns the six values of h that the update circuit selects from
// and the one that the chain uses. The shape must be one of NewShape(Update, …).
func UpdateHs(s Shape) (hs [6]int, h int) {
	z := updateSizes[s.SectorSize]
	return z.hs, z.h
}
