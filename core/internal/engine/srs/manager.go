// Package srs keeps Groth16 parameters where they are used: on a device, or
// mapped from their file.
//
// A [Manager] loads each copy once, however many ask at the same time, counts
// who uses it, and leaves what nobody uses in place until its bytes are needed.
// Files are checked on first use and known again by size, time and inode. A copy
// that is loaded needs its file no more: one that is gone, or whose file system
// does not answer, only means that there is nothing newer. How a copy is made is
// the business of a [Loader].
package srs

import (
	"context"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// Tier is where parameters are, the slowest first.
type Tier int

// Tiers.
const (
	Disk   Tier = iota // only in the file
	Mapped             // the file is open and read when it is used: its pages are the kernel's, nothing is reserved
	Device             // memory of a device
)

// String returns the lower-case name.
func (t Tier) String() string { return [...]string{"disk", "mapped", "device"}[t] }

// Place is a tier and, for Device, which one.
type Place struct {
	Tier   Tier
	Device int
}

// Identity is what a file is known by.
type Identity = files.Identity

// Copy is a loaded copy of parameters.
type Copy interface {
	Amount() budget.Amount // bytes that it holds, at most what Loader.Plan said
	Identity() Identity    // of the file that was opened for it
	Close() error          // frees them; called once, when nobody uses the copy
}

// Loader makes copies. Its methods may be called concurrently. Names are those
// of parameter files, without suffix.
type Loader interface {
	// Identify looks at the file without reading it. Where known is true, somebody
	// has a copy of it, and it is no use to wait long for a file system.
	Identify(ctx context.Context, name string, known bool) (Identity, error)
	// Verify checks what is to be checked of a mapped copy before its first use.
	Verify(ctx context.Context, mapped Copy, progress func(done, total int64)) error
	// Plan returns the most bytes that a copy at a place holds, while it is made
	// and after; nothing for Mapped. It may acquire the mapped copy to find out.
	Plan(ctx context.Context, name string, at Place) (budget.Amount, error)
	// Load makes a copy. below is the mapped copy, nil when that is what is made.
	Load(ctx context.Context, name string, at Place, below Copy, progress func(done, total int64)) (Copy, error)
}

// Progress of a load: first "verify", then "load".
type Progress struct {
	Stage       string
	Done, Total int64 // bytes
}

// Want asks for parameters.
type Want struct {
	Name     string
	Places   []Place                // in order of preference; the first that can ever fit is taken
	Beside   func(Place) budget.Ask // reserved with them: what the work needs there; nil: nothing
	Task     sched.Task             // orders those that wait
	Progress func(Progress)         // told of a load that this waits for; may be nil; must not block
}

// Ref is the use of a copy. Release it when done.
type Ref struct {
	Copy  Copy
	Place Place
	Work  *budget.Lease // of Want.Beside; the holder of the Ref releases it

	manager *Manager
	item    *item
	once    sync.Once
}

// Release ends the use. More often is quiet. Work is not released.
func (r *Ref) Release() {
	r.once.Do(func() { r.manager.drop(r.item) })
}

// Manager holds copies. Use New; safe for concurrent use.
type Manager struct {
	loader Loader
	budget *budget.Budget
	loads  spawn.Group

	// mu guards everything below and the items. It is held over calls that look
	// at leases, and never over those that may evict, wait, or touch a file.
	mu      sync.Mutex
	items   map[slot]*item
	seen    map[string]Identity // files as last seen, by name
	checked map[Identity]bool
	closed  error
}

// slot is where an item is found.
type slot struct {
	name  string
	place Place
}

// item is one copy, from the decision to load it until it is freed.
type item struct {
	slot
	id       Identity
	lease    *budget.Lease // nil while somebody waits for memory
	loaded   chan struct{} // closed when copy or err is set
	copy     Copy
	err      error
	wait     *wait // whoever waits for its memory; nil once that is there
	refs     int   // uses, and waits for the load
	cancel   context.CancelCauseFunc
	given    bool // the load was cancelled: nobody may join it any more
	lastUse  time.Time
	progress Progress
	tell     map[*func(Progress)]struct{} // who wants to know
}

// wait is a user of an item that waits for the memory of its load. A more urgent
// user takes its place.
type wait struct {
	task sched.Task
	ctx  context.Context // of the wait
	end  context.CancelCauseFunc
}

func newWait(ctx context.Context, task sched.Task) *wait {
	w := &wait{task: task}
	w.ctx, w.end = context.WithCancelCause(ctx)
	return w
}

// New returns a manager that has loaded nothing.
func New(loader Loader, b *budget.Budget) *Manager {
	return &Manager{loader: loader, budget: b, items: map[slot]*item{}, seen: map[string]Identity{}, checked: map[Identity]bool{}}
}
