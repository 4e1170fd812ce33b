package vanilla

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

const sectorsDir = "../../../tests/golden/sectors/"

func vanillaFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(sectorsDir + name)
	require.NoError(t, err)
	return raw
}

func postProof(t testing.TB, name string) filecoin.PoStProof {
	t.Helper()
	p, err := filecoin.ParsePoStProof(name)
	require.NoError(t, err)
	return p
}

func updateStatement(t testing.TB, dir string) *filecoin.UpdateStatement {
	t.Helper()
	var r map[string]any
	require.NoError(t, json.Unmarshal(vanillaFile(t, dir+"/update.json"), &r))
	proof, err := filecoin.ParseUpdateProof(r["registered_update_proof"].(string))
	require.NoError(t, err)
	s := &filecoin.UpdateStatement{Proof: proof}
	for key, n := range map[string]*Node{"comm_r_old": &s.CommROld, "comm_d_new": &s.CommDNew, "comm_r_new": &s.CommRNew} {
		raw, err := hex.DecodeString(r[key].(string))
		require.NoError(t, err)
		*n = Node(raw)
	}
	return s
}

// wantError checks that a changed input fails with a code and names its place.
func wantError(t *testing.T, err error, code status.Code, text string) {
	t.Helper()
	require.ErrorContains(t, err, text)
	require.Equal(t, code, status.CodeOf(err), "%v", err)
}

func TestPoStSectorStructure(t *testing.T) {
	proof := postProof(t, "StackedDrgWindow2KiBV1_2")
	good := vanillaFile(t, "2k-v1_1/window_post-0.vanilla")
	s, err := ParsePoStSector(good, proof)
	require.NoError(t, err)
	require.EqualValues(t, 101, s.Number)
	require.Len(t, s.Openings, 10)

	// sector_id, comm_r, two lengths; an opening is tag, root, leaf, path.
	const first, opening = 8 + 32 + 8 + 8, 4 + 64 + 8 + 2*240
	put := func(at int, v uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[at:], v); return b }
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		code   status.Code
		text   string
	}{
		"empty":         {func([]byte) []byte { return nil }, status.InputSyntax, "sector_id: truncated"},
		"truncated":     {func(b []byte) []byte { return b[:len(b)-1] }, status.InputSyntax, "comm_r_last: truncated"},
		"trailing":      {func(b []byte) []byte { return append(b, 0) }, status.InputSyntax, "1 trailing bytes"},
		"no sectors":    {put(40, 0), status.InputValue, "0 sector proofs, want 1"},
		"huge sectors":  {put(40, 1<<63), status.InputValue, "sector proofs, want 1"},
		"nine openings": {put(48, 9), status.InputValue, "inclusion_proofs: 9 inclusion proofs, want 10"},
		"huge openings": {put(48, 1<<62), status.InputValue, "inclusion proofs, want 10"},
		"variant":       {func(b []byte) []byte { b[first] = 1; return b }, status.InputValue, "inclusion_proofs[0]: variant 1"},
		"levels":        {put(first+opening+68, 3), status.InputValue, "inclusion_proofs[1].path: 3 levels, want 2"},
		"arity":         {put(first+68+8, 6), status.InputValue, "inclusion_proofs[0].path.path[0]: 6 hashes, want 7"},
		"index":         {put(first+68+8+8+224, 8), status.InputValue, "index 8 in a node of 8 children"},
		"comm_r":        {func(b []byte) []byte { b[39] = 0xff; return b }, status.InputValue, "comm_r: node 0 is not a canonical"},
		"leaf":          {func(b []byte) []byte { b[first+4+63] = 0xff; return b }, status.InputValue, "inclusion_proofs[0]: node 1"},
		"sibling":       {func(b []byte) []byte { b[first+68+8+8+31] = 0xff; return b }, status.InputValue, "hash 0 is not a canonical"},
	} {
		_, err := ParsePoStSector(c.change(append([]byte{}, good...)), proof)
		t.Run(name, func(t *testing.T) { wantError(t, err, c.code, c.text) })
	}

	// A sector of another size or kind does not parse.
	for _, other := range []string{"StackedDrgWinning2KiBV1", "StackedDrgWindow8MiBV1_2", "StackedDrgWindow32GiBV1_2", "StackedDrgWindow64GiBV1"} {
		_, err := ParsePoStSector(good, postProof(t, other))
		require.Error(t, err, other)
	}
}

func TestPoStSectorCheck(t *testing.T) {
	proof := postProof(t, "StackedDrgWindow2KiBV1_2")
	var r struct {
		Randomness string
		Sectors    []struct{ Challenges []uint64 }
	}
	require.NoError(t, json.Unmarshal(vanillaFile(t, "2k-v1_1/window_post.json"), &r))
	load := func() (*PoStSector, filecoin.PoStSector) {
		s, err := ParsePoStSector(vanillaFile(t, "2k-v1_1/window_post-0.vanilla"), proof)
		require.NoError(t, err)
		return s, filecoin.PoStSector{Number: s.Number, CommR: s.CommR}
	}
	s, public := load()
	require.NoError(t, s.Check(public, r.Sectors[0].Challenges))
	public.Number++
	wantError(t, s.Check(public, r.Sectors[0].Challenges), status.InputMismatch, "sector_id: vanilla proof of sector 101, want 102")
	_, public = load()
	public.CommR[0] ^= 1
	wantError(t, s.Check(public, r.Sectors[0].Challenges), status.InputMismatch, "comm_r:")
	s, public = load()
	s.CommC[0] ^= 1
	wantError(t, s.Check(public, r.Sectors[0].Challenges), status.InputMismatch, "do not hash to comm_r")
	s, public = load()
	s.Openings[3], s.Openings[4] = s.Openings[4], s.Openings[3]
	wantError(t, s.Check(public, r.Sectors[0].Challenges), status.InputMismatch, "inclusion_proofs[3]: opens leaf")
	s, public = load()
	s.Openings[7].Root()[5] ^= 1
	wantError(t, s.Check(public, r.Sectors[0].Challenges), status.InputMismatch, "inclusion_proofs[7]: root")
}

func TestUpdatePartitionCheck(t *testing.T) {
	const dir = "8m-v1_1"
	s := updateStatement(t, dir)
	load := func(k string) *UpdatePartition {
		u, err := ParseUpdatePartition(vanillaFile(t, dir+"/update-"+k+".vanilla"), s.Proof)
		require.NoError(t, err)
		return u
	}
	for k, name := range []string{"0", "1", "2", "3"} {
		require.NoError(t, load(name).Check(s, k))
	}
	wantError(t, load("1").Check(s, 2), status.InputMismatch, "challenge_proofs[0].proof_r_old: opens leaf")
	swapped := *s
	swapped.CommROld, swapped.CommRNew = s.CommRNew, s.CommROld
	wantError(t, load("0").Check(&swapped, 0), status.InputMismatch, "comm_r_old:")

	for name, c := range map[string]struct {
		change func(u *UpdatePartition)
		text   string
	}{
		"comm_c":    {func(u *UpdatePartition) { u.CommC[0] ^= 1 }, "comm_r_old:"},
		"old root":  {func(u *UpdatePartition) { u.Challenges[1].ROld.Root()[0] ^= 1 }, "challenge_proofs[1].proof_r_old: root"},
		"data root": {func(u *UpdatePartition) { u.Challenges[2].DNew.Root()[0] ^= 1 }, "challenge_proofs[2].proof_d_new: root"},
		"data leaf": {func(u *UpdatePartition) { u.Challenges[3].DNew.Leaf()[0] ^= 1 }, "apex_leafs["},
		"data path": {func(u *UpdatePartition) { s, _ := u.Challenges[3].DNew.Level(17); s[0][0] ^= 1 }, "challenge_proofs[3].proof_d_new: the path leads"},
		"old leaf":  {func(u *UpdatePartition) { u.Challenges[4].ROld.Leaf()[0] ^= 1 }, "challenge_proofs[4]: new replica node"},
		"new leaf":  {func(u *UpdatePartition) { u.Challenges[5].RNew.Leaf()[0] ^= 1 }, "challenge_proofs[5]: new replica node"},
		"order":     {func(u *UpdatePartition) { u.Challenges[6], u.Challenges[7] = u.Challenges[7], u.Challenges[6] }, "challenge_proofs[6].proof_r_old: opens leaf"},
	} {
		u := load("0")
		c.change(u)
		t.Run(name, func(t *testing.T) { wantError(t, u.Check(s, 0), status.InputMismatch, c.text) })
	}
}

func TestUpdatePartitionStructure(t *testing.T) {
	s := updateStatement(t, "2k-v1_1")
	good := vanillaFile(t, "2k-v1_1/update-0.vanilla")
	change := func(at int, v uint64) []byte {
		b := append([]byte{}, good...)
		binary.LittleEndian.PutUint64(b[at:], v)
		return b
	}
	for text, b := range map[string][]byte{
		"comm_c: truncated":                        good[:31],
		"7 apex leafs, want 8":                     change(32, 7),
		"apex leafs, want 8":                       change(32, 1<<60),
		"9 challenge proofs, want 10":              change(32+8+256, 9),
		"challenge_proofs[0].proof_r_old: variant": change(32+8+256+8, 2),
		"5 trailing bytes":                         append(append([]byte{}, good...), 1, 2, 3, 4, 5),
	} {
		_, err := ParseUpdatePartition(b, s.Proof)
		require.ErrorContains(t, err, text)
	}
}

// TestEveryBitMatters flips random bits anywhere in vanilla proofs: parsing,
// checking or the paths' hashes must notice; nothing may panic. Bits of a path
// that only solving hashes are left to the circuit's tests.
func TestEveryBitMatters(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := updateStatement(t, "2k-v1_1")
	good := vanillaFile(t, "2k-v1_1/update-0.vanilla")
	unnoticed := 0
	for range 300 {
		b := append([]byte{}, good...)
		at := r.IntN(len(b))
		b[at] ^= 1 << r.IntN(8)
		u, err := ParseUpdatePartition(b, s.Proof)
		if err == nil {
			err = u.Check(s, 0)
		}
		if err == nil {
			unnoticed++
		}
	}
	// Siblings of trees R: 2·2·7·32 of 1504 bytes per challenge.
	require.Less(t, unnoticed, 250)
	require.NotZero(t, unnoticed)
}

func FuzzParsePoStSector(f *testing.F) {
	for _, name := range []string{"2k-v1_1/window_post-0.vanilla", "2k-v1_1/winning_post-0.vanilla", "8m-v1_1/window_post-0.vanilla"} {
		f.Add(vanillaFile(f, name), int64(10))
	}
	f.Fuzz(func(t *testing.T, data []byte, proof int64) {
		p, err := filecoin.NewPoStProof(proof % int64(filecoin.NumPoStProofs))
		if err != nil {
			return
		}
		if s, err := ParsePoStSector(data, p); err == nil {
			_ = s.Check(filecoin.PoStSector{Number: s.Number, CommR: s.CommR}, make([]uint64, len(s.Openings)))
		}
	})
}

func FuzzParseUpdatePartition(f *testing.F) {
	files, err := filepath.Glob(sectorsDir + "2k-*/update-0.vanilla")
	require.NoError(f, err)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(raw, int64(0))
	}
	s := updateStatement(f, "2k-v1_1")
	f.Fuzz(func(t *testing.T, data []byte, proof int64) {
		p, err := filecoin.NewUpdateProof(proof)
		if err != nil {
			return
		}
		if u, err := ParseUpdatePartition(data, p); err == nil {
			_ = u.Check(&filecoin.UpdateStatement{Proof: p, CommROld: s.CommROld, CommDNew: s.CommDNew, CommRNew: s.CommRNew}, 0)
		}
	})
}
