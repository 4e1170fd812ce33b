package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// openFile opens the parameters as a file. Where it is not in the folder that
// options name, it is made there through the first device. Without a folder it is
// a temporary one, which closeParams removes. Pieces come from it while proofs are
// made.
func (c *benchCase) openFile(ctx context.Context, plan *groth16.Plan, scalars *params.Scalars) (err error) {
	dir := c.paramsDir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "params"); err != nil {
			return err
		}
		c.temporary = dir
	}
	base := filepath.Join(dir, c.job.Statement.Shape().ParamsName())
	if _, err := os.Stat(base + ".params"); err != nil {
		if err := c.makeFile(ctx, plan, scalars, base); err != nil {
			return err
		}
	}
	if c.params, err = params.Open(base + ".params"); err != nil {
		return err
	}
	c.report.value(c.name+"_file_gib", float64(c.params.Bytes())/(1<<30), "GiB")
	return c.readFile(ctx, base+".params")
}

func (c *benchCase) makeFile(ctx context.Context, plan *groth16.Plan, scalars *params.Scalars, base string) error {
	start := time.Now()
	if err := c.set.Devices[0].Make(ctx, c.job.Circuit, plan, scalars, base+".params", device.Limits{Host: uint64(c.host)}); err != nil {
		return err
	}
	if err := params.SaveKey(base+".vk", scalars.Key); err != nil {
		return err
	}
	c.report.value(c.name+"_make_file_s", time.Since(start).Seconds(), "s")
	return nil
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
	if c.temporary != "" {
		err = errors.Join(err, os.RemoveAll(c.temporary))
	}
	return err
}
