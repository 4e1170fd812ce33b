package verify

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

const golden = "../../../tests/golden"

// goldenCase is one proof of golden/sectors with everything that it needs.
type goldenCase struct {
	name   string
	kind   string
	proof  []byte
	inputs [][]fr.Element // per partition, without ONE
}

// loadCases reads every proof-*.json below golden/sectors.
func loadCases(t testing.TB) []goldenCase {
	files, err := filepath.Glob(golden + "/sectors/*/proof-*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var cases []goldenCase
	for _, file := range files {
		var p struct{ Kind, Proof string }
		readJSON(t, file, &p)
		proof, err := hex.DecodeString(p.Proof)
		require.NoError(t, err)
		name := filepath.Base(file)
		var w struct{ Partitions []struct{ Inputs []string } }
		readJSON(t, filepath.Join(filepath.Dir(file), "witness"+name[len("proof"):]), &w)
		c := goldenCase{name: filepath.Base(filepath.Dir(file)) + "/" + name, kind: p.Kind, proof: proof}
		for _, part := range w.Partitions {
			var row []fr.Element
			for _, h := range part.Inputs[1:] {
				row = append(row, element(t, h))
			}
			c.inputs = append(c.inputs, row)
		}
		cases = append(cases, c)
	}
	return cases
}

func readJSON(t testing.TB, file string, v any) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, v))
}

// element decodes 32 little-endian bytes in hex.
func element(t testing.TB, s string) (e fr.Element) {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	slices.Reverse(b)
	require.NoError(t, e.SetBytesCanonical(b))
	return e
}

func goldenVerifier(t testing.TB, kind string) *Verifier {
	data, err := os.ReadFile(fmt.Sprintf("%s/vk/%s-2048.vk", golden, kind))
	require.NoError(t, err)
	key, err := ParseKey(data)
	require.NoError(t, err)
	require.Equal(t, data, key.AppendTo(nil))
	require.Equal(t, len(data), key.Size())
	v, err := New(key)
	require.NoError(t, err)
	return v
}

// check is what a user of the package does with proof bytes.
func check(v *Verifier, proof []byte, inputs [][]fr.Element) error {
	proofs, err := DecodeProofs(proof)
	if err != nil {
		return err
	}
	return v.CheckBatch(proofs, inputs)
}

func TestGoldenProofs(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.name, func(t *testing.T) {
			v := goldenVerifier(t, c.kind)
			require.NoError(t, check(v, c.proof, c.inputs))
			t.Run("tampered", func(t *testing.T) { tamper(t, v, c) })
		})
	}
}

// tamper checks that no change of a valid proof or of its inputs is accepted.
func tamper(t *testing.T, v *Verifier, c goldenCase) {
	for i := range c.inputs[0] {
		inputs := slices.Clone(c.inputs)
		inputs[0] = slices.Clone(inputs[0])
		one := scalarOne()
		inputs[0][i].Add(&inputs[0][i], &one)
		require.Equal(t, status.ProofInvalid, status.CodeOf(check(v, c.proof, inputs)), "input %d", i)
		if i >= 3 {
			break
		}
	}
	for _, bit := range []int{0, 1, 2, 3, 47 * 8, 48 * 8, 49*8 + 3, 143*8 + 7, 144 * 8, 144*8 + 2, 191*8 + 7} {
		proof := slices.Clone(c.proof)
		proof[bit/8] ^= 0x80 >> (bit % 8)
		code := status.CodeOf(check(v, proof, c.inputs))
		require.Contains(t, []status.Code{status.ProofInvalid, status.ProofMalformed}, code, "bit %d", bit)
	}
	require.Equal(t, status.ProofMalformed, status.CodeOf(check(v, c.proof[1:], c.inputs)))
	require.Equal(t, status.ProofMalformed, status.CodeOf(check(v, append(slices.Clone(c.proof), c.proof[:ProofSize]...), c.inputs)))
	short := [][]fr.Element{c.inputs[0][1:]}
	require.Equal(t, status.InputValue, status.CodeOf(check(v, c.proof[:ProofSize], short)))
}

// TestMalleated: valid points in the wrong place do not verify, and a valid
// proof re-randomised with the public formula does.
func TestMalleated(t *testing.T) {
	c := loadCases(t)[0]
	v := goldenVerifier(t, c.kind)
	proofs, err := DecodeProofs(c.proof)
	require.NoError(t, err)
	p := proofs[0]
	swapped := Proof{A: p.C, B: p.B, C: p.A}
	require.Equal(t, status.ProofInvalid, status.CodeOf(v.Check(&swapped, c.inputs[0])))
	// (−A)·(−B) = A·B: the same pairing product.
	var both Proof
	both.A.Neg(&p.A)
	both.B.Neg(&p.B)
	both.C = p.C
	require.NoError(t, v.Check(&both, c.inputs[0]))
	both.B = p.B
	require.Equal(t, status.ProofInvalid, status.CodeOf(v.Check(&both, c.inputs[0])))
}

func TestBatchNamesCulprit(t *testing.T) {
	var two *goldenCase
	for _, c := range loadCases(t) {
		if c.kind == "porep" && two == nil {
			two = &c
		} else if c.kind == "porep" && len(two.inputs) < 2 {
			two.proof = append(two.proof, c.proof...)
			two.inputs = append(two.inputs, c.inputs...)
		}
	}
	v := goldenVerifier(t, "porep")
	require.NoError(t, check(v, two.proof, two.inputs))
	two.inputs[0], two.inputs[1] = two.inputs[1], two.inputs[0]
	err := check(v, two.proof, two.inputs)
	require.Equal(t, status.ProofInvalid, status.CodeOf(err))
	two.inputs[0], two.inputs[1] = two.inputs[1], two.inputs[0]
	bad := slices.Clone(two.inputs[1])
	bad[0].SetZero()
	two.inputs[1] = bad
	err = check(v, two.proof, two.inputs)
	require.ErrorContains(t, err, "proof[1]")
}

func TestProofDecodeRejects(t *testing.T) {
	c := loadCases(t)[0]
	set := func(change func(b []byte)) []byte {
		b := slices.Clone(c.proof[:ProofSize])
		change(b)
		return b
	}
	_, _, g1, _ := bls.Generators()
	raw := g1.RawBytes()
	stray := offSubgroupG1(t)
	off := stray.Bytes()
	for name, b := range map[string][]byte{
		"empty":         {},
		"a is identity": set(func(b []byte) { clear(b[:48]); b[0] = 0xc0 }),
		"b is identity": set(func(b []byte) { clear(b[48:144]); b[48] = 0xc0 }),
		"c is identity": set(func(b []byte) { clear(b[144:]); b[144] = 0xc0 }),
		"uncompressed":  set(func(b []byte) { copy(b, raw[:]) }),
		"x too large":   set(func(b []byte) { b[0] |= 0x1f }),
		"off subgroup":  set(func(b []byte) { copy(b, off[:]) }),
	} {
		_, err := DecodeProofs(b)
		require.Equal(t, status.ProofMalformed, status.CodeOf(err), name)
	}
}

// offSubgroupG1 finds a point of the curve outside the subgroup: x = 4 has one.
func offSubgroupG1(t *testing.T) bls.G1Affine {
	var p bls.G1Affine
	for x := uint64(1); ; x++ {
		p.X.SetUint64(x)
		p.Y.Square(&p.X).Mul(&p.Y, &p.X)
		four := p.X
		four.SetUint64(4)
		p.Y.Add(&p.Y, &four)
		if p.Y.Sqrt(&p.Y) != nil && !p.IsInSubGroup() {
			require.True(t, p.IsOnCurve())
			return p
		}
	}
}

func TestKeyRejects(t *testing.T) {
	data, err := os.ReadFile(golden + "/vk/winning_post-2048.vk")
	require.NoError(t, err)
	for n := 0; n < len(data); n += 97 {
		_, err := ParseKey(data[:n])
		require.Equal(t, status.SRSLayout, status.CodeOf(err), "%d bytes", n)
	}
	_, err = ParseKey(append(slices.Clone(data), 0))
	require.Equal(t, status.SRSLayout, status.CodeOf(err))
	change := func(f func(b []byte)) error {
		b := slices.Clone(data)
		f(b)
		_, err := ParseKey(b)
		return err
	}
	require.ErrorContains(t, change(func(b []byte) { b[95] ^= 1 }), "vk.alpha_g1: not on curve")
	require.ErrorContains(t, change(func(b []byte) { clear(b[96:192]); b[96] = 0x40 }), "vk.beta_g1: point at infinity")
	require.ErrorContains(t, change(func(b []byte) { clear(b[96:192]) }), "vk.beta_g1: not on curve")
	require.ErrorContains(t, change(func(b []byte) { b[192] |= 0x80 }), "vk.beta_g2: not an uncompressed")
	require.ErrorContains(t, change(func(b []byte) { b[192] |= 0x1f }), "vk.beta_g2: coordinate")
	stray := offSubgroupG1(t)
	off := stray.RawBytes()
	require.ErrorContains(t, change(func(b []byte) { copy(b[keyFixedSize+5*g1Size:], off[:]) }), "vk.ic[5]: not in the subgroup")
	require.ErrorContains(t, change(func(b []byte) { b[keyFixedSize-4] = 0xff }), "vk.ic")
	require.ErrorContains(t, change(func(b []byte) { clear(b[keyFixedSize-4 : keyFixedSize]) }), "vk.ic")
}

func FuzzParseKey(f *testing.F) {
	data, err := os.ReadFile(golden + "/vk/update-2048.vk")
	require.NoError(f, err)
	f.Add(data)
	f.Add(data[:keyFixedSize])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		key, err := ParseKey(b)
		if err == nil {
			require.Equal(t, b, key.AppendTo(nil))
		} else {
			require.NotEqual(t, status.Internal, status.CodeOf(err))
		}
	})
}

func FuzzDecodeProofs(f *testing.F) {
	for _, c := range loadCases(f) {
		f.Add(c.proof)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := DecodeProofs(b); err != nil {
			require.Equal(t, status.ProofMalformed, status.CodeOf(err))
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	c := loadCases(b)[0]
	v := goldenVerifier(b, c.kind)
	proofs, err := DecodeProofs(c.proof)
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, v.CheckBatch(proofs, c.inputs))
	}
}
