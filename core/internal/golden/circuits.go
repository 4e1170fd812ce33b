package golden

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// circuitFacts is r1cs/KIND-SIZE.json.
type circuitFacts struct {
	Circuit         string
	Digest          string
	NonZeros        [3]int
	NumAux          int `json:"num_aux"`
	NumInputs       int `json:"num_inputs"`
	NumConstraints  int `json:"num_constraints"`
	AAuxDensity     int `json:"a_aux_density"`
	BAuxDensity     int `json:"b_aux_density"`
	BInputDensity   int `json:"b_input_density"`
	CheckpointEvery int `json:"checkpoint_every"`
	Checkpoints     []string
}

func circuitCases(dir string) ([]Case, error) {
	files, err := glob(dir, "r1cs/*.json")
	if err != nil {
		return nil, err
	}
	cases := make([]Case, 0, len(files))
	for _, file := range files {
		var facts circuitFacts
		if err := ReadJSON(file, &facts); err != nil {
			return nil, err
		}
		shape, err := shapeOf(facts.Circuit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		cases = append(cases, Case{
			Name:  "r1cs/" + strings.TrimSuffix(filepath.Base(file), ".json"),
			Cost:  int64(facts.NonZeros[0] + facts.NonZeros[1] + facts.NonZeros[2]),
			Run:   func() error { return facts.check(circuit.Compile(shape), math.MaxInt) },
			Start: func() error { return facts.check(circuit.Compile(shape), startRows) },
		})
	}
	return cases, nil
}

// shapeOf parses "kind-bytes".
func shapeOf(name string) (filecoin.Shape, error) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return filecoin.Shape{}, fmt.Errorf("circuit %q is not kind-size", name)
	}
	kind, err := filecoin.ParseKind(name[:i])
	if err != nil {
		return filecoin.Shape{}, err
	}
	size, err := strconv.ParseUint(name[i+1:], 10, 64)
	if err != nil {
		return filecoin.Shape{}, err
	}
	return filecoin.NewShape(kind, size)
}

// startRows is how many rows the quick check of a large circuit hashes: sixteen checkpoints.
const startRows = 16 * r1cs.CheckpointEvery

// check compares counts, densities and the digest of the first rows rows; with
// all of them the digest and the non-zeros of the whole.
func (f *circuitFacts) check(c *r1cs.Circuit, rows int) error {
	if err := every(f.CheckpointEvery); err != nil {
		return err
	}
	a, b, bInputs := c.Density()
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"inputs", c.NumInputs, f.NumInputs},
		{"aux variables", c.NumAux, f.NumAux},
		{"constraints", c.NumRows, f.NumConstraints},
		{"A density", ones(a), f.AAuxDensity},
		{"B density", ones(b), f.BAuxDensity},
		{"B input density", len(bInputs), f.BInputDensity},
	} {
		if x.got != x.want {
			return fmt.Errorf("%d %s, want %d", x.got, x.name, x.want)
		}
	}
	d := c.DigestRows(min(rows, c.NumRows))
	i := firstDifference(d.Checkpoints, f.Checkpoints)
	switch whole := hex.EncodeToString(d.Sum[:]) == f.Digest && d.NonZeros == f.NonZeros; {
	case whole, rows < c.NumRows && i == len(d.Checkpoints) && i > 0:
		return nil
	}
	first := i * r1cs.CheckpointEvery
	last := min(first+r1cs.CheckpointEvery, c.NumRows) - 1
	return fmt.Errorf("digest differs, non-zeros %v, want %v; first at checkpoint %d: rows %d (%s) to %d (%s)",
		d.NonZeros, f.NonZeros, i, first, c.Path(first), last, c.Path(last))
}

func ones(bitmap []uint64) (n int) {
	for _, w := range bitmap {
		n += bits.OnesCount64(w)
	}
	return n
}
