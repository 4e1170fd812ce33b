package sched

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// world simulates a machine that does what the policy says, and checks every
// decision against the promises of the package comment.
type world struct {
	t       *testing.T
	policy  Policy
	cap     Need
	now     time.Time
	free    Need
	waiting []Task
	watch   []watched // beside waiting
	running ends
	passed  int

	started, shared, backfilled int // starts; those past a better task by age; by size
	worst                       int // most starts of lower work by age past one task
	longest                     map[Priority]time.Duration
}

// watched is what the referee notes of a waiting task.
type watched struct {
	aheadAtAge int // aged tasks before it when it aged, −1: not yet
	sinceAge   int // non-critical starts since
	overtaken  int // starts of lower priority by age while it waited
	starts     int // non-critical starts while it waited
}

type ends []Running

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i].Until.Before(e[j].Until) }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(Running)) }
func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func newWorld(t *testing.T, p Policy, capacity Need) *world {
	return &world{t: t, policy: p, cap: capacity, free: capacity, now: epoch, longest: map[Priority]time.Duration{}}
}

// until runs the world up to a time; the zero time means until it is empty.
func (w *world) until(end time.Time) {
	for {
		w.decide()
		if len(w.running) == 0 {
			require.Empty(w.t, w.waiting, "deadlock: work waits on an idle machine")
			break
		}
		if !end.IsZero() && w.running[0].Until.After(end) {
			break
		}
		w.now = w.running[0].Until
		w.free = w.free.plus(heap.Pop(&w.running).(Running).Need)
	}
	if !end.IsZero() {
		w.now = end
	}
}

// decide takes one start of the plan at a time, so that each can be judged.
func (w *world) decide() {
	w.age()
	for {
		d := w.policy.Plan(Snapshot{w.now, w.waiting, w.free, w.passed})
		if len(d.Start) == 0 {
			return
		}
		i := d.Start[0]
		one := w.policy.Plan(Snapshot{w.now, w.waiting[i : i+1], w.free, 0})
		require.Len(w.t, one.Start, 1, "started what does not fit")
		w.judge(i)
		w.passed = w.policy.passed(Snapshot{w.now, w.waiting, w.free, w.passed}, indices(len(w.waiting)), i, w.passed)
		w.start(i)
	}
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func (w *world) start(i int) {
	task := w.waiting[i]
	w.free = w.free.minus(task.Need)
	for _, f := range w.free {
		require.GreaterOrEqual(w.t, f, int64(0))
	}
	heap.Push(&w.running, Running{task.Need, w.now.Add(task.Cost)})
	w.longest[task.Priority] = max(w.longest[task.Priority], w.now.Sub(task.Since))
	last := len(w.waiting) - 1
	w.waiting[i], w.watch[i] = w.waiting[last], w.watch[last]
	w.waiting, w.watch = w.waiting[:last], w.watch[:last]
	w.started++
}

// judge classifies the start of task i: a better task that waits must be one
// that does not fit, or i has the share of old work.
func (w *world) judge(i int) {
	task := &w.waiting[i]
	aged := w.policy.aged(task, w.now)
	byAge, bySize := false, false
	for j := range w.waiting {
		other := &w.waiting[j]
		if other.Priority <= task.Priority || j == i {
			continue
		}
		if !other.Need.within(w.free) {
			bySize = true
			continue
		}
		if aged && other.Priority < Critical && w.passed >= w.policy.Share {
			byAge = true
			w.watch[j].overtaken++
			w.worst = max(w.worst, w.watch[j].overtaken)
			require.LessOrEqual(w.t, w.watch[j].overtaken, 1+w.watch[j].starts/(w.policy.Share+1), "inversions are bounded")
			continue
		}
		// the better task fits the free amounts but not beside a claim
		bySize = true
		require.Greater(w.t, len(w.cap), 1, "with slots alone nothing is ever blocked by a claim")
	}
	if byAge {
		w.shared++
	} else if bySize {
		w.backfilled++
	}
	if task.Priority < Critical {
		for j := range w.watch {
			w.watch[j].sinceAge++
			w.watch[j].starts++
		}
	}
	if a := w.watch[i]; a.aheadAtAge >= 0 && len(w.cap) == 1 {
		require.LessOrEqual(w.t, a.sinceAge, (a.aheadAtAge+1)*(w.policy.Share+1)+w.policy.Share, "no starvation")
	}
}

// age notes which tasks have become old, and how many old ones are before them.
func (w *world) age() {
	for i := range w.waiting {
		if w.watch[i].aheadAtAge >= 0 || !w.policy.aged(&w.waiting[i], w.now) {
			continue
		}
		ahead := 0
		for j := range w.waiting {
			if j != i && w.policy.aged(&w.waiting[j], w.now) && older(&w.waiting[j], &w.waiting[i]) < 0 {
				ahead++
			}
		}
		w.watch[i].aheadAtAge, w.watch[i].sinceAge = ahead, 0
	}
}

func (w *world) submit(tasks ...Task) {
	for _, task := range tasks {
		w.waiting = append(w.waiting, task)
		w.watch = append(w.watch, watched{aheadAtAge: -1})
	}
}

// randomJob makes the partitions of one job: half a second of work on average.
func randomJob(r *rand.Rand, id uint64, now time.Time, capacity Need) []Task {
	priority := []Priority{Low, Normal, Normal, Normal, High, High, Critical}[r.IntN(7)]
	if priority == Critical && r.IntN(4) > 0 {
		priority = Normal
	}
	parts := 1
	if priority <= Normal && r.IntN(4) == 0 {
		parts = 1 + r.IntN(8)
	}
	need := Need{1}
	for _, c := range capacity[1:] {
		most := c / 3
		if r.IntN(50) == 0 {
			most = c // a task that needs the machine for itself
		}
		need = append(need, r.Int64N(most+1))
	}
	cost := time.Duration(r.ExpFloat64()*500) * time.Millisecond
	tasks := make([]Task, parts)
	for k := range tasks {
		tasks[k] = Task{Job: id, Part: k, Priority: priority, Since: now, Cost: cost, Need: need}
	}
	return tasks
}

// TestSimulation drives 100,000 random jobs through the policy: with slots alone,
// where the bounds are exact, and with two kinds of bytes beside them.
func TestSimulation(t *testing.T) {
	jobs := 100_000
	if testing.Short() {
		jobs = 10_000
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for name, c := range map[string]struct {
		capacity Need
		gap      time.Duration // mean time between jobs
	}{
		"slots":           {Need{4}, 230 * time.Millisecond},
		"one slot":        {Need{1}, 900 * time.Millisecond},
		"slots and bytes": {Need{6, 1 << 36, 1 << 34}, 280 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t, Policy{Ageing: 10 * time.Second, Share: 4}, c.capacity)
			for id := range jobs {
				w.until(w.now.Add(time.Duration(r.ExpFloat64() * float64(c.gap))))
				w.submit(randomJob(r, uint64(id), w.now, c.capacity)...)
			}
			w.until(time.Time{})
			require.Equal(t, c.capacity, w.free)
			t.Logf("%d jobs, %d starts in %s: %d past better work by age (%.3f %%, at most %d past one task), %d by size; longest wait %v",
				jobs, w.started, w.now.Sub(epoch).Round(time.Second), w.shared, 100*float64(w.shared)/float64(w.started), w.worst, w.backfilled, w.longest)
		})
	}
}

// TestSteadyStreamOfHigh: high work alone fills the machine for ever, and normal
// work that was there before still ends, within the bound.
func TestSteadyStreamOfHigh(t *testing.T) {
	w := newWorld(t, Policy{Ageing: 10 * time.Second, Share: 4}, Need{1})
	old := at(0, Low)
	old.Cost = time.Second
	w.submit(old)
	for second := range 60 {
		high := at(second, High)
		high.Cost = time.Second
		w.submit(high, high)
		w.until(epoch.Add(time.Duration(second+1) * time.Second))
	}
	require.NotZero(t, w.longest[Low], "low never started")
	require.LessOrEqual(t, w.longest[Low], 16*time.Second)
}

// TestWinningAmongTenPoReps: ten jobs of ten partitions wait; a critical job
// starts after at most the partition that runs.
func TestWinningAmongTenPoReps(t *testing.T) {
	w := newWorld(t, Default(), Need{1})
	for job := range 10 {
		for part := range 10 {
			w.submit(Task{Job: uint64(job), Part: part, Since: epoch, Cost: time.Minute, Need: Need{1}})
		}
	}
	w.until(epoch.Add(30 * time.Minute).Add(time.Second)) // old enough to be aged
	w.submit(Task{Job: 99, Priority: Critical, Since: w.now, Cost: time.Second, Need: Need{1}})
	w.until(time.Time{})
	require.LessOrEqual(t, w.longest[Critical], time.Minute)
}
