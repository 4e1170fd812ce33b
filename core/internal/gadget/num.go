package gadget

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Alloc allocates a number; it has no rows (bellpepper-core num.rs).
func Alloc(cs *r1cs.CS, v *fr.Element) Num {
	f := cs.Open("alloc")
	n := Num{Val: *v}
	if f.Run() {
		n = allocNum(cs, v)
	}
	f.Result(&n.ID)
	cs.Close(f)
	return n
}

func allocNum(cs *r1cs.CS, v *fr.Element) Num { return Num{*v, cs.AllocScalar(v)} }

// Inputize makes the number public: a new input x with x·1 = n.
func Inputize(cs *r1cs.CS, n Num) {
	f := cs.Open("inputize")
	f.Wire(&n.ID)
	if f.Run() {
		x := cs.AllocInput(&n.Val)
		if cs.Recording() {
			cs.Enforce(variable(x), constant(one), variable(n.ID))
		}
	}
	cs.Close(f)
}

// Equal enforces a·1 = b (storage-proofs-core gadgets/constraint.rs).
func Equal(cs *r1cs.CS, a, b Num) {
	if !cs.Recording() && !cs.Sketching() && !a.Val.Equal(&b.Val) {
		cs.Mismatch()
	}
	f := cs.Open("equal")
	f.Wire(&a.ID)
	f.Wire(&b.ID)
	if f.Run() && cs.Recording() {
		cs.Enforce(variable(a.ID), constant(one), variable(b.ID))
	}
	cs.Close(f)
}

// Add allocates the sum: (a + b)·1 = sum (constraint.rs; gadgets/encode.rs).
func Add(cs *r1cs.CS, a, b Num) Num {
	f := cs.Open("add")
	f.Wire(&a.ID)
	f.Wire(&b.ID)
	var sum Num
	sum.Val.Add(&a.Val, &b.Val)
	if f.Run() {
		sum = allocNum(cs, &sum.Val)
		if cs.Recording() {
			cs.Enforce(lc(term(a.ID, one), term(b.ID, one)), constant(one), variable(sum.ID))
		}
	}
	f.Result(&sum.ID)
	cs.Close(f)
	return sum
}

// Mul allocates the product: a·b = product (num.rs).
func Mul(cs *r1cs.CS, a, b Num) Num {
	f := cs.Open("mul")
	f.Wire(&a.ID)
	f.Wire(&b.ID)
	var p Num
	p.Val.Mul(&a.Val, &b.Val)
	if f.Run() {
		p = allocNum(cs, &p.Val)
		if cs.Recording() {
			cs.Enforce(variable(a.ID), variable(b.ID), variable(p.ID))
		}
	}
	f.Result(&p.ID)
	cs.Close(f)
	return p
}

// weighted appends Σ 2^i·bits[i].
func weighted(dst r1cs.LC, in []Bit) r1cs.LC {
	for i := range in {
		dst = append(dst, term(in[i].ID, powersOfTwo[i]))
	}
	return dst
}

func bitsValue(in []Bit) (v fr.Element) {
	var limbs [4]uint64
	for i := range in {
		limbs[i>>6] |= b2u(in[i].Val) << (i & 63)
	}
	return fromLimbs(limbs)
}

// fromLimbs is Σ limbs[i]·2^(64i) for a value below 2^255.
func fromLimbs(l [4]uint64) (v fr.Element) {
	var b [fr.Bytes]byte
	for i := range b {
		b[fr.Bytes-1-i] = byte(l[i/8] >> (i % 8 * 8))
	}
	v.SetBytes(b[:])
	return v
}

func bindBits(f *r1cs.Frame, in []Bit) []Bit {
	if f == nil {
		return in
	}
	f.Key(uint64(len(in)))
	out := make([]Bit, len(in))
	for i := range in {
		out[i] = in[i]
		f.Wire(&out[i].ID)
	}
	return out
}

// PackBits allocates the number with the given bits, least significant first,
// at most 254: (Σ 2^i·b_i)·1 = n (bellperson gadgets/multipack.rs pack_bits).
func PackBits(cs *r1cs.CS, in []Bit) Num {
	f := cs.Open("pack_bits")
	in = bindBits(f, in)
	n := Num{Val: bitsValue(in)}
	if f.Run() {
		n = allocNum(cs, &n.Val)
		if cs.Recording() {
			cs.Enforce(weighted(nil, in), constant(one), variable(n.ID))
		}
	}
	f.Result(&n.ID)
	cs.Close(f)
	return n
}

// PackInput makes at most 254 bits one public input:
// (Σ 2^i·b_i)·1 = x (multipack.rs pack_into_inputs).
func PackInput(cs *r1cs.CS, in []Bit) {
	f := cs.Open("pack_into_inputs")
	in = bindBits(f, in)
	if f.Run() {
		v := bitsValue(in)
		x := cs.AllocInput(&v)
		if cs.Recording() {
			cs.Enforce(weighted(nil, in), constant(one), variable(x))
		}
	}
	cs.Close(f)
}

// fieldBit locates bit k of a field element in the words that its 32 bytes,
// little endian, form when they are read as big-endian words. Filecoin's
// byte-wise bit reversal between field and SHA-256 is exactly this
// (storage-proofs-core util.rs reverse_bit_numbering).
func fieldBit(k int) (word, bit int) { return k / 32, 24 - 8*(k/8%4) + k%8 }

// FieldWords decomposes a number into 255 bits, appends a constant 0 and returns
// them as SHA-256 message words. The bits need not be those of the canonical
// representative (bellpepper-core num.rs to_bits_le, not strict; the witness
// uses the canonical ones): 255 boolean rows, then 0·0 = Σ 2^i·b_i − n.
func FieldWords(cs *r1cs.CS, n Num) (out [8]Word) {
	f := cs.Open("to_bits_le")
	f.Wire(&n.ID)
	limbs := n.Val.Bits()
	var first r1cs.Var
	if f.Run() {
		first = fieldBits(cs, &limbs)
		if cs.Recording() {
			sum := lc(term(n.ID, minusOne))
			for k := range fr.Bits {
				sum = append(sum, term(first+r1cs.Var(k), powersOfTwo[k]))
			}
			cs.Enforce(nil, nil, sum)
		}
	}
	f.Result(&first)
	cs.Close(f)
	for i := range out {
		out[i] = Word{Val: bits.ReverseBytes32(uint32(limbs[i/2] >> (i % 2 * 32))), Var: allBits}
	}
	out[7].Var &^= 1 << 7 // bit 255
	if cs.Recording() {
		for k := range fr.Bits {
			w, b := fieldBit(k)
			out[w].setID(b, first+r1cs.Var(k))
		}
	}
	return out
}

// fieldBits allocates the 255 bits of a field element, least significant first.
func fieldBits(cs *r1cs.CS, limbs *[4]uint64) r1cs.Var {
	first := cs.AllocBits(limbs[0], 64)
	cs.AllocBits(limbs[1], 64)
	cs.AllocBits(limbs[2], 64)
	cs.AllocBits(limbs[3], fr.Bits-192)
	enforceBits(cs, first, fr.Bits)
	return first
}

// PackWords allocates the number made of the first 254 bits of a SHA-256 digest
// in field order.
func PackWords(cs *r1cs.CS, digest *[8]Word) Num {
	f := cs.Open("pack_digest")
	words := *digest
	var limbs [4]uint64
	for i := range words {
		if f != nil {
			words[i].bind(f)
		}
		limbs[i/2] |= uint64(bits.ReverseBytes32(words[i].Val)) << (i % 2 * 32)
	}
	limbs[3] &= 1<<62 - 1
	n := Num{Val: fromLimbs(limbs)}
	if f.Run() {
		n = allocNum(cs, &n.Val)
		if cs.Recording() {
			var sum r1cs.LC
			for k := range fr.Bits - 1 {
				w, b := fieldBit(k)
				sum = words[w].appendLC(sum, b, powersOfTwo[k])
			}
			cs.Enforce(sum, constant(one), variable(n.ID))
		}
	}
	f.Result(&n.ID)
	cs.Close(f)
	return n
}

// HashPair is the SHA-256 hash of two field elements, as trees of data have it
// (filecoin-hashers sha256.rs hash2_circuit).
func HashPair(cs *r1cs.CS, a, b Num) Num {
	wa, wb := FieldWords(cs, a), FieldWords(cs, b)
	digest := SHA256(cs, append(wa[:], wb[:]...))
	return PackWords(cs, &digest)
}

// Num is the bit as a number.
func (b Bit) Num() (n Num) {
	n.ID = b.ID
	if b.Val {
		n.Val = one
	}
	return n
}

// NumBits decomposes a number into n ≤ 255 bits, least significant first:
// n boolean rows, then (Σ 2^i·b_i)·1 = v (storage-proofs-update gadgets.rs
// allocated_num_to_allocated_bits; not the rows of to_bits_le).
func NumBits(cs *r1cs.CS, v Num, n int) []Bit {
	f := cs.Open("num_to_bits")
	f.Key(uint64(n))
	f.Wire(&v.ID)
	limbs := v.Val.Bits()
	out := make([]Bit, n)
	var first r1cs.Var
	if f.Run() {
		for i := 0; i < n; i += 64 {
			at := cs.AllocBits(limbs[i/64], min(64, n-i))
			if i == 0 {
				first = at
			}
		}
		enforceBits(cs, first, n)
	}
	for i := range out {
		out[i] = Bit{limbs[i>>6]>>(i&63)&1 == 1, first + r1cs.Var(i)}
	}
	if f.Fresh() && cs.Recording() {
		cs.Enforce(weighted(nil, out), constant(one), variable(v.ID))
	}
	for i := range out {
		f.Result(&out[i].ID)
	}
	cs.Close(f)
	return out
}

// Sum allocates the sum of numbers: (Σ n_i)·1 = sum.
func Sum(cs *r1cs.CS, in []Num) Num {
	f := cs.Open("sum")
	f.Key(uint64(len(in)))
	in = append([]Num(nil), in...)
	var sum Num
	var terms r1cs.LC
	for i := range in {
		f.Wire(&in[i].ID)
		sum.Val.Add(&sum.Val, &in[i].Val)
		terms = append(terms, term(in[i].ID, one))
	}
	if f.Run() {
		sum = allocNum(cs, &sum.Val)
		if cs.Recording() {
			cs.Enforce(terms, constant(one), variable(sum.ID))
		}
	}
	f.Result(&sum.ID)
	cs.Close(f)
	return sum
}

// Affine allocates factor·n + offset: (factor·n + offset·ONE)·1 = v.
func Affine(cs *r1cs.CS, n Num, factor, offset uint64) Num {
	f := cs.Open("affine")
	f.Key(factor)
	f.Key(offset)
	f.Wire(&n.ID)
	var k, d, v fr.Element
	k.SetUint64(factor)
	d.SetUint64(offset)
	v.Mul(&k, &n.Val).Add(&v, &d)
	out := Num{Val: v}
	if f.Run() {
		out = allocNum(cs, &v)
		if cs.Recording() {
			cs.Enforce(lc(term(n.ID, k), term(r1cs.One, d)), constant(one), variable(out.ID))
		}
	}
	f.Result(&out.ID)
	cs.Close(f)
	return out
}
