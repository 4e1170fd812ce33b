// Command vectors writes field and curve values computed by gnark-crypto, which
// the tests of the CUDA templates are compared with. Elements are raw
// little-endian Montgomery limbs, as both sides keep them in memory.
//
//	go run ./gpu/cuda/test/vectors gpu/cuda/test/gnark.bin
package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"log"
	"math/big"
	"math/rand"
	"os"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

const (
	fields = 40
	points = 12
	seed   = 20240531
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: vectors FILE")
	}
	var b bytes.Buffer
	write(&b)
	if err := os.WriteFile(os.Args[1], b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// write writes the same values each time.
func write(to io.Writer) {
	rng := rand.New(rand.NewSource(seed))
	w := writer{to}
	w.put([]uint32{fields, fields, fields, points})
	for i := range fields {
		a, b := fpAt(rng, i), fpAt(rng, i/7)
		var sum, diff, prod, sqr, inv, neg fp.Element
		sum.Add(&a, &b)
		diff.Sub(&a, &b)
		prod.Mul(&a, &b)
		sqr.Square(&a)
		inv.Inverse(&a)
		neg.Neg(&a)
		w.put([]fp.Element{a, b, sum, diff, prod, sqr, inv, neg})
	}
	for i := range fields {
		a, b := frAt(rng, i), frAt(rng, i/7)
		var sum, diff, prod, sqr, inv, neg fr.Element
		sum.Add(&a, &b)
		diff.Sub(&a, &b)
		prod.Mul(&a, &b)
		sqr.Square(&a)
		inv.Inverse(&a)
		neg.Neg(&a)
		w.put([]fr.Element{a, b, sum, diff, prod, sqr, inv, neg})
	}
	for i := range fields {
		a := bls.E2{A0: fpAt(rng, i), A1: fpAt(rng, i/3)}
		b := bls.E2{A0: fpAt(rng, i/7), A1: fpAt(rng, i/2)}
		var sum, diff, prod, sqr, inv, neg bls.E2
		sum.Add(&a, &b)
		diff.Sub(&a, &b)
		prod.Mul(&a, &b)
		sqr.Square(&a)
		inv.Inverse(&a)
		neg.Neg(&a)
		w.put([]bls.E2{a, b, sum, diff, prod, sqr, inv, neg})
	}
	_, _, g1, g2 := bls.Generators()
	for i := range points {
		var p, q, sum, twice, kp bls.G1Affine
		p.ScalarMultiplication(&g1, scalar(rng, i))
		q.ScalarMultiplication(&g1, scalar(rng, 100))
		q = pick(i, p, q, func() bls.G1Affine { var n bls.G1Affine; n.Neg(&p); return n }())
		sum.Add(&p, &q)
		twice.Double(&p)
		k := uint64(rng.Uint32())
		kp.ScalarMultiplication(&p, new(big.Int).SetUint64(k))
		w.put([]bls.G1Affine{p, q, sum, twice})
		w.put(k)
		w.put(kp)
	}
	for i := range points {
		var p, q, sum, twice, kp bls.G2Affine
		p.ScalarMultiplication(&g2, scalar(rng, i))
		q.ScalarMultiplication(&g2, scalar(rng, 100))
		q = pick(i, p, q, func() bls.G2Affine { var n bls.G2Affine; n.Neg(&p); return n }())
		sum.Add(&p, &q)
		twice.Double(&p)
		k := uint64(rng.Uint32())
		kp.ScalarMultiplication(&p, new(big.Int).SetUint64(k))
		w.put([]bls.G2Affine{p, q, sum, twice})
		w.put(k)
		w.put(kp)
	}
}

// pick makes the second operand equal, opposite or infinite now and then.
func pick[P any](i int, p, q, neg P) P {
	var zero P
	switch i {
	case 2:
		return p
	case 3:
		return neg
	case 4:
		return zero
	}
	return q
}

// scalar is 0, 1, r−1 and then random.
func scalar(rng *rand.Rand, i int) *big.Int {
	switch i {
	case 0:
		return new(big.Int)
	case 1:
		return big.NewInt(1)
	case 2:
		return new(big.Int).Sub(fr.Modulus(), big.NewInt(1))
	}
	return new(big.Int).Rand(rng, fr.Modulus())
}

func fpAt(rng *rand.Rand, i int) (e fp.Element) {
	switch i {
	case 0:
	case 1:
		e.SetOne()
	case 2:
		e.SetOne().Neg(&e)
	default:
		e.SetBigInt(new(big.Int).Rand(rng, fp.Modulus()))
	}
	return e
}

func frAt(rng *rand.Rand, i int) (e fr.Element) {
	switch i {
	case 0:
	case 1:
		e.SetOne()
	case 2:
		e.SetOne().Neg(&e)
	default:
		e.SetBigInt(new(big.Int).Rand(rng, fr.Modulus()))
	}
	return e
}

type writer struct{ w io.Writer }

func (w writer) put(v any) {
	if err := binary.Write(w.w, binary.LittleEndian, v); err != nil {
		panic(err)
	}
}
