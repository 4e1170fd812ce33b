// Command bench proves golden inputs on a GPU and measures it: parameters are
// made on the device from the public toxic values, every partition is solved,
// proved and verified, and proofs that golden files hold are compared byte for
// byte. It needs no installation: the device library and a folder of inputs.
//
//	bench -library libcuzk_cuda.so -golden tests/golden -out DIR CASE…
//
// A case is SECTOR:KIND[:INDEX], for instance 32g-sparse:porep. Results are JSON
// lines in DIR/results.jsonl and on standard output, a Chrome trace per case,
// and the proofs with their verifying key and public inputs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"libcuzk/core/internal/device"
	"libcuzk/gpu"
)

func main() {
	var o options
	flag.StringVar(&o.library, "library", "build/gpu/libcuzk_cuda.so", "device library")
	flag.StringVar(&o.golden, "golden", "tests/golden", "folder of golden inputs")
	flag.StringVar(&o.out, "out", ".", "folder for results")
	flag.StringVar(&o.commit, "commit", "", "commit to name in results")
	flag.StringVar(&o.driver, "driver", "", "driver version to name in results")
	flag.IntVar(&o.index, "device", 0, "index of the device")
	flag.IntVar(&o.slots, "slots", 0, "partitions in flight")
	flag.Uint64Var(&o.limit, "limit", 0, "device memory limit in bytes")
	flag.Uint64Var(&o.host, "host", 0, "bytes of host memory for parameters that do not fit on the device")
	flag.IntVar(&o.repeat, "repeat", 0, "jobs proved back to back for throughput")
	flag.IntVar(&o.partitions, "partitions", 0, "partitions of each job to prove; 0: all")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "CPU threads")
	flag.BoolVar(&o.check, "check", false, "check every sum by known logarithms (slow)")
	flag.BoolVar(&o.file, "file", false, "make a parameter file and load that, instead of making points on the device")
	flag.Parse()
	if err := o.run(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	library, golden, out, commit, driver      string
	index, slots, repeat, workers, partitions int
	limit, host                               uint64
	check, file                               bool
}

func (o *options) run(ctx context.Context, cases []string) error {
	lib, err := gpu.Load(o.library)
	if err != nil {
		return err
	}
	all, err := lib.Devices()
	if err != nil {
		return err
	}
	for _, d := range all {
		fmt.Printf("# device %d: %s %s, %d MiB, %d free, rejected: %q\n", d.Index, d.Name, d.UUID, d.Memory>>20, d.Available>>20, d.Rejected)
	}
	if o.index >= len(all) {
		return fmt.Errorf("no device %d of %d", o.index, len(all))
	}
	r, err := newReport(filepath.Join(o.out, "results.jsonl"), o, all[o.index])
	if err != nil {
		return err
	}
	defer r.close()
	for _, name := range cases {
		d, err := device.Open(lib, all[o.index], device.Options{Slots: o.slots, MemoryLimit: o.limit})
		if err != nil {
			return err
		}
		c := &benchCase{options: o, report: r, device: d, trace: newTrace()}
		err = c.run(ctx, name)
		if closeErr := d.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
