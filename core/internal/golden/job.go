package golden

import (
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Job is a checked input of golden/sectors, ready to be solved.
type Job struct {
	Statement filecoin.Statement
	Circuit   *r1cs.Circuit
	Solve     func(k int) (*r1cs.Witness, error) // the witness of partition k
	Sketch    func(k int) (*r1cs.Witness, error) // a sketch of it; nil where the circuit has none
}

// Load reads, parses and checks input number index of a kind ("porep", …) from
// a folder such as tests/golden/sectors/2k-v1_1.
func Load(dir, kind string, index int) (*Job, error) {
	s, err := sector{dir, index, kind}.load()
	if err != nil {
		return nil, err
	}
	return &Job{s.statement, s.circuit, s.solve, s.sketch}, nil
}
