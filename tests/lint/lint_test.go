// Package lint holds the sources to the rules of the project: who may import
// whom, where cgo and goroutines live, what may print, how long a file is.
package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/tests/harness"
)

// source is one parsed Go file of the product, tests left out.
type source struct {
	path    string // below the root, "core/internal/spawn/spawn.go"
	pkg     string // its folder
	file    *ast.File
	fset    *token.FileSet
	command bool // package main: a tool, which may print
	test    bool
}

// sources parses every Go file below the folders of the product.
func sources(t *testing.T) (all []source) {
	root := harness.Root()
	for _, top := range []string{"core", "capi", "gpu"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			rel, err := filepath.Rel(root, path)
			require.NoError(t, err)
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			require.NoError(t, err)
			all = append(all, source{rel, filepath.Dir(rel), file, fset, file.Name.Name == "main" && filepath.Dir(rel) != "capi" && filepath.Dir(rel) != "capi/filcrypto",
				strings.HasSuffix(rel, "_test.go") || importsTesting(file)})
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, len(all), 50)
	return all
}

// importsTesting tells helpers of tests, which follow the rules of tests.
func importsTesting(f *ast.File) bool {
	for _, i := range f.Imports {
		if i.Path.Value == `"testing"` {
			return true
		}
	}
	return false
}

// modulePath is the module's path with a slash; go.mod is the one place that names it.
var modulePath = func() string {
	mod, err := os.ReadFile(filepath.Join(harness.Root(), "go.mod"))
	if err != nil {
		panic(err)
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	return strings.TrimPrefix(first, "module ") + "/"
}()

// imports returns a file's imports, those of libcuzk relative to the module.
func (s source) imports() (paths []string) {
	for _, i := range s.file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		paths = append(paths, strings.TrimPrefix(path, modulePath))
	}
	return paths
}

// TestImportMap: dependencies point down.
func TestImportMap(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.command {
			continue
		}
		rule, ok := ruleFor(s.pkg)
		require.True(t, ok, "%s: package %s has no rule in rules.go", s.path, s.pkg)
		for _, path := range s.imports() {
			if strings.HasPrefix(path, "core") || strings.HasPrefix(path, "capi") || strings.HasPrefix(path, "gpu") {
				require.True(t, rule.allows(path), "%s imports %s", s.path, path)
			}
		}
	}
}

// TestCgo: only capi and gpu use cgo, and the emulator that tests of vectors run on.
func TestCgo(t *testing.T) {
	for _, s := range sources(t) {
		for _, path := range s.imports() {
			if path == "C" || path == "runtime/cgo" {
				require.Regexp(t, `^((capi|gpu)(/|$)|core/internal/field/emulator$)`, s.pkg, "%s uses cgo", s.path)
			}
		}
	}
}

// TestEmulator: no product holds the emulator of instructions, only tests.
func TestEmulator(t *testing.T) {
	for _, s := range sources(t) {
		for _, path := range s.imports() {
			switch {
			case path == "core/internal/field/fieldtest":
				require.True(t, s.test, "%s imports %s", s.path, path)
			case path == "core/internal/field/emulator":
				require.True(t, s.test || s.pkg == "core/internal/field/fieldtest", "%s imports %s", s.path, path)
			}
		}
	}
}

// TestGoroutines: they start in spawn alone, where panics are caught.
func TestGoroutines(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.command || s.pkg == "core/internal/spawn" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: a go statement: use spawn", s.fset.Position(g.Pos()))
			}
			if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "AfterFunc" {
				if from, ok := call.X.(*ast.Ident); ok && (from.Name == "context" || from.Name == "time") {
					t.Errorf("%s: %s.AfterFunc starts a goroutine: use spawn", s.fset.Position(n.Pos()), from.Name)
				}
			}
			return true
		})
	}
}

// environmentReader is the one file that asks for environment variables: the
// drop-in calls have nobody else to tell them where parameters are.
const environmentReader = "core/ffi/environment.go"

// TestQuiet: the library prints nothing, reads no environment, exits never,
// and does nothing when it is loaded.
func TestQuiet(t *testing.T) {
	forbidden := regexp.MustCompile(`^(fmt\.Print\w*|log\.\w+|slog\.(Default|SetDefault|(Debug|Info|Warn|Error)(Context)?|Log|LogAttrs)|os\.(Stdout|Stderr|Stdin|Getenv|LookupEnv|Environ|Exit))$`)
	for _, s := range sources(t) {
		if s.test || s.command {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil && s.path != environmentReader && forbidden.MatchString(x.Name+"."+n.Sel.Name) {
					t.Errorf("%s: %s.%s", s.fset.Position(n.Pos()), x.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
					t.Errorf("%s: %s", s.fset.Position(n.Pos()), f.Name)
				}
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: an init function", s.fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// TestFiles: what is linked into hosts opens no files through package os, whose files start the runtime's network
// poller and cannot be given up. Tests, their helpers, benches and commands may.
func TestFiles(t *testing.T) {
	forbidden := regexp.MustCompile(`^os\.(Open|OpenFile|OpenRoot|Create|CreateTemp|ReadFile|WriteFile|ReadDir|RemoveAll|Stat|Lstat|DirFS)$`)
	helper := regexp.MustCompile(`golden|bench|/cmd/|/gen$|codegen|gpu/fake|^tests|fusefs`)
	for _, s := range sources(t) {
		if s.test || helper.MatchString(s.pkg) || s.file.Name.Name == "main" && !strings.HasPrefix(s.pkg, "capi") {
			continue
		}
		if strings.HasPrefix(s.pkg, "capi/internal/goruntime") { // a tool of the build
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if n, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil && forbidden.MatchString(x.Name+"."+n.Sel.Name) {
					t.Errorf("%s: %s.%s, package files has it", s.fset.Position(n.Pos()), x.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestSize: no file is longer than 500 lines, no package without a comment.
func TestSize(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if !s.test {
			documented[s.pkg] = documented[s.pkg] || s.file.Doc != nil
		}
		if ast.IsGenerated(s.file) {
			continue
		}
		lines := s.fset.File(s.file.Pos()).LineCount()
		require.LessOrEqual(t, lines, 500, "%s has %d lines", s.path, lines)
	}
	for pkg, ok := range documented {
		require.True(t, ok, "package %s has no comment", pkg)
	}
}

// TestExportsAreDocumented: every exported name says what it is.
func TestExportsAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.command || s.pkg == "capi" || ast.IsGenerated(s.file) {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s: %s has no comment", s.fset.Position(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil && ts.Comment == nil {
						t.Errorf("%s: %s has no comment", s.fset.Position(ts.Pos()), ts.Name.Name)
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether a function is one, or a method of an
// exported type that is not a well-known interface's.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	switch f.Name.Name {
	case "Error", "Unwrap", "String", "Len", "Less", "Swap":
		return false
	}
	r := f.Recv.List[0].Type
	if star, ok := r.(*ast.StarExpr); ok {
		r = star.X
	}
	if index, ok := r.(*ast.IndexExpr); ok {
		r = index.X
	}
	id, ok := r.(*ast.Ident)
	return ok && id.IsExported()
}

// TestNoLeftovers: no unfinished business and no machine's paths in what is
// tracked as text.
func TestNoLeftovers(t *testing.T) {
	leftover := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b|/wo` + `rk/|/ro` + `ot/`)
	for _, path := range strings.Fields(harness.Run(t, "git", "-C", harness.Root(), "ls-files")) {
		if strings.HasPrefix(path, "tests/golden/") || slices.Contains([]string{".sum", ".lock", ".png"}, filepath.Ext(path)) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(harness.Root(), path))
		if os.IsNotExist(err) {
			continue // removed and not committed yet
		}
		require.NoError(t, err)
		require.True(t, utf8.Valid(text) || path == "gpu/cuda/test/gnark.bin", "%s is not text", path)
		for i, line := range strings.Split(string(text), "\n") {
			if leftover.MatchString(line) {
				t.Errorf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
			}
		}
	}
}
