package engine

import "context"

// Load asks for the parameters of a kind of proof to be checked and mapped.
type Load struct {
	Kind       string
	SectorSize uint64
	Terms      Terms
}

// SubmitLoad starts a job that does what Preload does; its result is empty.
func (e *Engine) SubmitLoad(ctx context.Context, r Load) (*Job, error) {
	shape, err := shapeOf(r.Kind, r.SectorSize)
	if err != nil {
		return nil, err
	}
	q := request{kind: "load", terms: r.Terms, rest: shape}
	return e.submit(ctx, q, func(ctx context.Context, j *task) ([]byte, error) {
		stage := ""
		return nil, e.Preload(ctx, r.Kind, r.SectorSize, func(now string, done, total int64) {
			if now != stage {
				stage = now
				j.Stage(stage, total)
			}
			j.Advance(done, total)
		})
	})
}
