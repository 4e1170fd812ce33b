package filecoin

import "github.com/libcuzk/libcuzk/core/internal/status"

// PoStProof is a RegisteredPoStProof of the C ABI and go-state-types: five
// winning proofs, five window proofs of the first version, five of the second.
type PoStProof int32

// UpdateProof is a RegisteredUpdateProof, numbered by sector size.
type UpdateProof int32

// Numbers of registered proofs.
const (
	NumPoStProofs   PoStProof   = 15
	NumUpdateProofs UpdateProof = 5
)

// postGroups holds the trap: the second window version is called V1_1 by the C
// ABI and Go and V1_2 by the Rust API, and its API version is 1.2 (API
// registry.rs:500-541, FFI types.rs:205-245).
var postGroups = [3]struct {
	prefix, suffix, ffiSuffix string
	kind                      Kind
	version                   Version
}{
	{"StackedDrgWinning", "V1", "V1", WinningPoSt, V1_0},
	{"StackedDrgWindow", "V1", "V1", WindowPoSt, V1_0},
	{"StackedDrgWindow", "V1_2", "V1_1", WindowPoSt, V1_2},
}

// NewPoStProof checks a number that came from outside.
func NewPoStProof(n int64) (PoStProof, error) {
	if n < 0 || n >= int64(NumPoStProofs) {
		return 0, status.New(status.Argument, "registered_proof", "unknown registered PoSt proof %d", n)
	}
	return PoStProof(n), nil
}

// ParsePoStProof reads a name of the Rust API or of the C ABI; no name means
// different proofs in the two.
func ParsePoStProof(name string) (PoStProof, error) {
	for p := range NumPoStProofs {
		if p.Name() == name || p.FFIName() == name {
			return p, nil
		}
	}
	return 0, status.New(status.InputValue, "registered_proof", "unknown registered PoSt proof %q", name)
}

// PoStProofOf returns the proof of a kind and size in bytes; window proofs are
// those of the second version, which the chain accepts today.
func PoStProofOf(kind Kind, sectorSize uint64) (PoStProof, error) {
	for p := NumPoStProofs - 1; p >= 0; p-- {
		if p.Kind() == kind && p.SectorSize() == sectorSize {
			return p, nil
		}
	}
	return 0, unknownSize(kind, sectorSize)
}

// Name returns the Rust API's name, for instance StackedDrgWindow32GiBV1_2.
func (p PoStProof) Name() string {
	g := &postGroups[p/5]
	return g.prefix + sizeNames[p%5] + g.suffix
}

// FFIName returns the C and Go name, for instance StackedDrgWindow32GiBV1_1.
func (p PoStProof) FFIName() string {
	g := &postGroups[p/5]
	return g.prefix + sizeNames[p%5] + g.ffiSuffix
}

// Kind is WinningPoSt or WindowPoSt.
func (p PoStProof) Kind() Kind { return postGroups[p/5].kind }

// Version is the API version, which decides the numbering of challenges.
func (p PoStProof) Version() Version { return postGroups[p/5].version }

// SectorSize returns bytes.
func (p PoStProof) SectorSize() uint64 { return registeredSizes[p%5] }

// Shape returns the circuit; both window versions share it.
func (p PoStProof) Shape() Shape { return mustShape(p.Kind(), p.SectorSize()) }

// NewUpdateProof checks a number that came from outside.
func NewUpdateProof(n int64) (UpdateProof, error) {
	if n < 0 || n >= int64(NumUpdateProofs) {
		return 0, status.New(status.Argument, "registered_proof", "unknown registered update proof %d", n)
	}
	return UpdateProof(n), nil
}

// ParseUpdateProof reads the name that all interfaces share.
func ParseUpdateProof(name string) (UpdateProof, error) {
	for p := range NumUpdateProofs {
		if p.Name() == name {
			return p, nil
		}
	}
	return 0, status.New(status.InputValue, "registered_proof", "unknown registered update proof %q", name)
}

// Name returns for instance StackedDrg32GiBV1.
func (p UpdateProof) Name() string { return "StackedDrg" + sizeNames[p] + "V1" }

// SectorSize returns bytes.
func (p UpdateProof) SectorSize() uint64 { return registeredSizes[p] }

// Shape returns the circuit.
func (p UpdateProof) Shape() Shape { return mustShape(Update, p.SectorSize()) }
