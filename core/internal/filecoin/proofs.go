package filecoin

import (
	"encoding/binary"
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// SealProof is a RegisteredSealProof; its value is the same in the C ABI, in
// go-state-types and in the porep id (API registry.rs:18-104).
type SealProof int32

// Version is the ApiVersion of a proof: it decides the order and width of
// parents (seal) and the numbering of challenges (window).
type Version uint8

// Feature is an optional property of a seal proof.
type Feature uint8

// Versions (API registry.rs:141-160).
const (
	V1_0 Version = iota
	V1_1
	V1_2
)

// Features.
const (
	NoFeature Feature = iota
	Synthetic
	NonInteractive
)

// registeredSizes are the sector sizes that have registered proofs, in the
// order in which every group of five numbers them.
var registeredSizes = [5]uint64{2 * KiB, 8 * MiB, 512 * MiB, 32 * GiB, 64 * GiB}

var sizeNames = [5]string{"2KiB", "8MiB", "512MiB", "32GiB", "64GiB"}

// SizeName returns the spelling of a registered sector size, such as 32GiB.
func SizeName(sectorSize uint64) (string, bool) {
	for i, s := range registeredSizes {
		if s == sectorSize {
			return sizeNames[i], true
		}
	}
	return "", false
}

// ParseSize is the inverse of SizeName.
func ParseSize(name string) (uint64, error) {
	for i, s := range sizeNames {
		if s == name {
			return registeredSizes[i], nil
		}
	}
	return 0, status.New(status.Argument, "sector_size", "unknown sector size %q, known are %v", name, sizeNames)
}

var sealGroups = [4]struct {
	suffix, goSuffix string // Rust and C; go-state-types
	version          Version
	feature          Feature
}{
	{"V1", "V1", V1_0, NoFeature},
	{"V1_1", "V1_1", V1_1, NoFeature},
	{"V1_1_Feat_SyntheticPoRep", "V1_1_Feat_SyntheticPoRep", V1_2, Synthetic},
	{"V1_2_Feat_NonInteractivePoRep", "V1_2_Feat_NiPoRep", V1_2, NonInteractive},
}

// NumSealProofs is the number of registered seal proofs.
const NumSealProofs SealProof = 20

// NewSealProof checks a number that came from outside.
func NewSealProof(n int64) (SealProof, error) {
	if n < 0 || n >= int64(NumSealProofs) {
		return 0, status.New(status.Argument, "registered_proof", "unknown registered seal proof %d", n)
	}
	return SealProof(n), nil
}

// SealProofOf returns the registered proof of a size in bytes with the given
// group of properties.
func SealProofOf(sectorSize uint64, v Version, f Feature) (SealProof, error) {
	for p := range NumSealProofs {
		if p.SectorSize() == sectorSize && p.Version() == v && p.Feature() == f {
			return p, nil
		}
	}
	return 0, status.New(status.Unsupported, "registered_proof",
		"no registered seal proof for %d bytes, version 1.%d, feature %d", sectorSize, v, f)
}

// ParseSealProof reads the name that serde and the C ABI use.
func ParseSealProof(name string) (SealProof, error) {
	for p := range NumSealProofs {
		if p.Name() == name {
			return p, nil
		}
	}
	return 0, status.New(status.InputValue, "registered_proof", "unknown registered seal proof %q", name)
}

// Name returns the serde name, for instance StackedDrg32GiBV1_1.
func (p SealProof) Name() string {
	return "StackedDrg" + sizeNames[p%5] + sealGroups[p/5].suffix
}

// GoName returns the name in go-state-types, which abbreviates NiPoRep.
func (p SealProof) GoName() string {
	return "StackedDrg" + sizeNames[p%5] + sealGroups[p/5].goSuffix
}

// V1Name returns the name of the first version for the size, the tag of
// vanilla_proofs in every C1 output (API seal.rs:181-189).
func (p SealProof) V1Name() string { return (p % 5).Name() }

// SectorSize returns bytes.
func (p SealProof) SectorSize() uint64 { return registeredSizes[p%5] }

// Version returns the API version: 1.2 for synthetic although its name says 1_1.
func (p SealProof) Version() Version { return sealGroups[p/5].version }

// Feature tells synthetic and non-interactive proofs from plain ones.
func (p SealProof) Feature() Feature { return sealGroups[p/5].feature }

// Shape returns the circuit. All versions of a size share it.
func (p SealProof) Shape() Shape { return mustShape(PoRep, p.SectorSize()) }

// Partitions is the number of circuit proofs of one seal proof.
func (p SealProof) Partitions() int {
	if p.Feature() == NonInteractive {
		return sizes[p.SectorSize()].niPartitions
	}
	return sizes[p.SectorSize()].partitions
}

// PoRepID returns LE64(number) ‖ LE64(nonce 0) ‖ 0^16, also for the
// non-interactive types that go-state-types' map lacks (API registry.rs:284).
func (p SealProof) PoRepID() (id Node) {
	binary.LittleEndian.PutUint64(id[:], uint64(p))
	return id
}

func mustShape(k Kind, sectorSize uint64) Shape {
	s, err := NewShape(k, sectorSize)
	if err != nil {
		panic(fmt.Sprintf("filecoin: registered size without shape: %v", err))
	}
	return s
}
