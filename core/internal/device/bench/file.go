package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"libcuzk/core/internal/device"
	"libcuzk/core/internal/groth16"
	"libcuzk/core/internal/params"
	"libcuzk/core/internal/spawn"
)

// makeFile makes the parameters as a file, through the first device, and opens
// it. Pieces come from it while proofs are made; closeParams removes it.
func (c *benchCase) makeFile(ctx context.Context, plan *groth16.Plan, scalars *params.Scalars) error {
	dir, err := os.MkdirTemp("", "params")
	if err != nil {
		return err
	}
	c.dir = dir
	path := filepath.Join(dir, c.name+".params")
	start := time.Now()
	if err := c.set.Devices[0].Make(ctx, c.job.Circuit, plan, scalars, path, device.Limits{Host: uint64(c.host)}); err != nil {
		return err
	}
	c.report.value(c.name+"_make_file_s", time.Since(start).Seconds(), "s")
	debug.FreeOSMemory()
	resetPeak()
	if c.params, err = params.Open(path); err != nil {
		return err
	}
	c.report.value(c.name+"_file_gib", float64(c.params.Bytes())/(1<<30), "GiB")
	return c.readFile(ctx, path)
}

// readFile reads the whole file with plain calls: what loading is held against.
func (c *benchCase) readFile(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	const part, readers = 16 << 20, 4
	start := time.Now()
	err = spawn.Each(ctx, readers, readers, func(i int) error {
		buf := make([]byte, part)
		for at := int64(i) * part; at < c.params.Bytes(); at += readers * part {
			if _, err := file.ReadAt(buf[:min(part, c.params.Bytes()-at)], at); err != nil {
				return err
			}
		}
		return nil
	})
	c.report.value(c.name+"_read_file_rate", float64(c.params.Bytes())/time.Since(start).Seconds()/1e9, "GB/s")
	return err
}

func (c *benchCase) closeParams() error {
	var err error
	if c.params != nil {
		err = c.params.Close()
	}
	if c.dir != "" {
		err = errors.Join(err, os.RemoveAll(c.dir))
	}
	return err
}
