// Command verify-circuits checks circuits, assignments and public inputs
// against every fact in a folder laid out as tests/golden, one line per case.
//
//	verify-circuits [-run TEXT] DIR
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/golden"
)

func main() {
	match := flag.String("run", "", "only cases whose name contains this text")
	limit := flag.Int64("memory", 6<<30, "soft memory limit in bytes")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	debug.SetMemoryLimit(*limit)
	cases, err := golden.Cases(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	passed, failed := 0, 0
	for _, c := range cases {
		if !strings.Contains(c.Name, *match) {
			continue
		}
		start := time.Now()
		if err := c.Run(); err != nil {
			failed++
			fmt.Printf("FAIL %s: %v\n", c.Name, err)
			continue
		}
		passed++
		fmt.Printf("ok   %s (%.1f s)\n", c.Name, time.Since(start).Seconds())
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}
