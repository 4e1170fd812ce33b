package filcrypto

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/tests/harness"
)

// archive makes a static libfilcrypto of stubs with the names of the list and one
// of its own, which answers 7; calls of the list trap.
func archive(t *testing.T, dir string, names []string) string {
	var code strings.Builder
	code.WriteString("int fvm_of_theirs(void) { return 7; }\n")
	for _, name := range names {
		code.WriteString("void *" + name + "(void) { __builtin_trap(); }\n")
	}
	// One of theirs that calls one of the list, as Rust code within the archive does.
	code.WriteString("void *inside(void) { return verify_seal(); }\n")
	source := filepath.Join(dir, "theirs.c")
	require.NoError(t, os.WriteFile(source, []byte(code.String()), 0o600))
	harness.Run(t, "cc", "-c", source, "-o", filepath.Join(dir, "theirs.o"))
	out := filepath.Join(dir, "libfilcrypto.a")
	harness.Run(t, "ar", "rcsD", out, filepath.Join(dir, "theirs.o"))
	return out
}

// TestRedirect: the script renames the calls in a static archive, and refuses an
// archive that lacks one.
func TestRedirect(t *testing.T) {
	dir := t.TempDir()
	list, err := os.ReadFile("exports.txt")
	require.NoError(t, err)
	var calls []string
	for _, name := range strings.Fields(string(list)) {
		if !strings.HasPrefix(name, "destroy_") && name != "alloc_boxed_slice" {
			calls = append(calls, name)
		}
	}
	script := filepath.Join(harness.Root(), "capi/filcrypto/redirect.sh")
	in, out := archive(t, dir, calls), filepath.Join(dir, "redirected.a")
	require.Contains(t, harness.Run(t, script, in, out), "calls redirected")

	defined := map[string]bool{}
	for _, line := range strings.Split(harness.Run(t, "nm", "--format=posix", out), "\n") {
		if f := strings.Fields(line); len(f) >= 2 {
			defined[f[0]] = true
		}
	}
	for _, name := range calls {
		require.False(t, defined[name], name)
		require.True(t, defined["filcrypto_"+name], name)
	}
	require.True(t, defined["fvm_of_theirs"] && defined["inside"])

	// A host that defines a call itself, as -lcuzk_filcrypto would, gets its own.
	host := filepath.Join(dir, "host.c")
	require.NoError(t, os.WriteFile(host, []byte("int verify_seal(void) { return 35; }\nint fvm_of_theirs(void);\n"+
		"int main(void) { return verify_seal() + fvm_of_theirs(); }\n"), 0o600))
	exe := filepath.Join(dir, "host")
	harness.Run(t, "cc", host, out, "-o", exe)
	require.Equal(t, 42, exitCode(exec.Command(exe).Run()))

	for name, arguments := range map[string][]string{
		"onto itself":   {in, in},
		"no archive":    {filepath.Join(dir, "missing.a"), out},
		"a call lacks":  {archive(t, t.TempDir(), calls[1:]), filepath.Join(dir, "none.a")},
		"no arguments":  nil,
		"not an object": {script, filepath.Join(dir, "none.a")},
	} {
		require.NotZero(t, exitCode(exec.Command(script, arguments...).Run()), name)
	}
	require.NoFileExists(t, filepath.Join(dir, "none.a"))
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return 0
}
