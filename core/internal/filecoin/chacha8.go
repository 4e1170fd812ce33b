package filecoin

import (
	"encoding/binary"
	"math/bits"
)

// chacha8 is ChaCha8Rng of rand_chacha 0.3: the plain ChaCha keystream of 8
// rounds with a 64-bit block counter and stream 0. (ChaCha8 of math/rand/v2 is
// another generator.)
type chacha8 struct {
	state [16]uint32
	block [16]uint32
	used  int // words of block that were returned
}

func newChaCha8(key *[32]byte) *chacha8 {
	c := &chacha8{used: 16}
	c.state = [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"
	for i := range 8 {
		c.state[4+i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	return c
}

// next returns two consecutive keystream words, the low one first.
func (c *chacha8) next() uint64 {
	if c.used == 16 {
		c.refill()
	}
	v := uint64(c.block[c.used]) | uint64(c.block[c.used+1])<<32
	c.used += 2
	return v
}

func (c *chacha8) refill() {
	x := c.state
	for range 4 {
		quarter(&x, 0, 4, 8, 12)
		quarter(&x, 1, 5, 9, 13)
		quarter(&x, 2, 6, 10, 14)
		quarter(&x, 3, 7, 11, 15)
		quarter(&x, 0, 5, 10, 15)
		quarter(&x, 1, 6, 11, 12)
		quarter(&x, 2, 7, 8, 13)
		quarter(&x, 3, 4, 9, 14)
	}
	for i := range x {
		c.block[i] = x[i] + c.state[i]
	}
	c.used = 0
	if c.state[12]++; c.state[12] == 0 {
		c.state[13]++
	}
}

func quarter(x *[16]uint32, a, b, c, d int) {
	x[a] += x[b]
	x[d] = bits.RotateLeft32(x[d]^x[a], 16)
	x[c] += x[d]
	x[b] = bits.RotateLeft32(x[b]^x[c], 12)
	x[a] += x[b]
	x[d] = bits.RotateLeft32(x[d]^x[a], 8)
	x[c] += x[d]
	x[b] = bits.RotateLeft32(x[b]^x[c], 7)
}
