package loading

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Loaded is what proving a circuit needs: its matrices, the parameters at one place
// and the plan that brings them together. It is a copy of package srs.
type Loaded struct {
	circuit *r1cs.Circuit
	plan    *groth16.Plan
	file    *params.File // open; copies share it
	layout  params.Layout
	amount  budget.Amount   // of points on a device
	device  *device.Backend // of points on a device; nil: the CPU
	pieces  bool            // points come to the device in pieces
	prover  *groth16.Prover
}

// Prove returns the encoded proof of a witness, which is not verified.
func (p *Loaded) Prove(ctx context.Context, w *r1cs.Witness, z groth16.Randomness, hooks groth16.Hooks) ([groth16.ProofSize]byte, groth16.Timings, error) {
	return p.prover.ProveWith(ctx, w, z, hooks)
}

// prepare checks an open file and plans its use: its structure is compared with
// the circuit and its verifying key with the .vk file; points are checked when
// they are first decoded.
func (s *Store) prepare(ctx context.Context, circuit *r1cs.Circuit, file *params.File, shape filecoin.Shape) (*Loaded, error) {
	p := &Loaded{circuit: circuit, plan: groth16.NewPlan(circuit), file: file, layout: file.Layout}
	points := file.SRS()
	cpu := groth16.NewCPU(faultySource(points, s.options.Faults), s.options.Threads)
	if err := p.proveWith(points.Key, faultyBackend(cpu, s.options.Faults)); err != nil {
		return nil, err
	}
	return p, s.matchKey(ctx, file, shape)
}

// proveWith makes the prover of the copy.
func (p *Loaded) proveWith(key *verify.Key, b groth16.Backend) (err error) {
	p.prover, err = groth16.New(p.circuit, p.plan, key, p.layout, b)
	return err
}

// matchKey compares the key at the head of a parameter file with the .vk file
// beside it, by which proofs are verified.
func (s *Store) matchKey(ctx context.Context, file *params.File, shape filecoin.Shape) error {
	path, key, err := s.options.Keys.KeyFile(ctx, shape)
	if err != nil {
		return err
	}
	if !bytes.Equal(key, file.SRS().Key.AppendTo(nil)) {
		return status.New(status.SRSMismatch, path, "%s is the key of other parameters than %s", path, filepath.Base(file.Path))
	}
	return nil
}

// Amount returns the bytes of points on a device; the pages of a file are the kernel's.
func (p *Loaded) Amount() budget.Amount { return p.amount }

// Identity returns what the open file is known by.
func (p *Loaded) Identity() srs.Identity { return p.file.Identity() }

// Slots is how many partitions a device takes at once with these parameters.
func (p *Loaded) Slots() int {
	if p.device == nil {
		return 1
	}
	return p.device.Slots()
}

// Sketches reports whether the device completes partial witnesses
// (r1cs.Circuit.SketchParts).
func (p *Loaded) Sketches() bool { return p.device != nil && p.device.Sketches() }

// Streams reports whether the parameters come to their device in pieces, so that
// partitions that are proved together share them.
func (p *Loaded) Streams() bool { return p.pieces }

// Urgent reports whether partitions of these parameters run on the device at the same
// time as those of large circuits, and before them where both wait.
func (p *Loaded) Urgent() bool { return p.device != nil && p.device.Urgent() }

// Close frees the device's memory and closes the file.
func (p *Loaded) Close() error {
	if p.device != nil {
		p.device.Close()
	}
	p.file.Close()
	return nil
}
