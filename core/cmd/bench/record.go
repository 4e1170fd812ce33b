package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/libcuzk/libcuzk/core/cmd/internal/figure"
)

// bench is one run of the command.
type bench struct {
	golden, params string
	figures        *figure.Writer
}

// print writes a figure.
func (b *bench) print(name string, value float64, unit string) {
	if err := b.figures.Write(name, value, unit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// cost is what one call took.
type cost struct {
	wall, cpu time.Duration
	allocated uint64 // bytes, whether freed again or not: a bound on what it held
}

// measure calls fn once.
func measure(fn func() error) (c cost, err error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	err = fn()
	c = cost{wall: time.Since(start), cpu: cpuTime() - cpu}
	runtime.ReadMemStats(&after)
	c.allocated = after.TotalAlloc - before.TotalAlloc
	return c, err
}

// best measures fn several times and keeps the smallest of each figure.
func best(times int, fn func() error) (c cost, err error) {
	for i := range times {
		one, err := measure(fn)
		if err != nil {
			return c, err
		}
		if i == 0 {
			c = one
		}
		c = cost{min(c.wall, one.wall), min(c.cpu, one.cpu), min(c.allocated, one.allocated)}
	}
	return c, nil
}

// cpuTime is what this process has used of all CPUs.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakRSS is the largest resident size of this process so far, in bytes.
func peakRSS() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) * 1024
}
