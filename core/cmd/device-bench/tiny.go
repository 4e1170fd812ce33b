package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// tinyRows are the numbers of constraints of the smallest circuits and of those
// beside powers of two.
var tinyRows = []int{1, 2, 3, 31, 33, 63, 65, 127, 129, 255, 257, 1023, 1025, 2047, 2049, 4095, 4097, 16383, 16385}

// tiny proves random circuits of few constraints, many times each, and checks
// every sum by known logarithms and every proof.
func tiny(ctx context.Context, d *device.Device, r *report, rounds int) error {
	rng := rand.New(rand.NewPCG(1, uint64(rounds)))
	right := 0
	for i := range rounds {
		for _, rows := range tinyRows {
			if rows > 300 && i%10 > 0 {
				continue // the larger ones are in every tenth round
			}
			if err := one(ctx, d, rows, rng.Uint64()); err != nil {
				return fmt.Errorf("%d constraints, round %d: %w", rows, i, err)
			}
			right++
		}
		if i == 0 {
			fmt.Println("# tiny: every size is right once")
		}
	}
	r.value("tiny_circuits_right", float64(right), "proofs")
	return nil
}

// one proves one circuit of its own.
func one(ctx context.Context, d *device.Device, rows int, seed uint64) error {
	circuit := r1cs.Compile(func(cs *r1cs.CS) { tinyCircuit(cs, rows, seed) })
	if circuit.NumRows != rows {
		return fmt.Errorf("the circuit has %d rows", circuit.NumRows)
	}
	w, err := circuit.Solve(ctx, func(cs *r1cs.CS) { tinyCircuit(cs, rows, seed) })
	if err != nil {
		return err
	}
	scalars, err := params.Evaluate(ctx, circuit, params.ToxicFromLabel("tiny"), 1)
	if err != nil {
		return err
	}
	plan := groth16.NewPlan(circuit)
	backend, err := d.Load(ctx, circuit, plan, device.Generated(scalars), device.Limits{})
	if err != nil {
		return err
	}
	defer backend.Close()
	p, err := groth16.New(circuit, plan, scalars.Key, scalars.Layout, &oracle{backend, scalars})
	if err != nil {
		return err
	}
	proof, _, err := p.Prove(ctx, w, groth16.Randomness{R: params.LabelScalar("r"), S: params.LabelScalar("s")})
	if err != nil {
		return err
	}
	decoded, err := verify.DecodeProofs(proof[:])
	if err != nil {
		return err
	}
	v, err := verify.New(scalars.Key)
	if err != nil {
		return err
	}
	return v.Check(&decoded[0], w.Inputs[1:])
}

// tinyCircuit has rows constraints: bits, squares and products of what came
// before, chosen by the seed; the last makes a value public.
func tinyCircuit(cs *r1cs.CS, rows int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, uint64(rows)))
	f := cs.Open(fmt.Sprint("tiny ", rows, seed))
	defer cs.Close(f)
	if !f.Run() {
		return
	}
	of := func(v r1cs.Var) r1cs.LC { return r1cs.LC{{V: v, C: fr.One()}} }
	var x, y fr.Element
	x.SetUint64(rng.Uint64())
	id := cs.AllocScalar(&x)
	for range rows - 1 {
		if rng.Uint32()%2 == 0 { // b·(1 − b) = 0
			bit := cs.AllocBits(rng.Uint64()&1, 1)
			if cs.Recording() {
				one := fr.One()
				var minus fr.Element
				minus.Neg(&one)
				cs.Enforce(of(bit), r1cs.LC{{V: r1cs.One, C: one}, {V: bit, C: minus}}, nil)
			}
			continue
		}
		var k fr.Element // x·(x + k) = y
		k.SetUint64(rng.Uint64N(1 << 20))
		y.Add(&x, &k)
		y.Mul(&y, &x)
		next := cs.AllocScalar(&y)
		if cs.Recording() {
			cs.Enforce(of(id), append(of(id), r1cs.Term{V: r1cs.One, C: k}), of(next))
		}
		x, id = y, next
	}
	in := cs.AllocInput(&x)
	if cs.Recording() {
		cs.Enforce(of(in), of(r1cs.One), of(id))
	}
}
