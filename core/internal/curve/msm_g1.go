package curve

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// msmG1 is one multi-scalar multiplication in progress (Pippenger): a lane is
// the bucket set of one window for one group of chunks.
type msmG1 struct {
	windows
	src     SourceG1
	scalars []fr.Element
	plan    *msmPlan
	slots   []slotG1
	lanes   [][]G1Affine
}

// slotG1 holds a chunk of decoded points and recoded scalars.
type slotG1 struct {
	buf, points []G1Affine
	scalars     []recoded
}

// MSMG1 returns Σ scalars[i]·src[i]. The two lengths are equal. Memory beyond the
// arguments: the buckets (94 MiB per 15 workers at most) and a few chunks of
// points. It checks ctx every few milliseconds of work.
func MSMG1(ctx context.Context, src SourceG1, scalars []fr.Element, workers int) (G1Affine, error) {
	n := min(src.Len(), len(scalars))
	if n == 0 {
		return G1Affine{}, nil
	}
	m := &msmG1{windows: newWindows(msmWidth(n)), src: src, scalars: scalars}
	m.plan = newMSMPlan(ctx, n, m.count, workers)
	m.slots = make([]slotG1, m.plan.slots)
	m.lanes = make([][]G1Affine, m.plan.lanes())
	err := spawn.Each(ctx, workers, workers, func(int) error { return m.work(ctx) })
	if err != nil {
		return G1Affine{}, cancelCause(ctx, err)
	}
	return m.combine(ctx, workers)
}

// work takes tasks until nothing is left to do.
func (m *msmG1) work(ctx context.Context) error {
	filler := newFillerG1(m.buckets())
	for {
		task, ok := m.plan.next()
		if !ok {
			return m.plan.failure()
		}
		// A task that panics must not leave the others waiting for its end.
		m.plan.done(task, spawn.Guard(func() error { return m.do(ctx, task, filler) }))
	}
}

// do loads a chunk or adds a loaded one to the buckets of a lane.
func (m *msmG1) do(ctx context.Context, task msmTask, filler *fillerG1) error {
	slot := &m.slots[task.chunk%m.plan.slots]
	if task.lane < 0 {
		return m.load(ctx, slot, task.chunk)
	}
	lane := &m.lanes[task.lane]
	if *lane == nil {
		*lane = make([]G1Affine, m.buckets())
	}
	filler.fill(*lane, &m.windows, task.lane%m.count, slot.points, slot.scalars)
	return nil
}

// load decodes a chunk of points and recodes its scalars.
func (m *msmG1) load(ctx context.Context, s *slotG1, chunk int) (err error) {
	from, to := m.plan.bounds(chunk)
	if s.buf == nil {
		s.buf, s.scalars = make([]G1Affine, m.plan.chunk), make([]recoded, m.plan.chunk)
	}
	for i := range to - from {
		s.scalars[i] = m.recode(&m.scalars[from+i])
	}
	s.points, err = m.src.Range(ctx, s.buf[:to-from], from)
	return err
}

// combine sums the buckets of every lane and the lanes with their weights.
func (m *msmG1) combine(ctx context.Context, workers int) (G1Affine, error) {
	sums := make([]G1Jac, len(m.lanes))
	err := spawn.Each(ctx, workers, len(m.lanes), func(i int) error {
		sums[i] = reduceBucketsG1(m.lanes[i], new(adderG1))
		return nil
	})
	if err != nil {
		return G1Affine{}, cancelCause(ctx, err)
	}
	var total G1Jac
	for w := m.count - 1; w >= 0; w-- {
		for range m.width {
			total.DoubleAssign()
		}
		for lane := w; lane < len(sums); lane += m.count {
			total.AddAssign(&sums[lane])
		}
	}
	var out G1Affine
	out.FromJacobian(&total)
	return out, nil
}
