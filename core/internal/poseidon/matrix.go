package poseidon

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// mds returns the Cauchy matrix M[i][j] = 1/(i + t + j), which is symmetric
// (neptune mds.rs:121-153).
func mds(t int) [][]fr.Element {
	m := square(t)
	for i := range m {
		for j := range m {
			m[i][j].SetUint64(uint64(i + t + j))
		}
		m[i] = fr.BatchInvert(m[i])
	}
	return m
}

func square(n int) [][]fr.Element {
	m := make([][]fr.Element, n)
	for i := range m {
		m[i] = make([]fr.Element, n)
	}
	return m
}

// mulRow returns the row vector v·m.
func mulRow(v []fr.Element, m [][]fr.Element) []fr.Element {
	out := make([]fr.Element, len(v))
	var p fr.Element
	for i := range v {
		for j := range out {
			out[j].Add(&out[j], p.Mul(&v[i], &m[i][j]))
		}
	}
	return out
}

func mulMatrix(a, b [][]fr.Element) [][]fr.Element {
	out := make([][]fr.Element, len(a))
	for i := range a {
		out[i] = mulRow(a[i], b)
	}
	return out
}

// invert is Gauss-Jordan elimination. Minors of a Cauchy matrix are never zero,
// so the pivot needs no search.
func invert(m [][]fr.Element) [][]fr.Element {
	n := len(m)
	a, inv := square(n), square(n)
	for i := range m {
		copy(a[i], m[i])
		inv[i][i].SetOne()
	}
	var p, f fr.Element
	for c := range n {
		p.Inverse(&a[c][c])
		for j := range n {
			a[c][j].Mul(&a[c][j], &p)
			inv[c][j].Mul(&inv[c][j], &p)
		}
		for i := range n {
			if f = a[i][c]; i == c || f.IsZero() {
				continue
			}
			for j := range n {
				a[i][j].Sub(&a[i][j], p.Mul(&f, &a[c][j]))
				inv[i][j].Sub(&inv[i][j], p.Mul(&f, &inv[c][j]))
			}
		}
	}
	return inv
}

// sparseFactors splits the rp matrices of the partial rounds into one dense
// matrix before them and one sparse matrix for each (neptune mds.rs:27-119):
// cur = dense·sparse, where dense = diag(1, m̂) commutes with a partial S-box,
// so it moves into the round before.
func sparseFactors(m [][]fr.Element, rp int) (pre [][]fr.Element, sparse []Sparse) {
	t := len(m)
	cur := m
	sparse = make([]Sparse, rp)
	for k := rp - 1; k >= 0; k-- {
		hat := square(t - 1)
		w := make([]fr.Element, t-1)
		for i := range hat {
			copy(hat[i], cur[i+1][1:])
			w[i] = cur[i+1][0]
		}
		col := append([]fr.Element{cur[0][0]}, mulRow(w, invert(hat))...)
		sparse[k] = Sparse{Col: col, Row: append([]fr.Element(nil), cur[0][1:]...)}

		dense := square(t)
		dense[0][0].SetOne()
		for i := range hat {
			copy(dense[i+1][1:], hat[i])
		}
		cur = mulMatrix(m, dense)
	}
	return cur, sparse
}

// columns lays m out column by column in one block.
func columns(m [][]fr.Element) []fr.Element {
	out := make([]fr.Element, 0, len(m)*len(m))
	for j := range m {
		for i := range m {
			out = append(out, m[i][j])
		}
	}
	return out
}
