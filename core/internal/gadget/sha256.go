package gadget

import (
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// shaState is a SHA-256 chaining value (FIPS 180-4).
type shaState [8]Word

var shaIV = [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

var shaK = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// SHA256 hashes a message of whole words (big-endian word order, 32 bits each)
// and returns the digest words (bellperson gadgets/sha256.rs).
func SHA256(cs *r1cs.CS, msg []Word) [8]Word {
	var state shaState
	for i, v := range shaIV {
		state[i] = ConstWord(v)
	}
	var block [16]Word
	blocks := (len(msg)*4 + 9 + 63) / 64
	for i := range blocks {
		for j := range block {
			block[j] = padded(msg, i*16+j, blocks)
		}
		cs.In("block", i)
		state = compress(cs, state, block)
		cs.Out()
	}
	return state
}

// padded is word i of the padded message.
func padded(msg []Word, i, blocks int) Word {
	bitLen := uint64(len(msg)) * 32
	switch {
	case i < len(msg):
		return msg[i]
	case i == len(msg):
		return ConstWord(1 << 31)
	case i == blocks*16-2:
		return ConstWord(uint32(bitLen >> 32))
	case i == blocks*16-1:
		return ConstWord(uint32(bitLen))
	}
	return ConstWord(0)
}

// compress is one call of the compression function.
func compress(cs *r1cs.CS, h shaState, block [16]Word) shaState {
	f := cs.Open("sha256_compress")
	if f != nil {
		for i := range h {
			h[i].bind(f)
		}
		for i := range block {
			block[i].bind(f)
		}
	}
	if f.Run() {
		h = compressBody(cs, h, &block)
	}
	if f != nil {
		for i := range h {
			h[i].result(f)
		}
	}
	cs.Close(f)
	return h
}

func compressBody(cs *r1cs.CS, h shaState, block *[16]Word) shaState {
	eq := &multiEq{cs: cs}
	w := schedule(eq, block)

	// e and a of a round are sums that the next round, or the output, completes.
	b, c, d, fw, g, hw := h[1], h[2], h[3], h[5], h[6], h[7]
	aSum, eSum := []Word{h[0]}, []Word{h[4]}
	var aBuf [8]Word
	var eBuf [7]Word
	for i := range 64 {
		cs.In("round", i)
		e := eq.concrete(eSum)
		s1 := xor(cs, xor(cs, e.rotr(6), e.rotr(11)), e.rotr(25))
		chw := ch(cs, e, fw, g)
		a := eq.concrete(aSum)
		s0 := xor(cs, xor(cs, a.rotr(2), a.rotr(13)), a.rotr(22))
		majw := maj(cs, a, b, c)
		k := ConstWord(shaK[i])
		eSum = append(eBuf[:0], hw, s1, chw, k, w[i], d)
		aSum = append(aBuf[:0], hw, s1, chw, k, w[i], s0, majw)
		hw, g, fw, d, c, b = g, fw, e, c, b, a
		cs.Out()
	}
	cs.In("output", -1)
	defer cs.Out()
	out := shaState{
		eq.addMany(append(aSum, h[0])...), eq.addMany(h[1], b), eq.addMany(h[2], c), eq.addMany(h[3], d),
		eq.addMany(append(eSum, h[4])...), eq.addMany(h[5], fw), eq.addMany(h[6], g), eq.addMany(h[7], hw),
	}
	if cs.Recording() {
		eq.flush()
	}
	return out
}

// concrete evaluates a deferred sum; a single word is the state of round 0.
func (m *multiEq) concrete(sum []Word) Word {
	if len(sum) == 1 {
		return sum[0]
	}
	return m.addMany(sum...)
}

// schedule expands a block to the 64 message words.
func schedule(eq *multiEq, block *[16]Word) (w [64]Word) {
	cs := eq.cs
	copy(w[:], block[:])
	for i := 16; i < 64; i++ {
		cs.In("schedule", i)
		x := w[i-15]
		s0 := xor(cs, xor(cs, x.rotr(7), x.rotr(18)), x.shr(3))
		x = w[i-2]
		s1 := xor(cs, xor(cs, x.rotr(17), x.rotr(19)), x.shr(10))
		w[i] = eq.addMany(w[i-16], s0, w[i-7], s1)
		cs.Out()
	}
	return w
}
