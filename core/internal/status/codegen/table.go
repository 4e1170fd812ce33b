// Command codegen writes the status codes of libcuzk in every language from
// core/internal/status/codes.tsv: the Go constants, the block in
// include/cuzk.h, the C names of the shim, the Rust enum and the Python
// classes. Run it with go generate; its test fails when a file differs.
package main

import (
	"fmt"
	"strconv"
	"strings"
)

// table is the parsed codes.tsv.
type table []group

// group holds the codes of one group of ten.
type group struct {
	Tens  int    // 10 for the -10s
	Name  string // "argument"
	Title string // "argument and handle"
	Codes []code
}

// code is one status code.
type code struct {
	Value int    // negative
	Go    string // "SRSMissing"
	Name  string // "srs_missing"
	Text  string // what it means, for the comments of every language
}

// parse reads codes.tsv and refuses rows that break its rules: values
// negative, descending and inside their group, names unique.
func parse(tsv string) (table, error) {
	var t table
	last, seen := 0, map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(tsv), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("line %d: %d columns, want 4", i+1, len(f))
		}
		value, err := strconv.Atoi(f[0])
		if f[0] == "group" {
			tens, err := strconv.Atoi(f[1])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			t = append(t, group{Tens: tens, Name: f[2], Title: f[3]})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if len(t) == 0 || value >= last || -value/10*10 != t[len(t)-1].Tens || seen[f[2]] {
			return nil, fmt.Errorf("line %d: code %d %q is out of order, outside its group or repeated", i+1, value, f[2])
		}
		last, seen[f[2]] = value, true
		g := &t[len(t)-1]
		g.Codes = append(g.Codes, code{value, f[1], f[2], f[3]})
	}
	return t, nil
}

// C returns the C constant's name without its prefix, "SRS_MISSING".
func (c code) C() string { return strings.ToUpper(c.Name) }

// Camel returns the Rust and Python spelling, "SrsMissing".
func (c code) Camel() string { return camel(c.Name) }

func camel(snake string) string {
	var b strings.Builder
	for _, w := range strings.Split(snake, "_") {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}
