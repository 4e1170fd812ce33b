package device

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
)

// group proves partitions whose parameters come to the device in pieces.
// Partitions that wait while a run computes form the next one, so that each
// piece serves them all.
type group struct {
	b *Backend

	mu      sync.Mutex // guards what follows
	waiting []*member
	leading bool // a goroutine takes what waits
}

// member is one partition in a group.
type member struct {
	ctx  context.Context
	job  *gpu.Job
	done chan outcome // has room for one
}

// join adds a partition; its outcome comes later.
func (g *group) join(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, m)
	if g.leading {
		return
	}
	g.leading = true
	g.b.device.waits.Go(func() error {
		for {
			members := g.take()
			if members == nil {
				return nil
			}
			// A panic fails the members, not those that come later.
			if err := spawn.Guard(func() error { g.prove(members); return nil }); err != nil {
				fail(members, err)
			}
		}
	})
}

// take returns all partitions that wait, or ends the leading.
func (g *group) take() []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	members := g.waiting
	g.waiting = nil
	if len(members) == 0 {
		g.leading = false
		return nil
	}
	return members
}

func fail(members []*member, err error) {
	for _, m := range members {
		select {
		case m.done <- outcome{err: err}:
		default: // it has an outcome already
		}
	}
}

// prove runs the members together and gives each its outcome.
func (g *group) prove(members []*member) {
	if err := g.run(members); err != nil {
		fail(members, err)
		return
	}
	for _, m := range members {
		s, err := m.job.Wait()
		m.done <- outcome{s, err, time.Now()}
	}
}

func (g *group) run(members []*member) error {
	jobs := make([]*gpu.Job, len(members))
	for i, m := range members {
		jobs[i] = m.job
	}
	run, err := g.b.params.NewRun(jobs)
	if err != nil {
		return err
	}
	defer run.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer stopWithoutMembers(members, func() { run.Stop(); cancel() })()
	var feeder spawn.Group
	feeder.Go(func() error {
		if len(run.Wanted) == 0 {
			return nil
		}
		err := spawn.Guard(func() error { return g.b.source.feed(ctx, g.b.params, run.Wanted, run.Stop) })
		if err != nil {
			run.Stop() // or it would wait for pieces for ever
		}
		return err
	})
	err = run.Execute()
	run.Stop()
	if fed := feeder.Wait(); fed != nil && stopped(err) && !stopped(fed) {
		return fed // why the run was stopped
	}
	return err
}

// stopWithoutMembers calls stop when the contexts of all members have ended. The
// function it returns ends the watch.
func stopWithoutMembers(members []*member, stop func()) (end func()) {
	var mu sync.Mutex
	left := len(members)
	var ends []func() bool
	for _, m := range members {
		ends = append(ends, spawn.AfterFunc(m.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				stop()
			}
		}))
	}
	return func() {
		for _, end := range ends {
			end()
		}
		mu.Lock()
		defer mu.Unlock()
		left = -1 // a call that is under way must not stop what is closed
	}
}

func stopped(err error) bool {
	var g *gpu.Error
	return errors.As(err, &g) && g.Code == gpu.Stopped || status.CodeOf(err) == status.Cancelled
}
