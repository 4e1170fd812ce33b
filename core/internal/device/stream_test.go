package device

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// batch is some witnesses of a circuit with their proofs from the CPU.
type batch struct {
	*bench
	witnesses []*r1cs.Witness
	want      [][groth16.ProofSize]byte
}

func (b *bench) batch(t testing.TB, rng *rand.Rand, rounds, n int) *batch {
	out := &batch{bench: b}
	cpu := twin(groth16.NewCPU(b.open(t).SRS(), 2))
	for range n {
		w := b.witness(t, rng, rounds)
		proof, err := b.prove(context.Background(), cpu, w)
		require.NoError(t, err)
		out.witnesses, out.want = append(out.witnesses, w), append(out.want, proof)
	}
	return out
}

// proveAll proves all witnesses at once on a backend and compares.
func (b *batch) proveAll(backend groth16.Backend) error {
	errs := make([]error, len(b.witnesses))
	var all sync.WaitGroup
	for i, w := range b.witnesses {
		all.Go(func() {
			got, err := b.prove(context.Background(), backend, w)
			if err == nil && got != b.want[i] {
				err = fmt.Errorf("proof %d is wrong", i)
			}
			errs[i] = err
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// load loads the circuit under limits; the caller closes both.
func (b *batch) load(t testing.TB, l *fake.Library, from Source, o Options, most Limits) (*Device, *Backend, error) {
	d, err := open(t, l, o)
	require.NoError(t, err)
	backend, err := d.Load(context.Background(), b.circuit, b.plan, from, most)
	return d, backend, err
}

// TestStreaming: sections in host memory, in the file and on the device, in
// pieces of all sizes, give the proofs of the CPU.
func TestStreaming(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 30).batch(t, rng, 30, 3)
	f := b.open(t)
	h := uint64(b.scalars.Layout.H)*96 + 1<<13
	for _, x := range []struct {
		name  string
		from  Source
		o     Options
		most  Limits
		homes [gpu.Sections]gpu.Home
		both  bool
	}{
		{"all on the host", Generated(b.scalars), Options{}, Limits{Host: 1 << 30, Stay: 1}, homes("HHHHH"), false},
		{"in pieces", Generated(b.scalars), Options{}, Limits{Host: 1 << 30, Stay: 1, Piece: 128}, homes("HHHHH"), false},
		{"some stay", Generated(b.scalars), Options{}, Limits{Host: 1 << 30, Stay: uint64(b.scalars.Layout.L) * 97, Piece: 128}, homes("HDHHH"), false},
		{"witnesses pass", Generated(b.scalars), Options{}, Limits{Host: 1 << 30, Stay: 1, Piece: 128, Witness: 64}, homes("HHHHH"), false},
		{"file, witnesses pass", File(f), Options{}, Limits{Stay: uint64(b.scalars.Layout.H) * 97, Piece: 128, Witness: 64}, homes("DFFFF"), false},
		{"file", File(f), Options{}, Limits{Stay: 1, Piece: 128}, homes("FFFFF"), true},
		{"h in memory", File(f), Options{}, Limits{Host: h, Stay: 1, Piece: 128}, homes("HFFFF"), false},
	} {
		x.o.Part = 128
		d, backend, err := b.load(t, l, x.from, x.o, x.most)
		require.NoError(t, err, x.name)
		p := backend.Placement()
		require.True(t, p.Streams && p.Locked)
		require.Equal(t, x.homes, p.Home, x.name)
		t.Logf("%s: %+v", x.name, p)
		if x.most.Piece > 0 && p.Home[gpu.H] != gpu.OnDevice {
			require.GreaterOrEqual(t, p.Pieces[gpu.H], b.scalars.Layout.H/x.most.Piece, x.name)
		}
		require.Equal(t, x.both, p.Together > 1, x.name)
		require.LessOrEqual(t, p.HostBytes, x.most.Host)
		require.NoError(t, b.proveAll(backend), x.name)
		require.NoError(t, b.proveAll(backend), x.name)
		backend.Close()
		require.NoError(t, d.Close())
		require.Zero(t, l.Blocks())
	}
}

// homes reads D, H, F.
func homes(s string) (h [gpu.Sections]gpu.Home) {
	for i, c := range s {
		h[i] = map[rune]gpu.Home{'D': gpu.OnDevice, 'H': gpu.OnHost, 'F': gpu.InFile}[c]
	}
	return h
}

// TestLimits: whatever the limit on device memory, proofs are right or memory is
// said to be short, and the limit is kept.
func TestLimits(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 20).batch(t, rng, 20, 1)
	f := b.open(t)
	resident, streams := 0, 0
	for limit := uint64(1 << 21); ; limit = limit / 8 * 7 {
		d, backend, err := b.load(t, l, File(f), Options{MemoryLimit: limit, Part: 128}, Limits{Host: 1 << 18})
		if err == nil {
			p := backend.Placement()
			if p.Streams {
				streams++
			} else {
				resident++
			}
			require.LessOrEqual(t, p.DeviceBytes, limit)
			require.NoError(t, b.proveAll(backend), "limit %d, %+v", limit, p)
			backend.Close()
		}
		u, merr := d.Memory()
		require.NoError(t, merr)
		require.LessOrEqual(t, u.Peak, limit)
		require.NoError(t, d.Close())
		require.Zero(t, l.Blocks())
		if err != nil {
			require.Equal(t, status.Memory, status.CodeOf(err), "%v", err)
			break
		}
	}
	t.Logf("%d limits resident, %d with streaming", resident, streams)
	require.NotZero(t, resident)
	require.NotZero(t, streams)
}

// TestStreamingFaults fails calls of runs, whose parameters come from the host
// and from the file: the proofs are right or there is a typed error, nothing
// leaks, and the next run is right.
func TestStreamingFaults(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 3).batch(t, rng, 3, 2)
	f := b.open(t)
	for name, most := range map[string]Limits{"host": {Host: 1 << 30, Stay: 1, Piece: 128}, "file": {Stay: 1, Piece: 128}} {
		d, backend, err := b.load(t, l, File(f), Options{Part: 128}, most)
		require.NoError(t, err)
		require.NoError(t, b.proveAll(backend), name)
		l.Fail(0, 0, false)
		require.NoError(t, b.proveAll(backend), name)
		calls := l.Calls()
		failed := 0
		for range 25 {
			call := 1 + rng.Uint64N(calls)
			l.Fail(call, fake.LaunchFailure, false)
			if err := b.proveAll(backend); err != nil {
				require.Equal(t, status.Device, status.CodeOf(err), "call %d: %v", call, err)
				failed++
			}
			l.Heal()
			require.NoError(t, b.proveAll(backend), "after call %d", call)
		}
		require.NotZero(t, failed)
		l.Fail(calls/2, fake.IllegalAddress, true)
		require.Error(t, b.proveAll(backend))
		require.Error(t, d.Usable())
		l.Heal()
		backend.Close()
		require.NoError(t, d.Close())
		require.Zero(t, l.Blocks(), name)
	}
}

// TestStreamingEnds: a run whose callers have all gone stops, and the next is
// right; memory that cannot be locked serves as well.
func TestStreamingEnds(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 30).batch(t, rng, 30, 2)
	l.Locking(false)
	d, backend, err := b.load(t, l, Generated(b.scalars), Options{Part: 128}, Limits{Host: 1 << 30, Stay: 1, Piece: 128})
	require.NoError(t, err)
	require.False(t, backend.Placement().Locked)
	for _, delay := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), delay)
		_, err = b.prove(ctx, backend, b.witnesses[0])
		if err != nil {
			require.Equal(t, status.Deadline, status.CodeOf(err))
		}
		cancel()
		require.NoError(t, b.proveAll(backend))
	}
	backend.Close()
	require.NoError(t, d.Close())

	// a file that is cut while it is used
	copied := filepath.Join(t.TempDir(), "cut.params")
	raw, err := os.ReadFile(b.path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(copied, raw, 0o644))
	f, err := params.Open(context.Background(), copied)
	require.NoError(t, err)
	d, backend, err = b.load(t, l, File(f), Options{Part: 128}, Limits{Stay: 1, Piece: 128})
	require.NoError(t, err)
	require.NoError(t, b.proveAll(backend))
	require.NoError(t, os.Truncate(copied, 4096))
	_, err = b.prove(context.Background(), backend, b.witnesses[0])
	require.Equal(t, status.FileIO, status.CodeOf(err), "%v", err)
	backend.Close()
	require.NoError(t, d.Close())
	f.Close()
	require.Zero(t, l.Blocks())
}
