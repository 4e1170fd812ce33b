package engine

import (
	"bytes"
	"context"
	"path/filepath"

	"libcuzk/core/internal/curve"
	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/groth16"
	"libcuzk/core/internal/params"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/status"
)

// prover is what proving a circuit needs: its matrices, the mapped parameters
// and the plan that brings them together.
type prover struct {
	circuit *r1cs.Circuit
	file    *params.File
	groth16 *groth16.Prover
}

// prover returns the prover of a circuit. The parameter file is mapped once,
// its structure compared with the circuit and its verifying key with the .vk
// file; points are checked when they are first decoded.
func (e *Engine) prover(ctx context.Context, circuit *r1cs.Circuit, shape filecoin.Shape) (*prover, error) {
	return e.provers.get(ctx, shape, func(ctx context.Context) (*prover, error) {
		base := filepath.Join(e.config.ParamsDir, shape.ParamsName())
		file, err := params.Open(base + ".params")
		if err != nil {
			return nil, err
		}
		p, err := e.prepare(ctx, circuit, file, shape)
		if err != nil {
			file.Close()
			return nil, err
		}
		return p, nil
	})
}

// prepare checks a mapped file and plans its use.
func (e *Engine) prepare(ctx context.Context, circuit *r1cs.Circuit, file *params.File, shape filecoin.Shape) (*prover, error) {
	srs := file.SRS()
	g, err := groth16.New(circuit, groth16.NewPlan(circuit), srs.Key, file.Layout, groth16.NewCPU(srs, e.config.Threads))
	if err != nil {
		return nil, err
	}
	if err := e.matchKey(file, shape); err != nil {
		return nil, err
	}
	if e.config.Check.Digest {
		if err := params.VerifyPublished(ctx, file.Path); err != nil {
			return nil, err
		}
	}
	if e.config.Check.Subgroup {
		if err := file.CheckPoints(ctx, e.config.Threads, curve.CheckSubgroup); err != nil {
			return nil, err
		}
	}
	return &prover{circuit: circuit, file: file, groth16: g}, nil
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

func (p *prover) close() error { return p.file.Close() }
