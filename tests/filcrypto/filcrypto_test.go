// Package filcrypto holds libcuzk_filcrypto.so to what a host expects that was
// compiled against filecoin-ffi's header. Each program stands for such a host.
package filcrypto

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/tests/harness"
)

var warnings = []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-std=c11"}

// sanitize makes a host whose every access to memory is checked; what the
// library has allocated for it must be gone at the end.
const sanitize = "-fsanitize=address,undefined"

// programs lists each program with the parameters that it needs.
var programs = map[string]struct {
	kinds []cuzk.Kind
	pack  bool // needs the SRS of aggregation, and the verifying key of PoRep
	long  bool // proves with parameters of a gigabyte
	plain bool // has an allocator of its own, which the sanitizer's would replace
}{
	"aggregate": {pack: true},
	"calls":     {kinds: []cuzk.Kind{cuzk.KindPoRep, cuzk.KindUpdate, cuzk.KindWinningPoSt, cuzk.KindWindowPoSt}},
	"memory":    {plain: true},
	"misuse":    {},
	"seal":      {kinds: []cuzk.Kind{cuzk.KindPoRep}, long: true},
	"update":    {kinds: []cuzk.Kind{cuzk.KindUpdate}, long: true},
}

// TestPrograms compiles each program against the second, hand-written copy of
// the layouts and runs it with the library.
func TestPrograms(t *testing.T) {
	lib := harness.Build(t, "filcrypto")
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			if p.long && testing.Short() {
				t.Skip("proves with parameters of a gigabyte")
			}
			exe := filepath.Join(t.TempDir(), name)
			args := append([]string{"programs/" + name + ".c", "-o", exe, "-L" + lib, "-Wl,-rpath," + lib, "-lcuzk_filcrypto"}, warnings...)
			if !p.plain {
				args = append(args, sanitize)
			}
			harness.Run(t, "cc", args...)
			cmd := exec.Command(exe, harness.Golden())
			for _, v := range os.Environ() {
				if !strings.HasPrefix(v, "FIL_PROOFS_") && !strings.HasPrefix(v, "BELLMAN_") {
					cmd.Env = append(cmd.Env, v)
				}
			}
			if p.kinds != nil {
				cmd.Env = append(cmd.Env, "FIL_PROOFS_PARAMETER_CACHE="+harness.Params(t, p.kinds...))
			}
			if p.pack {
				cmd.Env = append(cmd.Env, "FIL_PROOFS_PARAMETER_CACHE="+pack(t))
			}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Empty(t, string(out))
		})
	}
}

// pack makes a folder with the golden SRS for two proofs.
func pack(t *testing.T) string {
	dir := t.TempDir()
	keys, err := filepath.Glob(filepath.Join(harness.Params(t, cuzk.KindPoRep), "*.vk"))
	require.NoError(t, err)
	for _, key := range keys {
		require.NoError(t, os.Symlink(key, filepath.Join(dir, filepath.Base(key))))
	}
	e, err := cuzk.Open(cuzk.Options{ParamsDir: dir, Backend: cuzk.CPU})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.MakeParams(t.Context(), cuzk.Params{Kind: cuzk.KindAggregate, Length: 4, SeedLabel: "golden", Dir: dir}, nil)
	require.NoError(t, err)
	return dir
}

// TestExports: the library shows the calls of the header, those of the list,
// and nothing else, so that it takes no other name from libfilcrypto.
func TestExports(t *testing.T) {
	lib := harness.Build(t, "filcrypto")
	list, err := os.ReadFile("exports.txt")
	require.NoError(t, err)
	want := strings.Fields(string(list))
	var got []string
	for _, line := range strings.Split(harness.Run(t, "nm", "-D", "--defined-only", filepath.Join(lib, "libcuzk_filcrypto.so")), "\n") {
		if f := strings.Fields(line); len(f) == 3 {
			got = append(got, f[2])
		}
	}
	sort.Strings(got)
	require.Equal(t, want, got)

	header, err := os.ReadFile(filepath.Join(harness.Root(), "include/cuzk_filcrypto.h"))
	require.NoError(t, err)
	code := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(header), "")
	var declared []string
	for _, m := range regexp.MustCompile(`\b(\w+)\(`).FindAllStringSubmatch(code, -1) {
		declared = append(declared, m[1])
	}
	sort.Strings(declared)
	require.Equal(t, want, declared)

	dynamic := harness.Run(t, "readelf", "-dW", filepath.Join(lib, "libcuzk_filcrypto.so"))
	require.Contains(t, dynamic, "Library soname: [libcuzk_filcrypto.so.0]")
	require.Contains(t, dynamic, "BIND_NOW")
}

// TestBesideLibfilcrypto runs a program with a libfilcrypto of the same names,
// which would crash it: ours are taken when they are linked first, or preloaded.
func TestBesideLibfilcrypto(t *testing.T) {
	lib, dir := harness.Build(t, "filcrypto"), t.TempDir()
	list, err := os.ReadFile("exports.txt")
	require.NoError(t, err)
	var theirs strings.Builder
	for _, name := range strings.Fields(string(list)) {
		theirs.WriteString("void *" + name + "(void) { __builtin_trap(); }\n")
	}
	stub := filepath.Join(dir, "filcrypto.c")
	require.NoError(t, os.WriteFile(stub, []byte(theirs.String()), 0o600))
	harness.Run(t, "cc", "-shared", "-fPIC", stub, "-o", filepath.Join(dir, "libfilcrypto.so"))
	build := func(name string, flags ...string) *exec.Cmd {
		exe := filepath.Join(dir, name)
		args := append([]string{"programs/misuse.c", "-o", exe, "-L" + lib, "-L" + dir, "-Wl,-rpath," + lib + ":" + dir}, warnings...)
		harness.Run(t, "cc", append(args, flags...)...)
		return exec.Command(exe, harness.Golden())
	}
	first := build("first", "-lcuzk_filcrypto", "-lfilcrypto")
	preloaded := build("preloaded", "-lfilcrypto")
	preloaded.Env = append(os.Environ(), "LD_PRELOAD="+filepath.Join(lib, "libcuzk_filcrypto.so.0"))
	for _, cmd := range []*exec.Cmd{first, preloaded} {
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.Error(t, build("theirs", "-lfilcrypto").Run(), "the stub is not what runs above")
}

// TestHeader compiles the header in C99 and C++17, and its layouts and numbers
// against the same list as the hand-written copy.
func TestHeader(t *testing.T) {
	include := "-I" + filepath.Join(harness.Root(), "include")
	harness.Run(t, "cc", append([]string{include, "-c", "programs/header.c", "-o", filepath.Join(t.TempDir(), "header.o")}, warnings...)...)
	header := filepath.Join(harness.Root(), "include/cuzk_filcrypto.h")
	harness.Run(t, "cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wstrict-prototypes", "-fsyntax-only", "-xc", header)
	harness.Run(t, "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-xc++", header)
}

// TestHeaderNamesItsTests: every [name] of the header is a program, and every
// program is named.
func TestHeaderNamesItsTests(t *testing.T) {
	header, err := os.ReadFile(filepath.Join(harness.Root(), "include/cuzk_filcrypto.h"))
	require.NoError(t, err)
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\[([a-z]{2}[a-z, ]*)\]`).FindAllStringSubmatch(string(header), -1) {
		for _, name := range strings.Split(m[1], ", ") {
			named[name] = true
		}
	}
	require.Len(t, named, len(programs))
	for name := range programs {
		require.True(t, named[name], name)
	}
}

// TestPageNamesTheCalls: docs/drop-in.md lists every call.
func TestPageNamesTheCalls(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(harness.Root(), "docs/drop-in.md"))
	require.NoError(t, err)
	list, err := os.ReadFile("exports.txt")
	require.NoError(t, err)
	for _, name := range strings.Fields(string(list)) {
		if !strings.HasPrefix(name, "destroy_") {
			require.Contains(t, string(page), "`"+name+"`")
		}
	}
}

// TestInstall installs to a fresh prefix and finds it with pkg-config.
func TestInstall(t *testing.T) {
	prefix := t.TempDir()
	harness.Build(t, "install-filcrypto", "PREFIX="+prefix)
	t.Setenv("PKG_CONFIG_PATH", filepath.Join(prefix, "lib/pkgconfig"))
	flags := strings.Fields(harness.Run(t, "pkg-config", "--cflags", "--libs", "cuzk_filcrypto"))
	exe := filepath.Join(t.TempDir(), "header")
	harness.Run(t, "cc", append([]string{"programs/header.c", "-o", exe, "-Wl,--no-as-needed", "-Wl,-rpath," + prefix + "/lib"}, flags...)...)
	harness.Run(t, exe)
}
