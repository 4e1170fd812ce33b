package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"runtime"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/circuit/porep"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

const mib = 1 << 20

// compilePoRep: the 32 GiB circuit on one core, and its size.
func compilePoRep(b *bench) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	shape, err := filecoin.NewShape(filecoin.PoRep, 32*filecoin.GiB)
	if err != nil {
		return err
	}
	var c *r1cs.Circuit
	took, err := best(3, func() error { c = circuit.Compile(shape); return nil })
	b.print("compile_porep_32gib_s", took.wall.Seconds(), "s")
	b.print("compile_porep_32gib_cpu_s", took.cpu.Seconds(), "s")
	b.print("circuit_porep_32gib_mib", float64(c.Bytes())/mib, "MiB")
	return err
}

// bigC1 reads the golden 32 GiB commit-phase-1 output.
func bigC1(b *bench) ([]byte, error) {
	return golden.Read(filepath.Join(b.golden, "sectors/32g-sparse/c1.json"))
}

// parseC1: the 32 GiB input, and what parsing allocates beside it.
func parseC1(b *bench) error {
	data, err := bigC1(b)
	if err != nil {
		return err
	}
	took, err := best(3, func() error { _, err := vanilla.ParseC1(data); return err })
	b.print("parse_c1_32gib_s", took.wall.Seconds(), "s")
	b.print("parse_c1_32gib_cpu_s", took.cpu.Seconds(), "s")
	b.print("parse_c1_32gib_allocated_ratio", float64(took.allocated)/float64(len(data)), "bytes per input byte")
	return err
}

// checkC1: every value of a 32 GiB and of a 2 KiB input.
func checkC1(b *bench) error {
	for _, c := range []struct{ name, c1, sector string }{
		{"2kib", "sectors/2k-v1_1/c1-0.json", "sectors/2k-v1_1/sector-0.json"},
		{"32gib", "sectors/32g-sparse/c1.json", "sectors/32g-sparse/sector-0.json"},
	} {
		c1, seal, err := readSector(b, c.c1, c.sector)
		if err != nil {
			return err
		}
		took, err := best(2, func() error { return c1.Check(context.Background(), seal, runtime.NumCPU()) })
		if err != nil {
			return err
		}
		b.print("check_c1_"+c.name+"_s", took.wall.Seconds(), "s")
		b.print("check_c1_"+c.name+"_cpu_s", took.cpu.Seconds(), "s")
	}
	return nil
}

// solvePoRep: one 32 GiB partition on one core, and what it allocates.
func solvePoRep(b *bench) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	data, err := bigC1(b)
	if err != nil {
		return err
	}
	c1, err := vanilla.ParseC1(data)
	if err != nil {
		return err
	}
	circuit := circuit.Compile(c1.Proof.Shape())
	took, err := best(3, func() error { _, err := porep.Solve(context.Background(), circuit, c1, 0); return err })
	b.print("solve_porep_32gib_partition_s", took.wall.Seconds(), "s")
	b.print("solve_porep_32gib_partition_cpu_s", took.cpu.Seconds(), "s")
	b.print("solve_porep_32gib_partition_allocated_mib", float64(took.allocated)/mib, "MiB")
	return err
}

// readSector reads an input and what the chain knows of it.
func readSector(b *bench, c1Name, sectorName string) (*vanilla.C1, *filecoin.Seal, error) {
	data, err := golden.Read(filepath.Join(b.golden, c1Name))
	if err != nil {
		return nil, nil, err
	}
	c1, err := vanilla.ParseC1(data)
	if err != nil {
		return nil, nil, err
	}
	text, err := golden.Read(filepath.Join(b.golden, sectorName))
	if err != nil {
		return nil, nil, err
	}
	var sector struct {
		MinerID      uint64 `json:"miner_id"`
		SectorNumber uint64 `json:"sector_number"`
	}
	if err := json.Unmarshal(text, &sector); err != nil {
		return nil, nil, err
	}
	return c1, c1.Seal(filecoin.ProverID(sector.MinerID), sector.SectorNumber), nil
}
