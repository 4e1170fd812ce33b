package r1cs

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// CheckpointEvery is the distance of a digest's checkpoints, in constraints or
// in aux values.
const CheckpointEvery = 1 << 16

// Digest is the canonical digest of a circuit's constraints: SHA-256 over all
// rows in order; for each of A, B, C the merged, non-zero, sorted terms (inputs
// before aux) as u32 LE count, then u64 LE tag (input i: i, aux j: 2^63 + j) and
// the coefficient, 32 bytes LE.
type Digest struct {
	Sum         [sha256.Size]byte
	Checkpoints [][8]byte // first bytes of the hash of the first (k+1)·65536 rows
	NonZeros    [3]int    // of A, B and C
}

// Digest walks all rows; it needs a few megabytes of memory whatever the size.
func (c *Circuit) Digest() *Digest { return c.DigestRows(c.NumRows) }

// DigestRows is the digest of the first n rows, with their checkpoints.
func (c *Circuit) DigestRows(n int) *Digest {
	d := &digester{c: c, h: sha256.New(), out: &Digest{}}
	d.coefs = make([][fr.Bytes]byte, len(c.coefs))
	for i := range c.coefs {
		d.coefs[i] = littleEndian(&c.coefs[i])
	}
	row := 0
	for _, in := range c.instances {
		t := c.templates[in.tmpl]
		for r := range min(t.rows, n-row) {
			for k, m := range []*matrix{&t.a, &t.b, &t.c} {
				d.row(in, t, m, r)
				d.out.NonZeros[k] += len(d.terms)
			}
			if row++; row%CheckpointEvery == 0 {
				d.flush()
				d.out.Checkpoints = append(d.out.Checkpoints, [8]byte(d.h.Sum(nil)))
			}
		}
	}
	d.flush()
	d.out.Sum = [sha256.Size]byte(d.h.Sum(nil))
	return d.out
}

type digester struct {
	c     *Circuit
	h     hash.Hash
	buf   []byte
	coefs [][fr.Bytes]byte
	terms []taggedTerm
	out   *Digest
}

type taggedTerm struct {
	tag  uint64
	coef *[fr.Bytes]byte
}

const auxTag = 1 << 63

func (d *digester) flush() {
	d.h.Write(d.buf)
	d.buf = d.buf[:0]
}

func (d *digester) row(in instance, t *template, m *matrix, r int) {
	d.terms = d.terms[:0]
	for k := m.start[r]; k < m.start[r+1]; k++ {
		col := d.c.column(in, t, m.slot[k])
		tag := uint64(col)
		if col >= d.c.NumInputs {
			tag = auxTag | uint64(col-d.c.NumInputs)
		}
		d.insert(taggedTerm{tag, &d.coefs[m.coef[k]]})
	}
	d.buf = binary.LittleEndian.AppendUint32(d.buf, uint32(len(d.terms)))
	for _, x := range d.terms {
		d.buf = binary.LittleEndian.AppendUint64(d.buf, x.tag)
		d.buf = append(d.buf, x.coef[:]...)
	}
	if len(d.buf) > 1<<16 {
		d.flush()
	}
}

// insert keeps the terms sorted; they come nearly so. Two wires of a call may
// be the same variable: their coefficients add up.
func (d *digester) insert(x taggedTerm) {
	i := len(d.terms)
	for i > 0 && d.terms[i-1].tag > x.tag {
		i--
	}
	if i > 0 && d.terms[i-1].tag == x.tag {
		var a, b fr.Element
		a.SetBytes(reversed(d.terms[i-1].coef))
		b.SetBytes(reversed(x.coef))
		sum := littleEndian(a.Add(&a, &b))
		if d.terms[i-1].coef = &sum; a.IsZero() {
			d.terms = append(d.terms[:i-1], d.terms[i:]...)
		}
		return
	}
	d.terms = append(d.terms, taggedTerm{})
	copy(d.terms[i+1:], d.terms[i:])
	d.terms[i] = x
}

func littleEndian(e *fr.Element) (b [fr.Bytes]byte) {
	fr.LittleEndian.PutElement(&b, *e)
	return b
}

func reversed(b *[fr.Bytes]byte) []byte {
	r := make([]byte, fr.Bytes)
	for i := range r {
		r[i] = b[fr.Bytes-1-i]
	}
	return r
}

// AuxDigest is the digest of an assignment's aux part: SHA-256 over all values
// in order, 32 bytes LE each, with checkpoints every 65536 values.
func (c *Circuit) AuxDigest(w *Witness) (sum [sha256.Size]byte, checkpoints [][8]byte, zeros, ones int) {
	h := sha256.New()
	buf := make([]byte, 0, fr.Bytes<<10)
	zero, one := fr.Element{}, fr.One()
	zeroBytes, oneBytes := littleEndian(&zero), littleEndian(&one)
	c.Aux(w, func(i int, v *fr.Element) {
		switch *v {
		case zero:
			zeros++
			buf = append(buf, zeroBytes[:]...)
		case one:
			ones++
			buf = append(buf, oneBytes[:]...)
		default:
			b := littleEndian(v)
			buf = append(buf, b[:]...)
		}
		last := (i+1)%CheckpointEvery == 0
		if len(buf) == cap(buf) || last {
			h.Write(buf)
			buf = buf[:0]
		}
		if last {
			checkpoints = append(checkpoints, [8]byte(h.Sum(nil)))
		}
	})
	h.Write(buf)
	return [sha256.Size]byte(h.Sum(nil)), checkpoints, zeros, ones
}

// column is the QAP column of a slot: inputs first, then aux.
func (c *Circuit) column(in instance, t *template, slot uint32) int {
	s := int(slot) - 1
	if s < 0 {
		return 0
	}
	if s < t.wires {
		v := c.wires[int(in.wire)+s]
		if v.tag() == tagInput {
			return v.index()
		}
		return c.NumInputs + v.index()
	}
	if s -= t.wires; s < t.inputs {
		return int(in.input) + s
	}
	return c.NumInputs + int(in.aux) + s - t.inputs
}
