// Package readme compiles and runs the programs of README.md.
package readme

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/tests/harness"
)

// The programs take C1_JSON SECTOR_NUMBER MINER_ID PARAMS_DIR PROOF; each test
// says how its language is compiled and run. All of them prove the golden sector
// with the library, and its proof is verified here.
func TestC(t *testing.T) {
	lib := harness.Build(t, "build")
	dir := t.TempDir()
	exe := filepath.Join(dir, "prove")
	harness.Run(t, "cc", "-Wall", "-Wextra", "-Werror", "-std=c99", "-I"+filepath.Join(harness.Root(), "include"),
		program(t, "c", filepath.Join(dir, "prove.c")), "-o", exe, "-L"+lib, "-lcuzk", "-Wl,-rpath,"+lib)
	needsParams(t, exe)
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
	lib := harness.Build(t, "build")
	t.Setenv("CUZK_LIBRARY", filepath.Join(lib, "libcuzk.so.0"))
	t.Setenv("PYTHONPATH", filepath.Join(harness.Root(), "bindings/python/src"))
	text := program(t, "python", filepath.Join(t.TempDir(), "prove.py"))
	needsParams(t, "python3", text)
	prove(t, "python3", text)
}

// TestRust builds the crate's example, which the program is.
func TestRust(t *testing.T) {
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("no cargo")
	}
	crates := filepath.Join(harness.Root(), "bindings/rust")
	example, err := os.ReadFile(filepath.Join(crates, "cuzk/examples/prove_porep.rs"))
	require.NoError(t, err)
	text, err := os.ReadFile(program(t, "rust", filepath.Join(t.TempDir(), "prove.rs")))
	require.NoError(t, err)
	require.Equal(t, string(example), string(text))

	lib := harness.Build(t, "build")
	t.Setenv("CUZK_LIB_DIR", lib)
	t.Setenv("LD_LIBRARY_PATH", lib)
	if os.Getenv("CARGO_TARGET_DIR") == "" {
		t.Setenv("CARGO_TARGET_DIR", filepath.Join(harness.Params(t), "cargo"))
	}
	cargo := []string{"cargo", "run", "--quiet", "--locked", "--manifest-path", filepath.Join(crates, "Cargo.toml"),
		"-p", "cuzk", "--example", "prove_porep", "--"}
	prove(t, cargo...)
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

const sectors = "sectors/2k-v1_1"

// arguments of a program for the golden sector; out is where the proof goes.
func arguments(t *testing.T, command []string, params string) (args []string, out string) {
	out = filepath.Join(t.TempDir(), "proof")
	return append(slices.Clone(command), filepath.Join(harness.Golden(), sectors, "c1-0.json"), "101", "1001", params, out), out
}

// prove runs a program on the golden sector and verifies its proof.
func prove(t *testing.T, command ...string) {
	params := harness.Params(t, cuzk.KindPoRep)
	args, out := arguments(t, command, params)
	harness.Run(t, args[0], args[1:]...)
	proof, err := os.ReadFile(out)
	require.NoError(t, err)

	e, err := cuzk.Open(cuzk.Options{ParamsDir: params})
	require.NoError(t, err)
	defer e.Close()
	valid, err := e.VerifyPoRep(t.Context(), sectorInfo(t, filepath.Join(harness.Golden(), sectors, "sector-0.json")), proof)
	require.NoError(t, err)
	require.True(t, valid)
}

// needsParams: with the library and an empty folder the program fails, says what
// is missing and writes nothing.
func needsParams(t *testing.T, command ...string) {
	args, out := arguments(t, command, t.TempDir())
	text, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", text)
	require.Contains(t, string(text), ".params")
	require.NoFileExists(t, out)
}

// sectorInfo reads what the chain knows of the golden sector.
func sectorInfo(t *testing.T, path string) cuzk.PoRepInfo {
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
	return cuzk.PoRepInfo{RegisteredProof: 5, SectorNumber: s.Sector, ProverID: s.ProverID,
		CommR: s.CommR, CommD: s.CommD, Ticket: s.Ticket, Seed: s.Seed}
}
