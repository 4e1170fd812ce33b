package filecoin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every registered proof with its number, its names in the Rust API and in the
// C ABI and Go, and its API version, written out: the places where upstream's
// naming is irregular (window proofs, synthetic and NI seals) must not depend on
// the rules that the code derives names from.
func TestRegisteredProofTable(t *testing.T) {
	for i, v := range []struct {
		name, goName string
		size         uint64
		version      Version
		partitions   int
	}{
		{"StackedDrg2KiBV1", "StackedDrg2KiBV1", 2048, V1_0, 1},
		{"StackedDrg8MiBV1", "StackedDrg8MiBV1", 8388608, V1_0, 1},
		{"StackedDrg512MiBV1", "StackedDrg512MiBV1", 536870912, V1_0, 1},
		{"StackedDrg32GiBV1", "StackedDrg32GiBV1", 34359738368, V1_0, 10},
		{"StackedDrg64GiBV1", "StackedDrg64GiBV1", 68719476736, V1_0, 10},
		{"StackedDrg2KiBV1_1", "StackedDrg2KiBV1_1", 2048, V1_1, 1},
		{"StackedDrg8MiBV1_1", "StackedDrg8MiBV1_1", 8388608, V1_1, 1},
		{"StackedDrg512MiBV1_1", "StackedDrg512MiBV1_1", 536870912, V1_1, 1},
		{"StackedDrg32GiBV1_1", "StackedDrg32GiBV1_1", 34359738368, V1_1, 10},
		{"StackedDrg64GiBV1_1", "StackedDrg64GiBV1_1", 68719476736, V1_1, 10},
		{"StackedDrg2KiBV1_1_Feat_SyntheticPoRep", "StackedDrg2KiBV1_1_Feat_SyntheticPoRep", 2048, V1_2, 1},
		{"StackedDrg8MiBV1_1_Feat_SyntheticPoRep", "StackedDrg8MiBV1_1_Feat_SyntheticPoRep", 8388608, V1_2, 1},
		{"StackedDrg512MiBV1_1_Feat_SyntheticPoRep", "StackedDrg512MiBV1_1_Feat_SyntheticPoRep", 536870912, V1_2, 1},
		{"StackedDrg32GiBV1_1_Feat_SyntheticPoRep", "StackedDrg32GiBV1_1_Feat_SyntheticPoRep", 34359738368, V1_2, 10},
		{"StackedDrg64GiBV1_1_Feat_SyntheticPoRep", "StackedDrg64GiBV1_1_Feat_SyntheticPoRep", 68719476736, V1_2, 10},
		{"StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", "StackedDrg2KiBV1_2_Feat_NiPoRep", 2048, V1_2, 13},
		{"StackedDrg8MiBV1_2_Feat_NonInteractivePoRep", "StackedDrg8MiBV1_2_Feat_NiPoRep", 8388608, V1_2, 13},
		{"StackedDrg512MiBV1_2_Feat_NonInteractivePoRep", "StackedDrg512MiBV1_2_Feat_NiPoRep", 536870912, V1_2, 13},
		{"StackedDrg32GiBV1_2_Feat_NonInteractivePoRep", "StackedDrg32GiBV1_2_Feat_NiPoRep", 34359738368, V1_2, 126},
		{"StackedDrg64GiBV1_2_Feat_NonInteractivePoRep", "StackedDrg64GiBV1_2_Feat_NiPoRep", 68719476736, V1_2, 126},
	} {
		p, err := ParseSealProof(v.name)
		require.NoError(t, err)
		require.Equal(t, SealProof(i), p)
		require.Equal(t, v.goName, p.GoName())
		require.Equal(t, v.size, p.SectorSize())
		require.Equal(t, v.version, p.Version())
		require.Equal(t, v.partitions, p.Partitions())
		require.Equal(t, Node{byte(i)}, p.PoRepID())
	}
	for i, v := range []struct {
		name, ffiName string
		kind          Kind
		size          uint64
		version       Version
	}{
		{"StackedDrgWinning2KiBV1", "StackedDrgWinning2KiBV1", WinningPoSt, 2048, V1_0},
		{"StackedDrgWinning8MiBV1", "StackedDrgWinning8MiBV1", WinningPoSt, 8388608, V1_0},
		{"StackedDrgWinning512MiBV1", "StackedDrgWinning512MiBV1", WinningPoSt, 536870912, V1_0},
		{"StackedDrgWinning32GiBV1", "StackedDrgWinning32GiBV1", WinningPoSt, 34359738368, V1_0},
		{"StackedDrgWinning64GiBV1", "StackedDrgWinning64GiBV1", WinningPoSt, 68719476736, V1_0},
		{"StackedDrgWindow2KiBV1", "StackedDrgWindow2KiBV1", WindowPoSt, 2048, V1_0},
		{"StackedDrgWindow8MiBV1", "StackedDrgWindow8MiBV1", WindowPoSt, 8388608, V1_0},
		{"StackedDrgWindow512MiBV1", "StackedDrgWindow512MiBV1", WindowPoSt, 536870912, V1_0},
		{"StackedDrgWindow32GiBV1", "StackedDrgWindow32GiBV1", WindowPoSt, 34359738368, V1_0},
		{"StackedDrgWindow64GiBV1", "StackedDrgWindow64GiBV1", WindowPoSt, 68719476736, V1_0},
		{"StackedDrgWindow2KiBV1_2", "StackedDrgWindow2KiBV1_1", WindowPoSt, 2048, V1_2},
		{"StackedDrgWindow8MiBV1_2", "StackedDrgWindow8MiBV1_1", WindowPoSt, 8388608, V1_2},
		{"StackedDrgWindow512MiBV1_2", "StackedDrgWindow512MiBV1_1", WindowPoSt, 536870912, V1_2},
		{"StackedDrgWindow32GiBV1_2", "StackedDrgWindow32GiBV1_1", WindowPoSt, 34359738368, V1_2},
		{"StackedDrgWindow64GiBV1_2", "StackedDrgWindow64GiBV1_1", WindowPoSt, 68719476736, V1_2},
	} {
		p, err := ParsePoStProof(v.name)
		require.NoError(t, err)
		require.Equal(t, PoStProof(i), p)
		require.Equal(t, v.ffiName, p.FFIName())
		require.Equal(t, v.kind, p.Kind())
		require.Equal(t, v.size, p.SectorSize())
		require.Equal(t, v.version, p.Version())
	}
	for i, v := range []struct {
		name       string
		partitions int
	}{
		{"StackedDrg2KiBV1", 1},
		{"StackedDrg8MiBV1", 4},
		{"StackedDrg512MiBV1", 16},
		{"StackedDrg32GiBV1", 16},
		{"StackedDrg64GiBV1", 16},
	} {
		p, err := ParseUpdateProof(v.name)
		require.NoError(t, err)
		require.Equal(t, UpdateProof(i), p)
		require.Equal(t, registeredSizes[i], p.SectorSize())
		require.Equal(t, v.partitions, p.Shape().Partitions)
	}
}
