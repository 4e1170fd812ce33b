package engine

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// toyJob is a job of some partitions of a small circuit that takes milliseconds.
// It has the shape of no real one.
type toyJob struct {
	shape   filecoin.Shape
	rounds  int
	parts   int
	before  func(k int) // in the solver; may be nil
	options JobOptions
	input   []byte
}

func toyShape(n uint64) filecoin.Shape {
	return filecoin.Shape{Kind: filecoin.WindowPoSt, SectorSize: n, Sectors: 1}
}

func (s toyJob) Shape() filecoin.Shape { return s.shape }
func (s toyJob) Partitions() int       { return s.parts }

// bytes is the private input of partition k.
func (s toyJob) bytes(k int) []byte {
	b := make([]byte, s.rounds)
	for i := range b {
		b[i] = byte(7*i + k)
	}
	return b
}

// PublicInputs computes the circuit's output without the circuit.
func (s toyJob) PublicInputs(k int) ([]fr.Element, error) {
	var x fr.Element
	x.SetUint64(3)
	for _, b := range s.bytes(k) {
		var y fr.Element
		y.SetUint64(uint64(b))
		x.Square(&x)
		x.Add(&x, &y)
	}
	return []fr.Element{x}, nil
}

func (s toyJob) submit(e *Engine, ctx context.Context, kind string) (*Job, error) {
	return e.submit(ctx, request{kind: kind, options: s.options, input: [][]byte{s.input}, rest: s.parts}, func(ctx context.Context, t *pipeline.Task) ([]byte, error) {
		return e.pipeline.Prove(ctx, t, s, func(c *r1cs.Circuit, k int, _ bool) (*r1cs.Witness, error) {
			if s.before != nil {
				s.before(k)
			}
			return toy.Solve(c, s.bytes(k))
		})
	})
}

// toyEngine opens an engine that knows toy circuits 1 and 2.
func toyEngine(t testing.TB, config Config) *Engine {
	t.Helper()
	made := config.ParamsDir != "" // by another toyEngine
	config.ParamsDir = cmp.Or(config.ParamsDir, t.TempDir())
	config.Threads, config.History, config.Events, config.MaxInput = 2, 100, 10_000, cmp.Or(config.MaxInput, 1<<10)
	e := Open(config)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	for n := uint64(1); n <= 2; n++ {
		knowToy(t, e, toyShape(n), toyRounds*int(n))
		if !made {
			makeToy(t, e, toyShape(n))
		}
	}
	return e
}

// knowToy tells an engine the circuit of a shape, makeToy makes its parameters.
func knowToy(t testing.TB, e *Engine, shape filecoin.Shape, rounds int) {
	t.Helper()
	_, err := e.store.CircuitOf(t.Context(), shape, func() *r1cs.Circuit { return toy.Compile(rounds) })
	require.NoError(t, err)
}

func makeToy(t testing.TB, e *Engine, shape filecoin.Shape) {
	t.Helper()
	base := filepath.Join(e.config.ParamsDir, shape.ParamsName())
	c := must(e.store.Circuit(t.Context(), shape))
	require.NoError(t, params.Make(t.Context(), c, params.ToxicFromLabel("toy"), base+".params", base+".vk", params.MakeOptions{Workers: 1}))
}

// toyRounds is the size of circuit 1; circuit 2 has twice as many.
const toyRounds = 20

func toyOf(n uint64, parts int) toyJob {
	return toyJob{shape: toyShape(n), rounds: toyRounds * int(n), parts: parts}
}

// atBase requires that nothing is held and nothing waits.
func atBase(t *testing.T, e *Engine) {
	t.Helper()
	require.Empty(t, e.table.Counts().Now)
	for _, u := range e.memory.Status().Used {
		require.Zero(t, u.Host, u.Purpose)
	}
	require.Zero(t, e.memory.Status().Waiting)
	var queues []sched.Load
	for _, q := range e.pipeline.Queues() {
		queues = append(queues, q.Load)
	}
	for _, s := range e.pipeline.Workers.All {
		require.Zero(t, e.pipeline.Workers.Assigned(s))
	}
	for _, load := range append(queues, e.pipeline.CPUSlots().Load()) {
		require.Equal(t, load.Capacity, load.Free)
		require.Empty(t, load.Waiting)
	}
	for _, s := range e.store.Status() {
		for _, c := range s.Copies {
			require.Zero(t, c.Refs)
		}
	}
}

func TestPipeline(t *testing.T) {
	e := toyEngine(t, Config{})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			s := toyOf(uint64(1+i%2), 1+i%5)
			j, err := s.submit(e, context.Background(), "porep")
			if err != nil {
				t.Error(err)
				return
			}
			proof, err := j.Wait(context.Background())
			if err != nil || len(proof) != s.parts*verify.ProofSize {
				t.Errorf("%d bytes, %v", len(proof), err)
			}
			r := j.Report()
			if r.Progress != (Progress{Stage: "verify", Done: int64(s.parts), Total: int64(s.parts)}) || len(r.Parts) != 7 {
				t.Errorf("%+v", r)
			}
		})
	}
	wg.Wait()
	atBase(t, e)
	require.EqualValues(t, 20, e.table.Counts().Ended[jobs.Done])
}

// TestAllPartitionsOfOneJobAreInFlight: a job alone has them all in hand before
// the first one is proved.
func TestAllPartitionsOfOneJobAreInFlight(t *testing.T) {
	e := toyEngine(t, Config{})
	free, err := holdCPU(e)
	require.NoError(t, err)
	j, err := toyOf(1, 10).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return e.pipeline.CPUSlots().Load().Waiting[sched.Normal] == 10 }, 10*time.Second, time.Millisecond)
	need := e.pipeline.PartitionBytes(must(e.store.Circuit(t.Context(), toyShape(1))), mapped).Host
	require.True(t, slices.ContainsFunc(e.memory.Status().Used, func(u budget.Use) bool { return u.Purpose == "partition" && u.Host == 10*need }))
	free()
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	atBase(t, e)
}

func must(c *r1cs.Circuit, _ error) *r1cs.Circuit { return c }

var mapped = srs.Place{Tier: srs.Mapped}

// holdCPU takes the CPU's slot as a stranger would.
func holdCPU(e *Engine) (free func(), err error) {
	g, err := e.pipeline.CPUSlots().Acquire(context.Background(), sched.Task{Need: sched.Need{1}})
	if err != nil {
		return nil, err
	}
	return g.Release, nil
}

// TestCriticalOvertakesPartitions: ten jobs of four partitions wait; a WinningPoSt
// that arrives is proved after at most the partition that runs.
func TestCriticalOvertakesPartitions(t *testing.T) {
	e := toyEngine(t, Config{})
	var all []*Job
	for range 10 {
		j, err := toyOf(2, 4).submit(e, t.Context(), "porep")
		require.NoError(t, err)
		all = append(all, j)
	}
	require.Eventually(t, func() bool { return e.pipeline.CPUSlots().Load().Waiting[sched.Normal] > 20 }, 10*time.Second, 100*time.Microsecond)
	j, err := toyOf(1, 1).submit(e, t.Context(), filecoin.WinningPoSt.String())
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, sched.Critical, j.Report().Priority)
	for _, j := range all {
		_, err := j.Wait(t.Context())
		require.NoError(t, err)
	}
	events := e.trace.Events()
	own := func(track string) time.Time {
		return events[slices.IndexFunc(events, func(ev timeline.Event) bool { return ev.Track == track && ev.Job == j.ID })].Start
	}
	var between int
	for _, ev := range events {
		if ev.Track == "prove" && ev.Start.After(own("prove queue")) && ev.Start.Before(own("prove")) {
			between++
		}
	}
	require.LessOrEqual(t, between, 1, "partitions that started while the critical one was waiting for the prover")
	atBase(t, e)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// TestLittleMemoryMeansFewerAtATime: memory for one and a half partitions lets one at
// a time be solved and proved; memory for half of one refuses it.
func TestLittleMemoryMeansFewerAtATime(t *testing.T) {
	need := groth16.CPUBytes(toy.Compile(toyRounds), 2)
	e := toyEngine(t, Config{Budget: need + need/2})
	j, err := toyOf(1, 6).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	solved := 0
	held := map[int]timeline.Event{} // from the beginning of solving to the end of proving, by partition
	for _, ev := range e.trace.Events() {
		if ev.Track != "solve" && ev.Track != "prove" {
			continue
		}
		if ev.Track == "solve" {
			solved++
		}
		span, ok := held[ev.Part]
		if !ok {
			span = ev
		}
		span.Start, span.End = earlier(span.Start, ev.Start), latest(span.End, ev.End)
		held[ev.Part] = span
	}
	require.Equal(t, 6, solved)
	for k, a := range held {
		for m, b := range held {
			require.True(t, k == m || !a.Start.Before(b.End) || !b.Start.Before(a.End), "partitions %d and %d at the same time", k, m)
		}
	}
	atBase(t, e)
	e = toyEngine(t, Config{Budget: need / 2, ParamsDir: e.config.ParamsDir})
	big, err := toyOf(1, 1).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = big.Wait(t.Context())
	require.Equal(t, status.Budget, status.CodeOf(err), "refused, not waited for")
	require.ErrorContains(t, err, "never more than")
	atBase(t, e)
}

func TestCancelWhileProving(t *testing.T) {
	e := toyEngine(t, Config{})
	for _, stop := range []string{"solving", "proving"} {
		s := toyOf(1, 3)
		reached, hold := make(chan struct{}, 3), make(chan struct{})
		var free func()
		if stop == "solving" {
			s.before = func(int) { reached <- struct{}{}; <-hold }
		} else {
			s.before = func(int) { reached <- struct{}{} }
			var err error
			free, err = holdCPU(e)
			require.NoError(t, err)
		}
		j, err := s.submit(e, t.Context(), "porep")
		require.NoError(t, err)
		<-reached
		require.True(t, j.Cancel())
		close(hold)
		result, err := j.Wait(t.Context())
		require.Equal(t, status.Cancelled, status.CodeOf(err), stop)
		require.Nil(t, result)
		if free != nil {
			free()
		}
		require.NoError(t, drained(e))
		atBase(t, e)
	}
}

// drained waits until no goroutine of a job holds anything.
func drained(e *Engine) error {
	for range 10_000 {
		var held int64
		for _, u := range e.memory.Status().Used {
			held += u.Host
		}
		if len(e.table.Counts().Now) == 0 && held == 0 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return status.New(status.Timeout, "", "still running")
}

// TestWrongTwiceIsAnError: no byte of a proof that does not hold leaves.
func TestWrongTwiceIsAnError(t *testing.T) {
	var log lines
	e := toyEngine(t, Config{Log: log.add, test: knobs{faults: &fault.Nth{N: 1, Kind: fault.Flip, Sticky: true, Points: []fault.Point{fault.Proof}}}})
	j, err := toyOf(1, 3).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	proof, err := j.Wait(t.Context())
	require.Equal(t, status.ProofInvalid, status.CodeOf(err))
	require.Nil(t, proof)
	require.NoError(t, drained(e))
	atBase(t, e)
	require.Equal(t, 1, log.count(Info, "opened"))
	require.Equal(t, 3, log.count(Error, "did not hold"))
	require.Equal(t, 1, log.count(Warn, "failed"))
}

// lines keeps a log; its host panics at every line, which must not matter.
type lines struct {
	mu  sync.Mutex // guards all
	all []string
}

func (l *lines) add(level Level, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(level)+" "+line)
	panic("the host's logger is broken")
}

func (l *lines) count(level Level, text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if strings.HasPrefix(line, string(level)+" ") && strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func TestDeadlineThatCannotBeMet(t *testing.T) {
	e := toyEngine(t, Config{})
	done(t, e, toyOf(1, 1))
	require.Positive(t, e.pipeline.Cost(toyShape(1)))
	e.pipeline.Learn(toyShape(2), time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	j, err := toyOf(2, 1).submit(e, ctx, "porep")
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Deadline, status.CodeOf(err))
	require.Less(t, time.Since(began), 30*time.Second, "early, not when the deadline has passed")
}
