package golden

import (
	"fmt"
	"path/filepath"

	"libcuzk/core/internal/circuit"
	"libcuzk/core/internal/circuit/porep"
	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/vanilla"
)

// solvable is a checked vanilla proof with its circuit.
type solvable struct {
	statement filecoin.Statement
	circuit   *r1cs.Circuit
	solve     func(k int) (*r1cs.Witness, error)
}

// loadable are the kinds whose inputs can be read.
var loadable = map[string]bool{"porep": true}

func (s sector) load() (*solvable, error) {
	switch s.kind {
	case "porep":
		return s.loadPoRep()
	}
	return nil, fmt.Errorf("kind %q is not known", s.kind)
}

// readOneOf reads the first file that exists.
func readOneOf(names ...string) (raw []byte, err error) {
	for _, name := range names {
		if raw, err = Read(name); err == nil {
			return raw, nil
		}
	}
	return nil, err
}

func (s sector) loadPoRep() (*solvable, error) {
	raw, err := readOneOf(filepath.Join(s.dir, fmt.Sprintf("c1-%d.json", s.index)), filepath.Join(s.dir, "c1.json"))
	if err != nil {
		return nil, err
	}
	c1, err := vanilla.ParseC1(raw)
	if err != nil {
		return nil, err
	}
	shape := c1.Proof.Shape()
	compiled := circuit.Compile(shape)
	return &solvable{c1.Statement(), compiled, func(k int) (*r1cs.Witness, error) { return porep.Solve(compiled, c1, k) }}, nil
}
