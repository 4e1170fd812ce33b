package ffi

import (
	"bytes"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// CID is a content identifier of a commitment; cid.Cid is one.
type CID interface {
	Bytes() []byte
}

// Bytes of a CID before its 32-byte digest: varints of the version, the codec,
// the hash function, and the digest's length (multicodec's table;
// go-fil-commcid commcid.go).
var (
	sealedPrefix   = []byte{1, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 32} // fil-commitment-sealed 0xf102, poseidon-bls12_381-a2-fc1 0xb401
	unsealedPrefix = []byte{1, 0x81, 0xe2, 0x03, 0x92, 0x20, 32}       // fil-commitment-unsealed 0xf101, sha2-256-trunc254-padded 0x1012
)

// RawCID is a CID in its binary form.
type RawCID []byte

// Bytes implements [CID].
func (c RawCID) Bytes() []byte { return c }

// SealedCID returns the CID of a replica commitment, comm_r.
func SealedCID(commR [32]byte) RawCID { return join(sealedPrefix, commR) }

// UnsealedCID returns the CID of a data commitment, comm_d.
func UnsealedCID(commD [32]byte) RawCID { return join(unsealedPrefix, commD) }

func join(prefix []byte, commitment [32]byte) RawCID {
	return append(bytes.Clone(prefix), commitment[:]...)
}

// CommR returns the replica commitment that a sealed CID stands for. Another
// kind of CID is an error of code InputValue.
func CommR(sealed CID) ([32]byte, error) { return commitment("sealed CID", sealedPrefix, sealed) }

// CommD returns the data commitment that an unsealed CID stands for. Another
// kind of CID is an error of code InputValue.
func CommD(unsealed CID) ([32]byte, error) {
	return commitment("unsealed CID", unsealedPrefix, unsealed)
}

func commitment(what string, prefix []byte, c CID) (out [32]byte, err error) {
	if c == nil {
		return out, argument(what, "no %s", what)
	}
	digest, ok := bytes.CutPrefix(c.Bytes(), prefix)
	if !ok || len(digest) != len(out) {
		return out, failed(cuzk.InputValue, what, "%x is no %s", c.Bytes(), what)
	}
	return [32]byte(digest), nil
}
