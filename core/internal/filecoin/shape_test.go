package filecoin

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Inputs and file names of every circuit that the published crates made.
func TestShapesAgainstGoldenCircuits(t *testing.T) {
	files := glob(t, "r1cs/*.json")
	require.Len(t, files, 20)
	found := 0
	for kind := PoRep; kind <= Update; kind++ {
		for _, bytes := range registeredSizes {
			s, err := NewShape(kind, bytes)
			require.NoError(t, err)
			require.Equal(t, bytes, s.Nodes()*NodeSize)
			var g struct {
				NumInputs int `json:"num_inputs"`
			}
			require.NoError(t, json.Unmarshal(readGolden(t, fmt.Sprintf("r1cs/%s.json", s)), &g))
			require.Equal(t, g.NumInputs, s.NumInputs()+1, s.String())
			p, ok := s.Published()
			require.True(t, ok, "%s: %s", s, s.ParamsName())
			require.Equal(t, kind, p.Kind)
			require.Equal(t, bytes, p.SectorSize)
			found++
		}
	}
	require.Equal(t, 20, found)
	require.Len(t, AllPublished(), 22)
}

func TestArities(t *testing.T) {
	for _, v := range []struct {
		size uint64
		base int
		tail []int
	}{
		{2 * KiB, 2, nil},
		{32 * KiB, 2, []int{8, 2}},
		{8 * MiB, 6, nil},
		{512 * MiB, 8, nil},
		{1 * GiB, 8, []int{2}},
		{32 * GiB, 9, []int{8}},
		{64 * GiB, 9, []int{8, 2}},
	} {
		s, err := NewShape(PoRep, v.size)
		require.NoError(t, err)
		require.Equal(t, v.base, s.BaseLevels)
		var want []int
		for range v.base {
			want = append(want, 8)
		}
		require.Equal(t, append(want, v.tail...), s.Arities())
		leaves := uint64(1)
		for _, a := range s.Arities() {
			leaves *= uint64(a)
		}
		require.Equal(t, s.Nodes(), leaves)
	}
	for kind := PoRep; kind <= Update; kind++ {
		_, err := NewShape(kind, 3*KiB)
		require.Equal(t, status.Unsupported, status.CodeOf(err))
	}
	_, err := NewShape(Update, 1*GiB)
	require.Equal(t, status.Unsupported, status.CodeOf(err))
}

func TestEveryShapeTree(t *testing.T) {
	for size := range sizes {
		for _, kind := range []Kind{PoRep, WindowPoSt, WinningPoSt} {
			checkTree(t, mustShape(kind, size))
		}
	}
	for size := range updateSizes {
		checkTree(t, mustShape(Update, size))
	}
}

func checkTree(t *testing.T, s Shape) {
	t.Helper()
	leaves := uint64(1)
	for _, a := range s.Arities() {
		leaves *= uint64(a)
	}
	require.Equal(t, s.Nodes(), leaves, s.String())
}

func TestProofNames(t *testing.T) {
	for n, want := range map[SealProof]string{
		0: "StackedDrg2KiBV1", 8: "StackedDrg32GiBV1_1", 10: "StackedDrg2KiBV1_1_Feat_SyntheticPoRep",
		18: "StackedDrg32GiBV1_2_Feat_NonInteractivePoRep", 19: "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep",
	} {
		require.Equal(t, want, n.Name())
	}
	require.Equal(t, "StackedDrg64GiBV1_2_Feat_NiPoRep", SealProof(19).GoName())
	require.Equal(t, "StackedDrg512MiBV1", SealProof(17).V1Name())
	for p := range NumSealProofs {
		got, err := ParseSealProof(p.Name())
		require.NoError(t, err)
		require.Equal(t, p, got)
		again, err := SealProofOf(p.SectorSize(), p.Version(), p.Feature())
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
	require.Equal(t, V1_2, SealProof(10).Version())
	require.Equal(t, V1_1, SealProof(9).Version())
	require.Equal(t, [4]int{10, 10, 126, 13}, [4]int{SealProof(3).Partitions(), SealProof(13).Partitions(), SealProof(19).Partitions(), SealProof(15).Partitions()})

	require.Equal(t, "StackedDrgWindow32GiBV1_2", PoStProof(13).Name())
	require.Equal(t, "StackedDrgWindow32GiBV1_1", PoStProof(13).FFIName())
	for p := range NumPoStProofs {
		for _, name := range []string{p.Name(), p.FFIName()} {
			got, err := ParsePoStProof(name)
			require.NoError(t, err)
			require.Equal(t, p, got)
		}
	}
	window, err := PoStProofOf(WindowPoSt, 32*GiB)
	require.NoError(t, err)
	require.Equal(t, PoStProof(13), window)
	for p := range NumUpdateProofs {
		got, err := ParseUpdateProof(p.Name())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
}

func TestUnknownProofs(t *testing.T) {
	for _, n := range []int64{-1, 20, 1 << 40} {
		_, err := NewSealProof(n)
		require.Equal(t, status.Argument, status.CodeOf(err))
		_, err = NewPoStProof(n)
		require.Error(t, err)
		_, err = NewUpdateProof(n)
		require.Error(t, err)
	}
	_, err := ParseSealProof("StackedDrg32GiBV9")
	require.Equal(t, status.InputValue, status.CodeOf(err))
	_, err = ParsePoStProof("StackedDrg32GiBV1")
	require.Error(t, err)
	_, err = ParseUpdateProof("StackedDrg32GiBV1_1")
	require.Error(t, err)
	_, err = PoStProofOf(PoRep, 2*KiB)
	require.Error(t, err)
	_, err = SealProofOf(4*KiB, V1_0, NoFeature)
	require.Error(t, err)
}

func TestKindsAndSizes(t *testing.T) {
	for k := PoRep; k <= Update; k++ {
		got, err := ParseKind(k.String())
		require.NoError(t, err)
		require.Equal(t, k, got)
	}
	_, err := ParseKind("post")
	require.Error(t, err)
	for _, s := range registeredSizes {
		name, ok := SizeName(s)
		require.True(t, ok)
		got, err := ParseSize(name)
		require.NoError(t, err)
		require.Equal(t, s, got)
	}
	_, err = ParseSize("32GB")
	require.Error(t, err)
}
