package device

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
)

// Source is where the points of the parameters come from.
type Source interface {
	// fill brings all points to the device.
	fill(ctx context.Context, to *gpu.Params) error
	// feed brings the sections that passes of a run want, in order. Only sources
	// that can be read again are asked. At the first failure it calls stop, so
	// that nobody waits for what does not come.
	feed(ctx context.Context, to *gpu.Params, wanted []gpu.Pass, stop func()) error
	again() bool
	// blame adds where the points come from to an error about one of them.
	blame(err error) error
}

// sections in the order of a file, with the names of params' errors.
var sections = [gpu.Sections]struct {
	section gpu.Section
	name    string
	file    int // params' number of it
	size    int // bytes per point
}{
	{gpu.H, "srs.h", params.SectionH, curve.SizeG1}, {gpu.L, "srs.l", params.SectionL, curve.SizeG1},
	{gpu.A, "srs.a", params.SectionA, curve.SizeG1}, {gpu.B1, "srs.b_g1", params.SectionB1, curve.SizeG1},
	{gpu.B2, "srs.b_g2", params.SectionB2, curve.SizeG2},
}

// lengths returns the number of points of each section.
func lengths(l params.Layout) [gpu.Sections]int { return [...]int{l.H, l.L, l.A, l.B, l.B} }

// File reads a parameter file; the device decodes and checks the points.
// The file stays open as long as a backend uses it.
func File(f *params.File) Source { return file{f, func(int) {}} }

// WatchedFile is File; told hears of every bytes that have been given while
// parameters are loaded. It is called from several goroutines and must not block.
func WatchedFile(f *params.File, told func(bytes int)) Source { return file{f, told} }

type file struct {
	f    *params.File
	told func(bytes int)
}

func (s file) again() bool { return true }

func (s file) blame(err error) error { return s.f.Blame(err) }

func (s file) fill(ctx context.Context, to *gpu.Params) error {
	var all []gpu.Pass
	for _, x := range sections {
		all = append(all, gpu.Pass{Section: x.section})
	}
	return s.feed(ctx, to, all, func() {})
}

// part is a stretch of a section that is brought at once.
type part struct {
	pass         gpu.Pass
	first, count int
}

// feed copies parts into pinned memory on as many goroutines as there are
// buffers; the device works on earlier ones meanwhile.
func (s file) feed(ctx context.Context, to *gpu.Params, wanted []gpu.Pass, stop func()) error {
	var parts []part
	n := lengths(s.f.Layout)
	for _, pass := range wanted {
		length, step := n[pass.Section], to.Part(pass.Section)
		for first := 0; first < length; first += step {
			parts = append(parts, part{pass, first, min(step, length-first)})
		}
	}
	var first error // the others stop because of it
	var once sync.Once
	err := spawn.Each(ctx, to.Buffers(), len(parts), func(i int) error {
		p := parts[i]
		err := s.blame(pointError(to.Put(p.pass.Number, p.pass.Section, p.first, p.count, func(dst []byte) error {
			return s.f.Encoded(ctx, sections[p.pass.Section].file, p.first, dst)
		})))
		if err != nil {
			once.Do(func() { first = err })
			stop()
		} else if p.pass.Number == 0 {
			s.told(p.count * p.pass.Section.PointSize())
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return status.Ended(ctx)
	}
	if first != nil {
		return first
	}
	return err
}

// pointError names the point that was refused.
func pointError(err error) error {
	var g *gpu.Error
	if !errors.As(err, &g) || g.Code != gpu.Point {
		return err
	}
	where := fmt.Sprintf("%s[%d]", sections[g.Section].name, g.Index)
	return status.New(status.SRSPoint, where, "%s: %s", where, g.Reason)
}
