package timeline

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"
)

// traceEvent is one line of the Chrome trace event format: a complete event
// ("X") with microseconds, or the name of a track ("M").
type traceEvent struct {
	Name string         `json:"name"`
	Ph   string         `json:"ph"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Ts   float64        `json:"ts"`
	Dur  float64        `json:"dur"`
	Args map[string]any `json:"args,omitempty"`
}

// WriteTrace writes events as a JSON object that chrome://tracing and Perfetto
// open. Times count from the first event, whose wall-clock time is in otherData;
// events of a track that overlap get lanes of their own, because a viewer nests
// what overlaps on one. Notes go to otherData too.
func WriteTrace(w io.Writer, events []Event, notes map[string]string) error {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.Start.Compare(b.Start) })
	var zero time.Time
	if len(events) > 0 {
		zero = events[0].Start
	}
	out := struct {
		TraceEvents     []traceEvent      `json:"traceEvents"`
		DisplayTimeUnit string            `json:"displayTimeUnit"`
		OtherData       map[string]string `json:"otherData"`
	}{[]traceEvent{}, "ms", map[string]string{"start": zero.UTC().Format(time.RFC3339Nano)}}
	maps.Copy(out.OtherData, notes)
	var l lanes
	for _, e := range events {
		args := map[string]any{"job": e.Job}
		if e.Part >= 0 {
			args["partition"] = e.Part
		}
		out.TraceEvents = append(out.TraceEvents, traceEvent{e.Name, "X", 1, l.of(e),
			micros(e.Start.Sub(zero)), micros(e.End.Sub(e.Start)), args})
	}
	for tid, lane := range l {
		out.TraceEvents = append(out.TraceEvents,
			traceEvent{Name: "thread_name", Ph: "M", Pid: 1, Tid: tid, Args: map[string]any{"name": lane.track}})
	}
	return json.NewEncoder(w).Encode(out)
}

// lanes assigns events, which come by start, to rows on which nothing overlaps.
type lanes []lane

type lane struct {
	track string
	until time.Time
}

func (l *lanes) of(e Event) int {
	for i := range *l {
		if row := &(*l)[i]; row.track == e.Track && !e.Start.Before(row.until) {
			row.until = e.End
			return i
		}
	}
	*l = append(*l, lane{e.Track, e.End})
	return len(*l) - 1
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
