// Command gen writes the vector arithmetic of the base field and of the scalar
// field of BLS12-381: the files *_amd64.s of package field.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// outputs maps the files of package field to what writes their text.
var outputs = map[string]func() string{
	"fp4_amd64.s": baseFieldAVX2,
	"fr4_amd64.s": scalarFieldAVX2,
	"fp8_amd64.s": baseFieldIFMA,
	"fr8_amd64.s": scalarFieldIFMA,
}

func main() {
	for name, text := range outputs {
		if err := os.WriteFile(filepath.Join(".", name), []byte(text()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
