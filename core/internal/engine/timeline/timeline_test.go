package timeline

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var zero = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func s(n int) time.Time { return zero.Add(time.Duration(n) * time.Second) }

func event(track string, from, to int) Event {
	return Event{Track: track, Name: "ntt", Job: 7, Part: 3, Start: s(from), End: s(to)}
}

func TestRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(3)
		began := time.Now()
		end := r.Begin(Event{Track: "gpu 0", Name: "ntt", Job: 1})
		time.Sleep(time.Second)
		other := r.Begin(Event{Track: "cpu", Name: "solve", Part: -1})
		time.Sleep(time.Second)
		end()
		end()
		time.Sleep(time.Second)
		require.Equal(t, []Event{
			{"gpu 0", "ntt", 1, 0, began, began.Add(2 * time.Second)},
			{"cpu", "solve", 0, -1, began.Add(time.Second), began.Add(3 * time.Second)},
		}, r.Events(), "an open event ends now")
		other()
		for i := range 3 {
			r.Add(Event{Name: string(rune('a' + i)), Start: began.Add(time.Hour), End: began.Add(time.Hour)})
		}
		events := r.Events()
		require.Len(t, events, 3)
		require.ElementsMatch(t, []string{"a", "b", "c"}, []string{events[0].Name, events[1].Name, events[2].Name}, "the oldest made room")
		require.EqualValues(t, 2, r.Lost())
		require.Empty(t, r.open)

		var none *Recorder
		none.Begin(Event{})()
		none.Add(Event{})
		require.Empty(t, none.Events())
		require.Zero(t, none.Lost())
	})
}

func TestIdle(t *testing.T) {
	events := []Event{
		event("gpu 0", 0, 10), event("gpu 0", 5, 12), event("gpu 0", 20, 30), event("gpu 0", 31, 31), event("gpu 1", 0, 100),
		event("queue", 0, 14), event("queue", 13, 15), event("queue", 29, 35), event("queue", 50, 60),
	}
	idle := IdleOf(events, "gpu 0", "queue", s(2), s(55))
	require.Equal(t, Idle{Window: 53 * time.Second, Busy: 20 * time.Second, Wanted: (3 + 5 + 5) * time.Second, Longest: Span{s(30), s(35)}}, idle,
		"12…15, 30…35 and 50…55")
	require.Equal(t, Idle{Window: time.Second}, IdleOf(nil, "gpu 0", "queue", s(0), s(1)))
	require.InDelta(t, 27.0/22, Overlap(events[:4], "gpu 0"), 1e-9)
	require.Zero(t, Overlap(events, "nothing"))
	require.InDelta(t, 1.0, Overlap(events[2:3], "gpu 0"), 1e-9)
}

// TestSpansAgainstBitmaps compares the set operations with the same ones on
// seconds.
func TestSpansAgainstBitmaps(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	const n = 40
	random := func(track string) (events []Event, bits [n]bool) {
		for range r.IntN(8) {
			from := r.IntN(n)
			to := from + r.IntN(n-from+1)
			events = append(events, event(track, from, to))
			for i := from; i < to; i++ {
				bits[i] = true
			}
		}
		return events, bits
	}
	bitmap := func(spans Spans) (bits [n]bool) {
		last := s(-1)
		for _, span := range spans {
			if !span.From.After(last) || !span.To.After(span.From) {
				t.Fatalf("not disjoint, in order and not empty: %v", spans)
			}
			last = span.To
			for i := range n {
				bits[i] = bits[i] || !s(i).Before(span.From) && s(i).Before(span.To)
			}
		}
		return bits
	}
	for range 2000 {
		a, aBits := random("a")
		b, bBits := random("b")
		events := append(a, b...)
		busyA, busyB := Busy(events, "a"), Busy(events, "b")
		var minus, and [n]bool
		for i := range n {
			minus[i], and[i] = aBits[i] && !bBits[i], aBits[i] && bBits[i]
		}
		require.Equal(t, aBits, bitmap(busyA))
		require.Equal(t, minus, bitmap(busyA.Minus(busyB)))
		both := busyA.And(busyB)
		require.Equal(t, busyB.And(busyA).Total(), both.Total())
		require.Equal(t, busyA.Total(), both.Total()+busyA.Minus(busyB).Total())
	}
}

func TestTrace(t *testing.T) {
	var b bytes.Buffer
	whole := event("cpu", 1, 2)
	whole.Part = -1
	require.NoError(t, WriteTrace(&b, []Event{event("gpu 0", 5, 12), event("gpu 0", 0, 10), event("gpu 0", 10, 11), whole}, map[string]string{"gpu 0 idle_share": "0.5"}))
	var got struct {
		TraceEvents []traceEvent
		OtherData   map[string]string
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Equal(t, map[string]string{"start": "2026-01-01T00:00:00Z", "gpu 0 idle_share": "0.5"}, got.OtherData)
	part := map[string]any{"job": 7.0, "partition": 3.0}
	name := func(track string) map[string]any { return map[string]any{"name": track} }
	require.Equal(t, []traceEvent{
		{"ntt", "X", 1, 0, 0, 10e6, part},
		{"ntt", "X", 1, 1, 1e6, 1e6, map[string]any{"job": 7.0}},
		{"ntt", "X", 1, 2, 5e6, 7e6, part},
		{"ntt", "X", 1, 0, 10e6, 1e6, part},
		{"thread_name", "M", 1, 0, 0, 0, name("gpu 0")},
		{"thread_name", "M", 1, 1, 0, 0, name("cpu")},
		{"thread_name", "M", 1, 2, 0, 0, name("gpu 0")},
	}, got.TraceEvents)

	b.Reset()
	require.NoError(t, WriteTrace(&b, nil, nil))
	require.True(t, json.Valid(b.Bytes()))
	require.Contains(t, b.String(), `"traceEvents":[]`)
}
