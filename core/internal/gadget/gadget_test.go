package gadget

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// run records a circuit, solves it and checks every row.
func run(t *testing.T, build func(*r1cs.CS)) (*r1cs.Circuit, *r1cs.Witness) {
	t.Helper()
	c := r1cs.Compile(build)
	w, err := c.Solve(t.Context(), build)
	require.NoError(t, err)
	require.NoError(t, c.Check(t.Context(), w, 2))
	return c, w
}

func seeded(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func randomNum(r *rand.Rand) (e fr.Element) {
	return fromLimbs([4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64() >> 2})
}

// allocWord allocates 32 free bits.
func allocWord(cs *r1cs.CS, v uint32) Word {
	var b [32]Bit
	AllocBits(cs, uint64(v), b[:])
	return WordOf(cs, b[:])
}

func digestBytes(words [8]Word) (out [32]byte) {
	for i, w := range words {
		binary.BigEndian.PutUint32(out[4*i:], w.Val)
	}
	return out
}

func TestSHA256(t *testing.T) {
	r := seeded(t)
	for _, n := range []int{0, 1, 2, 13, 14, 16, 17, 30, 32, 48} {
		msg := make([]byte, 4*n)
		constant := make([]bool, n) // words that the circuit knows
		for i := range n {
			binary.BigEndian.PutUint32(msg[4*i:], r.Uint32())
			constant[i] = r.IntN(4) == 0
		}
		var got [8]Word
		run(t, func(cs *r1cs.CS) {
			words := make([]Word, n)
			for i := range words {
				v := binary.BigEndian.Uint32(msg[4*i:])
				if words[i] = ConstWord(v); !constant[i] {
					words[i] = allocWord(cs, v)
				}
			}
			got = SHA256(cs, words)
		})
		require.Equal(t, sha256.Sum256(msg), digestBytes(got), "%d words", n)
	}
}

// TestPublishedCounts holds the numbers of rows that the published crates state
// in their tests (sha256.rs, hash.rs, por_circuit.rs).
func TestPublishedCounts(t *testing.T) {
	words := func(cs *r1cs.CS, n int) []Word {
		w := make([]Word, n)
		for i := range w {
			w[i] = allocWord(cs, uint32(i))
		}
		return w
	}
	c, _ := run(t, func(cs *r1cs.CS) {
		var iv shaState
		for i, v := range shaIV {
			iv[i] = ConstWord(v)
		}
		compress(cs, iv, [16]Word(words(cs, 16)))
	})
	require.Equal(t, 25840+512, c.NumRows, "one compression")
	c, _ = run(t, func(cs *r1cs.CS) { SHA256(cs, words(cs, 16)) })
	require.Equal(t, 44874+512, c.NumRows, "64 bytes")

	for arity, rows := range map[int]int{2: 311, 4: 377, 8: 505, 11: 598} {
		c, _ = run(t, func(cs *r1cs.CS) {
			in := make([]Num, arity)
			for i := range in {
				v := randomNum(rand.New(rand.NewPCG(uint64(i), 1)))
				in[i] = Alloc(cs, &v)
			}
			h := Poseidon(cs, poseidon.Merkle(arity), in)
			values := make([]fr.Element, arity)
			for i := range in {
				values[i] = in[i].Val
			}
			if !cs.Recording() {
				require.Equal(t, poseidon.Merkle(arity).Hash(values), h.Val)
			}
		})
		require.Equal(t, rows, c.NumRows, "arity %d", arity)
		require.Equal(t, rows+arity, c.NumAux, "arity %d", arity)
	}
}

func TestInclusion(t *testing.T) {
	r := seeded(t)
	for _, arities := range [][]int{{8, 8}, {8, 8, 8}, {8, 8, 8, 2}, {8, 4}, {2}, {4, 4}} {
		leaf := randomNum(r)
		path := BlankPath(arities)
		root, index, weight := leaf, uint64(0), uint64(1)
		for i, a := range arities {
			path[i].Index = uint64(r.IntN(a))
			index += path[i].Index * weight
			weight *= uint64(a)
			for j := range path[i].Siblings {
				path[i].Siblings[j] = randomNum(r)
			}
			children := append([]fr.Element{}, path[i].Siblings[:path[i].Index]...)
			children = append(append(children, root), path[i].Siblings[path[i].Index:]...)
			root = poseidon.Merkle(a).Hash(children)
		}
		build := func(cs *r1cs.CS) {
			Inclusion(cs, PoseidonTree, Alloc(cs, &leaf), path, Alloc(cs, &root))
		}
		c, w := run(t, build)
		want := new(fr.Element).SetUint64(index)
		require.True(t, w.Inputs[1].Equal(want), "index of %v", arities)

		// A wrong sibling fails at the root's equality and nowhere else.
		path[0].Siblings[0].SetOne()
		_, err := c.Solve(t.Context(), build)
		require.ErrorContains(t, err, "/inclusion/equal")
	}
}

func TestSelectAndBits(t *testing.T) {
	r := seeded(t)
	for range 20 {
		from := make([]fr.Element, 16)
		for i := range from {
			from[i] = randomNum(r)
		}
		i := r.IntN(len(from))
		index := new(fr.Element).SetUint64(uint64(i))
		run(t, func(cs *r1cs.CS) {
			nums := make([]Num, len(from))
			for j := range from {
				nums[j] = Alloc(cs, &from[j])
			}
			b := NumBits(cs, Alloc(cs, index), 4)
			got := Select(cs, nums, b)
			if !cs.Recording() {
				require.Equal(t, from[i], got.Val)
			}
		})
	}
}

func TestHashPairIsTruncatedSHA(t *testing.T) {
	r := seeded(t)
	a, b := randomNum(r), randomNum(r)
	var msg, back [64]byte
	fr.LittleEndian.PutElement((*[32]byte)(msg[:32]), a)
	fr.LittleEndian.PutElement((*[32]byte)(msg[32:]), b)
	want := sha256.Sum256(msg[:])
	want[31] &= 0x3f
	run(t, func(cs *r1cs.CS) {
		h := HashPair(cs, Alloc(cs, &a), Alloc(cs, &b))
		fr.LittleEndian.PutElement((*[32]byte)(back[:32]), h.Val)
	})
	require.Equal(t, want[:], back[:32])
}
