// Command bench measures what libcuzk promises on the CPU and prints one JSON
// line per figure, as core/cmd/internal/figure writes them. Units are in the names; _cpu_s is CPU time of all threads, which a loaded machine
// changes least.
//
//	bench [-run REGEXP] [-golden DIR] [-params DIR]
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/libcuzk/libcuzk/core/cmd/internal/figure"
)

// measurement is one figure or a few that come from the same run.
type measurement struct {
	name string
	run  func(*bench) error
}

// measurements in the order in which they run, cheap ones first.
var measurements = []measurement{
	{"compile_porep", compilePoRep},
	{"parse_c1", parseC1},
	{"check_c1", checkC1},
	{"solve_porep", solvePoRep},
	{"solve_post", solvePoSt},
	{"solve_update", solveUpdate},
	{"fixture", makeFixture},
	{"params_make", makeParams},
	{"prove_porep", provePoRep},
}

func main() {
	run := flag.String("run", "", "only figures whose name matches")
	golden := flag.String("golden", "tests/golden", "folder of golden data")
	params := flag.String("params", os.Getenv("CUZK_TEST_PARAMS"), "folder of 2 KiB PoRep parameters for prove_porep; made if missing")
	flag.Parse()
	match, err := regexp.Compile(*run)
	if err != nil || *params == "" {
		fmt.Fprintln(os.Stderr, "bench: -run wants a regular expression, -params a folder", err)
		os.Exit(2)
	}
	b := &bench{golden: *golden, params: *params, figures: figure.NewWriter(figure.Host(), "", os.Stdout)}
	failed := false
	for _, f := range measurements {
		if !match.MatchString(f.name) {
			continue
		}
		if err := f.run(b); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", f.name, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
