package vanilla

import (
	"encoding/base64"
	"math"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Fields of the wrapper that Curio and lotus-bench write around a C1 (curio
// lib/ffi/cuzk_funcs.go:20-40, lotus cmd/lotus-bench/main.go:91-95).
var wrapperFields = []string{"SectorNum", "Phase1Out", "SectorSize"}

// ParseC1 reads the JSON of seal_commit_phase1, bare or in the wrapper
// {"SectorNum", "Phase1Out": base64, "SectorSize"}. Unknown fields are ignored;
// duplicate fields, a second document and any other trailing byte are errors.
// The input is not kept and not changed.
//
// Errors are InputSyntax (malformed JSON, wrong type, missing or duplicate
// field), InputValue (number out of range, node ≥ r, wrong count) or
// InputMismatch (parts that contradict each other); the detail is the path of
// the value, for instance vanilla_proofs[0][3].comm_d_proofs.data.Single.root.
func ParseC1(data []byte) (*C1, error) {
	if !wrapped(data) {
		return parseBare(data)
	}
	s := scanner{data: data}
	var w Wrapper
	var inner []byte
	s.object(wrapperFields, func(i int) {
		switch i {
		case 0:
			w.SectorNumber = s.uint(math.MaxInt64)
		case 1:
			inner = s.text()
		case 2:
			w.SectorSize = s.uint(math.MaxUint64)
		}
	})
	s.end()
	if s.err != nil {
		return nil, s.err
	}
	bare := make([]byte, base64.StdEncoding.DecodedLen(len(inner)))
	n, err := base64.StdEncoding.Strict().Decode(bare, inner)
	if err != nil {
		return nil, status.New(status.InputSyntax, "Phase1Out", "Phase1Out: %w", err)
	}
	c, err := parseBare(bare[:n])
	if err != nil {
		return nil, err
	}
	if size := c.Proof.SectorSize(); w.SectorSize != size {
		return nil, status.New(status.InputMismatch, "SectorSize",
			"SectorSize: wrapper says %d bytes, %s has %d", w.SectorSize, c.Proof.Name(), size)
	}
	c.Wrapper = &w
	return c, nil
}

func parseBare(data []byte) (*C1, error) {
	r := c1Reader{scanner: scanner{data: data}}
	c := &C1{}
	r.c1(c)
	r.end()
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// end refuses anything but white space after the document.
func (s *scanner) end() {
	if s.peek(); s.err == nil && s.pos < len(s.data) {
		s.fail(status.InputSyntax, "data after the end of the document")
	}
}

// wrapped reports whether the document is the wrapper: Phase1Out comes before
// any field of a bare C1.
func wrapped(data []byte) bool {
	s := scanner{data: data}
	if !s.expect('{', "an object") {
		return false
	}
	for first := true; s.more('}', first); first = false {
		key := s.text()
		if !s.expect(':', "':'") || indexOf(c1Fields, key) >= 0 {
			return false
		}
		if string(key) == "Phase1Out" {
			return true
		}
		s.skip(0)
	}
	return false
}
