// Package aggregator makes SnarkPack aggregates: see package snarkpack for the protocol.
//
// Aggregation has no randomness, so that equal proofs give equal bytes, those of
// bellperson 0.26 (groth16/aggregate/prove.rs). What is computed differently:
//
//   - Vectors that the protocol scales by powers of r keep their old values, and the
//     power of r goes to the product: with B'_i = r^i·B_i and w'_i = r^−i·w_i, a half
//     shifted by h gives <w'_R, B'_L> = <w_R, B_L>^(r^−h).
//   - Products that share points of G2 share the lines of their Miller loops, and the
//     products of the first round are taken together with the commitments.
//   - Vectors are folded in lockstep: all points are multiplied by the same scalar, in
//     affine coordinates with shared inversions.
package aggregator

import (
	"context"
	"math/big"
	"sync/atomic"

	"github.com/consensys/gnark-crypto/ecc"
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Key is what aggregation of up to Size proofs needs of an SRS with the secrets a and
// b, index 0 and 1: powers 0 to 2·Size − 1 of each in G1, and 0 to Size − 1 in G2.
type Key struct {
	G1 [2][]bls.G1Affine
	G2 [2][]bls.G2Affine
}

// Size returns the number of proofs that the key suffices for, a power of two.
func (k *Key) Size() int { return len(k.G2[0]) }

// What an aggregation holds beside its key, at most: per proof the vectors, powers of r
// and scalars of sums, and per worker the blocks that it works on.
const (
	BytesPerProof  = 4 << 10
	BytesPerWorker = 16 << 20
)

// Options say how to aggregate.
type Options struct {
	Version  snarkpack.Version
	Included [32]byte // what the transcript binds, see [snarkpack.Included]
	Workers  int      // threads, at least 1
	// Progress, if set, is called from any goroutine with the pairings done so far and
	// their number.
	Progress func(done, total int64)
}

// Aggregate makes the aggregate of at least one proof; the last stands for the padding
// too. That the proofs hold is not checked: of wrong ones, the aggregate is wrong.
// The error is that of ctx, or has code SRSLayout for a key that is too short.
func Aggregate(ctx context.Context, key *Key, proofs []verify.Proof, o Options) (*snarkpack.Proof, error) {
	n := snarkpack.Padded(len(proofs))
	if n > key.Size() {
		return nil, status.New(status.SRSLayout, "srs", "SRS for %d proofs, %d with padding are asked for", key.Size(), n)
	}
	a := newAggregation(ctx, key, proofs, n, o)
	err := a.run()
	if err != nil && ctx.Err() != nil {
		err = status.Ended(ctx)
	}
	return a.proof, err
}

// aggregation is one aggregate in the making. The vectors halve in each round.
type aggregation struct {
	Options
	ctx   context.Context
	n     int
	key   *Key
	proof *snarkpack.Proof

	a, c []bls.G1Affine
	ra   []bls.G1Affine    // r^i·a[i]
	b    []bls.G2Affine    // without the power of r
	v    [2][]bls.G2Affine // the key of commitments to points of G1
	w    [2][]bls.G1Affine // and of G2, without the power of r

	hcom, r fr.Element
	powers  []fr.Element // of r
	sum     fr.Element   // the folded vector of powers of r is sum·r^i
	x, y    []fr.Element // challenges of the rounds so far

	first  crossed // products of round 0, made with the commitments
	evaled atomic.Int64
}

func newAggregation(ctx context.Context, key *Key, proofs []verify.Proof, n int, o Options) *aggregation {
	a := &aggregation{Options: o, ctx: ctx, n: n, key: key, proof: new(snarkpack.Proof)}
	a.Workers = max(1, o.Workers)
	a.a, a.b, a.c = make([]bls.G1Affine, n), make([]bls.G2Affine, n), make([]bls.G1Affine, n)
	for i := range n {
		p := &proofs[min(i, len(proofs)-1)]
		a.a[i], a.b[i], a.c[i] = p.A, p.B, p.C
	}
	for x := range 2 {
		a.v[x] = append([]bls.G2Affine(nil), key.G2[x][:n]...)
		a.w[x] = append([]bls.G1Affine(nil), key.G1[x][n:2*n]...)
	}
	return a
}

func (a *aggregation) run() error {
	if err := a.commit(); err != nil {
		return err
	}
	if err := a.combine(); err != nil {
		return err
	}
	y := snarkpack.FirstChallenge(&a.hcom, &a.proof.IpAB, &a.proof.AggC, &a.r)
	for k := 0; len(a.a) > 1; k++ {
		round, err := a.round(k)
		if err != nil {
			return err
		}
		a.proof.Rounds = append(a.proof.Rounds, *round)
		y = snarkpack.RoundChallenge(a.Version, k, &y, round)
		var x fr.Element
		x.Inverse(&y)
		a.x, a.y = append(a.x, x), append(a.y, y)
		if err := a.fold(&x, &y); err != nil {
			return err
		}
	}
	p := a.proof
	p.A, p.B, p.C = a.a[0], a.b[0], a.c[0]
	for i := range 2 {
		p.V[i], p.W[i] = a.v[i][0], a.w[i][0]
	}
	return a.open()
}

// evaluated counts pairings: 7n before the rounds and 14n in them.
func (a *aggregation) evaluated(pairs int) {
	done := a.evaled.Add(int64(pairs))
	if a.Progress != nil {
		a.Progress(done, 21*int64(a.n))
	}
}

// crossed are the products of one round without final exponentiation, index 0 of a
// left half of G2 with a right one of G1, and 1 the other way round.
type crossed struct {
	av, cv, wb [2][2]bls.GT // by secret, by side
	ab         [2]bls.GT
}

// halves returns both halves of a vector.
func halves[P any](v []P) [2][]P { return [2][]P{v[:len(v)/2], v[len(v)/2:]} }

// commit computes the commitments and, with the same lines, the products of round 0.
func (a *aggregation) commit() error {
	as, cs, bs := halves(a.a), halves(a.c), halves(a.b)
	var withV [2][2]*product // by secret, by side
	var withB [2]*product
	var all []*product
	for side := range 2 {
		for x := range 2 {
			rows := [][]bls.G1Affine{as[side], cs[side], as[1-side], cs[1-side]}
			withV[x][side] = &product{q: halves(a.v[x])[side], rows: rows}
			all = append(all, withV[x][side])
		}
		w0, w1 := halves(a.w[0]), halves(a.w[1])
		withB[side] = &product{q: bs[side], rows: [][]bls.G1Affine{w0[side], w1[side], w0[1-side], w1[1-side]}}
		all = append(all, withB[side])
	}
	if err := millerLoops(a.ctx, a.Workers, a.evaluated, all...); err != nil {
		return err
	}
	p := a.proof
	for x := range 2 {
		l, r := withV[x][0].out, withV[x][1].out
		p.ComAB[x] = bls.FinalExponentiation(&l[0], &r[0], &withB[0].out[x], &withB[1].out[x])
		p.ComC[x] = bls.FinalExponentiation(&l[1], &r[1])
		for side := range 2 {
			a.first.av[x][side] = withV[x][side].out[2]
			a.first.cv[x][side] = withV[x][side].out[3]
			a.first.wb[x][side] = withB[side].out[2+x]
		}
	}
	return nil
}

// combine draws r, and computes the combinations of the proofs by its powers.
func (a *aggregation) combine() error {
	p := a.proof
	a.hcom = snarkpack.Hcom(&p.ComAB, &p.ComC)
	a.r = snarkpack.Randomizer(&a.hcom, a.Included)
	a.powers = make([]fr.Element, a.n)
	a.powers[0].SetOne()
	for i := 1; i < a.n; i++ {
		a.powers[i].Mul(&a.powers[i-1], &a.r)
	}
	a.sum.SetOne()
	a.ra = make([]bls.G1Affine, a.n)
	if err := g1().each(a.ctx, a.Workers, a.ra, a.a, a.powers); err != nil {
		return err
	}
	ras, bs := halves(a.ra), halves(a.b)
	var withB [2]*product
	for side := range 2 {
		withB[side] = &product{q: bs[side], rows: [][]bls.G1Affine{ras[side], ras[1-side]}}
	}
	if err := millerLoops(a.ctx, a.Workers, a.evaluated, withB[:]...); err != nil {
		return err
	}
	p.IpAB = bls.FinalExponentiation(&withB[0].out[0], &withB[1].out[0])
	a.first.ab = [2]bls.GT{withB[0].out[1], withB[1].out[1]}
	var err error
	p.AggC, err = a.sumG1(a.c, a.powers)
	return err
}

// round computes what the prover says in round k.
func (a *aggregation) round(k int) (*snarkpack.Round, error) {
	c := &a.first
	if k > 0 {
		var err error
		if c, err = a.cross(); err != nil {
			return nil, err
		}
	}
	round := new(snarkpack.Round)
	a.finish(round, c)
	h := len(a.c) / 2
	scalars := make([]fr.Element, 2*h)
	for i := range scalars {
		scalars[i].Mul(&a.sum, &a.powers[i])
	}
	var err error
	if round.ZcL, err = a.sumG1(a.c[h:], scalars[:h]); err != nil {
		return nil, err
	}
	round.ZcR, err = a.sumG1(a.c[:h], scalars[h:])
	return round, err
}

// cross computes the products of left halves with right ones.
func (a *aggregation) cross() (*crossed, error) {
	as, cs, bs, ras := halves(a.a), halves(a.c), halves(a.b), halves(a.ra)
	w0, w1 := halves(a.w[0]), halves(a.w[1])
	var withV [2][2]*product
	var withB [2]*product
	var all []*product
	for side := range 2 {
		for x := range 2 {
			withV[x][side] = &product{q: halves(a.v[x])[side], rows: [][]bls.G1Affine{as[1-side], cs[1-side]}}
			all = append(all, withV[x][side])
		}
		withB[side] = &product{q: bs[side], rows: [][]bls.G1Affine{w0[1-side], w1[1-side], ras[1-side]}}
		all = append(all, withB[side])
	}
	if err := millerLoops(a.ctx, a.Workers, a.evaluated, all...); err != nil {
		return nil, err
	}
	c := new(crossed)
	for side := range 2 {
		for x := range 2 {
			c.av[x][side], c.cv[x][side] = withV[x][side].out[0], withV[x][side].out[1]
			c.wb[x][side] = withB[side].out[x]
		}
		c.ab[side] = withB[side].out[2]
	}
	return c, nil
}

// finish exponentiates the products of a round. Left ones with B lack the power
// r^−h, right ones r^h.
func (a *aggregation) finish(round *snarkpack.Round, c *crossed) {
	shift := [2]fr.Element{}
	shift[1] = a.powers[len(a.a)/2]
	shift[0].Inverse(&shift[1])
	tab, tuc := [2]*[2]bls.GT{&round.TabL, &round.TabR}, [2]*[2]bls.GT{&round.TucL, &round.TucR}
	zab := [2]*bls.GT{&round.ZabL, &round.ZabR}
	var tasks []func()
	shifted := func(z *bls.GT, side int) bls.GT {
		reduced := bls.FinalExponentiation(z)
		return snarkpack.ProductOfPowers([]bls.GT{reduced}, shift[side:side+1])
	}
	for side := range 2 {
		for x := range 2 {
			tasks = append(tasks, func() {
				tab[side][x] = bls.FinalExponentiation(&c.av[x][side])
				wb := shifted(&c.wb[x][side], side)
				tab[side][x].Mul(&tab[side][x], &wb)
			}, func() { tuc[side][x] = bls.FinalExponentiation(&c.cv[x][side]) })
		}
		tasks = append(tasks, func() { *zab[side] = shifted(&c.ab[side], side) })
	}
	spawn.Range(a.Workers, len(tasks), func(_, lo, hi int) {
		for _, task := range tasks[lo:hi] {
			task()
		}
	})
}

// fold halves all vectors with the challenge x and its inverse y.
func (a *aggregation) fold(x, y *fr.Element) error {
	h := len(a.a) / 2
	var xDown, yUp, t fr.Element // x·r^−h and y·r^h
	yUp.Mul(y, &a.powers[h])
	xDown.Inverse(&yUp)
	t.SetOne()
	a.sum.Mul(&a.sum, t.Add(&t, &yUp))
	for _, f := range []struct {
		of *[]bls.G1Affine
		by *fr.Element
	}{{&a.a, x}, {&a.c, x}, {&a.ra, &xDown}, {&a.w[0], &xDown}, {&a.w[1], &xDown}} {
		s := halves(*f.of)
		if err := g1().fold(a.ctx, a.Workers, s[0], s[0], s[1], f.by); err != nil {
			return err
		}
		*f.of = s[0]
	}
	for _, f := range []struct {
		of *[]bls.G2Affine
		by *fr.Element
	}{{&a.b, &yUp}, {&a.v[0], y}, {&a.v[1], y}} {
		s := halves(*f.of)
		if err := g2().fold(a.ctx, a.Workers, s[0], s[0], s[1], f.by); err != nil {
			return err
		}
		*f.of = s[0]
	}
	return nil
}

// open proves that the final keys are the SRS folded by the challenges: they commit to
// f_v(X) = Π (1 + y_(l−1−j)·X^(2^j)) and f_w(X) = X^n·Π (1 + x_(l−1−j)·(X/r)^(2^j)), and
// (f(X) − f(z))/(X − z) opens them at z.
func (a *aggregation) open() error {
	z := a.proof.EvaluationPoint(a.Version, &a.x[len(a.x)-1])
	one := fr.One()
	var ratio fr.Element
	ratio.Inverse(&a.r)
	fv := quotient(coefficients(a.y, &one), &z)
	fw := quotient(append(make([]fr.Element, a.n), coefficients(a.x, &ratio)...), &z)
	for i := range 2 {
		var err error
		if _, err = a.proof.VOpen[i].MultiExp(a.key.G2[i][:len(fv)], fv, a.tasks()); err != nil {
			return status.New(status.Internal, "aggregate", "multi-exponentiation: %w", err)
		}
		if a.proof.WOpen[i], err = a.sumG1(a.key.G1[i][:len(fw)], fw); err != nil {
			return err
		}
	}
	return nil
}

// sumG1 returns Σ scalars[i]·points[i]. At most 32768 points take a few tenths of a
// second at most, for which gnark-crypto's sums serve better than those of package
// curve, whose buckets are meant for millions.
func (a *aggregation) sumG1(points []bls.G1Affine, scalars []fr.Element) (sum bls.G1Affine, err error) {
	if a.ctx.Err() != nil {
		return sum, status.Ended(a.ctx)
	}
	if _, err = sum.MultiExp(points, scalars, a.tasks()); err != nil {
		return sum, status.New(status.Internal, "aggregate", "multi-exponentiation: %w", err)
	}
	return sum, nil
}

func (a *aggregation) tasks() ecc.MultiExpConfig { return ecc.MultiExpConfig{NbTasks: a.Workers} }

// coefficients returns those of Π (1 + c_(l−1−j)·(s·X)^(2^j)), lowest first.
func coefficients(c []fr.Element, s *fr.Element) []fr.Element {
	out := []fr.Element{fr.One()}
	var factor fr.Element
	for j := range c {
		factor.Exp(*s, new(big.Int).Lsh(big.NewInt(1), uint(j)))
		factor.Mul(&factor, &c[len(c)-1-j])
		for i := range out {
			var t fr.Element
			out = append(out, *t.Mul(&out[i], &factor))
		}
	}
	return out
}

// quotient returns (f(X) − f(z))/(X − z) by Horner's rule.
func quotient(f []fr.Element, z *fr.Element) []fr.Element {
	q := make([]fr.Element, len(f)-1)
	var carry fr.Element
	for i := len(f) - 1; i > 0; i-- {
		carry.Mul(&carry, z)
		carry.Add(&carry, &f[i])
		q[i-1] = carry
	}
	return q
}
