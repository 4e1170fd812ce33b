package filecoin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Parents that a script computed which reproduces the digests of RFP's
// parent_cache.json.
func TestParentVectors(t *testing.T) {
	for _, v := range []struct {
		proof SealProof
		node  uint64
		want  [Degree]uint32
	}{
		{8, 100, [Degree]uint32{99, 89, 97, 28, 99, 78, 918976668, 885727510, 961898554, 527327050, 848527834, 46630583, 643911944, 1069625501}},
		{3, 100, [Degree]uint32{81, 91, 98, 79, 99, 99, 395261822, 90652669, 437207788, 460849913, 114616200, 51764796, 111843152, 361538391}},
		{5, 13, [Degree]uint32{12, 0, 5, 12, 12, 7, 26, 1, 48, 57, 63, 49, 42, 36}},
	} {
		require.Equal(t, v.want, (&PoRepStatement{Proof: v.proof}).Graph().Parents(v.node), v.proof.Name())
	}
}

// Every node of every size has parents that precede it (DRG) or exist
// (expander); the expander of a layer is a permutation.
func TestGraphProperties(t *testing.T) {
	for _, proof := range []SealProof{0, 5, 10, 15} {
		g := (&PoRepStatement{Proof: proof}).Graph()
		count := make([]int, g.nodes)
		for v := range g.nodes {
			p := g.Parents(v)
			for _, u := range p[:DRGDegree] {
				require.True(t, uint64(u) < max(v, 1), "node %d parent %d", v, u)
			}
			for _, u := range p[DRGDegree:] {
				count[u]++
			}
		}
		for v, n := range count {
			require.Equal(t, ExpanderDegree, n, "node %d", v)
		}
	}
}

func TestChaCha8(t *testing.T) {
	require.Equal(t, uint64(0xd6405f892fef003e), newChaCha8(&[32]byte{}).next())
	rng := newChaCha8(&[32]byte{})
	seen := map[uint64]bool{}
	for range 1000 { // many blocks: the counter moves on
		seen[rng.next()] = true
	}
	require.Len(t, seen, 1000)
}

func BenchmarkParents(b *testing.B) {
	g := (&PoRepStatement{Proof: 8}).Graph()
	v := uint64(12345)
	for b.Loop() {
		v = uint64(g.Parents(v)[7]) + 2
	}
}

func BenchmarkPoRepPublicInputs(b *testing.B) {
	s := &PoRepStatement{Proof: 8}
	for b.Loop() {
		if _, err := s.PublicInputs(9); err != nil {
			b.Fatal(err)
		}
	}
}
