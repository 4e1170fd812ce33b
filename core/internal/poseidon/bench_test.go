package poseidon

import (
	"fmt"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// muls is the number of field multiplications of one hash when each is done on
// its own: S-boxes, seven dense products, one column, the sparse products.
func muls(c *Constants) int {
	return 3*(c.RF*c.T+c.RP) + 7*c.T*c.T + c.T + c.RP*(2*c.T-1)
}

func BenchmarkHash(b *testing.B) {
	for _, arity := range []int{2, 4, 8, 11} {
		c, in := Merkle(arity), counting(arity)
		b.Run(fmt.Sprintf("arity=%d", arity), func(b *testing.B) {
			for b.Loop() {
				in[0] = c.Hash(in)
			}
			b.ReportMetric(float64(muls(c)), "muls/hash")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(muls(c)), "ns/mul")
		})
	}
}

// BenchmarkMul is gnark-crypto's multiplication, dependent and independent.
func BenchmarkMul(b *testing.B) {
	v := counting(9)
	b.Run("latency", func(b *testing.B) {
		x := v[5]
		for b.Loop() {
			x.Mul(&x, &v[3])
		}
	})
	b.Run("throughput", func(b *testing.B) {
		out := make([]fr.Element, 8)
		for b.Loop() {
			for j := range out {
				out[j].Mul(&v[j], &v[8])
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8, "ns/mul")
	})
}

func BenchmarkTrace(b *testing.B) {
	c, in := Merkle(8), counting(8)
	out := make([]fr.Element, c.Variables())
	for b.Loop() {
		c.Trace(in, out)
	}
}

func BenchmarkMatVec(b *testing.B) {
	x, m := counting(9), counting(81)
	out := counting(9)
	for b.Loop() {
		matVec(out, x, m, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/81, "ns/term")
}
