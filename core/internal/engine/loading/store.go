// Package loading brings what proving a circuit needs to where it is proved: the
// compiled circuit, and its parameters, read from their file for the CPU or copied
// to a device. Package srs decides when a copy is loaded, shared and evicted; this
// package makes the copies.
package loading

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/singleflight"
)

// Options of a store.
type Options struct {
	ParamsDir string           // folder of .params and .vk files
	Threads   int              // worker threads, at least 1
	Check     Check            // of parameter files
	Keys      Keys             // of the same folder
	Devices   []*device.Device // in the order of their places
	Limits    budget.Limits    // of the memory that copies are paid from
	StayLimit uint64           // bytes of parameters that may stay on a device; 0: as many as fit
	Faults    fault.Injector   // nil: nothing fails on purpose
	Logger    logging.Logger
}

// Keys reads verifying keys; package verification does.
type Keys interface {
	// KeyFile returns the path and the bytes of a .vk file.
	KeyFile(ctx context.Context, shape filecoin.Shape) (path string, data []byte, err error)
}

// Check says what to verify of parameter files beyond their structure.
type Check struct {
	Digest   bool // the published digest of the whole file
	Subgroup bool // that every point lies in the prime-order subgroup
}

// Store keeps circuits and parameters. Use New; safe for concurrent use.
type Store struct {
	*srs.Manager
	options  Options
	circuits singleflight.Cache[filecoin.Shape, *r1cs.Circuit]
	needs    needs

	mu     sync.Mutex // guards shapes
	shapes map[string]filecoin.Shape
}

// New returns an empty store whose copies are paid from memory.
func New(o Options, memory *budget.Budget) *Store {
	s := &Store{options: o, shapes: map[string]filecoin.Shape{}}
	s.Manager = srs.New(loader{s}, memory)
	return s
}

// Circuit returns the compiled circuit of a shape. It is compiled once and kept:
// the largest takes tens of megabytes.
func (s *Store) Circuit(ctx context.Context, shape filecoin.Shape) (*r1cs.Circuit, error) {
	return s.CircuitOf(ctx, shape, func() *r1cs.Circuit { return circuit.Compile(shape) })
}

// CircuitOf is Circuit with another compiler, for circuits that are no Filecoin
// circuits.
func (s *Store) CircuitOf(ctx context.Context, shape filecoin.Shape, compile func() *r1cs.Circuit) (*r1cs.Circuit, error) {
	return s.circuits.Get(ctx, shape, func(context.Context) (*r1cs.Circuit, error) { return compile(), nil })
}

// Name returns the name of the parameter files of a shape, without suffix, under
// which the shape is remembered: the manager knows names only.
func (s *Store) Name(shape filecoin.Shape) string {
	name := shape.ParamsName()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shapes[name] = shape
	return name
}

func (s *Store) shape(name string) filecoin.Shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shapes[name]
}

// Path is where the parameters of a name are.
func (s *Store) Path(name string) string { return filepath.Join(s.options.ParamsDir, name+".params") }

// inUse returns the file that copies of a name were made of; without any, the one that is there.
func (s *Store) inUse(ctx context.Context, name string) (*params.File, error) {
	if c, ok := s.Peek(name, srs.Place{Tier: srs.Mapped}); ok {
		return c.(*Loaded).file.Share(), nil
	}
	return params.Open(ctx, s.Path(name))
}

// diagnosisTime bounds Diagnose: a PoRep's 47 GB would take minutes.
const diagnosisTime = 30 * time.Second

// Diagnose checks every point of the parameters of a name, its subgroup included,
// as far as half a minute goes, after a proof that was made with them did not hold.
// It returns what is wrong with them; nil if nothing was found.
func (s *Store) Diagnose(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, diagnosisTime)
	defer cancel()
	file, err := s.inUse(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.CheckPoints(ctx, s.options.Threads, curve.CheckSubgroup); ctx.Err() == nil {
		return err
	}
	return nil
}
