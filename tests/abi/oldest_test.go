package abi

import (
	"path/filepath"
	"testing"

	"github.com/libcuzk/libcuzk/tests/harness"
)

// TestOldestHeader compiles programs against the oldest header of this ABI
// (oldest/cuzk.h) and runs them with today's library: structs were shorter then and
// codes fewer. Only programs that use nothing newer, and nothing of the header's
// experimental part that has changed since, as cuzk_snapshot has.
func TestOldestHeader(t *testing.T) {
	lib := harness.Build(t, "shared")
	for _, name := range []string{"version", "lifecycle", "errors", "buffers", "options", "callbacks", "threads", "cycles"} {
		exe := filepath.Join(t.TempDir(), name)
		args := append(append([]string{"-g", "-Ioldest"}, warnings...), "-std=c99", "programs/"+name+".c", "-o", exe,
			"-L"+lib, "-Wl,-rpath,"+lib, "-lcuzk", "-pthread")
		harness.Run(t, "cc", args...)
		runProgram(t, exe, name)
	}
}
