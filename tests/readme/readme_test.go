// Package readme compiles and runs the programs of README.md.
package readme

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"libcuzk/core"
	"libcuzk/tests/harness"
)

// The programs take C1_JSON SECTOR_NUMBER MINER_ID PARAMS_DIR PROOF; each test
// says how its language is compiled and returns the command before these.
func TestC(t *testing.T) {
	lib := harness.Build(t, "build")
	dir := t.TempDir()
	exe := filepath.Join(dir, "prove")
	harness.Run(t, "cc", "-Wall", "-Wextra", "-Werror", "-std=c99", "-I"+filepath.Join(harness.Root(), "include"),
		program(t, "c", filepath.Join(dir, "prove.c")), "-o", exe, "-L"+lib, "-lcuzk", "-Wl,-rpath,"+lib)
	prove(t, exe)
}

// TestGo puts the program into the module, because a program elsewhere would
// have to download what this one has.
func TestGo(t *testing.T) {
	dir := filepath.Join(harness.Root(), "build", "readme")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	exe := filepath.Join(t.TempDir(), "prove")
	program(t, "go", filepath.Join(dir, "main.go"))
	harness.Run(t, "go", "build", "-o", exe, dir)
	prove(t, exe)
}

func TestPython(t *testing.T) {
	t.Setenv("CUZK_LIBRARY", filepath.Join(harness.Build(t, "build"), "libcuzk.so.0"))
	t.Setenv("PYTHONPATH", filepath.Join(harness.Root(), "bindings/python/src"))
	prove(t, "python3", program(t, "python", filepath.Join(t.TempDir(), "prove.py")))
}

// TestRust compares: the program is an example of the crate, which the tests of
// the bindings compile and run.
func TestRust(t *testing.T) {
	example, err := os.ReadFile(filepath.Join(harness.Root(), "bindings/rust/cuzk/examples/prove_porep.rs"))
	require.NoError(t, err)
	text, err := os.ReadFile(program(t, "rust", filepath.Join(t.TempDir(), "prove.rs")))
	require.NoError(t, err)
	require.Equal(t, string(example), string(text))
}

// program writes the one code block of a language to path.
func program(t *testing.T, language, path string) string {
	text, err := os.ReadFile(filepath.Join(harness.Root(), "README.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, blocks, 1)
	require.NoError(t, os.WriteFile(path, blocks[0][1], 0o644))
	return path
}

// prove runs a program on the golden sector and verifies its proof.
func prove(t *testing.T, command ...string) {
	params := harness.Params(t, core.KindPoRep)
	sectors := filepath.Join(harness.Golden(), "sectors/2k-v1_1")
	out := filepath.Join(t.TempDir(), "proof")
	args := append(command[1:], filepath.Join(sectors, "c1-0.json"), "101", "1001", params, out)
	text, err := exec.Command(command[0], args...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	proof, err := os.ReadFile(out)
	require.NoError(t, err)

	e, err := core.Open(core.Options{ParamsDir: params})
	require.NoError(t, err)
	defer e.Close()
	valid, err := e.VerifyPoRep(t.Context(), sectorInfo(t, filepath.Join(sectors, "sector-0.json")), proof)
	require.NoError(t, err)
	require.True(t, valid)
}

// sectorInfo reads what the chain knows of the golden sector.
func sectorInfo(t *testing.T, path string) core.PoRepInfo {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var s struct {
		CommR    harness.Hex32 `json:"comm_r"`
		CommD    harness.Hex32 `json:"comm_d"`
		Ticket   harness.Hex32 `json:"ticket"`
		Seed     harness.Hex32 `json:"seed"`
		ProverID harness.Hex32 `json:"prover_id"`
		Sector   uint64        `json:"sector_number"`
	}
	require.NoError(t, json.Unmarshal(text, &s))
	return core.PoRepInfo{RegisteredProof: 5, SectorNumber: s.Sector, ProverID: s.ProverID,
		CommR: s.CommR, CommD: s.CommD, Ticket: s.Ticket, Seed: s.Seed}
}
