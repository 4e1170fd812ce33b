package curve

import (
	"context"
	"sync"
)

// msmPlan hands out the work of one multi-scalar multiplication. The points are
// cut into chunks small enough to stay in cache while every window passes over
// them. Chunk j belongs to group j mod groups, and each group has one lane per
// window; a lane takes its chunks in order, one at a time.
type msmPlan struct {
	n, chunk, chunks       int
	windows, groups, slots int

	ctx   context.Context
	mu    sync.Mutex // guards everything below
	wake  *sync.Cond
	state []chunkState
	first int // the oldest chunk that is not finished
	busy  []bool
	err   error
}

type chunkState struct {
	loading, loaded bool
	given           []bool // windows handed out
	left            int    // windows not finished
}

// msmTask is a lane's turn on a chunk, or the loading of it if lane < 0.
type msmTask struct{ chunk, lane int }

// maxChunk points of G1 take 6 MiB, a share of a third-level cache.
const maxChunk = 1 << 16

func newMSMPlan(ctx context.Context, n, windows, workers int) *msmPlan {
	p := &msmPlan{n: n, windows: windows, ctx: ctx}
	p.groups = max(1, (workers+windows-1)/windows)
	p.chunk = min(maxChunk, max(batchSize, (n+4*p.groups-1)/(4*p.groups)))
	p.chunks = (n + p.chunk - 1) / p.chunk
	p.groups = min(p.groups, p.chunks)
	p.slots = min(p.chunks, 2*p.groups+1)
	p.state = make([]chunkState, p.chunks)
	p.busy = make([]bool, p.lanes())
	p.wake = sync.NewCond(&p.mu)
	return p
}

func (p *msmPlan) lanes() int { return p.windows * p.groups }

// bounds returns the points of a chunk.
func (p *msmPlan) bounds(chunk int) (from, to int) {
	return chunk * p.chunk, min((chunk+1)*p.chunk, p.n)
}

// next waits for a task; false means that all work is handed out or has failed.
func (p *msmPlan) next() (msmTask, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.err == nil && p.ctx.Err() != nil {
			p.err = context.Cause(p.ctx)
			p.wake.Broadcast()
		}
		if p.err != nil || p.first == p.chunks {
			return msmTask{}, false
		}
		if task, ok := p.pick(); ok {
			return task, true
		}
		p.wake.Wait()
	}
}

// pick chooses a free lane on the oldest loaded chunk, otherwise a chunk to
// load into a free slot.
func (p *msmPlan) pick() (msmTask, bool) {
	last := min(p.first+p.slots, p.chunks)
	for chunk := p.first; chunk < last; chunk++ {
		s := &p.state[chunk]
		if !s.loaded {
			continue
		}
		lane := chunk % p.groups * p.windows
		for w := range p.windows {
			if !s.given[w] && !p.busy[lane+w] {
				s.given[w], p.busy[lane+w] = true, true
				return msmTask{chunk, lane + w}, true
			}
		}
	}
	for chunk := p.first; chunk < last; chunk++ {
		if s := &p.state[chunk]; !s.loading {
			s.loading = true
			return msmTask{chunk, -1}, true
		}
	}
	return msmTask{}, false
}

// done records the end of a task.
func (p *msmPlan) done(task msmTask, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.wake.Broadcast()
	if err != nil && p.err == nil {
		p.err = err
	}
	s := &p.state[task.chunk]
	if task.lane < 0 {
		s.loaded, s.given, s.left = true, make([]bool, p.windows), p.windows
		return
	}
	p.busy[task.lane] = false
	s.left--
	for p.first < p.chunks && p.state[p.first].loaded && p.state[p.first].left == 0 {
		p.first++
	}
}

// failure returns the first error of a task, or why the context ended.
func (p *msmPlan) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
