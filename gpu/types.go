package gpu

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unsafe"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Parts of a witness, numbered as in cuzk_cuda.h, like all numbers here: see
// numbers.go.
const (
	partInputs int32 = iota
	partScalars
	partBits
	partGiven
)

// Code says what kind of failure an Error is.
type Code int

// The codes; all but Missing are those of cuzk_cuda.h.
const (
	Missing  Code = -1 // no device library, or one of another version
	Argument Code = 1  // sizes that contradict each other
	Memory   Code = 2  // device or pinned memory is exhausted
	Call     Code = 3  // a CUDA call failed; the device still works
	Lost     Code = 4  // a CUDA call failed and every later one will
	Point    Code = 5  // a point of the parameters was refused
	Internal Code = 6  // fault of the library
	Stopped  Code = 7  // the run was stopped
)

// Error is a failure of the device library.
type Error struct {
	Code              Code
	CUDA              int     // cudaError_t, or 0
	Device            int     // index, or −1
	Stage             string  // "open", "srs", "ntt", …
	Message           string  // the call and what CUDA says
	Needed, Available uint64  // bytes, of Memory
	Section           Section // of Point
	Index             uint64  // of Point: position in the section
	Reason            string  // of Point
}

// Error renders "device 0, ntt: cudaMalloc …".
func (e *Error) Error() string {
	if e.Device < 0 {
		return fmt.Sprintf("%s: %s", e.Stage, e.Message)
	}
	s := fmt.Sprintf("device %d, %s: %s", e.Device, e.Stage, e.Message)
	if e.Code == Point {
		s += fmt.Sprintf(": [%d]: %s", e.Index, e.Reason)
	}
	return s
}

// UUID identifies a device across restarts.
type UUID [16]byte

// String renders the UUID as nvidia-smi does, "GPU-xxxxxxxx-xxxx-…".
func (u UUID) String() string {
	h := hex.EncodeToString(u[:])
	return "GPU-" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// Info describes a device.
type Info struct {
	Index           int
	Name            string
	UUID            UUID
	Major, Minor    int    // compute capability
	Multiprocessors int    //
	Memory          uint64 // bytes on the card
	Available       uint64 // bytes free when it was asked
	Driver, Runtime int    // versions as CUDA numbers them: 13000 is 13.0
	Rejected        string // why it cannot be used; "" if it can
}

// Options say how a device is used.
type Options struct {
	Index       int
	Slots       int    // partitions in flight at once, at least 1
	MemoryLimit uint64 // bytes that may be allocated there; 0: what is free
	Part        int    // points of G1 that are loaded at a time, a multiple of 128; 0: DefaultPart
	Buffers     int    // pinned buffers for loading; 0: DefaultBuffers
}

// A part is 48 MiB: large enough for the bus, small enough to keep four.
const (
	DefaultPart    = 1 << 19
	DefaultBuffers = 4
)

// Usage is the device memory of one Device in bytes.
type Usage struct {
	Used, Peak uint64 // by this library
	Available  uint64 // within the limit and on the card
}

// Matrices is a constraint system as flat arrays and the order of variables in
// the parameters (core/internal/r1cs.Flat, groth16.Plan).
type Matrices struct {
	Rows, Inputs, Aux, Scalars int

	Coefs     []fr.Element // 0 is one, 1 is minus one
	Templates []Template
	Instances []Instance
	Wires     []uint32
	Starts    []uint32
	Terms     []Term
	Bits      []uint64 // bitmap over aux: bit variables

	L, A, B Query

	Program *Program // nil: witnesses come whole
}

// Program is how scalars follow from those of a sketch (core/internal/r1cs.Program).
type Program struct {
	Rules                             []Rule
	Args, Starts, Order, Waves, Given []uint32
	Hashes                            []Hash
}

// Rule gives N scalars of a call from Out on.
type Rule struct{ Fn, Out, N, Arg uint32 }

// Hash is Poseidon over T elements, see cuzk_cuda.h.
type Hash struct {
	T, Partial int
	Constants  []fr.Element
}

// Template locates a template's rows: row r of matrix m has the terms
// Starts[Start[m]+r] … Starts[Start[m]+r+1].
type Template struct {
	Rows  uint32
	Start [2]uint32
}

// Instance is a call of a template: where its rows and variables begin.
type Instance struct{ Template, Row, Wire, Input, Aux, Scalar uint32 }

// Term is a tagged source and the index of its coefficient.
type Term struct{ Src, Coef uint32 }

// Query is the order of variables in one section of the parameters.
type Query struct {
	Inputs []uint32 // input variables at positions 0 …
	Dense  []uint64 // bitmap over aux of the variables in the section; nil: all
	Which  []uint32 // for its scalar variables: their rank among all scalar variables
}

// Section names a part of the parameters, in the order of a `.params` file.
type Section int

// The sections; B2 is in G2.
const (
	H        Section = 0
	L        Section = 1
	A        Section = 2
	B1       Section = 3
	B2       Section = 4
	Sections         = 5
)

// PointSize is the length in bytes of an encoded point.
func (s Section) PointSize() int {
	if s == B2 {
		return bls.SizeOfG2AffineUncompressed
	}
	return bls.SizeOfG1AffineUncompressed
}

// ParamsOptions say where parameters may be kept.
type ParamsOptions struct {
	DeviceLimit uint64 // bytes of the device, work area and slots included; 0: what is free
	HostLimit   uint64 // bytes of host memory for sections that do not fit on the device
	StayLimit   uint64 // bytes of bases that may stay on the device; 0: as many as fit
	// WitnessLimit: where sections do not stay, a longer witness is on the device
	// only while it is used; 0: a thirty-second of what parameters may take.
	WitnessLimit uint64
	Piece        int  // points of G1 in a piece of what does not stay, at most; 0: as many as are useful
	Again        bool // sections that fit nowhere can be put again in every run
	OneStream    bool // sums never run beside each other
}

// Home says where a section is kept.
type Home int

// The homes.
const (
	OnDevice Home = 0
	OnHost   Home = 1
	InFile   Home = 2
)

// String names the home.
func (h Home) String() string { return [...]string{"device", "host", "file"}[h] }

// Placement is where parameters are.
type Placement struct {
	DeviceBytes uint64 // work area, slots and tables included
	HostBytes   uint64 // of sections in host memory
	Locked      bool   // false: some of that could not be locked and is several times slower
	Sketches    bool   // witnesses may be sketched
	Streams     bool   // partitions are proved by runs
	Slots       int    // partitions in flight
	Together    int    // partitions that share a pass over h
	Beside      bool   // sums over l, a and b run beside the transforms and the sum over h
	Urgent      bool   // a small circuit: its partitions do not wait for those of large ones
	Home        [Sections]Home
	Copies      [Sections]int // of bases on the device
	Pieces      [Sections]int // that a section is brought in
}

// Witness is a packed assignment (core/internal/r1cs.Witness).
type Witness struct {
	Inputs  []fr.Element // ONE first
	Bits    []uint64     // bitmap over aux, 0 at scalar variables
	Scalars []fr.Element // values of the scalar variables
	Sketch  bool         // Scalars are those given: Program.Given

	Piece int // bytes that are filled at a time, a multiple of 32; 0: DefaultPiece
}

// DefaultPiece keeps the cost of a call small, and sixteen goroutines busy with
// witnesses of 64 MiB and above.
const DefaultPiece = 4 << 20

// Stage names what a device does for a partition.
type Stage int

// The stages. Rows, transforms and the sum over h run one after the other, the
// other sums before, beside or after them.
const (
	Upload   Stage = 0
	Rows     Stage = 1
	NTT      Stage = 2
	SumH     Stage = 3
	SumL     Stage = 4
	SumA     Stage = 5
	SumB1    Stage = 6
	SumB2    Stage = 7
	Download Stage = 8
	Stages         = 9
)

// String names the stage.
func (s Stage) String() string {
	return [Stages]string{"upload", "rows", "ntt", "h", "l", "a", "b_g1", "b_g2", "download"}[s]
}

// Span is when a stage ran, on the device's clock since the device was opened.
type Span struct{ Start, End time.Duration }

// Sums are the sums over the parameters of one partition.
type Sums struct {
	H, L, A, B1 bls.G1Affine
	B2          bls.G2Affine
	Spans       [Stages]Span
	Pauses      []Pause // those of a stage in order
}

// Pause is a time within a stage when the device had nothing to run of it, because
// the host was waiting for something. Another stage may have run beside it.
type Pause struct {
	Stage Stage
	Span
}

// Working returns when a stage ran, without its pauses.
func (s *Sums) Working(stage Stage) (out []Span) {
	start := s.Spans[stage].Start
	for _, p := range s.Pauses {
		if p.Stage != stage || p.End <= start || p.Start >= s.Spans[stage].End {
			continue
		}
		if p.Start > start {
			out = append(out, Span{start, p.Start})
		}
		start = p.End
	}
	if end := s.Spans[stage].End; end > start {
		out = append(out, Span{start, end})
	}
	return out
}

// Fillers is how many goroutines can fill a device's jobs at once.
const Fillers = 16

// Pieces is how many pieces a witness is filled in.
func (w *Witness) Pieces() int {
	n := 0
	for _, x := range w.parts() {
		n += x.pieces()
	}
	return n
}

// stretch is one part of a witness as memory.
type stretch struct {
	part        int32
	from        unsafe.Pointer
	count, size int // elements, and bytes of each
	step        int // elements in a piece
}

func (x *stretch) pieces() int { return (x.count + x.step - 1) / x.step }

func (w *Witness) parts() [3]stretch {
	scalars := partScalars
	if w.Sketch {
		scalars = partGiven
	}
	piece := w.Piece
	if piece == 0 {
		piece = DefaultPiece
	}
	return [...]stretch{
		{partInputs, unsafe.Pointer(unsafe.SliceData(w.Inputs)), len(w.Inputs), fr.Bytes, piece / fr.Bytes},
		{scalars, unsafe.Pointer(unsafe.SliceData(w.Scalars)), len(w.Scalars), fr.Bytes, piece / fr.Bytes},
		{partBits, unsafe.Pointer(unsafe.SliceData(w.Bits)), len(w.Bits), 8, piece / 8},
	}
}

// Pass is a pass over a section.
type Pass struct {
	Number  uint64
	Section Section
}
