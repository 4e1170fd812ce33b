package params

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// section is a run of encoded points in a mapped file. It decodes on demand and
// remembers which blocks were found on the curve, so that each is checked once.
// It implements the sources of package curve and is safe for concurrent use.
type section[P any] struct {
	name    string // "srs.h"
	data    []byte
	size    int // bytes per point
	decode  decoder[P]
	checked []atomic.Bool // per block of checkBlock points
}

// decoder sets dst[i] to the point in the bytes at(i), or says which is not valid:
// curve.DecodeAllG1 or curve.DecodeAllG2.
type decoder[P any] func(dst []P, at func(i int) []byte, check curve.Check) (bad int, err error)

// checkBlock is how many points share one flag: a divisor of the runs that
// package curve asks for.
const checkBlock = 1024

func newSection[P any](name string, data []byte, size int, decode decoder[P]) *section[P] {
	s := &section[P]{name: name, data: data, size: size, decode: decode}
	s.checked = make([]atomic.Bool, (s.Len()+checkBlock-1)/checkBlock)
	return s
}

// Len returns the number of points.
func (s *section[P]) Len() int { return len(s.data) / s.size }

// Range decodes len(buf) points from position from on into buf.
func (s *section[P]) Range(buf []P, from int) ([]P, error) {
	return buf, s.guard(func() error { return s.decodeRange(buf, from) })
}

func (s *section[P]) decodeRange(buf []P, from int) error {
	end := from + len(buf)
	for lo := from; lo < end; {
		block := lo / checkBlock
		first, hi := block*checkBlock, min((block+1)*checkBlock, s.Len())
		whole := lo == first && hi <= end
		hi = min(hi, end)
		check := curve.CheckCurve
		if s.checked[block].Load() {
			check = curve.CheckNone
		}
		if err := s.points(buf[lo-from:hi-from], func(i int) int { return lo + i }, check); err != nil {
			return err
		}
		if whole {
			s.checked[block].Store(true)
		}
		lo = hi
	}
	return nil
}

// Pick decodes the points at the given positions.
func (s *section[P]) Pick(dst []P, index []uint32) error {
	return s.guard(func() error {
		check := curve.CheckNone
		for _, k := range index {
			if !s.checked[k/checkBlock].Load() {
				check = curve.CheckCurve
				break
			}
		}
		return s.points(dst, func(i int) int { return int(index[i]) }, check)
	})
}

// points decodes point which(i) into dst[i].
func (s *section[P]) points(dst []P, which func(i int) int, check curve.Check) error {
	bad, err := s.decode(dst, func(i int) []byte { return s.data[which(i)*s.size:] }, check)
	if err != nil {
		where := fmt.Sprintf("%s[%d]", s.name, which(bad))
		return status.New(status.SRSPoint, where, "%s: %w", where, err)
	}
	return nil
}

// guard turns a fault of the mapping (the file was truncated under us, the disk
// failed) into an error: the runtime panics at it instead of ending the process.
func (s *section[P]) guard(fn func() error) error { return guardMapping(s.name, fn) }

func guardMapping(name string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch v := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // a memory fault has an address, an ordinary bug has none
			err = status.New(status.FileIO, name, "reading %s: %w", name, errFault)
		default:
			panic(v)
		}
	}()
	return fn()
}

var errFault = errors.New("memory fault: the file was changed or the disk failed while it was mapped")
