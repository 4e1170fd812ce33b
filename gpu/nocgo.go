//go:build !cgo

package gpu

import (
	"unsafe"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Without cgo nothing can be loaded: [Load] fails with code Missing, and so no
// object of this package ever exists. Everything else has to be there for
// core/internal/device to compile, and does nothing.

// Objects of the device library.
type (
	Library struct{ Path string }
	Device  struct{ Index int }
	Circuit struct{}
	Params  struct{}
	Job     struct{}
	Run     struct{ Wanted []Pass }
)

var errNotBuilt = &Error{Code: Missing, Device: -1, Stage: "load",
	Message: "this program was built without cgo, which the device library needs"}

// Load fails: the device library is not in this build.
func Load(string) (*Library, error) { return nil, errNotBuilt }

// Symbol finds nothing.
func (*Library) Symbol(string) unsafe.Pointer { return nil }

// Devices fails as [Load] does.
func (*Library) Devices() ([]Info, error) { return nil, errNotBuilt }

// Open fails as [Load] does.
func (*Library) Open(Options) (*Device, error) { return nil, errNotBuilt }

// Close does nothing.
func (*Device) Close() {}

// Memory fails as [Load] does.
func (*Device) Memory() (Usage, error) { return Usage{}, errNotBuilt }

// NewCircuit fails as [Load] does.
func (*Device) NewCircuit(*Matrices) (*Circuit, error) { return nil, errNotBuilt }

// Close does nothing.
func (*Circuit) Close() {}

// NewParams fails as [Load] does.
func (*Circuit) NewParams(ParamsOptions) (*Params, error) { return nil, errNotBuilt }

// Placement fails as [Load] does.
func (*Params) Placement() (Placement, error) { return Placement{}, errNotBuilt }

// Part is never asked.
func (*Params) Part(Section) int { return 1 }

// Buffers is never asked.
func (*Params) Buffers() int { return 1 }

// Put fails as [Load] does.
func (*Params) Put(uint64, Section, int, int, func([]byte) error) error { return errNotBuilt }

// Generate fails as [Load] does.
func (*Params) Generate(Section, int, []fr.Element) error { return errNotBuilt }

// GeneratePowers fails as [Load] does.
func (*Params) GeneratePowers(Section, int, fr.Element, fr.Element) error { return errNotBuilt }

// Finish fails as [Load] does.
func (*Params) Finish() error { return errNotBuilt }

// Encoded fails as [Load] does.
func (*Params) Encoded(Section, int, []byte) error { return errNotBuilt }

// Close does nothing.
func (*Params) Close() {}

// NewJob fails as [Load] does.
func (*Params) NewJob() (*Job, error) { return nil, errNotBuilt }

// NewRun fails as [Load] does.
func (*Params) NewRun([]*Job) (*Run, error) { return nil, errNotBuilt }

// Fill fails as [Load] does.
func (*Job) Fill(*Witness, int) error { return errNotBuilt }

// Start fails as [Load] does.
func (*Job) Start() error { return errNotBuilt }

// Wait fails as [Load] does.
func (*Job) Wait() (*Sums, error) { return nil, errNotBuilt }

// Release does nothing.
func (*Job) Release() {}

// Execute fails as [Load] does.
func (*Run) Execute() error { return errNotBuilt }

// Stop does nothing.
func (*Run) Stop() {}

// Close does nothing.
func (*Run) Close() {}
