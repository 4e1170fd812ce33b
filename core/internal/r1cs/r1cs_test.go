package r1cs

import (
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// toy is n chained calls of two templates: a mix of bits, scalars and inputs,
// with wires of every class, coefficients of every size, merged and cancelled
// terms.
func toy(n int, seed uint64) func(*CS) {
	return func(cs *CS) {
		r := rand.New(rand.NewPCG(seed, 0))
		one := fr.One()
		var x fr.Element
		x.SetUint64(r.Uint64())
		prev, prevVal := One, one
		for i := range n {
			cs.In("step", i)
			f := cs.Open("square_plus_bits")
			f.Key(uint64(i % 2))
			f.Wire(&prev)
			bits := r.Uint64()
			b := cs.AllocBitsIf(f, bits, 5)
			var sum, k fr.Element
			sum.Set(&prevVal)
			lin := LC{{prev, one}}
			for j := range 5 {
				k.SetUint64(uint64(3*j + i%2))
				lin = append(lin, Term{b + Var(j), k})
				if bits>>j&1 == 1 {
					sum.Add(&sum, &k)
				}
			}
			prevVal.Square(&sum)
			var v Var
			if f.Fresh() {
				v = cs.AllocScalar(&prevVal)
				in := cs.AllocInput(&prevVal)
				if cs.Recording() {
					zero := Term{b, *new(fr.Element).Neg(&one)}
					cs.Enforce(append(lin, Term{b, one}, zero), lin, LC{{v, one}})
					cs.Enforce(LC{{v, one}}, LC{{One, one}}, LC{{in, one}})
				}
			}
			f.Result(&v)
			cs.Close(f)
			prev = v
			cs.Out()
		}
	}
}

// AllocBitsIf runs the body's first allocation only where Run says so.
func (cs *CS) AllocBitsIf(f *Frame, v uint64, n int) Var {
	if f.Run() {
		return cs.AllocBits(v, n)
	}
	return 0
}

func TestSolveMatchesCircuit(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, n := range []int{1, 2, 10, 31, 100} {
		build := toy(n, seed)
		c := Compile(build)
		require.Equal(t, n+1, c.NumInputs)
		require.Equal(t, 6*n, c.NumAux)
		require.Equal(t, 2*n, c.NumRows)
		require.Equal(t, n, c.NumScalars())
		require.LessOrEqual(t, c.NumTemplates(), 2)
		w, err := c.Solve(t.Context(), build)
		require.NoError(t, err)
		require.NoError(t, c.Check(t.Context(), w, 3))

		// Every way to read a row agrees: EvalAB, and QAP at a random point.
		a, b := make([]fr.Element, c.Domain()), make([]fr.Element, c.Domain())
		require.NoError(t, c.EvalAB(t.Context(), w, a, b, 3))
		lagrange := make([]fr.Element, c.Domain())
		for i := range lagrange {
			lagrange[i].MustSetRandom()
		}
		q, err := c.QAP(t.Context(), func(first int, to []fr.Element) { copy(to, lagrange[first:]) }, 2)
		require.NoError(t, err)
		at, bt, ct := spread(q)
		values := append([]fr.Element{}, w.Inputs...)
		c.Aux(w, func(_ int, v *fr.Element) { values = append(values, *v) })
		require.Equal(t, inner(lagrange, a), inner(at, values))
		require.Equal(t, inner(lagrange, b), inner(bt, values))
		products := make([]fr.Element, len(a))
		for i := range products {
			products[i].Mul(&a[i], &b[i])
		}
		require.Equal(t, inner(lagrange, products), inner(ct, values), "c = a∘b for a satisfied system")
	}
}

// spread returns the columns with zeros for variables that do not occur.
func spread(q *QAP) (at, bt, ct []fr.Element) {
	at, bt, ct = make([]fr.Element, len(q.C)), make([]fr.Element, len(q.C)), make([]fr.Element, len(q.C))
	q.Combine(1, func(v int, a, b, c *fr.Element) {
		if a != nil {
			at[v] = *a
		}
		if b != nil {
			bt[v] = *b
		}
		ct[v] = *c
	})
	return at, bt, ct
}

func inner(x, y []fr.Element) (s fr.Element) {
	var p fr.Element
	for i := range x {
		s.Add(&s, p.Mul(&x[i], &y[i]))
	}
	return s
}

func TestCheckNamesTheFirstRow(t *testing.T) {
	build := toy(40, 7)
	c := Compile(build)
	w, err := c.Solve(t.Context(), build)
	require.NoError(t, err)
	w.Scalars[17].SetOne() // the result of step 17
	err = c.Check(t.Context(), w, 4)
	require.Equal(t, status.Unsatisfied, status.CodeOf(err))
	require.ErrorContains(t, err, "constraint 34 of 80")
	require.ErrorContains(t, err, "/step[17]/square_plus_bits")
}

func TestSolveRefusesOtherShape(t *testing.T) {
	_, err := Compile(toy(3, 1)).Solve(t.Context(), toy(2, 1))
	require.ErrorContains(t, err, "12 aux")
}

func TestDensityAndRank(t *testing.T) {
	c := Compile(toy(70, 3))
	a, b, in := c.Density()
	rank := 0
	for i := range c.NumAux {
		require.Equal(t, i%6 < 5, c.isBit(i), "aux %d", i)
		require.Equal(t, rank, c.scalarRank(i))
		if !c.isBit(i) {
			rank++
		}
		// Bit 0 has coefficient 0 in the even template; in A it is added and
		// cancelled there, so it is used by neither.
		used := !(i%12 == 0) && i < c.NumAux
		require.Equal(t, used, a[i>>6]>>(i&63)&1 == 1, "A, aux %d", i)
		wantB := used && i != c.NumAux-1
		require.Equal(t, wantB, b[i>>6]>>(i&63)&1 == 1, "B, aux %d", i)
	}
	require.Equal(t, []int{0}, in)
}

func TestOrShifted(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 1000 {
		at, src := r.IntN(200), []uint64{r.Uint64(), r.Uint64() >> r.IntN(64)}
		dst := make([]uint64, 6)
		orShifted(dst, at, src)
		for i := range 384 {
			want := i >= at && i < at+128 && src[(i-at)>>6]>>((i-at)&63)&1 == 1
			require.Equal(t, want, dst[i>>6]>>(i&63)&1 == 1)
		}
	}
}
