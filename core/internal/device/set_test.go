package device

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

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

// TestSet: what the engine opens; one broken device does not stop the other.
func TestSet(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 2)
	w := b.witness(t, rng, 2)
	s, err := OpenSet(l.Path, nil, Options{})
	require.NoError(t, err)
	require.Len(t, s.Devices, 2)
	s.Devices[0].Quarantine(errors.New("broken before"))
	_, err = s.Devices[0].Load(context.Background(), b.circuit, b.plan, File(b.open(t)), Limits{})
	require.Equal(t, status.Device, status.CodeOf(err))
	backend, err := s.Devices[1].Load(context.Background(), b.circuit, b.plan, File(b.open(t)), Limits{})
	require.NoError(t, err)
	_, err = b.prove(context.Background(), backend, w)
	require.NoError(t, err)
	backend.Close()
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
