package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// assignmentFacts is sectors/NAME/witness-KIND-I.json.
type assignmentFacts struct {
	Kind       string
	Sector     int
	Partitions []partitionFacts
}

type partitionFacts struct {
	Partition       int
	Inputs          []string // ONE first, 32 bytes LE
	InputsDigest    string   `json:"inputs_digest"`
	NumInputs       int      `json:"num_inputs"`
	NumAux          int      `json:"num_aux"`
	AuxDigest       string   `json:"aux_digest"`
	AuxZero         int      `json:"aux_zero"`
	AuxOne          int      `json:"aux_one"`
	CheckpointEvery int      `json:"checkpoint_every"`
	Checkpoints     []string
}

// sector is a folder of inputs and one index within it.
type sector struct {
	dir   string
	index int
	kind  string
}

func assignmentCases(dir string) ([]Case, error) {
	files, err := glob(dir, "sectors/*/witness-*.json")
	if err != nil {
		return nil, err
	}
	cases := make([]Case, 0, len(files))
	for _, file := range files {
		var facts assignmentFacts
		if err := ReadJSON(file, &facts); err != nil {
			return nil, err
		}
		folder := filepath.Dir(file)
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		_, index, _ := cutLast(name, '-')
		i, err := strconv.Atoi(index)
		if err != nil {
			return nil, fmt.Errorf("%s: no index in the name", file)
		}
		s := sector{folder, i, facts.Kind}
		cost := int64(0)
		for _, p := range facts.Partitions {
			cost += int64(p.NumAux)
		}
		cases = append(cases, Case{
			Name: "sectors/" + filepath.Base(folder) + "/" + name,
			Cost: cost,
			Run:  func() error { return facts.check(s) },
		})
	}
	return cases, nil
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// check loads the vanilla proof as a host would pass it, checks it against the
// chain's values, and compares every partition's assignment.
func (f *assignmentFacts) check(s sector) error {
	job, err := s.load()
	if err != nil {
		return err
	}
	if job.statement.Partitions() != len(f.Partitions) {
		return fmt.Errorf("%d partitions, want %d", job.statement.Partitions(), len(f.Partitions))
	}
	for i := range f.Partitions {
		if err := f.Partitions[i].check(job); err != nil {
			return fmt.Errorf("partition %d: %w", i, err)
		}
	}
	return nil
}

func (f *partitionFacts) check(job *solvable) error {
	if err := every(f.CheckpointEvery); err != nil {
		return err
	}
	w, err := job.solve(f.Partition)
	if err != nil {
		return err
	}
	if err := f.checkInputs(job, w); err != nil {
		return err
	}
	sum, checkpoints, zeros, ones := job.circuit.AuxDigest(w)
	if got := hex.EncodeToString(sum[:]); got != f.AuxDigest {
		i := firstDifference(checkpoints, f.Checkpoints)
		return fmt.Errorf("aux digest %s, want %s; first difference among values %d to %d", got, f.AuxDigest,
			i*r1cs.CheckpointEvery, (i+1)*r1cs.CheckpointEvery-1)
	}
	if zeros != f.AuxZero || ones != f.AuxOne {
		return fmt.Errorf("%d zeros, %d ones, want %d, %d", zeros, ones, f.AuxZero, f.AuxOne)
	}
	return nil
}

// checkInputs compares the witness's inputs, and the ones computed from public
// values alone, with the golden ones.
func (f *partitionFacts) checkInputs(job *solvable, w *r1cs.Witness) error {
	public, err := job.statement.PublicInputs(f.Partition)
	if err != nil {
		return err
	}
	public = append([]fr.Element{fr.One()}, public...)
	if len(public) != f.NumInputs || len(w.Inputs) != f.NumInputs {
		return fmt.Errorf("%d public inputs, %d in the witness, want %d", len(public), len(w.Inputs), f.NumInputs)
	}
	h := sha256.New()
	for i := range public {
		var b [fr.Bytes]byte
		fr.LittleEndian.PutElement(&b, public[i])
		h.Write(b[:])
		if !public[i].Equal(&w.Inputs[i]) || len(f.Inputs) > 0 && hex.EncodeToString(b[:]) != f.Inputs[i] {
			return fmt.Errorf("input %d: public %x, witness %s", i, b, w.Inputs[i].String())
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != f.InputsDigest {
		return fmt.Errorf("inputs digest %s, want %s", got, f.InputsDigest)
	}
	return nil
}
