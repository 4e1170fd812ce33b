package engine

import (
	"context"
	"errors"
	"time"

	"libcuzk/core/internal/engine/budget"
	"libcuzk/core/internal/engine/srs"
	"libcuzk/core/internal/r1cs"
)

// at solves partition k at a site and proves it there, or where there is nothing
// to do meanwhile; it returns where that was. On the CPU the parameters are mapped:
// decoded ones in memory gain nothing there (a 2 KiB WinningPoSt takes 4.5 s of CPU
// time either way).
func (r *run) at(ctx context.Context, s *site, k int, avoid []*site) (proof []byte, last *site, err error) {
	e := r.engine
	last = s
	defer func() { e.leave(last) }()
	loading := r.measure("load", "load", k)
	ref, err := e.params.Acquire(ctx, srs.Want{
		Name:   r.name,
		Places: []srs.Place{s.place},
		Beside: func(at srs.Place) budget.Ask {
			return budget.Ask{Purpose: "partition", Amount: e.partitionBytes(r.circuit, at)}
		},
		Task: r.order(k),
	})
	loading()
	if err != nil {
		return nil, last, err
	}
	defer ref.Work.Release()
	y := &stay{name: r.name, order: r.order(k), avoid: avoid, ref: ref, at: s}
	defer func() { y.ref.Release() }()
	w, solving, err := r.solveOne(ctx, k, ref.Copy.(*prover).sketches())
	if err != nil {
		return nil, last, err
	}
	r.sketched[k] = w.Sketch
	e.sites.arrive(ctx, y, e.ready)
	defer func() { last = e.sites.depart(y, e.ready) }()
	proof, proving, err := r.settled(ctx, y, s, w, k, solving)
	if err == nil {
		e.costs.note(r.statement.Shape(), solving+proving)
	}
	return proof, last, err
}

// settled proves a partition that was solved here, or at a site that takes it over.
func (r *run) settled(ctx context.Context, y *stay, here *site, w *r1cs.Witness, k int, solving time.Duration) (proof []byte, took time.Duration, err error) {
	for {
		proof, took, err = r.proveOne(ctx, y, here, y.ref.Copy.(*prover), w, k, solving)
		if !errors.Is(err, errMoved) {
			return proof, took, err
		}
		to := y.follow(ctx)
		next, ok := r.engine.params.Try(srs.Want{Name: r.name, Beside: standing, Task: y.order}, to.place)
		if ok {
			defer next.Work.Release()
		}
		if ok && w.Sketch && !next.Copy.(*prover).sketches() {
			next.Release()
			ok = false
		}
		if !ok {
			y.back(here)
			continue
		}
		y.ref.Release()
		here, y.ref = to, next
	}
}
