package device

import (
	"context"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/gpu"
)

// Make writes test parameters of a circuit to a file, and their key to the .vk file
// of the same name; existing ones are replaced. The device makes and encodes the points, most is what they may take meanwhile. The bytes equal those
// of params.Make.
func (d *Device) Make(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, s *params.Scalars, path string, most Limits) error {
	if err := d.Usable(); err != nil {
		return err
	}
	return d.note(d.make(ctx, c, p, s, path, most))
}

func (d *Device) make(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, s *params.Scalars, path string, most Limits) error {
	circuit, err := d.gpu.NewCircuit(matrices(c, p))
	if err != nil {
		return err
	}
	defer circuit.Close()
	to, err := circuit.NewParams(most.options(false))
	if err != nil {
		return err
	}
	defer to.Close()
	if err := (generated{s}).fill(ctx, to); err != nil {
		return err
	}
	points := params.Points{
		Set: func(section, first int, dst []byte) error {
			return classify(to.Encoded(sections[section].section, first, dst))
		},
		Part:    to.Part(gpu.B2),
		Workers: to.Buffers(),
	}
	keyPath := strings.TrimSuffix(path, ".params") + ".vk"
	return params.Save(ctx, path, keyPath, s.Key, s.Layout, points, true, nil)
}
