// Package golden checks circuits, assignments and public inputs against facts
// produced with the published Filecoin crates, in a folder laid out as
// tests/golden (its README says how each was made). Only tests and the
// verify-circuits command use it.
package golden

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Case is one fact and how to check it.
type Case struct {
	Name string // e.g. "r1cs/porep-2048" or "sectors/2k-v1_1/witness-porep-0"
	Cost int64  // rows or aux values to hash: what the check's time grows with
	Run  func() error
	// Start checks a circuit's counts and its first rows, in a second; nil for an assignment.
	Start func() error
}

// Cases lists the facts of a folder, smallest first.
func Cases(dir string) ([]Case, error) {
	circuits, err := circuitCases(dir)
	if err != nil {
		return nil, err
	}
	assignments, err := assignmentCases(dir)
	if err != nil {
		return nil, err
	}
	all := append(circuits, assignments...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Cost < all[j].Cost })
	return all, nil
}

// glob matches plain and gzipped files and returns their plain names.
func glob(dir, pattern string) ([]string, error) {
	seen := map[string]bool{}
	for _, p := range []string{pattern, pattern + ".gz"} {
		found, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			seen[strings.TrimSuffix(f, ".gz")] = true
		}
	}
	names := make([]string, 0, len(seen))
	for f := range seen {
		names = append(names, f)
	}
	sort.Strings(names)
	return names, nil
}

// Read returns a file's content, from name or the gzipped name.gz.
func Read(name string) ([]byte, error) {
	raw, err := os.ReadFile(name)
	if err == nil || !os.IsNotExist(err) {
		return raw, err
	}
	f, err := os.Open(name + ".gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// ReadJSON decodes a file that may be gzipped.
func ReadJSON(name string, v any) error {
	raw, err := Read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// firstDifference returns the index of the first checkpoint that differs, or
// the number of checkpoints if none does.
func firstDifference(got [][8]byte, want []string) int {
	for i := range got {
		if i >= len(want) || hex.EncodeToString(got[i][:]) != want[i] {
			return i
		}
	}
	return len(got)
}

// every checks that a file's checkpoints are spaced as ours.
func every(n int) error {
	if n != r1cs.CheckpointEvery {
		return fmt.Errorf("checkpoints every %d, only %d is understood", n, r1cs.CheckpointEvery)
	}
	return nil
}
