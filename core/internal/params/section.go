package params

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// section is a run of encoded points in a file. It reads and decodes on demand
// and remembers which blocks were found on the curve, so that each is checked
// once. It implements the sources of package curve and is safe for concurrent use.
type section[P any] struct {
	stretch
	of      *File
	file    *files.File
	decode  decoder[P]
	checked []atomic.Bool // per block of checkBlock points
}

// decoder sets dst[i] to the point in the bytes at(i), or says which is not valid:
// curve.DecodeAllG1 or curve.DecodeAllG2.
type decoder[P any] func(dst []P, at func(i int) []byte, check curve.Check) (bad int, err error)

// checkBlock is how many points share one flag: a divisor of the runs that
// package curve asks for. A block is read at once.
const checkBlock = 1024

// nearby is how many bytes between two points are read with them: a call of its
// own would cost more.
const nearby = 8 << 10

func newSection[P any](of *File, at stretch, decode decoder[P]) *section[P] {
	s := &section[P]{stretch: at, of: of, file: of.file, decode: decode}
	s.checked = make([]atomic.Bool, (s.Len()+checkBlock-1)/checkBlock)
	return s
}

// Len returns the number of points.
func (s *section[P]) Len() int { return s.count }

// Range decodes len(buf) points from position from on into buf.
func (s *section[P]) Range(ctx context.Context, buf []P, from int) ([]P, error) {
	end := from + len(buf)
	for lo := from; lo < end; {
		block := lo / checkBlock
		first, last := block*checkBlock, min((block+1)*checkBlock, s.Len())
		hi := min(last, end)
		check := curve.CheckCurve
		if s.checked[block].Load() {
			check = curve.CheckNone
		}
		if err := s.read(ctx, buf[lo-from:hi-from], lo, check); err != nil {
			return nil, err
		}
		if lo == first && hi == last {
			s.checked[block].Store(true)
		}
		lo = hi
	}
	return buf, nil
}

// read decodes the points of a block, from position from on.
func (s *section[P]) read(ctx context.Context, to []P, from int, check curve.Check) error {
	return s.file.Use(ctx, []files.Span{s.span(from, from+len(to))}, func(data []byte) error {
		return s.points(to, func(i int) []byte { return data[i*s.size:] }, func(i int) int { return from + i }, check)
	})
}

// span is where points are in the file.
func (s *section[P]) span(from, to int) files.Span {
	return files.Span{At: s.at + int64(from*s.size), Bytes: (to - from) * s.size}
}

// Pick decodes the points at the given positions, those that are near each
// other in one read.
func (s *section[P]) Pick(ctx context.Context, dst []P, index []uint32) error {
	var p picks
	for len(index) > 0 {
		n := p.choose(index, s.size)
		spans := make([]files.Span, len(p.runs))
		for i, r := range p.runs {
			spans[i] = s.span(r.from, r.to)
		}
		err := s.file.Use(ctx, spans, func(data []byte) error {
			check := curve.CheckNone
			for _, k := range index[:n] {
				if !s.checked[k/checkBlock].Load() {
					check = curve.CheckCurve
					break
				}
			}
			return s.points(dst[:n], func(i int) []byte { return data[p.at[i]:] }, func(i int) int { return int(index[i]) }, check)
		})
		if err != nil {
			return err
		}
		dst, index = dst[n:], index[n:]
	}
	return nil
}

// picks are points that are read together.
type picks struct {
	runs []run // of points, in the order in which they are read
	at   []int // byte of each pick in what is read
}

// run is the points from … to−1.
type run struct{ from, to int }

// choose takes as many of the indexes as are read at once, and returns how many.
func (p *picks) choose(index []uint32, size int) int {
	p.runs, p.at = p.runs[:0], p.at[:0]
	bytes := 0
	for i, k := range index {
		k := int(k)
		last := len(p.runs) - 1
		if last >= 0 && k >= p.runs[last].to-1 && (k-p.runs[last].to)*size <= nearby {
			more := (k + 1 - p.runs[last].to) * size
			if bytes+more > files.Piece {
				return i
			}
			bytes += more
			p.runs[last].to = k + 1
		} else {
			if bytes+size > files.Piece {
				return i
			}
			bytes += size
			p.runs = append(p.runs, run{k, k + 1})
		}
		p.at = append(p.at, bytes-size)
	}
	return len(index)
}

// points decodes point number(i), whose bytes are at(i), into dst[i].
func (s *section[P]) points(dst []P, at func(i int) []byte, number func(i int) int, check curve.Check) error {
	if bad, err := s.decode(dst, at, check); err != nil {
		where := fmt.Sprintf("%s[%d]", s.name, number(bad))
		return s.of.Blame(status.New(status.SRSPoint, where, "%s: %w", where, err))
	}
	return nil
}
