package engine

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/loading"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// How long tests wait for what comes soon, and how often they look.
const (
	wait = 10 * time.Second
	tick = time.Millisecond
)

// twin opens the stand-in, on whose devices nothing must be left in the end.
func twin(t *testing.T) *fake.Library {
	t.Helper()
	l := fake.Open(t, "../../..")
	t.Cleanup(func() { require.Zero(t, l.Blocks(), "nothing is left on the devices") })
	return l
}

// on opens an engine on devices of the stand-in, all of them if none is named.
func on(t *testing.T, l *fake.Library, config Config, o DeviceOptions) *Engine {
	t.Helper()
	o.Library, o.Must = l.Path, true
	var err error
	config.Devices, err = FindDevices(o)
	require.NoError(t, err)
	return toyEngine(t, config)
}

// onTheCPU returns the proof that an engine without devices makes.
func onTheCPU(t *testing.T, s toyJob) []byte {
	t.Helper()
	return result(t, toyEngine(t, Config{test: knobs{blinding: fixed}}), s)
}

func result(t *testing.T, e *Engine, s toyJob) []byte {
	t.Helper()
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	proof, err := j.Wait(t.Context())
	require.NoError(t, err)
	return proof
}

// failure runs a job that must fail.
func failure(t *testing.T, e *Engine, s toyJob) error {
	t.Helper()
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	proof, err := j.Wait(t.Context())
	require.Error(t, err)
	require.Nil(t, proof)
	require.NoError(t, drained(e))
	atBase(t, e)
	return err
}

func metric(t *testing.T, e *Engine, line string) bool {
	var text strings.Builder
	require.NoError(t, e.WriteMetrics(&text))
	return strings.Contains(text.String(), line+"\n")
}

// TestDevicesProve: partitions of one job spread over both devices, which keep
// the parameters, and the bytes are the CPU's.
func TestDevicesProve(t *testing.T) {
	e := on(t, twin(t), Config{test: knobs{blinding: fixed}}, DeviceOptions{})
	want := onTheCPU(t, toyOf(1, 4))
	require.Equal(t, want, result(t, e, toyOf(1, 4)))
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() { done(t, e, toyOf(uint64(1+i%2), 1+i%2)) })
	}
	wg.Wait()
	require.Equal(t, want, result(t, e, toyOf(1, 4)))
	require.NoError(t, drained(e))
	atBase(t, e)
	events := e.trace.Events()
	for _, track := range []string{"gpu 0", "gpu 1"} {
		require.True(t, slices.ContainsFunc(events, func(v timeline.Event) bool { return v.Track == track && v.Name == "ntt" }), track)
		require.True(t, slices.ContainsFunc(events, func(v timeline.Event) bool { return v.Track == track+" copy" && v.Name == "upload" }), track)
	}
	for _, v := range events {
		require.False(t, v.End.Before(v.Start), "%+v", v)
	}
	s := e.Status()
	require.Equal(t, srs.Device, s.Params[0].Tier)
	held := int64(0)
	for _, c := range s.Params[0].Copies {
		if c.Place.Tier == srs.Device {
			require.Positive(t, c.Amount.Device, "real bytes")
			held += c.Amount.Device
		}
	}
	require.True(t, metric(t, e, `cuzk_device_usable{device="gpu 1"} 1`))
	on0 := s.Memory.Used[slices.IndexFunc(s.Memory.Used, func(u budget.Use) bool { return u.Purpose == "srs" })].Device[0]
	require.Positive(t, on0)
	require.True(t, metric(t, e, `cuzk_memory_bytes{purpose="srs",memory="gpu 0"} `+strconv.FormatFloat(float64(on0), 'g', -1, 64)))
	require.Positive(t, s.Devices[0].Busy)
	var trace strings.Builder
	require.NoError(t, e.WriteTrace(&trace))
	require.Contains(t, trace.String(), `"gpu 1 idle_share":`)
	freed, err := e.Evict("", 0)
	require.NoError(t, err)
	require.Greater(t, freed, held)
	require.Equal(t, want, result(t, e, toyOf(1, 4)), "and it comes back on demand")
}

// TestLostDevice: a sticky error takes a device away, and the job goes on at the
// other; with both lost, jobs fail clearly and never use the CPU.
func TestLostDevice(t *testing.T) {
	l, want := twin(t), onTheCPU(t, toyOf(1, 2))
	for _, call := range []uint64{1, 30, 200} {
		e := on(t, l, Config{test: knobs{blinding: fixed}}, DeviceOptions{})
		if call%200 != 0 {
			require.Equal(t, want, result(t, e, toyOf(1, 2)), "warm")
		}
		l.Fail(call, fake.IllegalAddress, true)
		require.Equal(t, want, result(t, e, toyOf(1, 2)), "call %d", call)
		lost := slices.IndexFunc(e.pipeline.Workers.All, func(s *pipeline.Worker) bool { return s.Usable() != nil })
		require.GreaterOrEqual(t, lost, 0, "call %d", call)
		require.False(t, e.store.On(toyShape(1).ParamsName(), e.pipeline.Workers.All[lost].Place), "its copy is forgotten")
		require.Equal(t, want, result(t, e, toyOf(1, 2)))
		require.NoError(t, drained(e))
		atBase(t, e)

		l.Fail(10, fake.LaunchFailure, true)
		require.Equal(t, status.Device, status.CodeOf(failure(t, e, toyOf(1, 2))))
		err := failure(t, e, toyOf(1, 2))
		require.Equal(t, status.Device, status.CodeOf(err))
		require.ErrorContains(t, err, "device 0 (host twin) is quarantined")
		require.ErrorContains(t, err, "device 1 (host twin) is quarantined")
		l.Heal()
		require.NoError(t, e.Close())
	}
}

// TestPassingFailure: an error that a device survives costs one more try, also
// when there is no other device.
func TestPassingFailure(t *testing.T) {
	l, want := twin(t), onTheCPU(t, toyOf(1, 2))
	for _, names := range [][]string{{"0"}, {"0", "1"}} {
		e := on(t, l, Config{test: knobs{blinding: fixed}}, DeviceOptions{Names: names})
		result(t, e, toyOf(1, 2))
		noticed := func() bool {
			return metric(t, e, `cuzk_device_failures_total{device="gpu 0",code="device"} 1`) ||
				metric(t, e, `cuzk_device_failures_total{device="gpu 1",code="device"} 1`)
		}
		for call := uint64(10); !noticed(); call += 7 { // some calls may fail and nobody need know
			require.Less(t, call, uint64(200))
			l.Fail(call, fake.LaunchFailure, false)
			require.Equal(t, want, result(t, e, toyOf(1, 2)))
		}
		for _, s := range e.pipeline.Workers.All {
			require.NoError(t, s.Usable())
		}
	}
	e := on(t, l, Config{test: knobs{faults: &fault.Nth{N: 2, Points: []fault.Point{fault.Device}, Sticky: true}}}, DeviceOptions{})
	require.ErrorIs(t, failure(t, e, toyOf(1, 1)), fault.Injected, "every try fails")
}

// TestWrongAnswerOfADevice: a bit that flips on a device costs it its place if
// there is another one, else a second chance.
func TestWrongAnswerOfADevice(t *testing.T) {
	l, want := twin(t), onTheCPU(t, toyOf(1, 1))
	for _, names := range [][]string{{"0"}, {"0", "1"}} {
		e := on(t, l, Config{test: knobs{blinding: fixed}}, DeviceOptions{Names: names})
		result(t, e, toyOf(1, 1))
		l.Corrupt(1)
		require.Equal(t, want, result(t, e, toyOf(1, 1)))
		require.True(t, metric(t, e, `cuzk_partition_retries_total 1`))
		require.True(t, metric(t, e, `cuzk_device_wrong_total{device="gpu 0"} 1`))
		if len(names) == 1 {
			require.NoError(t, e.pipeline.Workers.All[0].Usable(), "the last one stays")
			continue
		}
		require.ErrorContains(t, e.pipeline.Workers.All[0].Usable(), "does not hold")
		require.NoError(t, e.pipeline.Workers.All[1].Usable())
	}
	e := on(t, l, Config{test: knobs{faults: &fault.Nth{N: 1, Kind: fault.Flip, Sticky: true, Points: []fault.Point{fault.Proof}}}}, DeviceOptions{Names: []string{"1"}})
	require.Equal(t, status.ProofInvalid, status.CodeOf(failure(t, e, toyOf(1, 1))))
	require.Equal(t, status.Device, status.CodeOf(failure(t, e, toyOf(1, 1))), "wrong twice: it is left")
}

// TestDeviceMemory: parameters that do not fit beside others take the place of
// idle ones and wait for those in use; what can never fit is refused with both
// numbers.
func TestDeviceMemory(t *testing.T) {
	one, two := needed(t, 1), needed(t, 2)
	require.Less(t, one.Stream, two.Stream)
	l := twin(t)
	e := on(t, l, Config{}, DeviceOptions{Names: []string{"0"}, MemoryLimit: int64(two.Best) + loading.Margin})
	there := func(n uint64) bool { return e.store.On(toyShape(n).ParamsName(), e.pipeline.Workers.All[0].Place) }
	done(t, e, toyOf(1, 2))
	require.True(t, there(1))
	done(t, e, toyOf(2, 2))
	require.True(t, there(2))
	require.False(t, there(1), "the idle copy made room")
	done(t, e, toyOf(1, 1))
	require.NoError(t, drained(e))

	reached, hold := make(chan struct{}), make(chan struct{})
	s := toyOf(1, 1)
	s.before = func(int) { close(reached); <-hold }
	first, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	<-reached
	second, err := toyOf(2, 1).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return e.memory.Status().Waiting > 0 }, wait, tick)
	require.True(t, there(1), "what is in use stays")
	close(hold)
	for _, j := range []*Job{first, second} {
		_, err = j.Wait(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, drained(e))
	atBase(t, e)

	small := on(t, l, Config{}, DeviceOptions{MemoryLimit: 1 << 20})
	err = failure(t, small, toyOf(1, 1))
	require.Equal(t, status.Budget, status.CodeOf(err))
	require.ErrorContains(t, err, "never more than")
}

// TestPieces: parameters that do not stay on the device come from host memory, or
// from the file; the proofs are the same, and jobs share what comes.
func TestPieces(t *testing.T) {
	l, want := twin(t), onTheCPU(t, toyOf(1, 2))
	for _, pinned := range []bool{true, false} {
		test := knobs{blinding: fixed, stayLimit: 1}
		if !pinned {
			test.pinned = new(int64)
		}
		e := on(t, l, Config{test: test, BatchSize: 2, BatchWait: time.Hour}, DeviceOptions{Names: []string{"0"}})
		require.Equal(t, want, result(t, e, toyOf(1, 2)))
		c, ok := e.store.Peek(toyShape(1).ParamsName(), e.pipeline.Workers.All[0].Place)
		require.True(t, ok)
		require.True(t, c.(pipeline.Copy).Streams())
		require.Equal(t, pinned, c.Amount().Pinned > 0)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				j, err := toyOf(1, 2).submit(e, t.Context(), "porep")
				if err != nil {
					t.Error(err)
					return
				}
				if proof, err := j.Wait(t.Context()); err != nil || string(proof) != string(want) {
					t.Errorf("%d bytes, %v", len(proof), err)
				}
			})
		}
		wg.Wait()
		require.NoError(t, drained(e))
		atBase(t, e)
	}
}

// needed is what the parameters of a toy circuit take on a device.
func needed(t *testing.T, n uint64) device.Need {
	e := toyEngine(t, Config{})
	c := must(e.store.Circuit(t.Context(), toyShape(n)))
	return device.NeedOf(c, groth16.NewPlan(c))
}

// TestShortDeviceMemory: when the card itself has no room after all, idle
// parameters go and the load is tried again.
func TestShortDeviceMemory(t *testing.T) {
	l := twin(t)
	e := on(t, l, Config{}, DeviceOptions{Names: []string{"0"}})
	done(t, e, toyOf(1, 1))
	l.Fail(3, fake.OutOfMemory, false)
	done(t, e, toyOf(2, 1))
	require.False(t, e.store.On(toyShape(1).ParamsName(), e.pipeline.Workers.All[0].Place))
	require.True(t, metric(t, e, `cuzk_device_failures_total{device="gpu 0",code="memory"} 1`))
}

// TestCriticalOvertakesOnADevice: what a device has taken up already is no
// reason for a WinningPoSt to wait for more than the partition that runs.
func TestCriticalOvertakesOnADevice(t *testing.T) {
	e := on(t, twin(t), Config{}, DeviceOptions{Names: []string{"0"}, Slots: 3})
	done(t, e, toyOf(1, 1))
	turns := e.pipeline.Workers.All[0].SmallStarts()
	stranger, err := turns.Acquire(t.Context(), sched.Task{Need: sched.Need{1}})
	require.NoError(t, err)
	porep, err := toyOf(2, 10).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return turns.Load().Waiting[sched.Normal] == 3 }, wait, tick, "all slots are taken")
	winning, err := toyOf(1, 1).submit(e, t.Context(), filecoin.WinningPoSt.String())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return turns.Load().Waiting[sched.Critical] == 1 }, wait, tick, "one slot more for it")
	stranger.Release()
	for _, j := range []*Job{winning, porep} {
		_, err = j.Wait(t.Context())
		require.NoError(t, err)
	}
	for _, v := range e.trace.Events() {
		if v.Track == "gpu 0" && v.Name == "rows" && v.Job != winning.ID && v.Job != 1 {
			require.Equal(t, porep.ID, v.Job)
		}
	}
	order := starts(e)
	require.Equal(t, winning.ID, order[slices.Index(order, porep.ID)-1], "%v", order)
}

// starts returns the jobs in the order in which their partitions were computed.
func starts(e *Engine) (jobs []uint64) {
	for _, v := range e.trace.Events() {
		if v.Track == "gpu 0" && v.Name == "rows" {
			jobs = append(jobs, v.Job)
		}
	}
	return jobs
}

// TestIdleDeviceTakesOver: partitions that wait at a device which does not come to
// them are proved by the other one, also those that have a slot there.
func TestIdleDeviceTakesOver(t *testing.T) {
	e := on(t, twin(t), Config{test: knobs{blinding: fixed}}, DeviceOptions{Slots: 2})
	want := onTheCPU(t, toyOf(1, 8))
	require.Equal(t, want, result(t, e, toyOf(1, 8)), "warm")
	stuck := e.pipeline.Workers.All[1]
	stranger, err := stuck.SmallStarts().Acquire(t.Context(), sched.Task{Need: sched.Need{1}})
	require.NoError(t, err)
	j, err := toyOf(1, 8).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	there := func() int { return e.pipeline.Workers.Assigned(stuck) }
	require.Eventually(t, func() bool { return e.pipeline.Workers.All[0].Slots().Load().Running == 0 && there() == 1 }, 4*wait, tick, "one is next there")
	stranger.Release()
	proof, err := j.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, proof)
	require.NoError(t, drained(e))
	atBase(t, e)
	made := map[string]int{}
	for _, v := range e.trace.Events() {
		if v.Name == "ntt" && v.Job == j.ID {
			made[v.Track]++
		}
	}
	require.Equal(t, map[string]int{"gpu 0": 7, "gpu 1": 1}, made)
}

// TestPreloadShowsProgress: parameters come to devices in many steps.
func TestPreloadShowsProgress(t *testing.T) {
	e := on(t, twin(t), Config{}, DeviceOptions{Names: []string{"1"}})
	var seen []int64
	name := e.store.Name(toyShape(1))
	require.NoError(t, e.preload(t.Context(), name, func(stage string, done, total int64) {
		if stage == "load" {
			require.LessOrEqual(t, done, total)
			seen = append(seen, done)
		}
	}))
	require.True(t, e.store.On(name, e.pipeline.Workers.All[0].Place))
	slices.Sort(seen)
	require.Greater(t, len(slices.Compact(seen)), 5, "a step for every section")
}

// TestPausesAreIdle: a device that waits for the host inside a stage is not busy,
// although nothing else is queued.
func TestPausesAreIdle(t *testing.T) {
	l := twin(t)
	e := on(t, l, Config{}, DeviceOptions{Names: []string{"0"}})
	done(t, e, toyOf(1, 1))
	before := e.Status().Devices[0]
	l.Slow(20 * time.Millisecond)
	done(t, e, toyOf(1, 1))
	l.Slow(0)
	after := e.Status().Devices[0]
	require.GreaterOrEqual(t, after.Wanted-before.Wanted, 4*19*time.Millisecond, "a pause for each sum on the second stream, at least")
	pieces := 0
	for _, v := range e.trace.Events() {
		if v.Track == "gpu 0" && v.Name == "h" && v.Job == 2 {
			pieces++
		}
	}
	require.Greater(t, pieces, 1, "the timeline shows it")
	var text strings.Builder
	require.NoError(t, e.WriteMetrics(&text))
	require.Contains(t, text.String(), `cuzk_device_pause_seconds_total{device="gpu 0"} 0.`)
}

func TestFindDevices(t *testing.T) {
	_, err := FindDevices(DeviceOptions{Library: "nowhere/libcuzk_cuda.so", Must: true})
	require.Equal(t, status.NoDevice, status.CodeOf(err))
	d, err := FindDevices(DeviceOptions{Library: "nowhere/libcuzk_cuda.so"})
	require.NoError(t, err)
	require.Empty(t, d.all())
	require.Contains(t, d.Why, "nowhere")

	l := fake.Open(t, "../../..")
	d, err = FindDevices(DeviceOptions{Library: l.Path})
	require.NoError(t, err)
	require.Len(t, d.all(), 2)
	require.Contains(t, d.Why, "device 1 (host twin)")
	require.NoError(t, d.close())
	_, err = FindDevices(DeviceOptions{Library: l.Path, Names: []string{"7"}, Must: true})
	require.ErrorContains(t, err, `no device "7"`)
}

// TestJobWithoutParameters: what is missing is noticed before the circuit is
// compiled.
func TestJobWithoutParameters(t *testing.T) {
	e := toyEngine(t, Config{})
	s := toyOf(9, 1)
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.SRSMissing, status.CodeOf(err))
	require.False(t, slices.ContainsFunc(j.Report().Stages, func(s StageTime) bool { return s.Name == "compile" }))
}
