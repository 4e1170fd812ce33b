// Package fault makes things fail on purpose, so that tests can show that the
// engine survives it.
//
// Code that can fail asks an [Injector] at named points. In production there is
// none, and asking costs one comparison. Tests let the nth call fail, for n = 1,
// 2, … until a run has no nth call: then every point has failed once.
package fault

import (
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Point is a place where something can fail.
type Point string

// The points of the engine.
const (
	Solve   Point = "solve"   // the witness of a partition
	Prove   Point = "prove"   // the proof of a partition
	Proof   Point = "proof"   // bytes of a proof, between prover and verifier
	Verify  Point = "verify"  // the verification of a job
	Device  Point = "device"  // the sums of a partition, wherever they are computed
	Load    Point = "load"    // parameters to a tier
	Page    Point = "page"    // bytes of parameters that are decoded
	Alloc   Point = "alloc"   // memory of a partition: its witness, then its vectors
	Deliver Point = "deliver" // the result of a job
)

// Points returns all of them.
func Points() []Point {
	return []Point{Solve, Prove, Proof, Verify, Device, Load, Page, Alloc, Deliver}
}

// Injector decides what fails.
type Injector interface {
	// Fault is asked at a point. It returns nil, an error, or panics.
	Fault(p Point) error
	// Damage may change data that passes a point.
	Damage(p Point, data []byte)
}

// At asks i, which may be nil.
func At(i Injector, p Point) error {
	if i == nil {
		return nil
	}
	return i.Fault(p)
}

// OfDevice returns an injected failure as one of a device, which is worth another
// try.
func OfDevice(err error) error { return status.New(status.Device, "fault", "%w", err) }

// Through lets i damage data, if i is not nil.
func Through(i Injector, p Point, data []byte) {
	if i != nil {
		i.Damage(p, data)
	}
}

// Kind of failure.
type Kind int

// Kinds.
const (
	Error Kind = iota // the point returns an error
	Panic             // the point panics
	Flip              // one bit of the data that passes is flipped; points without data pass
)

// String returns the lower-case name.
func (k Kind) String() string { return [...]string{"error", "panic", "flip"}[k] }

// Nth lets one call fail: the nth, counted from 1, of those that match. Safe for
// concurrent use.
type Nth struct {
	N      int
	Kind   Kind
	Points []Point // that match; none: all
	Sticky bool    // every later call fails too, as with a dead device

	mu    sync.Mutex // guards the rest
	calls int
	fired int
}

// Injected is the error that a point returns; tests recognise it with errors.Is.
var Injected = status.New(status.Internal, "fault", "injected failure")

// Fault counts a call, unless failures are Flips, which happen to data only.
func (f *Nth) Fault(p Point) error {
	if f.Kind == Flip || !f.due(p) {
		return nil
	}
	if f.Kind == Panic {
		panic("injected at " + string(p))
	}
	return Injected
}

// Damage flips the lowest bit of the middle byte if it is this call's turn.
func (f *Nth) Damage(p Point, data []byte) {
	if f.Kind == Flip && len(data) > 0 && f.due(p) {
		data[len(data)/2] ^= 1
	}
}

func (f *Nth) due(p Point) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.matches(p) {
		return false
	}
	f.calls++
	due := f.calls == f.N || f.Sticky && f.calls > f.N
	if due {
		f.fired++
	}
	return due
}

func (f *Nth) matches(p Point) bool {
	for _, q := range f.Points {
		if p == q {
			return true
		}
	}
	return len(f.Points) == 0
}

// Fired returns how many calls have failed.
func (f *Nth) Fired() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

// Each calls run with an injector for n = 1, 2, … as long as the one before has
// fired, at most up to most, and returns how often it did. run starts from the
// same state each time and checks what must hold after a failure; its error
// ends the loop.
func Each(kind Kind, most int, points []Point, run func(f *Nth) error) (fired int, err error) {
	for n := 1; n <= most; n++ {
		f := &Nth{N: n, Kind: kind, Points: points}
		if err := run(f); err != nil {
			return fired, err
		}
		if f.Fired() == 0 {
			break
		}
		fired++
	}
	return fired, nil
}
