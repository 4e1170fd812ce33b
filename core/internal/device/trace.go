package device

import (
	"time"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/gpu"
)

// trace translates the spans of a partition from the device's clock to the host's.
// back is when the host learned that the partition was done.
func (d *Device) trace(s *gpu.Sums, back time.Time) (t groth16.Trace) {
	epoch := d.clock.epoch(s.Spans[gpu.Download].End, back)
	span := func(stage gpu.Stage, at gpu.Span) groth16.Span {
		return groth16.Span{Stage: stage.String(), Copy: stage == gpu.Upload || stage == gpu.Download,
			Start: epoch.Add(at.Start), End: epoch.Add(at.End)}
	}
	for i, at := range s.Spans {
		t.Stages = append(t.Stages, span(gpu.Stage(i), at))
	}
	for _, p := range s.Pauses {
		t.Pauses = append(t.Pauses, span(p.Stage, p.Span))
	}
	return t
}
