package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// makeParams: all parameters of 2 KiB PoRep, through the engine, to a folder
// that is removed again.
func makeParams(b *bench) error {
	dir, err := os.MkdirTemp(b.params, "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	took, err := measure(func() error { return makeInto(dir) })
	b.print("params_make_porep_2kib_s", took.wall.Seconds(), "s")
	b.print("params_make_porep_2kib_cpu_s", took.cpu.Seconds(), "s")
	return err
}

func makeInto(dir string) error {
	e := engine.Open(engine.Config{ParamsDir: dir, Threads: runtime.NumCPU()})
	defer e.Close()
	j, err := e.SubmitParams(context.Background(), engine.Params{Kind: "porep", SectorSize: 2048, Dir: dir, SeedLabel: "golden"})
	if err != nil {
		return err
	}
	_, err = j.Wait(context.Background())
	return err
}

// provePoRep: a 2 KiB proof through the engine, first and resident, with the
// stages of the second.
func provePoRep(b *bench) (err error) {
	shape, err := filecoin.NewShape(filecoin.PoRep, 2048)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(b.params, shape.ParamsName()+".params")); err != nil {
		if err := makeInto(b.params); err != nil {
			return err
		}
	}
	c1, err := os.ReadFile(filepath.Join(b.golden, "sectors/2k-v1_1/c1-0.json"))
	if err != nil {
		return err
	}
	e := engine.Open(engine.Config{ParamsDir: b.params, Threads: runtime.NumCPU(), MaxInput: 1 << 30})
	defer func() { err = errors.Join(err, e.Close()) }()
	var report engine.Report
	prove := func() error {
		j, err := e.SubmitPoRep(context.Background(), engine.PoRep{C1: c1, SectorNumber: 101, ProverID: filecoin.ProverID(1001)})
		if err != nil {
			return err
		}
		_, err = j.Wait(context.Background())
		report = j.Report()
		return err
	}
	first, err := measure(prove)
	if err != nil {
		return err
	}
	b.print("prove_porep_2kib_first_s", first.wall.Seconds(), "s")
	took, err := measure(prove)
	if err != nil {
		return err
	}
	b.print("prove_porep_2kib_s", took.wall.Seconds(), "s")
	b.print("prove_porep_2kib_cpu_s", took.cpu.Seconds(), "s")
	for _, s := range append(report.Stages, report.Parts...) {
		b.print("prove_porep_2kib_"+s.Name+"_s", s.Wall.Seconds(), "s")
	}
	b.print("prove_porep_2kib_peak_rss_mib", peakRSS()/mib, "MiB")
	return nil
}
