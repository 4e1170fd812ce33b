// Package batch collects jobs of one circuit, so that parameters that have to be
// brought to a device are brought once for all of them.
//
// Waiting for company costs latency and is done only when it pays (see [Facts]);
// otherwise a job is a batch of one at once.
package batch

import (
	"context"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Facts decide whether a job waits for others.
type Facts struct {
	PoSt   bool // WinningPoSt or WindowPoSt: there is a deadline on the chain
	Loaded bool // all parameters are on the device already: nothing to share
	Idle   bool // the device has nothing else to do meanwhile
}

// Pays reports whether waiting can gain anything.
func (f Facts) Pays() bool { return !f.PoSt && !f.Loaded && !f.Idle }

// Options bound a batch.
type Options struct {
	MaxSize int           // jobs in a batch; 1: none ever waits
	MaxWait time.Duration // of the first job in a batch, from its arrival
}

// Outcome is the result of one member of a batch.
type Outcome[Out any] struct {
	Value Out
	Err   error
}

// Collector makes batches and runs them. Use New; safe for concurrent use.
// Batches overlap: while one runs the next one of the same circuit collects.
type Collector[In, Out any] struct {
	options Options
	run     func(ctx context.Context, circuit string, members []In) []Outcome[Out]
	group   spawn.Group

	mu   sync.Mutex // guards open and the batches
	open map[string]*batch[In, Out]
}

// batch is a set of members: collecting while it is in Collector.open, then
// running, and never both.
type batch[In, Out any] struct {
	circuit string
	members []*member[In, Out]
	timer   *time.Timer
	present int // members that have not gone away
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

type member[In, Out any] struct {
	value   In
	done    chan struct{} // closed when outcome is set
	outcome Outcome[Out]
}

// New returns a collector that runs batches with run. run returns one outcome
// for each member, in their order; its context ends when all members have gone
// away.
func New[In, Out any](o Options, run func(ctx context.Context, circuit string, members []In) []Outcome[Out]) *Collector[In, Out] {
	return &Collector[In, Out]{options: o, run: run, open: map[string]*batch[In, Out]{}}
}

// Do adds a job to a batch and returns its own result. waits says whether it may
// wait for company; a job that may not takes with it those who wait for some. It
// is asked when the job is in place: a Flush after that is not missed. If ctx ends
// first, the batch goes on without the job.
func (c *Collector[In, Out]) Do(ctx context.Context, circuit string, value In, waits func() bool) (Out, error) {
	m := &member[In, Out]{value: value, done: make(chan struct{})}
	b := c.add(circuit, m, waits)
	select {
	case <-m.done:
		return m.outcome.Value, m.outcome.Err
	case <-ctx.Done():
		c.leave(b, m, status.Ended(ctx))
		var none Out
		return none, status.Ended(ctx)
	}
}

// add puts a member into the open batch of its circuit and starts that if it is
// full or must not wait.
func (c *Collector[In, Out]) add(circuit string, m *member[In, Out], may func() bool) *batch[In, Out] {
	c.mu.Lock()
	defer c.mu.Unlock()
	waits := may()
	b := c.open[circuit]
	if b == nil {
		b = &batch[In, Out]{circuit: circuit}
		b.ctx, b.cancel = context.WithCancelCause(context.Background())
		c.open[circuit] = b
		if waits {
			b.timer = spawn.After(c.options.MaxWait, func() { c.flush(b) })
		}
	}
	b.members = append(b.members, m)
	b.present++
	if !waits || len(b.members) >= c.options.MaxSize {
		c.start(b)
	}
	return b
}

// Flush starts all batches that collect: what made waiting pay is no longer so.
func (c *Collector[In, Out]) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.open {
		c.start(b)
	}
}

// flush is the end of a batch's wait.
func (c *Collector[In, Out]) flush(b *batch[In, Out]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[b.circuit] == b {
		c.start(b)
	}
}

// start closes a batch to others and runs it; c.mu is held.
func (c *Collector[In, Out]) start(b *batch[In, Out]) {
	delete(c.open, b.circuit)
	if b.timer != nil {
		b.timer.Stop()
	}
	members := b.members
	c.group.Go(func() error {
		defer b.cancel(nil)
		c.settle(b, members)
		return nil
	})
}

// settle runs a batch and gives each member its outcome.
func (c *Collector[In, Out]) settle(b *batch[In, Out], members []*member[In, Out]) {
	values := make([]In, len(members))
	for i, m := range members {
		values[i] = m.value
	}
	var out []Outcome[Out]
	err := spawn.Guard(func() error {
		out = c.run(b.ctx, b.circuit, values)
		if len(out) != len(values) {
			return status.New(status.Internal, "", "%d outcomes for a batch of %d", len(out), len(values))
		}
		return nil
	})
	for i, m := range members {
		if err != nil {
			m.outcome.Err = err
		} else {
			m.outcome = out[i]
		}
		close(m.done)
	}
}

// leave takes a member out of a batch that collects; one that runs goes on
// without it. The last one to go stops the batch.
func (c *Collector[In, Out]) leave(b *batch[In, Out], m *member[In, Out], why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b.present--
	if c.open[b.circuit] == b {
		for i := range b.members {
			if b.members[i] == m {
				b.members = append(b.members[:i], b.members[i+1:]...)
				break
			}
		}
	}
	if b.present > 0 {
		return
	}
	b.cancel(why)
	if c.open[b.circuit] == b {
		delete(c.open, b.circuit)
		if b.timer != nil {
			b.timer.Stop()
		}
	}
}

// Wait returns when no batch runs. Nothing may be added meanwhile.
func (c *Collector[In, Out]) Wait() error { return c.group.Wait() }
