// Command gen writes the G2 twins of the files that end in _g1.go: the same code over
// the quadratic extension.
package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run generates the twins in the folder dir.
func run(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*_g1.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		twin := strings.TrimSuffix(file, "_g1.go") + "_g2.go"
		if err := os.WriteFile(twin, []byte(Twin(string(source), filepath.Base(file))), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Twin rewrites the source of a G1 file for G2.
func Twin(source, name string) string {
	body := strings.NewReplacer(
		"import \"github.com/consensys/gnark-crypto/ecc/bls12-381/fp\"\n\n", "",
		"\t\"github.com/consensys/gnark-crypto/ecc/bls12-381/fp\"\n", "",
		"fp.Element", "E2",
		"G1", "G2",
	).Replace(source)
	out, err := format.Source([]byte("// Code generated from " + name + " by gen; DO NOT EDIT.\n\n" + body))
	if err != nil {
		panic(err) // the source was not Go either
	}
	return string(out)
}
