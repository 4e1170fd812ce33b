// Command bench prepares and checks a machine with GPUs where nothing is
// installed but the device library:
//
//	bench -library libcuzk_cuda.so -out DIR make -params DIR KIND:SIZE…
//	bench -library libcuzk_cuda.so -out DIR tiny
//
// make writes test parameters of the published layout to files, with the points
// computed on the device: the input of every measurement, which tests/bench/engine.py takes
// through the engine. tiny proves circuits of 1, 2, 3, 31, 33 and 2^k ± 1
// constraints on the device and checks each of their sums. Results are JSON lines in
// DIR/results.jsonl and on standard output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/libcuzk/libcuzk/core/internal/device"
)

type options struct {
	library, out, params, commit, driver, name string

	workers, rounds int
}

func main() {
	var o options
	flag.StringVar(&o.library, "library", "build/gpu/libcuzk_cuda.so", "device library")
	flag.StringVar(&o.out, "out", ".", "folder for results")
	flag.StringVar(&o.params, "params", ".", "folder for parameters")
	flag.StringVar(&o.commit, "commit", "", "commit to name in results")
	flag.StringVar(&o.driver, "driver", "", "driver version to name in results")
	flag.StringVar(&o.name, "device", "0", "index or UUID of the device")
	flag.IntVar(&o.rounds, "rounds", 200, "proofs of each tiny circuit")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "CPU threads")
	flag.Parse()
	if err := o.run(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context, args []string) (err error) {
	if len(args) == 0 {
		return errors.New("want make or tiny")
	}
	set, err := device.OpenSet(o.library, []string{o.name}, device.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	d := set.Devices[0]
	fmt.Printf("# %s\n", d)
	r, err := newReport(filepath.Join(o.out, "results.jsonl"), o, d.Info)
	if err != nil {
		return err
	}
	defer r.close()
	switch args[0] {
	case "tiny":
		return tiny(ctx, d, r, o.rounds)
	case "make":
		for _, what := range args[1:] {
			if err := o.make(ctx, d, r, what); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		return nil
	}
	return fmt.Errorf("no command %q, want make or tiny", args[0])
}
