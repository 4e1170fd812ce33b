// Package metrics counts what the engine does and writes it in the Prometheus
// text format, version 0.0.4.
//
// It is a small writer of our own: the format is a page of rules, while the
// client library would be the largest dependency of libcuzk and brings a default
// registry that libraries in one process share or fight over.
package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// Registry holds metrics, in the order in which they were made. The zero value
// is ready; safe for concurrent use.
type Registry struct {
	mu       sync.Mutex // guards families
	families []*family
}

// family is a metric with its series, one for each combination of label values.
type family struct {
	name, help, kind string
	labels           []string
	buckets          []float64 // of a histogram, ascending

	mu     sync.Mutex // guards series
	series map[string]*series
}

type series struct {
	values []string // of the labels
	value  float64  // of a counter or gauge; sum of a histogram
	counts []uint64 // of a histogram: observations in each bucket, the last one unbounded
}

// Counter is a number that never decreases.
type Counter struct{ f *family }

// Gauge is a number that goes up and down.
type Gauge struct{ f *family }

// Histogram counts observations in buckets.
type Histogram struct{ f *family }

// Counter makes a counter. Names end in _total; a name that is taken or not a
// metric name is a mistake of the programmer and panics, as in all three.
func (r *Registry) Counter(name, help string, labels ...string) *Counter {
	return &Counter{r.add(&family{name: name, help: help, kind: "counter", labels: labels})}
}

// Gauge makes a gauge. Names end in their unit.
func (r *Registry) Gauge(name, help string, labels ...string) *Gauge {
	return &Gauge{r.add(&family{name: name, help: help, kind: "gauge", labels: labels})}
}

// Histogram makes a histogram with the given upper bounds; +Inf is added.
func (r *Registry) Histogram(name, help string, buckets []float64, labels ...string) *Histogram {
	if !slices.IsSorted(buckets) || len(buckets) == 0 {
		panic("metrics: buckets of " + name + " are not ascending")
	}
	return &Histogram{r.add(&family{name: name, help: help, kind: "histogram", labels: labels, buckets: buckets})}
}

func (r *Registry) add(f *family) *family {
	for _, word := range append([]string{f.name}, f.labels...) {
		if !valid(word) {
			panic("metrics: not a name: " + word)
		}
	}
	f.series = map[string]*series{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.families {
		if other.name == f.name {
			panic("metrics: two metrics of the name " + f.name)
		}
	}
	r.families = append(r.families, f)
	if len(f.labels) == 0 { // a series without labels is there from the start, as 0
		f.update(nil, func(*series) {})
	}
	return f
}

// valid accepts names without colons, which are for recording rules.
func valid(name string) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// update finds or makes the series of the label values and changes it.
func (f *family) update(values []string, change func(*series)) {
	if len(values) != len(f.labels) {
		panic(fmt.Sprintf("metrics: %d values for the %d labels of %s", len(values), len(f.labels), f.name))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.Join(values, "\xff") // no UTF-8 text contains this byte
	s := f.series[key]
	if s == nil {
		s = &series{values: slices.Clone(values), counts: make([]uint64, len(f.buckets)+1)}
		f.series[key] = s
	}
	change(s)
}

// Add adds n ≥ 0 for the label values. A negative n, or not a number, is ignored:
// a counter that once went back would spoil every rate computed from it.
func (c *Counter) Add(n float64, values ...string) {
	c.f.update(values, func(s *series) {
		if n > 0 {
			s.value += n
		}
	})
}

// Set sets the gauge.
func (g *Gauge) Set(n float64, values ...string) {
	g.f.update(values, func(s *series) { s.value = n })
}

// Reset forgets all series of the gauge: label values that are gone must not
// stay with their last number.
func (g *Gauge) Reset() {
	g.f.mu.Lock()
	defer g.f.mu.Unlock()
	clear(g.f.series)
}

// Observe counts one observation. Not a number is ignored.
func (h *Histogram) Observe(x float64, values ...string) {
	if math.IsNaN(x) {
		return
	}
	at, _ := slices.BinarySearch(h.f.buckets, x) // the first bound ≥ x
	h.f.update(values, func(s *series) {
		s.counts[at]++
		s.value += x
	})
}
