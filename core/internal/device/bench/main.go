// Command bench proves golden inputs on a GPU and measures it: parameters are
// made on the device from the public toxic values, every partition is solved,
// proved and verified, and proofs that golden files hold are compared byte for
// byte. It needs no installation: the device library and a folder of inputs.
//
//	bench -library libcuzk_cuda.so -golden tests/golden -out DIR CASE…
//
// A case is SECTOR:KIND[:INDEX], for instance 32g-sparse:porep, or tiny: circuits
// of 1, 2, 3, 31, 33 and 2^k ± 1 constraints. Results are JSON lines in DIR/results.jsonl and on standard output,
// a Chrome trace per case, and the proofs with their verifying key and public
// inputs. With -limit a device behaves like a smaller one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/gpu"
)

func main() {
	var o options
	flag.StringVar(&o.library, "library", "build/gpu/libcuzk_cuda.so", "device library")
	flag.StringVar(&o.golden, "golden", "tests/golden", "folder of golden inputs")
	flag.StringVar(&o.out, "out", ".", "folder for results")
	flag.StringVar(&o.commit, "commit", "", "commit to name in results")
	flag.StringVar(&o.driver, "driver", "", "driver version to name in results")
	flag.StringVar(&o.devices, "devices", "0", "indices or UUIDs of the devices, with commas between")
	flag.BoolVar(&o.whole, "whole", false, "solve witnesses in full, also where a device could complete sketches")
	flag.StringVar(&o.label, "label", "", "what to add to names of results")
	flag.IntVar(&o.slots, "slots", 0, "partitions in flight")
	flag.Var(&o.limit, "limit", "device memory limit: 16GB, 24GiB, …")
	flag.Var(&o.host, "host", "host memory for parameters that do not fit on the device")
	flag.Var(&o.stay, "stay", "bytes of bases that may stay on the device")
	flag.IntVar(&o.piece, "piece", 0, "points in a piece of what does not stay")
	flag.IntVar(&o.leak, "leak", 0, "prove all cases by turns, that many proofs: is free memory then what it was after the fifth?")
	flag.IntVar(&o.times, "times", 200, "proofs of each tiny circuit")
	flag.IntVar(&o.repeat, "repeat", 0, "jobs proved back to back for throughput")
	flag.IntVar(&o.partitions, "partitions", 0, "partitions of each job to prove; 0: all")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "CPU threads")
	flag.BoolVar(&o.oneStream, "one-stream", false, "sums never run beside each other")
	flag.BoolVar(&o.check, "check", false, "check every sum by known logarithms (slow)")
	flag.StringVar(&o.paramsDir, "params", "", "folder where -file makes parameters that are not there, and leaves them")
	flag.BoolVar(&o.file, "file", false, "make a parameter file and load that, instead of making points on the device")
	flag.Parse()
	if err := o.run(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	library, golden, out, commit, driver, devices, label   string
	paramsDir                                              string
	slots, repeat, workers, partitions, piece, times, leak int
	limit, host, stay                                      amount
	check, file, oneStream, whole                          bool
}

// amount is a number of bytes in human units, as a flag.
type amount int64

// String renders the number of bytes.
func (b *amount) String() string { return strconv.FormatInt(int64(*b), 10) }

// Set reads a size.
func (b *amount) Set(s string) error {
	n, err := budget.ParseSize(s)
	*b = amount(n)
	return err
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
	chosen, err := device.Choose(all, strings.Split(o.devices, ","))
	if err != nil {
		return err
	}
	r, err := newReport(filepath.Join(o.out, "results.jsonl"), o, chosen[0])
	if err != nil {
		return err
	}
	defer r.close()
	if o.leak > 0 {
		return o.leaks(ctx, r, indices(chosen), cases)
	}
	for _, name := range cases {
		set, err := device.OpenSet(o.library, indices(chosen), device.Options{Slots: o.slots, MemoryLimit: uint64(o.limit)})
		if err != nil {
			return err
		}
		c := &benchCase{options: o, report: r, set: set, trace: newTrace()}
		if name == "tiny" {
			err = c.tiny(ctx)
		} else {
			err = c.run(ctx, name)
		}
		if err = errors.Join(err, set.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func indices(all []gpu.Info) (names []string) {
	for _, d := range all {
		names = append(names, strconv.Itoa(d.Index))
	}
	return names
}
