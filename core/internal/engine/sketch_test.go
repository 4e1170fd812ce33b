package engine

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// openings is a job of partitions that open leaves of trees.
type openings struct {
	shape filecoin.Shape
	all   []*toy.Opening
}

func (o openings) Shape() filecoin.Shape { return o.shape }
func (o openings) Partitions() int       { return len(o.all) }
func (o openings) PublicInputs(k int) ([]fr.Element, error) {
	var index fr.Element
	index.SetUint64(o.all[k].Index)
	return []fr.Element{o.all[k].Root, index}, nil
}

// prove runs the job and returns how many partitions were sketched and how many
// solved.
func (o openings) prove(t *testing.T, e *Engine) (sketched, solved int, err error) {
	j, err := e.submit(t.Context(), request{kind: "window_post"}, func(ctx context.Context, t *pipeline.Task) ([]byte, error) {
		return e.pipeline.Prove(ctx, t, o, func(c *r1cs.Circuit, k int, sketch bool) (*r1cs.Witness, error) {
			if sketch {
				sketched++
				return o.all[k].Sketch(c)
			}
			solved++
			w, err := o.all[k].Solve(c)
			return w, unsolvable(k, err, func() error { return nil })
		})
	})
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	return sketched, solved, err
}

// TestSketchesOnDevices: a device completes witnesses; one that cannot hold is the
// fault of the input, and no device is blamed. The CPU solves.
func TestSketchesOnDevices(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	shape := toyShape(7)
	shape.Challenges = 1
	good := openings{shape, []*toy.Opening{toy.NewOpening(rng)}}
	wrong := *toy.NewOpening(rng)
	wrong.Leaf.SetOne()
	bad := openings{shape, []*toy.Opening{&wrong}}
	know := func(e *Engine) {
		_, err := e.store.CircuitOf(t.Context(), shape, good.all[0].Compile)
		require.NoError(t, err)
	}
	cpu := toyEngine(t, Config{})
	know(cpu)
	makeToy(t, cpu, shape)
	sketched, solved, err := good.prove(t, cpu)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{sketched, solved})

	e := on(t, twin(t), Config{ParamsDir: cpu.config.ParamsDir}, DeviceOptions{})
	know(e)
	sketched, solved, err = good.prove(t, e)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, []int{sketched, solved})
	for _, x := range []*Engine{cpu, e} {
		_, solved, err = bad.prove(t, x)
		require.Equal(t, status.InputMismatch, status.CodeOf(err), "%v", err)
		require.Equal(t, 1, solved)
	}
	for _, s := range e.pipeline.Workers.All {
		require.NoError(t, s.Usable())
	}
	require.False(t, metric(t, e, `cuzk_device_wrong_total{device="gpu 0"} 1`))
	require.NoError(t, drained(e))
	atBase(t, e)
}
