package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The marks around the generated block of the header.
const (
	blockBegin = "/* codes: generated from core/internal/status/codes.tsv */\n"
	blockEnd   = "/* end of codes */\n"
)

func main() {
	root := "../../.." // go generate runs in core/internal/status
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	files, err := generate(root)
	for path, text := range files {
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "codegen:", err)
		os.Exit(1)
	}
}

// generate returns the wanted contents of every file below root that carries
// the codes, by path.
func generate(root string) (map[string]string, error) {
	tsv, err := os.ReadFile(filepath.Join(root, "core/internal/status/codes.tsv"))
	if err != nil {
		return nil, err
	}
	t, err := parse(string(tsv))
	if err != nil {
		return nil, fmt.Errorf("codes.tsv: %w", err)
	}
	goSource, err := renderGo(t)
	if err != nil {
		return nil, err
	}
	coreSource, err := renderCore(t)
	if err != nil {
		return nil, err
	}
	headerPath := filepath.Join(root, "include/cuzk.h")
	header, err := os.ReadFile(headerPath)
	if err != nil {
		return nil, err
	}
	before, rest, ok := strings.Cut(string(header), blockBegin)
	_, after, ok2 := strings.Cut(rest, blockEnd)
	if !ok || !ok2 {
		return nil, errors.New("include/cuzk.h: the marks of the code block are missing")
	}
	return map[string]string{
		filepath.Join(root, "core/codes.go"):                 coreSource,
		filepath.Join(root, "core/internal/status/codes.go"): goSource,
		headerPath:                          before + blockBegin + renderHeader(t) + blockEnd + after,
		filepath.Join(root, "capi/names.c"): renderShim(t),
		filepath.Join(root, "bindings/rust/cuzk-sys/src/codes.rs"): renderRust(t),
		filepath.Join(root, "bindings/python/src/cuzk/_codes.py"):  renderPython(t),
	}, nil
}
