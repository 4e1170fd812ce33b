// Package abi holds libcuzk.so and libcuzk.a to the promises of cuzk.h. Each
// promise is a C program, or a C++ program where C has no say; the name of its file is the name in brackets in the
// header.
package abi

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

// needParams are the programs that prove, and what.
var needParams = map[string][]cuzk.Kind{
	"prove":     {cuzk.KindPoRep},
	"aggregate": {cuzk.KindPoRep},
	"jobs":      {cuzk.KindPoRep, cuzk.KindWinningPoSt},
	"engine":    {cuzk.KindWindowPoSt},
	"snapshot":  {cuzk.KindWindowPoSt},
	"kinds":     {cuzk.KindWinningPoSt, cuzk.KindWindowPoSt, cuzk.KindUpdate},
}

var warnings = []string{"-Wall", "-Wextra", "-Werror", "-pedantic"}

// TestPrograms compiles and runs every program against libcuzk.so.
func TestPrograms(t *testing.T) {
	lib := harness.Build(t, "build")
	for _, name := range programs(t) {
		t.Run(name, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), name)
			language := []string{"-std=c99", "programs/" + name + ".c"}
			if !isC(name) {
				language = []string{"-std=c++17", "-xc++", "programs/" + name + ".cpp", "-xnone", "-lstdc++"}
			}
			compile(t, append(append(append([]string{}, warnings...), language...), "-o", exe,
				"-Wl,--as-needed", "-L"+lib, "-Wl,-rpath,"+lib, "-lcuzk", "-pthread"))
			runProgram(t, exe, name)
		})
	}
}

// TestLeaks runs programs that make and free much under the address and leak
// sanitizers: what C allocated for them must be gone.
func TestLeaks(t *testing.T) {
	lib := harness.Build(t, "build")
	for _, name := range []string{"cycles", "handles", "errors"} {
		exe := filepath.Join(t.TempDir(), name)
		compile(t, append(warnings, "-std=c99", "-fsanitize=address", "programs/"+name+".c", "-o", exe,
			"-L"+lib, "-Wl,-rpath,"+lib, "-lcuzk", "-pthread"))
		runProgram(t, exe, name)
	}
}

// TestStaticArchive links a few programs with libcuzk.a instead, and checks
// that the archive shows nothing but the public functions.
func TestStaticArchive(t *testing.T) {
	lib := harness.Build(t, "build")
	for _, name := range []string{"version", "handles", "fork", "delivery"} {
		exe := filepath.Join(t.TempDir(), name)
		compile(t, append(warnings, "-std=c99", "programs/"+name+".c", "-o", exe, filepath.Join(lib, "libcuzk.a"), "-pthread"))
		runProgram(t, exe, name)
	}
	require.Equal(t, exports(t), symbols(t, "-g", "--defined-only", filepath.Join(lib, "libcuzk.a")))
}

// TestExports compares the symbols of libcuzk.so with the golden list, and
// both with the functions that the header declares.
func TestExports(t *testing.T) {
	lib := harness.Build(t, "build")
	require.Equal(t, exports(t), symbols(t, "-D", "--defined-only", filepath.Join(lib, "libcuzk.so")))

	header, err := os.ReadFile(filepath.Join(harness.Root(), "include/cuzk.h"))
	require.NoError(t, err)
	comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
	code := comments.ReplaceAllString(string(header), "")
	var declared []string
	for _, m := range regexp.MustCompile(`\b(cuzk_\w+)\(`).FindAllStringSubmatch(code, -1) {
		declared = append(declared, m[1])
	}
	sort.Strings(declared)
	require.Equal(t, exports(t), declared)
}

// TestSharedObject checks what the loader sees of libcuzk.so.
func TestSharedObject(t *testing.T) {
	lib := harness.Build(t, "build")
	dynamic := harness.Run(t, "readelf", "-dW", filepath.Join(lib, "libcuzk.so"))
	require.Contains(t, dynamic, "Library soname: [libcuzk.so.0]")
	require.Contains(t, dynamic, "BIND_NOW")
	for _, m := range regexp.MustCompile(`Shared library: \[(.*?)\]`).FindAllStringSubmatch(dynamic, -1) {
		require.Regexp(t, `^(libc|libpthread|libresolv|libm|ld-linux-x86-64)\.so`, m[1], "an unexpected dependency")
	}
	require.Contains(t, harness.Run(t, "readelf", "-lW", filepath.Join(lib, "libcuzk.so")), "GNU_RELRO")
}

// TestHeaderCompiles includes the header alone, twice, in C99 and C++17.
func TestHeaderCompiles(t *testing.T) {
	include := "-I" + filepath.Join(harness.Root(), "include")
	const text = "#include \"cuzk.h\"\n#include \"cuzk.h\"\n" +
		"cuzk_options o = CUZK_OPTIONS_INIT;\ncuzk_porep_info i = CUZK_POREP_INFO_INIT;\n" +
		"cuzk_params_options p = CUZK_PARAMS_OPTIONS_INIT;\n" +
		"cuzk_porep_request r = CUZK_POREP_REQUEST_INIT;\ncuzk_post_request q = CUZK_POST_REQUEST_INIT;\n" +
		"cuzk_post_info f = CUZK_POST_INFO_INIT;\ncuzk_update_request u = CUZK_UPDATE_REQUEST_INIT;\n" +
		"cuzk_update_info v = CUZK_UPDATE_INFO_INIT;\ncuzk_snapshot s = CUZK_SNAPSHOT_INIT;\n" +
		"cuzk_fixture_options x = CUZK_FIXTURE_OPTIONS_INIT;\ncuzk_measure_request m = CUZK_MEASURE_REQUEST_INIT;\n" +
		"cuzk_job_options j = CUZK_JOB_OPTIONS_INIT;\n" +
		"cuzk_aggregate_request a = CUZK_AGGREGATE_REQUEST_INIT;\ncuzk_aggregate_info b = CUZK_AGGREGATE_INFO_INIT;\n"
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"alone.c":   {"cc", "-std=c99", "-Wstrict-prototypes"},
		"alone.cpp": {"c++", "-std=c++17", "-Wold-style-cast"},
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		args = append(append(args, warnings...), include, "-c", file, "-o", file+".o")
		harness.Run(t, args[0], args[1:]...)
	}
}

// TestInstall installs to a fresh prefix and builds a program with pkg-config.
func TestInstall(t *testing.T) {
	prefix := t.TempDir()
	harness.Build(t, "install", "PREFIX="+prefix)
	t.Setenv("PKG_CONFIG_PATH", filepath.Join(prefix, "lib/pkgconfig"))
	require.Equal(t, "0.1.0\n", harness.Run(t, "pkg-config", "--modversion", "cuzk"))
	flags := strings.Fields(harness.Run(t, "pkg-config", "--cflags", "--libs", "cuzk"))
	exe := filepath.Join(t.TempDir(), "version")
	harness.Run(t, "cc", append([]string{"programs/version.c", "-o", exe, "-Wl,-rpath," + prefix + "/lib"}, flags...)...)
	runProgram(t, exe, "version")
}

// TestEveryCallIsMisused: fork.c calls every function of the header in a forked
// child, and handles.c, with what is no handle, every one that takes a handle.
func TestEveryCallIsMisused(t *testing.T) {
	header, err := os.ReadFile(filepath.Join(harness.Root(), "include/cuzk.h"))
	require.NoError(t, err)
	for program, which := range map[string]string{
		"fork":    `(?m)^[a-z].*?\b(cuzk_\w+)\(`,
		"handles": `(?m)^[a-z].*?\b(cuzk_\w+)\((?:const )?cuzk_(?:engine|job|error) \*`,
	} {
		text, err := os.ReadFile("programs/" + program + ".c")
		require.NoError(t, err)
		found := regexp.MustCompile(which).FindAllStringSubmatch(string(header), -1)
		require.Greater(t, len(found), 20)
		for _, m := range found {
			require.Contains(t, string(text), m[1]+"(", "%s.c", program)
		}
	}
}

// TestHeaderNamesItsTests checks that every [name] of the header is a
// program, and that every program is named.
func TestHeaderNamesItsTests(t *testing.T) {
	header, err := os.ReadFile(filepath.Join(harness.Root(), "include/cuzk.h"))
	require.NoError(t, err)
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\[([a-z, ]+)\]`).FindAllStringSubmatch(string(header), -1) {
		for _, name := range strings.Split(m[1], ", ") {
			named[name] = true
		}
	}
	var names []string
	for name := range named {
		names = append(names, name)
	}
	sort.Strings(names)
	require.Equal(t, programs(t), names)
}

// programs are the C and C++ programs without their endings, sorted.
func programs(t *testing.T) []string {
	files, err := filepath.Glob("programs/*.c*") // .c and .cpp
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, f := range files {
		files[i], _, _ = strings.Cut(filepath.Base(f), ".")
	}
	sort.Strings(files)
	return files
}

func isC(program string) bool {
	_, err := os.Stat("programs/" + program + ".c")
	return err == nil
}

func compile(t *testing.T, args []string) {
	t.Helper()
	harness.Run(t, "cc", append([]string{"-g", "-I" + filepath.Join(harness.Root(), "include")}, args...)...)
}

// runProgram runs a compiled program; its environment has no parameter folder.
func runProgram(t *testing.T, exe, name string) {
	t.Helper()
	params := "/nonexistent"
	if kinds := needParams[name]; kinds != nil {
		params = harness.Params(t, kinds...)
	}
	if name == "aggregate" {
		params = onlyKeys(t, params)
	}
	cmd := exec.Command(exe, harness.Golden(), params)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "FIL_PROOFS_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", name, out)
}

// onlyKeys returns a folder with the verifying keys of another, to which an SRS of
// aggregation can be added.
func onlyKeys(t *testing.T, params string) string {
	dir := t.TempDir()
	keys, err := filepath.Glob(filepath.Join(params, "*.vk"))
	require.NoError(t, err)
	for _, key := range keys {
		require.NoError(t, os.Symlink(key, filepath.Join(dir, filepath.Base(key))))
	}
	return dir
}

// exports is the golden list.
func exports(t *testing.T) []string {
	text, err := os.ReadFile("exports.txt")
	require.NoError(t, err)
	return strings.Fields(string(text))
}

// symbols lists the names that nm prints.
func symbols(t *testing.T, args ...string) (names []string) {
	for _, line := range strings.Split(harness.Run(t, "nm", args...), "\n") {
		if f := strings.Fields(line); len(f) == 3 {
			names = append(names, f[2])
		}
	}
	sort.Strings(names)
	return names
}
