package cuzk

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
)

// TestSyscallFaults lets each system call on the files of parameters fail, or take long, once, while they are loaded, used
// and let go of, and while they are made: the outcome is an error or a right proof, never an abort, never a hang.
// `make syscall-faults` tries all; without CUZK_TEST_LONG it is a few.
func TestSyscallFaults(t *testing.T) {
	if dir := os.Getenv("CUZK_TEST_SYSCALLS"); dir != "" {
		syscallChild(t, dir)
		return
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	long := os.Getenv("CUZK_TEST_LONG") != ""
	name, srs, vk := paramsFiles(t, filecoin.WindowPoSt)
	_, info := postCase(t, "2k-v1_1/window_post")
	verifier, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU})
	require.NoError(t, err)
	defer verifier.Close()
	faults := []string{"error=EIO", "error=EMFILE", "error=ENOMEM", "error=EINTR", "error=ESTALE", "retval=0", "delay_enter=7s"}
	calls := []string{"openat", "fstat,newfstatat", "pread64", "close"}
	most := 3
	if !long {
		faults, calls, most = []string{"error=EIO", "delay_enter=7s"}, []string{"openat", "pread64"}, 1
	}
	outcomes := map[string]int{}
	for _, call := range calls {
		for _, fault := range faults {
			for when := 1; when <= most; when++ {
				what := fmt.Sprintf("%s %s %d", call, fault, when)
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+".params"), srs, 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+".vk"), vk, 0o600))
				out := syscallRun(t, dir, what, call, fault, when, filepath.Join(dir, name+".params"), filepath.Join(dir, name+".vk"))
				word, rest, _ := strings.Cut(out, " ")
				outcomes[word]++
				if word == "proof" {
					proof, err := hex.DecodeString(rest)
					require.NoError(t, err)
					ok, err := verifier.VerifyPoSt(t.Context(), info, proof)
					require.NoError(t, err)
					require.True(t, ok, what)
				}
			}
		}
	}
	t.Logf("%v", outcomes)
	require.Positive(t, outcomes["error"], "no fault was felt")
}

// syscallRun runs the child with a fault and returns what it says. Only calls on the paths are meant.
func syscallRun(t *testing.T, dir, what, call, fault string, when int, paths ...string) string {
	program, err := os.Executable()
	require.NoError(t, err)
	args := []string{"-f", "-o", "/dev/null", "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", call, fault, when)}
	for _, p := range paths {
		args = append(args, "-P", p)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", append(args, program, "-test.run", "^TestSyscallFaults$", "-test.v")...)
	cmd.Env = append(os.Environ(), "CUZK_TEST_SYSCALLS="+dir)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "PTRACE_TRACEME") || strings.Contains(string(out), "attach: ptrace") {
		t.Skipf("strace cannot trace here: %s", out)
	}
	require.NoError(t, err, "%s: %s", what, out)
	for line := range strings.Lines(string(out)) {
		if said, ok := strings.CutPrefix(line, "outcome: "); ok {
			return strings.TrimSpace(said)
		}
	}
	require.Fail(t, "the child says nothing", "%s: %s", what, out)
	return ""
}

// syscallChild proves and closes.
func syscallChild(t *testing.T, dir string) {
	request, _ := postCase(t, "2k-v1_1/window_post")
	request.Job.Deadline = time.Now().Add(60 * time.Second)
	e, err := Open(Options{ParamsDir: dir, Backend: CPU})
	require.NoError(t, err)
	proof, err := e.ProvePoSt(t.Context(), request)
	if err != nil {
		fmt.Printf("outcome: error %v\n", err)
	} else {
		fmt.Printf("outcome: proof %x\n", proof)
	}
	require.NoError(t, e.Close())
}
