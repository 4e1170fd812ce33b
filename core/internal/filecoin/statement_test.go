package filecoin

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Public inputs of every sector and partition that the published crates solved.
func TestPoRepPublicInputs(t *testing.T) {
	compared := 0
	for _, file := range glob(t, "sectors/*/witness-porep-*.json*") {
		index := strings.TrimPrefix(file[strings.LastIndex(file, "-")+1:], "porep-")
		sector := file[:strings.LastIndex(file, "/")] + "/sector-" + index
		g := readSector(t, sector)
		require.Equal(t, g.ProverID, ProverID(g.MinerID), sector)
		compared += compareInputs(t, g.seal().Statement(), file)
	}
	require.Equal(t, 2+1+3+13+3+1+1+10, compared)
}

type goldenPoSt struct {
	Randomness goldenNode
	Proof      string `json:"registered_post_proof"`
	Sectors    []struct {
		Challenges []uint64
		CommR      goldenNode `json:"comm_r"`
		Number     uint64     `json:"sector_number"`
	}
}

func readPoSt(t *testing.T, name string) (g goldenPoSt, p PoStProof) {
	t.Helper()
	readJSON(t, name, &g)
	p, err := ParsePoStProof(g.Proof)
	require.NoError(t, err)
	return g, p
}

func TestWinningPublicInputs(t *testing.T) {
	files := glob(t, "sectors/*/winning_post.json")
	require.Len(t, files, 7)
	for _, file := range files {
		g, p := readPoSt(t, file)
		require.Equal(t, WinningPoSt, p.Kind())
		s := &WinningStatement{p, Node(g.Randomness), PoStSector{g.Sectors[0].Number, Node(g.Sectors[0].CommR)}}
		require.Equal(t, g.Sectors[0].Challenges, s.Challenges())
		compareInputs(t, s, strings.Replace(file, "winning_post", "witness-winning_post-0", 1))
	}
}

func TestWindowPublicInputs(t *testing.T) {
	files, partitions := glob(t, "sectors/*/window_post.json"), 0
	require.Len(t, files, 7)
	for _, file := range files {
		g, p := readPoSt(t, file)
		require.Equal(t, WindowPoSt, p.Kind())
		s := &WindowStatement{Proof: p, Randomness: Node(g.Randomness)}
		for _, sector := range g.Sectors {
			s.Sectors = append(s.Sectors, PoStSector{sector.Number, Node(sector.CommR)})
		}
		for i, sector := range g.Sectors {
			require.Equal(t, sector.Challenges, s.Challenges(i), "%s sector %d", file, i)
		}
		partitions += compareInputs(t, s, strings.Replace(file, "window_post", "witness-window_post-0", 1))

		// A partition proved on its own has the same inputs.
		for k := range s.Partitions() {
			alone := *s
			alone.Sectors, alone.First = s.Partition(k), k
			want, err := s.PublicInputs(k)
			require.NoError(t, err)
			got, err := alone.PublicInputs(0)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
	require.Equal(t, 9, partitions)
}

func TestUpdatePublicInputs(t *testing.T) {
	files := glob(t, "sectors/*/update.json")
	require.Len(t, files, 6)
	for _, file := range files {
		var g struct {
			CommDNew goldenNode `json:"comm_d_new"`
			CommRNew goldenNode `json:"comm_r_new"`
			CommROld goldenNode `json:"comm_r_old"`
			Proof    string     `json:"registered_update_proof"`
			Files    []string
		}
		readJSON(t, file, &g)
		p, err := ParseUpdateProof(g.Proof)
		require.NoError(t, err)
		s := &UpdateStatement{p, Node(g.CommROld), Node(g.CommDNew), Node(g.CommRNew)}
		require.Len(t, g.Files, s.Partitions())
		compareInputs(t, s, strings.Replace(file, "update.json", "witness-update-0.json", 1))
	}
}

// Vectors of storage-proofs-update/src/challenges.rs:167-240.
func TestUpdateChallengeVectors(t *testing.T) {
	b, _ := hex.DecodeString("6c0740d6edb22eb13054f4587d6d2dcbc688f796c303c7044f60429c4bbe1c10")
	var commR Node
	for i := range b {
		commR[31-i] = b[i]
	}
	for _, v := range []struct {
		size uint64
		k    int
		want []uint64
	}{
		{2 * KiB, 0, []uint64{53, 51, 56, 3, 0}},
		{512 * MiB, 15, []uint64{16388544, 15794686, 16637142, 16319148, 16328348}},
		{32 * GiB, 14, []uint64{990420169, 955146989, 968005601, 976863263, 944650706}},
	} {
		s := &UpdateStatement{CommRNew: commR}
		for s.Proof.SectorSize() != v.size {
			s.Proof++
		}
		got, err := s.Challenges(v.k)
		require.NoError(t, err)
		require.Equal(t, v.want, got[:5])
		require.Len(t, got, s.Shape().Challenges)
	}
}

func TestStatementsRefuse(t *testing.T) {
	var big Node
	for i := range big {
		big[i] = 0xff
	}
	for i, s := range []Statement{
		&PoRepStatement{CommD: big},
		&WinningStatement{Randomness: big},
		&WinningStatement{Sector: PoStSector{CommR: big}},
		&WindowStatement{Proof: 5, Randomness: big, Sectors: make([]PoStSector, 1)},
		&WindowStatement{Proof: 5, Sectors: []PoStSector{{}, {1, big}}},
		&UpdateStatement{CommDNew: big},
	} {
		_, err := s.PublicInputs(0)
		require.Equal(t, status.InputValue, status.CodeOf(err), "%d: %v", i, err)
		for _, k := range []int{-1, s.Partitions()} {
			_, err = s.PublicInputs(k)
			require.Equal(t, status.Argument, status.CodeOf(err), "%d: %v", i, err)
		}
	}
	_, err := (&WindowStatement{Proof: 5}).PublicInputs(0)
	require.Error(t, err, "no sectors")
	_, err = WinningSector(Node{}, Node{}, 0)
	require.Error(t, err)
	require.ErrorContains(t, (&PoRepStatement{CommD: big, CommR: big}).CheckProvable(), "seed")
	require.NoError(t, (&PoRepStatement{CommD: big, CommR: big, Seed: big}).CheckProvable())
	require.NoError(t, (&PoRepStatement{CommD: big, CommR: big}).CheckVerifiable(), "a verifier takes any seed")
	require.ErrorContains(t, (&PoRepStatement{CommR: big}).CheckVerifiable(), "comm_d")
}

// comm_d of empty sectors that the golden sparse ones record.
func TestZeroCommD(t *testing.T) {
	for _, name := range []string{"512m-sparse", "32g-sparse"} {
		g := readSector(t, fmt.Sprintf("sectors/%s/sector-0.json", name))
		require.Equal(t, g.CommD, ZeroCommD(g.Proof.SectorSize()))
	}
	require.Equal(t, Node{}, ZeroCommD(NodeSize))
}
