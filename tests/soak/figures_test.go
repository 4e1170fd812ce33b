package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// figure is a line of JSON of the run; make soak keeps them in build/soak.jsonl.
type figure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Minute float64 `json:"minute"` // since the beginning of the run
	stamp
}

// stamp says where and when a figure was measured.
type stamp struct {
	CPUs   int    `json:"cpus"`
	CPU    string `json:"cpu"`
	Commit string `json:"commit"`
	Date   string `json:"date"`
}

func newStamp() stamp {
	commit, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(info), "model name\t: ")
	model, _, _ := strings.Cut(rest, "\n")
	return stamp{runtime.NumCPU(), model, strings.TrimSpace(string(commit)), time.Now().UTC().Format(time.RFC3339)}
}

// report prints figures of a run that began at a time.
type report struct {
	began time.Time
	stamp
}

// minutes since the beginning, to a hundredth.
func (r report) minutes() float64 {
	return math.Round(time.Since(r.began).Minutes()*100) / 100
}

func (r report) print(name string, value float64, unit string) {
	line, err := json.Marshal(figure{"soak/" + name, value, unit, r.minutes(), r.stamp})
	if err != nil {
		panic(err) // plain fields: cannot happen
	}
	fmt.Printf("%s\n", line)
}

// footprint prints what the process holds.
func (r report) footprint(name string, f resources) {
	r.print(name+"/goroutines", float64(f.Goroutines), "goroutines")
	r.print(name+"/files", float64(f.Files), "descriptors")
	r.print(name+"/anonymous_memory", float64(f.AnonMiB), "MiB")
}

// watch looks at the process every few seconds until stop is closed and returns
// what it saw; a line of every tenth look is printed.
func (r report) watch(t *testing.T, stop <-chan struct{}) (seen []resources) {
	tick := time.NewTicker(3 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return seen
		case <-tick.C:
		}
		f := held(t)
		if len(seen)%10 == 0 {
			r.footprint("under_way", f)
		}
		seen = append(seen, f)
	}
}

// flat requires that the most that was held in the second half of a run is no
// more than in the first: once every kind of job has met every other.
func flat(t *testing.T, r report, seen []resources) {
	half := len(seen) / 2
	if half == 0 {
		return
	}
	first, second := most(seen[:half]), most(seen[half:])
	r.footprint("most_in_first_half", first)
	r.footprint("most_in_second_half", second)
	if r.minutes() < 10 {
		return // too short to say
	}
	require.LessOrEqual(t, second.AnonMiB, first.AnonMiB*5/4+64, "memory under way: %+v, then %+v", first, second)
	require.LessOrEqual(t, second.Goroutines, first.Goroutines+8)
	require.LessOrEqual(t, second.Files, first.Files+2)
}

func most(list []resources) (m resources) {
	for _, f := range list {
		m = resources{max(m.Goroutines, f.Goroutines), max(m.Files, f.Files), max(m.AnonMiB, f.AnonMiB)}
	}
	return m
}

// overlap is the time of the stages solve, prove and verify of the events that the
// engine remembers, added up, in relation to the time in which they happened.
func overlap(t *testing.T, e *cuzk.Engine) float64 {
	var text bytes.Buffer
	require.NoError(t, e.WriteTrace(&text))
	var trace struct {
		TraceEvents []struct {
			Name    string
			Ts, Dur float64
		}
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &trace))
	var sum, wall, until float64
	events := trace.TraceEvents // by start
	for _, ev := range events {
		if !slices.Contains([]string{"solve", "prove", "verify"}, ev.Name) {
			continue
		}
		sum += ev.Dur
		end := ev.Ts + ev.Dur
		wall += max(end-max(ev.Ts, until), 0)
		until = max(until, end)
	}
	return sum / max(wall, 1)
}
