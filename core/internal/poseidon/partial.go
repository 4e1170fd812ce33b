package poseidon

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// maxBlock is the largest number of partial rounds that are done together.
const maxBlock = 4

// block is a few consecutive partial rounds. Round by round, elements 1… of the
// state only grow by multiples of the S-box outputs x_0, x_1, …, so these are
// kept beside them and the sums are caught up once per block: fewer Montgomery
// reductions, although the products get longer.
type block struct {
	rounds int
	// next[i] gives element 0 after round i from elements 1…t−1 as they were
	// before the block and x_0…x_i.
	next [][]fr.Element
	// catchUp has rounds coefficients of x for each of the elements 1…t−1.
	catchUp []fr.Element
}

// blocks cuts the partial rounds. A block of m rounds saves (t−1)(m−1)
// reductions and costs m(m−1)/2 products, which are about as long.
func blocks(sparse []Sparse) []block {
	size := min(maxBlock, (len(sparse[0].Col)+1)/2)
	var out []block
	for len(sparse) > 0 {
		n := min(size, len(sparse))
		out = append(out, newBlock(sparse[:n]))
		sparse = sparse[n:]
	}
	return out
}

func newBlock(sparse []Sparse) block {
	b := block{rounds: len(sparse)}
	for i := range sparse {
		col := sparse[i].Col
		next := append([]fr.Element(nil), col[1:]...)
		for l := range i { // what x_l has added to elements 1… by now
			var sum, p fr.Element
			for j, r := range sparse[l].Row {
				sum.Add(&sum, p.Mul(&r, &col[j+1]))
			}
			next = append(next, sum)
		}
		b.next = append(b.next, append(next, col[0]))
	}
	for j := range sparse[0].Row {
		for i := range sparse {
			b.catchUp = append(b.catchUp, sparse[i].Row[j])
		}
	}
	return b
}

// partial runs all partial rounds; cc has one constant for each.
func (c *Constants) partial(x *state, cc []fr.Element) {
	t := c.T
	for i := range c.blocks {
		b := &c.blocks[i]
		for r := range b.rounds {
			x.sbox(0, &cc[r])
			x.s[t+r] = x.s[0]
			matVec(x.s[:1], x.s[1:t+r+1], b.next[r], false)
		}
		cc = cc[b.rounds:]
		matVec(x.s[1:t], x.s[t:t+b.rounds], b.catchUp, true)
	}
}
