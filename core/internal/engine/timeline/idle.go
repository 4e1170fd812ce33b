package timeline

import (
	"slices"
	"time"
)

// Span is a piece of time.
type Span struct{ From, To time.Time }

// Len returns its length.
func (s Span) Len() time.Duration { return s.To.Sub(s.From) }

// Spans is a set of times, as disjoint spans in order.
type Spans []Span

// Busy returns when at least one event of a track ran.
func Busy(events []Event, track string) Spans {
	var all Spans
	for _, e := range events {
		if e.Track == track && e.End.After(e.Start) {
			all = append(all, Span{e.Start, e.End})
		}
	}
	slices.SortFunc(all, func(a, b Span) int { return a.From.Compare(b.From) })
	var out Spans
	for _, s := range all {
		if n := len(out); n > 0 && !s.From.After(out[n-1].To) {
			if s.To.After(out[n-1].To) {
				out[n-1].To = s.To
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// Total returns the length of all spans together.
func (s Spans) Total() (sum time.Duration) {
	for _, span := range s {
		sum += span.Len()
	}
	return sum
}

// Longest returns the longest span, zero if there is none.
func (s Spans) Longest() (longest Span) {
	for _, span := range s {
		if span.Len() > longest.Len() {
			longest = span
		}
	}
	return longest
}

// Minus returns the times in s that are not in other.
func (s Spans) Minus(other Spans) (out Spans) {
	for _, span := range s {
		for _, cut := range other {
			if !cut.To.After(span.From) || !cut.From.Before(span.To) {
				continue
			}
			if cut.From.After(span.From) {
				out = append(out, Span{span.From, cut.From})
			}
			span.From = cut.To
			if !span.From.Before(span.To) {
				break
			}
		}
		if span.From.Before(span.To) {
			out = append(out, span)
		}
	}
	return out
}

// And returns the times in both.
func (s Spans) And(other Spans) Spans { return s.Minus(s.Minus(other)) }

// Idle is how a track spent a window.
type Idle struct {
	Window  time.Duration
	Busy    time.Duration
	Wanted  time.Duration // not busy although work was queued
	Longest Span          // the longest such gap
}

// Plus joins two tracks: the times add up, and the longest gap is that of either.
func (i Idle) Plus(o Idle) Idle {
	longest := i.Longest
	if o.Longest.Len() > longest.Len() {
		longest = o.Longest
	}
	return Idle{i.Window + o.Window, i.Busy + o.Busy, i.Wanted + o.Wanted, longest}
}

// IdleOf measures a track, usually a device, between two times; queue is the
// track whose events say that work for it was waiting.
func IdleOf(events []Event, track, queue string, from, to time.Time) Idle {
	window := Spans{{from, to}}
	busy := Busy(events, track).And(window)
	wanted := Busy(events, queue).And(window).Minus(busy)
	return Idle{Window: to.Sub(from), Busy: busy.Total(), Wanted: wanted.Total(), Longest: wanted.Longest()}
}

// Overlap is the time of all events of the tracks, added up, in relation to the
// time in which they happened: 1 when nothing overlaps, 0 without events.
func Overlap(events []Event, tracks ...string) float64 {
	var sum time.Duration
	var all []Event
	for _, e := range events {
		if slices.Contains(tracks, e.Track) {
			sum += e.End.Sub(e.Start)
			e.Track = ""
			all = append(all, e)
		}
	}
	wall := Busy(all, "").Total()
	if wall == 0 {
		return 0
	}
	return float64(sum) / float64(wall)
}
