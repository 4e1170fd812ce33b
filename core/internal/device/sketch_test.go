package device

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// TestSketches: a device completes what a sketch leaves out, and proves the same;
// where witnesses wait on the host, it says that it cannot.
func TestSketches(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	o := toy.NewOpening(rng)
	b := &bench{circuit: o.Compile()}
	b.plan = groth16.NewPlan(b.circuit)
	var err error
	b.scalars, err = params.Evaluate(context.Background(), b.circuit, params.ToxicFromLabel("device"), 2)
	require.NoError(t, err)
	w, err := o.Solve(b.circuit)
	require.NoError(t, err)
	sketch, err := o.Sketch(b.circuit)
	require.NoError(t, err)
	require.Less(t, len(sketch.Scalars), len(w.Scalars)/20)
	d, err := open(t, l, Options{Slots: 2})
	require.NoError(t, err)
	backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.NoError(t, err)
	require.True(t, backend.Sketches())
	want, err := b.prove(context.Background(), backend, w)
	require.NoError(t, err)
	for range 3 { // also after a whole one in the same slot, and the other way round
		got, err := b.prove(context.Background(), backend, sketch)
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = b.prove(context.Background(), backend, w)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	failed := 0
	for call := uint64(2); call < 80; call += 7 {
		l.Fail(call, fake.LaunchFailure, false)
		got, err := b.prove(context.Background(), backend, sketch)
		l.Heal()
		if err != nil {
			failed++
			require.Equal(t, status.Device, status.CodeOf(err), "call %d: %v", call, err)
			continue
		}
		require.Equal(t, want, got, "call %d", call)
	}
	require.Positive(t, failed)
	got, err := b.prove(context.Background(), backend, sketch)
	require.NoError(t, err)
	require.Equal(t, want, got)
	job, err := backend.params.NewJob()
	require.NoError(t, err)
	for _, x := range []*r1cs.Witness{w, sketch} {
		p := &gpu.Witness{Inputs: x.Inputs, Bits: x.Bits, Scalars: x.Scalars, Sketch: x.Sketch}
		err = job.Fill(p, 1)
	}
	require.ErrorContains(t, err, "whole or a sketch")
	job.Release()
	backend.Close()

	backend, err = d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{Stay: 1, Host: 1 << 30, Witness: 1})
	require.NoError(t, err)
	require.False(t, backend.Sketches())
	_, err = b.prove(context.Background(), backend, sketch)
	require.ErrorContains(t, err, "another circuit")
	got, err = b.prove(context.Background(), backend, w)
	require.NoError(t, err)
	require.Equal(t, want, got)
	backend.Close()
	require.NoError(t, d.Close())
	require.Zero(t, l.Blocks())
}

// TestBadPrograms: what contradicts itself is refused.
func TestBadPrograms(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	c := toy.NewOpening(rng).Compile()
	plan := groth16.NewPlan(c)
	d, err := open(t, l, Options{})
	require.NoError(t, err)
	for _, spoil := range []func(p *gpu.Program){
		func(p *gpu.Program) { p.Rules[0].Fn = 7 },
		func(p *gpu.Program) { p.Rules[0].N++ },
		func(p *gpu.Program) { p.Rules[0].Arg = uint32(len(p.Args)) },
		func(p *gpu.Program) { p.Order[0] = uint32(c.NumInstances()) },
		func(p *gpu.Program) { p.Waves[len(p.Waves)-1]-- },
		func(p *gpu.Program) { p.Starts = p.Starts[1:] },
		func(p *gpu.Program) { p.Given[0] = uint32(c.NumScalars()) },
		func(p *gpu.Program) { p.Hashes[0].Constants = p.Hashes[0].Constants[1:] },
	} {
		m := matrices(c, plan)
		spoil(m.Program)
		_, err := d.gpu.NewCircuit(m)
		var g *gpu.Error
		require.ErrorAs(t, err, &g)
		require.Equal(t, gpu.Argument, g.Code)
	}
	require.NoError(t, d.Close())
	require.Zero(t, l.Blocks())
}
