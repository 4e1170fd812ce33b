package params

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

const golden = "../../../tests/golden"

// goldenCircuits are the circuits of golden/params. Some take seconds; the
// others need CUZK_TEST_LONG=1 and a minute or two.
var goldenCircuits = map[string]struct {
	kind filecoin.Kind
	long bool
}{
	"window_post":  {filecoin.WindowPoSt, false},
	"winning_post": {filecoin.WinningPoSt, false},
	"porep":        {filecoin.PoRep, true},
	"update":       {filecoin.Update, true},
}

func TestGoldenParameters(t *testing.T) {
	for kind, g := range goldenCircuits {
		t.Run(kind, func(t *testing.T) {
			if g.long && os.Getenv("CUZK_TEST_LONG") == "" {
				t.Skip("set CUZK_TEST_LONG=1")
			}
			var want struct {
				H, L, A     int
				BG1         int    `json:"b_g1"`
				ParamsBytes int64  `json:"params_bytes"`
				ParamsSHA   string `json:"params_sha256"`
				VKSHA       string `json:"vk_sha256"`
			}
			data, err := os.ReadFile(fmt.Sprintf("%s/params/%s-2048.json", golden, kind))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &want))
			shape, err := filecoin.NewShape(g.kind, 2048)
			require.NoError(t, err)
			c := circuit.Compile(shape)
			layout := LayoutOf(c)
			require.Equal(t, Layout{IC: c.NumInputs, H: want.H, L: want.L, A: want.A, B: want.BG1}, layout)
			require.Equal(t, want.ParamsBytes, layout.Size())

			dir := t.TempDir()
			path, vk := filepath.Join(dir, "x.params"), filepath.Join(dir, "x.vk")
			var last int64
			opts := MakeOptions{Workers: runtime.NumCPU(), Progress: func(done, total int64) {
				require.Greater(t, done, last)
				require.Equal(t, want.ParamsBytes, total)
				last = done
			}}
			require.NoError(t, Make(context.Background(), c, ToxicFromLabel(GoldenLabel), path, vk, opts))
			require.Equal(t, want.ParamsBytes, last)
			require.Equal(t, want.ParamsSHA, sha256File(t, path))
			require.Equal(t, want.VKSHA, sha256File(t, vk))
			f, err := Open(context.Background(), path)
			require.NoError(t, err)
			defer f.Close()
			require.NoError(t, f.Layout.Match(layout))
			require.NoError(t, f.CheckPoints(context.Background(), runtime.NumCPU(), curve.CheckCurve))
		})
	}
}

func sha256File(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// toyFile makes the parameters of the toy circuit.
func toyFile(t testing.TB) (path string, c *r1cs.Circuit) {
	c = toy.Compile(20)
	path = filepath.Join(t.TempDir(), "toy.params")
	require.NoError(t, Make(context.Background(), c, ToxicFromLabel("toy"), path, path+".vk", MakeOptions{Workers: 2}))
	return path, c
}

// write puts changed bytes into a new file.
func write(t testing.TB, data []byte) string {
	path := filepath.Join(t.TempDir(), "changed.params")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// decoded is a section that is decoded as a whole.
type decoded []curve.G1Affine

func decodeAll(t *testing.T, from curve.SourceG1) decoded {
	all, err := from.Range(context.Background(), make([]curve.G1Affine, from.Len()), 0)
	require.NoError(t, err)
	return all
}

// TestRangeAndPickAgree: pieces and single points of a mapped section are those of
// the whole section, and the key at its head is that of the .vk file.
func TestRangeAndPickAgree(t *testing.T) {
	path, c := toyFile(t)
	f, err := Open(context.Background(), path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Layout.Match(LayoutOf(c)))
	mapped := f.SRS()
	for i, section := range []curve.SourceG1{mapped.H, mapped.L, mapped.A, mapped.B1} {
		n, all := section.Len(), decodeAll(t, section)
		got, err := section.Range(context.Background(), make([]curve.G1Affine, n-1), 1)
		require.NoError(t, err)
		require.Equal(t, []curve.G1Affine(all[1:]), got, "section %d", i)
		picked := make([]curve.G1Affine, 2)
		require.NoError(t, section.Pick(context.Background(), picked, []uint32{uint32(n - 1), 1}))
		require.Equal(t, []curve.G1Affine{all[n-1], all[1]}, picked)
		for _, index := range [][]uint32{{0, 0, 0}, {0, 1, 2, uint32(n - 1), 3, 3}, {uint32(n - 1), uint32(n - 1)}} {
			picked, want := make([]curve.G1Affine, len(index)), make([]curve.G1Affine, len(index))
			for i, k := range index {
				want[i] = all[k]
			}
			require.NoError(t, section.Pick(context.Background(), picked, index))
			require.Equal(t, want, picked, "%v", index)
		}
	}
	vk, err := os.ReadFile(path + ".vk")
	require.NoError(t, err)
	key, err := verify.ParseKey(vk)
	require.NoError(t, err)
	require.Equal(t, key, mapped.Key)
}

// TestSetupRelations checks L_i and A_i of the toy file against each other with
// pairings' linearity left out: e.g. Σ lagrange = 1 must hold at any τ.
func TestLagrangeSumsToOne(t *testing.T) {
	tau := LabelScalar("tau")
	for _, n := range []int{1, 2, 8, 1 << 13} {
		all, err := newLagrange(&tau, n)
		require.NoError(t, err)
		l := make([]fr.Element, n)
		all.at(0, l[:n/3])
		all.at(n/3, l[n/3:])
		sum := l[0]
		for i := 1; i < n; i++ {
			sum.Add(&sum, &l[i])
		}
		require.True(t, sum.IsOne(), "n=%d", n)
	}
}

func TestOpenRejects(t *testing.T) {
	path, c := toyFile(t)
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"empty":     {},
		"truncated": good[:len(good)-1],
		"over-long": append(slices.Clone(good), 0),
		"vk only":   good[:vkFixed+96*c.NumInputs],
		"short vk":  good[:100],
	} {
		_, err := Open(context.Background(), write(t, data))
		require.Equal(t, status.SRSLayout, status.CodeOf(err), name)
	}
	for n := 0; n < len(good); n += 211 {
		_, err := Open(context.Background(), write(t, good[:n]))
		require.Equal(t, status.SRSLayout, status.CodeOf(err), "%d bytes", n)
	}
	_, err = Open(context.Background(), filepath.Join(t.TempDir(), "none.params"))
	require.Equal(t, status.SRSMissing, status.CodeOf(err))
	_, err = Open(context.Background(), t.TempDir())
	require.Equal(t, status.FileIO, status.CodeOf(err))

	f, err := Open(context.Background(), path)
	require.NoError(t, err)
	defer f.Close()
	err = f.Layout.Match(LayoutOf(toy.Compile(21)))
	require.Equal(t, status.SRSMismatch, status.CodeOf(err))
}

// TestFlippedBits: a flipped bit of any section is found when it is decoded, and
// the error names section and index.
func TestFlippedBits(t *testing.T) {
	path, c := toyFile(t)
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	l := LayoutOf(c)
	at := vkFixed + 96*l.IC + 4
	for _, s := range []struct {
		name  string
		count int
		size  int
	}{{"srs.h", l.H, 96}, {"srs.l", l.L, 96}, {"srs.a", l.A, 96}, {"srs.b_g1", l.B, 96}, {"srs.b_g2", l.B, 192}} {
		for _, i := range []int{0, 7, s.count - 1} {
			for _, bit := range []int{0, 1, 2, 3, 50 * 8, s.size*8 - 1} {
				data := slices.Clone(good)
				data[at+i*s.size+bit/8] ^= 0x80 >> (bit % 8)
				f, err := Open(context.Background(), write(t, data))
				require.NoError(t, err)
				err = f.CheckPoints(context.Background(), 2, curve.CheckCurve)
				require.Equal(t, status.SRSPoint, status.CodeOf(err))
				require.ErrorContains(t, err, fmt.Sprintf("%s[%d]", s.name, i))
				_, err = f.SRS().H.Range(context.Background(), make([]curve.G1Affine, l.H), 0)
				require.Equal(t, s.name == "srs.h", err != nil)
				f.Close()
			}
		}
		at += s.count*s.size + 4
	}
	data := slices.Clone(good)
	binary.BigEndian.PutUint32(data[vkFixed+96*l.IC:], uint32(l.H+1))
	_, err = Open(context.Background(), write(t, data))
	require.Equal(t, status.SRSLayout, status.CodeOf(err))
}

// TestChosenPicks: whatever is picked is read where it is, in pieces of at most files.Piece.
func TestChosenPicks(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	var p picks
	for range 200 {
		index := make([]uint32, 1+rng.IntN(5000))
		at, step := uint32(0), 1+rng.IntN(300)
		for i := range index {
			at += uint32(rng.IntN(step))
			if index[i] = at; rng.IntN(50) == 0 {
				index[i] = uint32(rng.IntN(100000)) // not in order
			}
		}
		for rest := index; len(rest) > 0; {
			n := p.choose(rest, curve.SizeG1)
			require.Positive(t, n)
			var points []int // that are read
			for _, r := range p.runs {
				for k := r.from; k < r.to; k++ {
					points = append(points, k)
				}
			}
			require.LessOrEqual(t, len(points)*curve.SizeG1, files.Piece)
			for i, k := range rest[:n] {
				require.EqualValues(t, k, points[p.at[i]/curve.SizeG1])
			}
			rest = rest[n:]
		}
	}
}

// TestTruncatedWhileOpen: a file that shrinks while it is used is an error, not
// the end of the process.
func TestTruncatedWhileOpen(t *testing.T) {
	path, _ := toyFile(t)
	f, err := Open(context.Background(), path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, os.Truncate(path, 4096))
	err = f.CheckPoints(context.Background(), 2, curve.CheckCurve)
	require.Equal(t, status.FileIO, status.CodeOf(err))
}

func TestMakeLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	opts := MakeOptions{Workers: 2, Progress: func(done, _ int64) {
		if done > 5000 {
			cancel()
		}
	}}
	err := Make(ctx, toy.Compile(5000), ToxicFromLabel("x"), filepath.Join(dir, "x.params"), filepath.Join(dir, "x.vk"), opts)
	require.Equal(t, status.Cancelled, status.CodeOf(err))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	zero := new(Toxic)
	err = Make(context.Background(), toy.Compile(2), zero, filepath.Join(dir, "x.params"), filepath.Join(dir, "x.vk"), opts)
	require.Equal(t, status.Argument, status.CodeOf(err))
}

func TestDigests(t *testing.T) {
	path := write(t, []byte("abc"))
	file, err := files.Open(context.Background(), path)
	require.NoError(t, err)
	defer file.Close()
	d, err := file.Digest(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, "ba80a53f981c4d0d6a2797b69f12f6e9", d) // RFC 7693, appendix A
	name := "v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194"
	named := filepath.Join(filepath.Dir(path), name+".params")
	require.NoError(t, os.Rename(path, named))
	_, digest, ok := Recognise(named)
	require.True(t, ok)
	require.Equal(t, "311f92a3e75036ced01b1c0025f1fa0c", digest)
	require.Equal(t, status.SRSDigest, status.CodeOf(VerifyPublished(context.Background(), file, nil)), "no published name")
	renamed, err := files.Open(context.Background(), named)
	require.NoError(t, err)
	defer renamed.Close()
	require.Equal(t, status.SRSDigest, status.CodeOf(VerifyPublished(context.Background(), renamed, nil)))
	_, digest, ok = Recognise(name + ".vk")
	require.True(t, ok)
	require.Equal(t, "eadad9784969890d30f2749708c79771", digest)
}

// FuzzOpen feeds arbitrary bytes to the reader and decodes whatever it accepts.
func FuzzOpen(f *testing.F) {
	path, c := toyFile(f)
	good, err := os.ReadFile(path)
	require.NoError(f, err)
	at := vkFixed + 96*c.NumInputs
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(good[:at])
	f.Add(good[:at+4])
	f.Add(bytes.Repeat([]byte{0xff}, 2000))
	flipped := slices.Clone(good)
	flipped[at+5] ^= 1
	f.Add(flipped)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Open(context.Background(), write(t, data))
		if err != nil {
			code := status.CodeOf(err)
			require.Contains(t, []status.Code{status.SRSLayout, status.SRSPoint}, code)
			return
		}
		defer file.Close()
		require.Equal(t, int64(len(data)), file.Layout.Size())
		if err := file.CheckPoints(context.Background(), 1, curve.CheckCurve); err != nil {
			require.Equal(t, status.SRSPoint, status.CodeOf(err))
		}
	})
}
