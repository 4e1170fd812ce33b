package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
)

// make writes the parameters of a circuit, such as "porep:32GiB", from the public
// toxic values of the test vectors. Files that are there already stay.
func (o *options) make(ctx context.Context, d *device.Device, r *report, what string) error {
	name, size, _ := strings.Cut(what, ":")
	kind, err := filecoin.ParseKind(name)
	if err != nil {
		return err
	}
	bytes, err := filecoin.ParseSize(size)
	if err != nil {
		return err
	}
	shape, err := filecoin.NewShape(kind, bytes)
	if err != nil {
		return err
	}
	base := filepath.Join(o.params, shape.ParamsName())
	if _, err := os.Stat(base + ".params"); err == nil {
		fmt.Printf("# %s.params is there\n", base)
		return nil
	}
	c := circuit.Compile(shape)
	label := kind.String() + "_" + strings.ToLower(size)
	began := time.Now()
	scalars, err := params.Evaluate(ctx, c, params.ToxicFromLabel(params.GoldenLabel), o.workers)
	if err != nil {
		return err
	}
	r.value(label+"_make_scalars_s", time.Since(began).Seconds(), "s")
	began = time.Now()
	if err := d.Make(ctx, c, groth16.NewPlan(c), scalars, base+".params", device.Limits{}); err != nil {
		return err
	}
	r.value(label+"_make_file_s", time.Since(began).Seconds(), "s")
	return nil
}
