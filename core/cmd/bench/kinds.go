package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/circuit/post"
	"github.com/libcuzk/libcuzk/core/internal/circuit/update"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/fixture"
	"github.com/libcuzk/libcuzk/core/internal/golden"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

const sparse32GiB = "sectors/32g-sparse"

// makeFixture: a sparse 32 GiB sector of a new seed.
func makeFixture(b *bench) error {
	p, err := filecoin.SealProofOf(32*filecoin.GiB, filecoin.V1_1, filecoin.NoFeature)
	if err != nil {
		return err
	}
	took, err := measure(func() error { _, err := fixture.NewSector(p, 4711); return err })
	b.print("fixture_porep_32gib_s", took.wall.Seconds(), "s")
	b.print("fixture_porep_32gib_cpu_s", took.cpu.Seconds(), "s")
	return err
}

// solvePoSt: one 32 GiB WinningPoSt, and a WindowPoSt partition of 2349 sectors,
// on one core.
func solvePoSt(b *bench) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, kind := range []filecoin.Kind{filecoin.WinningPoSt, filecoin.WindowPoSt} {
		p, err := filecoin.PoStProofOf(kind, 32*filecoin.GiB)
		if err != nil {
			return err
		}
		data, err := golden.Read(filepath.Join(b.golden, sparse32GiB, kind.String()+"-0.vanilla"))
		if err != nil {
			return err
		}
		sector, err := vanilla.ParsePoStSector(data, p)
		if err != nil {
			return err
		}
		shape := p.Shape()
		sectors := []*vanilla.PoStSector{sector}
		if kind == filecoin.WindowPoSt {
			sectors = slices.Repeat(sectors, shape.Sectors)
		}
		c := circuit.Compile(shape)
		took, err := measure(func() error {
			_, err := post.Solve(context.Background(), c, shape, 1, sectors)
			return err
		})
		if err != nil {
			return err
		}
		b.print("solve_"+kind.String()+"_32gib_partition_cpu_s", took.cpu.Seconds(), "s")
		b.print("circuit_"+kind.String()+"_32gib_mib", float64(c.Bytes())/mib, "MiB")
	}
	return nil
}

// solveUpdate: one of the 16 partitions of a 32 GiB update, on one core.
func solveUpdate(b *bench) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	text, err := golden.Read(filepath.Join(b.golden, sparse32GiB, "update.json"))
	if err != nil {
		return err
	}
	var file struct {
		Proof    string `json:"registered_update_proof"`
		CommROld string `json:"comm_r_old"`
		CommRNew string `json:"comm_r_new"`
		CommDNew string `json:"comm_d_new"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	p, err := filecoin.ParseUpdateProof(file.Proof)
	if err != nil {
		return err
	}
	s := &filecoin.UpdateStatement{Proof: p}
	for hexed, node := range map[string]*filecoin.Node{file.CommROld: &s.CommROld, file.CommRNew: &s.CommRNew, file.CommDNew: &s.CommDNew} {
		if _, err := hex.Decode(node[:], []byte(hexed)); err != nil {
			return err
		}
	}
	data, err := golden.Read(filepath.Join(b.golden, sparse32GiB, "update-0.vanilla"))
	if err != nil {
		return err
	}
	v, err := vanilla.ParseUpdatePartition(data, p)
	if err != nil {
		return err
	}
	c := circuit.Compile(s.Shape())
	took, err := measure(func() error { _, err := update.Solve(context.Background(), c, s, 0, v); return err })
	if err != nil {
		return err
	}
	b.print("solve_update_32gib_partition_cpu_s", took.cpu.Seconds(), "s")
	b.print("circuit_update_32gib_mib", float64(c.Bytes())/mib, "MiB")
	return nil
}
