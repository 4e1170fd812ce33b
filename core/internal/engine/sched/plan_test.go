package sched

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// at is a one-slot task of a job that was submitted so many seconds after epoch.
func at(second int, p Priority) Task {
	return Task{Job: uint64(second), Priority: p, Since: epoch.Add(time.Duration(second) * time.Second), Need: Need{1}}
}

// starts plans until nothing waits, one slot at a time, at a fixed now.
func starts(p Policy, now time.Time, waiting []Task) (order []Task) {
	passed := 0
	for len(waiting) > 0 {
		d := p.Plan(Snapshot{now, waiting, Need{1}, passed})
		if len(d.Start) != 1 {
			return order
		}
		passed = d.Passed
		order = append(order, waiting[d.Start[0]])
		waiting, _ = without(waiting, d.Start, 0)
	}
	return order
}

func priorities(tasks []Task) (out []string) {
	for _, t := range tasks {
		out = append(out, t.Priority.String())
	}
	return out
}

func TestOrderIsPriorityThenAgeThenPartition(t *testing.T) {
	second := at(2, Normal)
	second.Part = 1
	waiting := []Task{at(9, Low), second, at(2, Normal), at(1, Normal), at(5, High), at(6, Critical), at(4, High)}
	got := starts(Default(), epoch.Add(10*time.Second), waiting)
	require.Equal(t, []Task{waiting[5], waiting[6], waiting[4], waiting[3], waiting[2], waiting[1], waiting[0]}, got)
}

// TestPriorityHoldsAfterDispatch: a critical partition overtakes the remaining
// partitions of jobs that have started already.
func TestPriorityHoldsAfterDispatch(t *testing.T) {
	var waiting []Task
	for job := range 10 {
		for part := range 10 {
			task := at(job, Normal)
			task.Part = part
			waiting = append(waiting, task)
		}
	}
	d := Default().Plan(Snapshot{epoch.Add(time.Hour), waiting, Need{1}, 0})
	require.Equal(t, []int{0}, d.Start)
	waiting = append(waiting[1:], at(3000, Critical))
	for passed := range 10 { // whatever aged work could claim
		d = Default().Plan(Snapshot{epoch.Add(time.Hour), waiting, Need{1}, passed})
		require.Equal(t, []int{len(waiting) - 1}, d.Start, "passed %d", passed)
	}
}

func TestAgedWorkGetsItsShareAndNoMore(t *testing.T) {
	p := Policy{Ageing: 100 * time.Second, Share: 2}
	waiting := []Task{at(0, Normal), at(1, Low), at(150, Normal)}
	for i := range 7 {
		waiting = append(waiting, at(160+i, High))
	}
	got := priorities(starts(p, epoch.Add(200*time.Second), waiting))
	require.Equal(t, []string{"high", "high", "normal", "high", "high", "low", "high", "high", "high", "normal"}, got,
		"normal 150 is not aged: it gets no share")

	p.Ageing = 0
	got = priorities(starts(p, epoch.Add(200*time.Second), waiting))
	require.Equal(t, []string{"high", "high", "high", "high", "high", "high", "high", "normal", "normal", "low"}, got)
}

func TestBigTaskIsNotStarvedBySmallOnes(t *testing.T) {
	big, small := at(0, Normal), at(1, Normal)
	big.Need, small.Need = Need{1, 80}, Need{1, 30}
	other := at(2, Low)
	other.Need = Need{0, 0, 5}
	s := Snapshot{epoch, []Task{big, small, other}, Need{4, 50, 5}, 0}
	d := Default().Plan(s)
	require.Equal(t, []int{2}, d.Start, "small waits behind the claim of big, other takes nothing from it")
	require.Equal(t, 0, d.Blocked)
	require.Equal(t, Need{0, 30, 0}, d.Lack)

	s.Free = Need{4, 120, 0}
	require.Equal(t, []int{0, 1}, Default().Plan(s).Start)
	s.Free = Need{4, 110, 0}
	d = Default().Plan(s)
	require.Equal(t, []int{0, 1}, d.Start, "exactly enough")
	require.Equal(t, 2, d.Blocked)
}

func TestForcedTaskClaims(t *testing.T) {
	p := Policy{Ageing: time.Second, Share: 1}
	old, young := at(0, Low), at(50, High)
	old.Need = Need{2}
	d := p.Plan(Snapshot{epoch.Add(time.Minute), []Task{young, old}, Need{1}, 1})
	require.Empty(t, d.Start, "the turn of old: young must not take the slot that old waits for")
	require.Equal(t, 1, d.Blocked)
	d = p.Plan(Snapshot{epoch.Add(time.Minute), []Task{young, old}, Need{1}, 0})
	require.Equal(t, []int{0}, d.Start)
	require.Equal(t, 1, d.Passed)
}

func TestLateTasksDoNotStart(t *testing.T) {
	late := at(0, Critical)
	late.Deadline, late.Cost = epoch.Add(10*time.Second), 4*time.Second
	require.False(t, late.Late(epoch.Add(6*time.Second)))
	require.True(t, late.Late(epoch.Add(6*time.Second+1)))
	d := Default().Plan(Snapshot{epoch.Add(7 * time.Second), []Task{late, at(1, Low)}, Need{2}, 0})
	require.Equal(t, []int{1}, d.Start)
	require.Equal(t, -1, d.Blocked)
}

func TestForecast(t *testing.T) {
	p := Policy{}
	first, second, mine := at(0, Normal), at(1, Normal), at(2, Low)
	first.Cost, second.Cost, mine.Cost = 10*time.Second, 20*time.Second, time.Second
	s := Snapshot{epoch, []Task{mine, first, second}, Need{0}, 0}
	running := []Running{{Need{1}, epoch.Add(5 * time.Second)}}
	start, ok := p.Forecast(s, running, 0)
	require.True(t, ok)
	require.Equal(t, 35*time.Second, start.Sub(epoch))

	s.Waiting[0].Priority = Critical
	start, ok = p.Forecast(s, running, 0)
	require.True(t, ok)
	require.Equal(t, 5*time.Second, start.Sub(epoch))

	s.Waiting[0].Priority, s.Waiting[0].Deadline = Low, epoch.Add(35*time.Second)
	_, ok = p.Forecast(s, running, 0)
	require.False(t, ok, "35 s + 1 s is past the deadline")

	s.Waiting[0].Need, s.Waiting[0].Deadline = Need{3}, time.Time{}
	_, ok = p.Forecast(s, running, 0)
	require.False(t, ok, "never fits")
}

func TestParsePriority(t *testing.T) {
	for _, p := range Priorities() {
		got, err := ParsePriority(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	for _, bad := range []string{"", "High", "urgent", "invalid", " low"} {
		_, err := ParsePriority(bad)
		require.Equal(t, status.Argument, status.CodeOf(err), bad)
	}
	require.False(t, Priority(7).Valid())
	require.Equal(t, Normal, *new(Priority))
}

// BenchmarkForecast is the longest forecast that a queue makes.
func BenchmarkForecast(b *testing.B) {
	s := Snapshot{Now: epoch, Free: Need{0}}
	for i := range forecastMost {
		task := at(i, Normal)
		task.Cost = time.Second
		s.Waiting = append(s.Waiting, task)
	}
	for b.Loop() {
		start, ok := Default().Forecast(s, []Running{{Need{1}, epoch}}, forecastMost-1)
		if !ok || start.Sub(epoch) != (forecastMost-1)*time.Second {
			b.Fatal(start, ok)
		}
	}
}
