package sched

import (
	"slices"
	"time"
)

// Running is a task that has started.
type Running struct {
	Need  Need
	Until time.Time // when it ends at the earliest
}

// Forecast returns when the task s.Waiting[i] starts at the earliest, if nothing
// better arrives: every task takes its Cost exactly, and an unknown cost counts
// as none. Costs that are lower bounds thus give a lower bound. ok is false if
// the task never starts: it is late by then, or does not fit an empty machine.
func (p Policy) Forecast(s Snapshot, running []Running, i int) (start time.Time, ok bool) {
	running = slices.Clone(running)
	waiting, target := slices.Clone(s.Waiting), i
	for {
		d := p.Plan(Snapshot{s.Now, waiting, s.Free, s.Passed})
		s.Passed = d.Passed
		if slices.Contains(d.Start, target) {
			return s.Now, true
		}
		if waiting[target].Late(s.Now) {
			return time.Time{}, false
		}
		for _, j := range d.Start {
			s.Free = s.Free.minus(waiting[j].Need)
			running = append(running, Running{waiting[j].Need, s.Now.Add(waiting[j].Cost)})
		}
		waiting, target = without(waiting, d.Start, target)
		if len(running) == 0 {
			return time.Time{}, false
		}
		running, s = advance(running, s)
	}
}

// advance goes on to the end of the next running task and frees what it holds.
func advance(running []Running, s Snapshot) ([]Running, Snapshot) {
	next := slices.MinFunc(running, func(a, b Running) int { return a.Until.Compare(b.Until) })
	if next.Until.After(s.Now) {
		s.Now = next.Until
	}
	running = slices.DeleteFunc(running, func(r Running) bool {
		done := !r.Until.After(s.Now)
		if done {
			s.Free = s.Free.plus(r.Need)
		}
		return done
	})
	return running, s
}

// without removes the started tasks and returns where target is then.
func without(waiting []Task, started []int, target int) ([]Task, int) {
	rest := make([]Task, 0, len(waiting))
	at := target
	for i := range waiting {
		if slices.Contains(started, i) {
			if i < target {
				at--
			}
			continue
		}
		rest = append(rest, waiting[i])
	}
	return rest, at
}
