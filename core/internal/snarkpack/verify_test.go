package snarkpack_test

import (
	"context"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/goldentest"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// verdict says what is said to an aggregate.
func verdict(t testing.TB, vk *snarkpack.VerifierKey, c *goldentest.Case) (string, error) {
	ctx := context.Background()
	claim, err := snarkpack.NewClaim(ctx, vk, c.Statement(t), c.Aggregate, 2)
	if err != nil {
		require.NotEqual(t, status.Panic, status.CodeOf(err), "%v", err)
		require.NotEqual(t, status.Internal, status.CodeOf(err), "%v", err)
		return "error", err
	}
	bad, err := snarkpack.Check(ctx, []*snarkpack.Claim{claim}, 2)
	require.NoError(t, err)
	if len(bad) > 0 {
		return "rejected", nil
	}
	return "accepted", nil
}

// TestVerdicts: what the published verifier accepts is accepted, and nothing else of
// its hundreds of variants.
func TestVerdicts(t *testing.T) {
	vk := goldentest.VerifierKey(t)
	count := map[string]int{}
	for _, v := range goldentest.Variants(t) {
		got, err := verdict(t, vk, &v.Case)
		count[v.Published]++
		if v.Published == "accepted" || v.Published == "rejected" && got != "error" {
			require.Equal(t, v.Published, got, "%s: %s: %v", v.Name, v.Variant, err)
		}
		require.Equal(t, v.Published == "accepted", got == "accepted", "%s: %s: %v", v.Name, v.Variant, err)
		if v.Published == "rejected" && got == "error" {
			t.Logf("%s: %s is rejected there, an error here: %v", v.Name, v.Variant, err)
		}
	}
	t.Log(count)
	require.GreaterOrEqual(t, count["accepted"], 4)
	require.GreaterOrEqual(t, count["rejected"], 300)
}

// TestTogether: of many aggregates of two circuits, those that do not hold are named.
func TestTogether(t *testing.T) {
	ctx := context.Background()
	vk := goldentest.VerifierKey(t)
	var good, bad []*snarkpack.Claim
	claim := func(c *goldentest.Case, key snarkpack.Statement) *snarkpack.Claim {
		s := c.Statement(t)
		s.Key = key.Key
		k, err := snarkpack.NewClaim(ctx, vk, s, c.Aggregate, 2)
		require.NoError(t, err)
		return k
	}
	small, large := goldentest.Load(t, "2k-v1_1-n4-V2"), goldentest.Load(t, "sim-32g-s1-V2")
	smallKey, largeKey := small.Statement(t), large.Statement(t)
	for _, name := range []string{"2k-v1_1-n4-V2", "2k-v1_1-n5-V1", "2k-ni-s1-V2", "2k-v1_1-n1-V2"} {
		good = append(good, claim(goldentest.Load(t, name), smallKey))
	}
	good = append(good, claim(large, largeKey))
	none, err := snarkpack.Check(ctx, good, 2)
	require.NoError(t, err)
	require.Empty(t, none)
	wrong := goldentest.Load(t, "2k-v1_1-n4-V2")
	wrong.Version = snarkpack.V1
	bad = append(append(append(bad, good[0], claim(wrong, smallKey)), good[1:]...), claim(wrong, smallKey))
	found, err := snarkpack.Check(ctx, bad, 2)
	require.NoError(t, err)
	require.Equal(t, []int{1, len(bad) - 1}, found)
}

// TestMutations: no aggregate with changed bytes is accepted, and none makes the
// verifier panic.
func TestMutations(t *testing.T) {
	vk := goldentest.VerifierKey(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	rounds := 60
	if testing.Short() {
		rounds = 12
	}
	for _, name := range []string{"2k-v1_1-n4-V2", "2k-v1_1-n2-V1"} {
		c := goldentest.Load(t, name)
		original := c.Aggregate
		for range rounds {
			c.Aggregate = append([]byte(nil), original...)
			switch at := random.IntN(len(original)); random.IntN(4) {
			case 0:
				c.Aggregate[at] ^= 1 << random.IntN(8)
			case 1:
				c.Aggregate = c.Aggregate[:at]
			case 2: // two pieces of the size of a point or element change places
				size := []int{48, 96, 288}[random.IntN(3)]
				from := random.IntN(len(original) - size)
				copy(c.Aggregate[min(at, len(original)-size):], original[from:from+size])
			default:
				binary.LittleEndian.PutUint32(c.Aggregate[1488:], 1<<random.IntN(32)+uint32(random.IntN(2)))
			}
			got, _ := verdict(t, vk, c)
			require.Equal(t, string(c.Aggregate) == string(original), got == "accepted", "seed %d", seed)
		}
	}
}

// FuzzVerifyAggregate: no bytes make the verifier panic, and what it accepts begins
// with the golden aggregate.
func FuzzVerifyAggregate(f *testing.F) {
	vk := goldentest.VerifierKey(f)
	c := goldentest.Load(f, "2k-v1_1-n2-V2")
	golden := c.Aggregate
	statement := c.Statement(f)
	f.Add(golden)
	f.Add(append(append([]byte(nil), golden...), 1, 2, 3))
	f.Add(golden[:len(golden)-1])
	f.Add(goldentest.Load(f, "2k-v1_1-n2-V1").Aggregate)
	f.Fuzz(func(t *testing.T, data []byte) {
		claim, err := snarkpack.NewClaim(context.Background(), vk, statement, data, 2)
		if err != nil {
			require.NotEqual(t, status.Internal, status.CodeOf(err))
			return
		}
		bad, err := snarkpack.Check(context.Background(), []*snarkpack.Claim{claim}, 2)
		require.NoError(t, err)
		if len(bad) == 0 {
			require.Equal(t, golden, data[:len(golden)])
		}
	})
}

// TestParseRoundTrip: what is parsed encodes to the same bytes.
func TestParseRoundTrip(t *testing.T) {
	for _, name := range goldentest.Names(t, "*-n*") {
		c := goldentest.Load(t, name)
		p, err := snarkpack.Parse(c.Aggregate, 2)
		require.NoError(t, err)
		require.Equal(t, c.Padded, p.Count())
		got, err := p.Bytes()
		require.NoError(t, err)
		require.Equal(t, c.Aggregate, got)
		require.Len(t, got, snarkpack.Size(c.Padded))
	}
}

// TestProductOfPowers compares with one power after the other.
func TestProductOfPowers(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	_, _, g, h := bls.Generators()
	base, err := bls.Pair([]bls.G1Affine{g}, []bls.G2Affine{h})
	require.NoError(t, err)
	scalar := func(i int) (s fr.Element) {
		switch i {
		case 0:
			return fr.Element{}
		case 1:
			return fr.One()
		case 2:
			s.SetOne()
			s.Neg(&s)
			return s
		case 3:
			s.SetUint64(0xd201000000010000)
			return s
		}
		var b [32]byte
		for j := range b {
			b[j] = byte(random.Uint32())
		}
		s.SetBytes(b[:])
		return s
	}
	var bases []snarkpack.GT
	var scalars []fr.Element
	var want snarkpack.GT
	want.SetOne()
	for i := range 12 {
		var z snarkpack.GT
		s := scalar(i)
		k := s.BigInt(new(big.Int))
		bases, scalars = append(bases, base), append(scalars, s)
		want.Mul(&want, z.Exp(base, k))
		base.Square(&base)
	}
	got := snarkpack.ProductOfPowers(bases, scalars)
	require.True(t, got.Equal(&want))
	got = snarkpack.ProductOfPowers(nil, nil)
	require.True(t, got.IsOne())
}
