package snarkpack

import (
	"context"
	"crypto/rand"
	"math/big"
	"sync"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// VerifierKey is what verification needs of an SRS: elements 0 and 1 of its vectors,
// with the secrets a and b.
type VerifierKey struct {
	G      bls.G1Affine
	GA, GB bls.G1Affine // a·g, b·g
	H      bls.G2Affine
	HA, HB bls.G2Affine // a·h, b·h
}

// Statement is what an aggregate claims: the public inputs of its proofs.
type Statement struct {
	Key      *verify.Key // of the circuit
	Version  Version
	Included [32]byte // what the transcript binds, see [Included]
	Count    int      // proofs, padding not counted; at least 1
	// Inputs returns the public inputs of proof i, without ONE. It is called from
	// several goroutines. nil: nothing is known of the proofs, and Key is not looked at.
	// What is checked then is that the aggregate is made of some A_i, B_i and C_i as the
	// protocol says, not that these are proofs of anything.
	Inputs func(i int) ([]fr.Element, error)
}

// Claim is an aggregate with its statement, reduced to one equation of pairings
//
//	Π e(left_i, right_i) = product
//
// which holds if and only if all equations of the aggregate do, but for a chance of
// 2^-128: each was raised to a secret random power. Claims are checked together.
type Claim struct {
	false   bool // an equation without pairings does not hold
	g1      []bls.G1Affine
	g2      []bls.G2Affine
	h       bls.G1Jac    // what is paired with h
	ha, hb  bls.G1Affine // with a·h and b·h
	srs     *VerifierKey
	key     *verify.Key
	ic      []fr.Element // coefficients of the key's ic points
	aggC    bls.G1Affine
	product GT
}

// NewClaim parses an aggregate and reduces it. Malformed bytes and numbers of proofs
// or inputs that do not fit the statement are errors; an aggregate that does not hold
// is noticed by [Check].
func NewClaim(ctx context.Context, srs *VerifierKey, s Statement, aggregate []byte, workers int) (*Claim, error) {
	p, err := Parse(aggregate, workers)
	if err != nil {
		return nil, err
	}
	if s.Count < 1 || Padded(s.Count) != p.Count() {
		return nil, status.New(status.ProofMalformed, "aggregate.n",
			"aggregate of %d proofs, %d proofs of these sectors take one of %d", p.Count(), s.Count, Padded(max(1, s.Count)))
	}
	c := p.challenges(s.Version, s.Included)
	random, err := newCoefficients()
	if err != nil {
		return nil, err
	}
	claim := &Claim{srs: srs, false: !p.finalC(c)}
	if s.Inputs == nil {
		random.groth16.SetZero()
	} else {
		claim.key = s.Key
		if claim.ic, err = s.fold(ctx, &c.r, p.Count(), workers); err != nil {
			return nil, err
		}
	}
	for i := range claim.ic {
		claim.ic[i].Mul(&claim.ic[i], &random.groth16)
	}
	claim.pair(p, c, random)
	claim.multiply(p, c, random, workers)
	return claim, nil
}

// challenges are all that the transcript gives.
type challenges struct {
	r, z fr.Element
	x, y []fr.Element // of the rounds; y = 1/x
}

func (p *Proof) challenges(v Version, included [32]byte) *challenges {
	c := &challenges{x: make([]fr.Element, len(p.Rounds)), y: make([]fr.Element, len(p.Rounds))}
	hcom := Hcom(&p.ComAB, &p.ComC)
	c.r = Randomizer(&hcom, included)
	y := FirstChallenge(&hcom, &p.IpAB, &p.AggC, &c.r)
	for k := range p.Rounds {
		y = RoundChallenge(v, k, &y, &p.Rounds[k])
		c.y[k] = y
		c.x[k].Inverse(&y)
	}
	c.z = p.EvaluationPoint(v, &c.x[len(c.x)-1])
	return c
}

// foldingPolynomial returns Π_j (1 + c_(l−1−j)·at^(2^j)) for l challenges.
func foldingPolynomial(c []fr.Element, at *fr.Element) fr.Element {
	var product, factor fr.Element
	product.SetOne()
	one, power := product, *at
	for j := range c {
		factor.Mul(&c[len(c)-1-j], &power)
		factor.Add(&factor, &one)
		product.Mul(&product, &factor)
		power.Square(&power)
	}
	return product
}

// finalC reports whether σ·C = agg_c + Σ x_k·zc_l + y_k·zc_r, where σ is the folded
// vector of the powers of r.
func (p *Proof) finalC(c *challenges) bool {
	points, scalars := []bls.G1Affine{p.AggC}, []fr.Element{fr.One()}
	for k := range p.Rounds {
		points = append(points, p.Rounds[k].ZcL, p.Rounds[k].ZcR)
		scalars = append(scalars, c.x[k], c.y[k])
	}
	sigma := foldingPolynomial(c.y, &c.r)
	sigma.Neg(&sigma)
	sum := combine(append(points, p.C), append(scalars, sigma))
	return sum.Z.IsZero()
}

// coefficients are the random powers of the equations with pairings.
type coefficients struct {
	z, t, u, tc, uc fr.Element
	v, w            [2]fr.Element
	groth16         fr.Element
}

// newCoefficients draws non-zero numbers of 128 bits; two digits in base |x|, so that
// powers of them in GT are cheap.
func newCoefficients() (*coefficients, error) {
	c := new(coefficients)
	for _, e := range []*fr.Element{&c.z, &c.t, &c.u, &c.tc, &c.uc, &c.v[0], &c.v[1], &c.w[0], &c.w[1], &c.groth16} {
		for e.IsZero() {
			var b [16]byte
			if _, err := rand.Read(b[:]); err != nil {
				return nil, status.New(status.Internal, "random", "system randomness: %w", err)
			}
			e.SetBytes(b[:])
		}
	}
	return c, nil
}

// pair collects the pairings of all equations. With f_v and f_w the values of the
// folding polynomials at z:
//
//	e(A, B) = Z    e(A, v_x)·e(w_x, B) = T, U    e(C, v_x) = Tc, Uc
//	e(−g, v_x − f_v·h)·e(x·g − z·g, π_v,x) = 1    e(w_x − f_w·g, −h)·e(π_w,x, x·h − z·h) = 1
//
// for both secrets x of the SRS, each side raised to its coefficient.
func (c *Claim) pair(p *Proof, ch *challenges, k *coefficients) {
	fv := foldingPolynomial(ch.y, &ch.z)
	var ratio, fw, t fr.Element
	ratio.Inverse(&ch.r)
	ratio.Mul(&ratio, &ch.z)
	fw = foldingPolynomial(ch.x, &ratio)
	fw.Mul(&fw, t.Exp(ch.z, big.NewInt(int64(p.Count()))))

	add := func(q *bls.G2Affine, points []bls.G1Affine, scalars []fr.Element) {
		sum := combine(points, scalars)
		c.g1 = append(c.g1, *new(bls.G1Affine).FromJacobian(&sum))
		c.g2 = append(c.g2, *q)
	}
	add(&p.B, []bls.G1Affine{p.A, p.W[0], p.W[1]}, []fr.Element{k.z, k.t, k.u})
	withV := [2][2]fr.Element{{k.t, k.tc}, {k.u, k.uc}}
	secret := [2]*bls.G1Affine{&c.srs.GA, &c.srs.GB}
	toH := [2]*bls.G1Affine{&c.ha, &c.hb}
	var gh fr.Element // coefficient of e(g, h)
	points, scalars := []bls.G1Affine{c.srs.G}, []fr.Element{{}}
	for x := range 2 {
		add(&p.V[x], []bls.G1Affine{p.A, p.C, c.srs.G}, []fr.Element{withV[x][0], withV[x][1], negated(&k.v[x])})
		t.Mul(&k.v[x], &ch.z)
		add(&p.VOpen[x], []bls.G1Affine{*secret[x], c.srs.G}, []fr.Element{k.v[x], negated(&t)})
		gh.Add(&gh, t.Mul(&k.v[x], &fv))
		gh.Add(&gh, t.Mul(&k.w[x], &fw))
		t.Mul(&k.w[x], &ch.z)
		points = append(points, p.W[x], p.WOpen[x])
		scalars = append(scalars, negated(&k.w[x]), negated(&t))
		open := combine([]bls.G1Affine{p.WOpen[x]}, []fr.Element{k.w[x]})
		toH[x].FromJacobian(&open)
	}
	scalars[0] = gh
	c.h = combine(points, scalars)
	aggC := combine([]bls.G1Affine{p.AggC}, []fr.Element{k.groth16})
	c.aggC.FromJacobian(&aggC)
}

// multiply computes the right side of all equations. T is com_ab[0] times the
// products of all rounds to the powers x_k (left) and y_k (right), and so on.
func (c *Claim) multiply(p *Proof, ch *challenges, k *coefficients, workers int) {
	sides := []struct {
		start GT
		round func(r *Round) (l, r2 *GT)
	}{
		{p.IpAB, func(r *Round) (*GT, *GT) { return &r.ZabL, &r.ZabR }},
		{p.ComAB[0], func(r *Round) (*GT, *GT) { return &r.TabL[0], &r.TabR[0] }},
		{p.ComAB[1], func(r *Round) (*GT, *GT) { return &r.TabL[1], &r.TabR[1] }},
		{p.ComC[0], func(r *Round) (*GT, *GT) { return &r.TucL[0], &r.TucR[0] }},
		{p.ComC[1], func(r *Round) (*GT, *GT) { return &r.TucL[1], &r.TucR[1] }},
	}
	values := make([]GT, len(sides)+1)
	spawn.Range(workers, len(sides), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var bases []GT
			var powers []fr.Element
			for j := range p.Rounds {
				l, r := sides[i].round(&p.Rounds[j])
				bases, powers = append(bases, *l, *r), append(powers, ch.x[j], ch.y[j])
			}
			values[i] = ProductOfPowers(bases, powers)
			values[i].Mul(&values[i], &sides[i].start)
		}
	})
	values[len(sides)] = p.IpAB
	for i := range values {
		skipGenerator(&values[i])
	}
	c.product = ProductOfPowers(values, []fr.Element{k.z, k.t, k.u, k.tc, k.uc, k.groth16})
}

// skipGenerator replaces e(g, h) by one: the published verifier marks a right side
// that is one by this element and so takes the element itself for one (bellperson
// accumulator.rs). No honest aggregate meets it, but verdicts must agree.
func skipGenerator(z *GT) {
	generator := generatorGT()
	if z.Equal(&generator) {
		z.SetOne()
	}
}

var generatorGT = sync.OnceValue(func() GT {
	_, _, g, h := bls.Generators()
	z, err := bls.Pair([]bls.G1Affine{g}, []bls.G2Affine{h})
	if err != nil {
		panic(err) // only for lists of unequal lengths
	}
	return z
})

// Check checks claims together and returns the indices of those that do not hold, in
// order; they are found by bisection. All claims have the same VerifierKey.
func Check(ctx context.Context, claims []*Claim, workers int) (bad []int, err error) {
	if len(claims) == 0 {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, status.Ended(ctx)
	}
	ok, err := holds(claims, workers)
	if err != nil || ok {
		return nil, err
	}
	if len(claims) == 1 {
		return []int{0}, nil
	}
	half := len(claims) / 2
	left, err := Check(ctx, claims[:half], workers)
	if err != nil {
		return nil, err
	}
	right, err := Check(ctx, claims[half:], workers)
	for _, i := range right {
		left = append(left, half+i)
	}
	return left, err
}

// holds evaluates the product of the equations of all claims. Pairings with points of
// the SRS and of verifying keys are joined.
func holds(claims []*Claim, workers int) (bool, error) {
	var h, ha, hb bls.G1Jac
	var g1 []bls.G1Affine
	var g2 []bls.G2Affine
	var product GT
	product.SetOne()
	circuits := make(map[*verify.Key]*circuit)
	var order []*circuit
	for _, c := range claims {
		if c.false {
			return false, nil
		}
		h.AddAssign(&c.h)
		ha.AddMixed(&c.ha)
		hb.AddMixed(&c.hb)
		g1, g2 = append(g1, c.g1...), append(g2, c.g2...)
		product.Mul(&product, &c.product)
		if c.key == nil {
			continue
		}
		k := circuits[c.key]
		if k == nil {
			k = &circuit{key: c.key, ic: make([]fr.Element, len(c.ic))}
			circuits[c.key] = k
			order = append(order, k)
		}
		k.add(c)
	}
	srs := claims[0].srs
	for _, f := range []struct {
		p *bls.G1Jac
		q *bls.G2Affine
	}{{&h, &srs.H}, {&ha, &srs.HA}, {&hb, &srs.HB}} {
		g1, g2 = append(g1, *new(bls.G1Affine).FromJacobian(f.p)), append(g2, *f.q)
	}
	for _, k := range order {
		p, err := k.points()
		if err != nil {
			return false, err
		}
		g1, g2 = append(g1, p...), append(g2, k.key.BetaG2, k.key.GammaG2, k.key.DeltaG2)
	}
	left, err := pairAll(g1, g2, workers)
	return left.Equal(&product), err
}

// circuit sums what claims of one verifying key pair with its points:
//
//	e(s·α, β)·e(s·ic_0 + Σ_j in_j·ic_(j+1), γ)·e(agg_c, δ)
//
// where s is the coefficient of ic_0.
type circuit struct {
	key  *verify.Key
	ic   []fr.Element
	aggC bls.G1Jac
}

func (k *circuit) add(c *Claim) {
	for i := range k.ic {
		k.ic[i].Add(&k.ic[i], &c.ic[i])
	}
	k.aggC.AddMixed(&c.aggC)
}

// points returns what is paired with β, γ and δ.
func (k *circuit) points() ([]bls.G1Affine, error) {
	ps := make([]bls.G1Affine, 3)
	alpha := combine([]bls.G1Affine{k.key.AlphaG1}, k.ic[:1])
	ps[0].FromJacobian(&alpha)
	if _, err := ps[1].MultiExp(k.key.IC, k.ic, multiExp); err != nil {
		return nil, status.New(status.Internal, "pairing", "multi-exponentiation: %w", err)
	}
	ps[2].FromJacobian(&k.aggC)
	return ps, nil
}

// pairAll returns Π e(g1[i], g2[i]), with the Miller loops on several threads.
func pairAll(g1 []bls.G1Affine, g2 []bls.G2Affine, workers int) (GT, error) {
	workers = min(workers, (len(g1)+3)/4)
	parts := make([]GT, max(1, workers))
	errs := make([]error, len(parts))
	spawn.Range(workers, len(g1), func(w, lo, hi int) {
		parts[w], errs[w] = bls.MillerLoop(g1[lo:hi], g2[lo:hi])
	})
	for _, err := range errs {
		if err != nil {
			return GT{}, status.New(status.Internal, "pairing", "pairing: %w", err)
		}
	}
	product := parts[0]
	for i := 1; i < len(parts); i++ {
		product.Mul(&product, &parts[i])
	}
	return bls.FinalExponentiation(&product), nil
}
