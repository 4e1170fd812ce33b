package engine

import (
	"context"
	"errors"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// at solves partition k at a site and proves it there, or where there is nothing
// to do meanwhile; it returns where that was done, or failed. On the CPU the parameters are mapped:
// decoded ones in memory gain nothing there (a 2 KiB WinningPoSt takes 4.5 s of CPU
// time either way).
func (r *run) at(ctx context.Context, s *site, k int, avoid []*site) (proof []byte, where *site, err error) {
	e, booked := r.engine, s
	defer func() { e.leave(booked) }()
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
		return nil, s, err
	}
	defer ref.Work.Release()
	y := &stay{name: r.name, order: r.order(k), avoid: avoid, ref: ref, at: s}
	defer func() { y.ref.Release() }()
	w, solving, err := r.solveOne(ctx, k, ref.Copy.(*prover).sketches())
	if err != nil {
		return nil, s, err
	}
	r.sketched[k] = w.Sketch
	e.sites.arrive(ctx, y, e.ready)
	defer func() { booked = e.sites.depart(y, e.ready) }()
	proof, where, proving, err := r.settled(ctx, y, s, w, k, solving)
	if err == nil {
		e.costs.note(r.statement.Shape(), solving+proving)
	}
	return proof, where, err
}

// settled proves a partition that was solved here, or at a site that takes it over,
// and returns where: of a failure that is where it was, though it may be wanted
// elsewhere by then.
func (r *run) settled(ctx context.Context, y *stay, here *site, w *r1cs.Witness, k int, solving time.Duration) (proof []byte, where *site, took time.Duration, err error) {
	for {
		proof, took, err = r.proveOne(ctx, y, here, y.ref.Copy.(*prover), w, k, solving)
		if !errors.Is(err, errMoved) {
			return proof, here, took, err
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
