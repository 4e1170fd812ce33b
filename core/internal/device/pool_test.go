package device

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

func TestChoose(t *testing.T) {
	all := []gpu.Info{
		{Index: 0, Name: "one", UUID: gpu.UUID{1}},
		{Index: 1, Name: "old", UUID: gpu.UUID{2}, Rejected: "compute capability 7.5"},
		{Index: 2, Name: "two", UUID: gpu.UUID{1, 2}},
	}
	for _, c := range []struct {
		names []string
		want  []int
		code  status.Code
	}{
		{nil, []int{0, 2}, status.OK},
		{[]string{"2", "0"}, []int{2, 0}, status.OK},
		{[]string{all[2].UUID.String()}, []int{2}, status.OK},
		{[]string{"GPU-0102"}, []int{2}, status.OK},
		{[]string{"GPU-01"}, nil, status.Argument},
		{[]string{"0", "0"}, nil, status.Argument},
		{[]string{"1"}, nil, status.NoDevice},
		{[]string{"3"}, nil, status.NoDevice},
		{[]string{""}, nil, status.NoDevice},
	} {
		got, err := Choose(all, c.names)
		require.Equal(t, c.code, status.CodeOf(err), "%q: %v", c.names, err)
		var indices []int
		for _, d := range got {
			indices = append(indices, d.Index)
		}
		require.Equal(t, c.want, indices, "%q", c.names)
	}
	_, err := Choose(all[1:2], nil)
	require.ErrorContains(t, err, "device 1 (old): compute capability 7.5")
	_, err = Choose(nil, nil)
	require.ErrorContains(t, err, "no device is visible")
}

// TestPool: partitions spread over two devices; when one is lost, or found
// wrong, the other does the work.
func TestPool(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	all, err := l.Devices()
	require.NoError(t, err)
	b := newBench(t, 3)
	w := b.witness(t, rng, 3)
	var devices []*Device
	var backends []*Backend
	for _, info := range all {
		d, err := Open(l.Library, info, Options{Slots: 1})
		require.NoError(t, err)
		backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
		require.NoError(t, err)
		devices, backends = append(devices, d), append(backends, backend)
	}
	var mu sync.Mutex
	used := map[int]int{}
	for _, x := range backends {
		x.Observe = func(d *Device, _ *gpu.Sums) {
			mu.Lock()
			defer mu.Unlock()
			used[d.Info.Index]++
		}
	}
	pool := NewPool(backends...)
	want, err := b.prove(context.Background(), pool, w)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, err := b.prove(context.Background(), pool, w)
			if err != nil || got != want {
				t.Errorf("%v, %t", err, got == want)
			}
		})
	}
	group.Wait()
	require.Len(t, used, 2, "both devices work")

	l.Fail(20, fake.IllegalAddress, true)
	var r Record
	got, err := b.prove(WithRecord(context.Background(), &r), pool, w)
	require.NoError(t, err, "the other device takes over")
	require.Equal(t, want, got)
	require.Error(t, devices[0].Usable())
	require.Same(t, devices[1], r.Device)

	r.Device.Quarantine(errors.New("its proof did not verify"))
	_, err = b.prove(context.Background(), pool, w)
	require.Equal(t, status.Device, status.CodeOf(err))
	pool.Close()
	for _, d := range devices {
		require.NoError(t, d.Close())
	}
	require.Zero(t, l.Blocks())
	_, err = NewPool().Sums(context.Background(), b.circuit, b.plan, w, new(groth16.Timings))
	require.Equal(t, status.NoDevice, status.CodeOf(err))
}

// TestSet: what the engine opens; one broken device does not stop the other.
func TestSet(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 2)
	w := b.witness(t, rng, 2)
	s, err := OpenSet(l.Path, nil, Options{})
	require.NoError(t, err)
	require.Len(t, s.Devices, 2)
	s.Devices[0].Quarantine(errors.New("broken before"))
	pool, err := s.Load(context.Background(), b.circuit, b.plan, File(b.open(t)), Limits{})
	require.NoError(t, err)
	require.Len(t, pool.backends, 1)
	_, err = b.prove(context.Background(), pool, w)
	require.NoError(t, err)
	pool.Close()
	s.Devices[1].Quarantine(errors.New("broken too"))
	_, err = s.Load(context.Background(), b.circuit, b.plan, File(b.open(t)), Limits{})
	require.Equal(t, status.Device, status.CodeOf(err))
	require.NoError(t, s.Close())
	require.Zero(t, l.Blocks())

	l.Cards(1<<30, 0)
	_, err = OpenSet(l.Path, nil, Options{})
	require.Equal(t, status.NoDevice, status.CodeOf(err))
	require.ErrorContains(t, err, "no device is visible")
	_, err = OpenSet("nowhere/libcuzk_cuda.so", nil, Options{})
	require.Equal(t, status.NoDevice, status.CodeOf(err))
	require.ErrorContains(t, err, "nowhere")
}
