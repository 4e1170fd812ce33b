package engine

import (
	"bytes"
	"path/filepath"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// prover is what proving a circuit needs: its matrices, the parameters at one
// place and the plan that brings them together. It is a copy of package srs.
type prover struct {
	circuit *r1cs.Circuit
	plan    *groth16.Plan
	file    *params.File // of a mapped copy, and of one on a device
	layout  params.Layout
	amount  budget.Amount   // of points that are not mapped
	device  *device.Backend // of points on a device
	pieces  bool            // they come to the device in pieces
	groth16 *groth16.Prover
}

// prepare checks a mapped file and plans its use: its structure is compared with
// the circuit and its verifying key with the .vk file; points are checked when
// they are first decoded.
func (e *Engine) prepare(circuit *r1cs.Circuit, file *params.File, shape filecoin.Shape) (*prover, error) {
	p := &prover{circuit: circuit, plan: groth16.NewPlan(circuit), file: file, layout: file.Layout}
	if err := p.use(file.SRS(), e.config); err != nil {
		return nil, err
	}
	return p, e.matchKey(file, shape)
}

// use proves on the CPU.
func (p *prover) use(points *params.SRS, config Config) error {
	return p.prove(points.Key, shaken(groth16.NewCPU(strained(points, config.Faults), config.Threads), config.Faults))
}

func (p *prover) prove(key *verify.Key, b groth16.Backend) (err error) {
	p.groth16, err = groth16.New(p.circuit, p.plan, key, p.layout, b)
	return err
}

// matchKey compares the key at the head of a parameter file with the .vk file
// beside it, by which proofs are verified.
func (e *Engine) matchKey(file *params.File, shape filecoin.Shape) error {
	name := shape.ParamsName() + ".vk"
	key, err := readKey(filepath.Join(e.config.ParamsDir, name), shape)
	if err != nil {
		return err
	}
	if !bytes.Equal(key.AppendTo(nil), file.SRS().Key.AppendTo(nil)) {
		return status.New(status.SRSMismatch, name, "%s is the key of other parameters than %s", name, filepath.Base(file.Path))
	}
	return nil
}

// Amount returns the bytes of decoded points; a mapping's pages are the kernel's.
func (p *prover) Amount() budget.Amount { return p.amount }

// slots is how many partitions a device takes at once with these parameters.
func (p *prover) slots() int {
	if p.device == nil {
		return 1
	}
	return p.device.Slots()
}

// sketches reports whether the device completes witnesses that are sketched.
func (p *prover) sketches() bool { return p.device != nil && p.device.Sketches() }

// streams reports whether the parameters come to their device in pieces, so that
// partitions that are proved together share them.
func (p *prover) streams() bool { return p.pieces }

// Close frees the device's memory and unmaps the file.
func (p *prover) Close() error {
	if p.device != nil {
		p.device.Close()
	}
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}
