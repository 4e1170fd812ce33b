package device

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/gpu"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// TestPieces: a witness may come in any order, but whole, and once.
func TestPieces(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 33)
	w := b.witness(t, rng, 33)
	d, err := open(t, l, Options{Slots: 1})
	require.NoError(t, err)
	for _, most := range []Limits{{}, {Stay: 1, Host: 1 << 30, Witness: 1}} { // on the device, and passing through
		backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), most)
		require.NoError(t, err)
		prove := func(spoil func(order []int, p *gpu.Witness) []int) (*gpu.Sums, error) {
			p := &gpu.Witness{Inputs: w.Inputs, Bits: w.Bits, Scalars: w.Scalars, Piece: 32 * (1 + rng.IntN(50))}
			job, err := backend.params.NewJob()
			require.NoError(t, err)
			defer job.Release()
			order := spoil(rng.Perm(p.Pieces()), p)
			if err := spawn.Each(context.Background(), 8, len(order), func(i int) error { return job.Fill(p, order[i]) }); err != nil {
				return nil, err
			}
			if backend.Resident() {
				if err := job.Start(); err != nil {
					return nil, err
				}
				return job.Wait()
			}
			run, err := backend.params.NewRun([]*gpu.Job{job})
			require.NoError(t, err)
			defer run.Close()
			if err := run.Execute(); err != nil {
				return nil, err
			}
			return job.Wait()
		}
		whole := func(order []int, _ *gpu.Witness) []int { return order }
		first, err := prove(whole)
		require.NoError(t, err)
		again, err := prove(whole)
		require.NoError(t, err)
		require.Equal(t, first.H, again.H)
		require.Equal(t, first.B2, again.B2)
		for why, spoil := range map[string]func(order []int, p *gpu.Witness) []int{
			"not complete": func(order []int, _ *gpu.Witness) []int { return order[1:] },
			"given twice":  func(order []int, _ *gpu.Witness) []int { return append(order, order[0]) },
			"another circuit": func(_ []int, p *gpu.Witness) []int {
				p.Bits = make([]uint64, 1<<16)
				return []int{p.Pieces() - 1}
			},
			"no such piece": func(order []int, _ *gpu.Witness) []int { return []int{len(order)} },
		} {
			_, err = prove(spoil)
			require.ErrorContains(t, err, why)
			var g *gpu.Error
			require.ErrorAs(t, err, &g)
			require.Equal(t, gpu.Argument, g.Code)
		}
		backend.Close()
	}
	require.NoError(t, d.Close())
	require.Zero(t, l.Blocks())
}

// TestPauses: what the device waits for the host inside a stage shows.
func TestPauses(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 3)
	w := b.witness(t, rng, 3)
	d, err := open(t, l, Options{Slots: 1})
	require.NoError(t, err)
	for _, most := range []Limits{{}, {OneStream: true}, {Stay: 1, Host: 1 << 30}} {
		backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), most)
		require.NoError(t, err)
		l.Slow(10 * time.Millisecond)
		trace := b.trace(t, backend, w)
		stages := map[string]groth16.Span{}
		for _, s := range trace.Stages {
			stages[s.Stage] = s
		}
		l.Slow(0)
		require.GreaterOrEqual(t, len(trace.Pauses), 5, "one for each sum at least")
		require.Equal(t, most == Limits{}, stages["l"].Start.Before(stages["h"].End), "beside")
		last := map[string]time.Time{}
		for _, p := range trace.Pauses {
			require.GreaterOrEqual(t, p.End.Sub(p.Start), 9*time.Millisecond)
			require.False(t, p.Start.Before(stages[p.Stage].Start))
			require.False(t, p.End.After(stages[p.Stage].End.Add(time.Microsecond)))
			require.False(t, p.Start.Before(last[p.Stage]), "in order")
			last[p.Stage] = p.End
		}
		backend.Close()
	}
	require.NoError(t, d.Close())
	require.Zero(t, l.Blocks())
}
