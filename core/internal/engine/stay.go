package engine

import (
	"context"
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// stay is a solved partition at a site. Until it starts there, a site that has
// nothing to do may take it over.
type stay struct {
	sites *sites
	name  string     // of its parameters
	order sched.Task // how urgent it is
	avoid []*site    // where it failed
	ref   *srs.Ref   // the use of its parameters; the partition's own

	// guarded by sites.mu
	at      *site
	waits   context.Context // what it waits for there
	end     context.CancelCauseFunc
	started bool
}

// errMoved says that a partition is wanted elsewhere.
var errMoved = status.New(status.Busy, "", "another site takes the partition")

// arrive begins a stay. ready reports whether a site has its parameters. Depart
// when it is over.
func (s *sites) arrive(ctx context.Context, y *stay, ready readiness) {
	s.mu.Lock()
	defer s.mu.Unlock()
	y.sites = s
	y.waits, y.end = context.WithCancelCause(ctx)
	s.stays = append(s.stays, y)
	s.share(ready)
}

// depart ends a stay and returns where it was in the end.
func (s *sites) depart(y *stay, ready readiness) *site {
	s.mu.Lock()
	defer s.mu.Unlock()
	y.end(nil)
	s.stays = slices.DeleteFunc(s.stays, func(x *stay) bool { return x == y })
	s.share(ready)
	return y.at
}

// readiness reports whether the parameters of a name are at a site.
type readiness func(name string, x *site) bool

// share gives each site at which no solved partition is the most urgent one that
// waits elsewhere; s.mu is held.
func (s *sites) share(ready readiness) {
	for _, x := range s.all {
		if slices.ContainsFunc(s.stays, func(y *stay) bool { return y.at == x }) || x.usable() != nil {
			continue
		}
		var best *stay
		for _, y := range s.stays {
			// Who is alone at its site is next there.
			if y.started || slices.Contains(y.avoid, x) || !ready(y.name, x) || s.company(y) == 0 {
				continue
			}
			if best == nil || y.order.Before(&best.order) {
				best = y
			}
		}
		if best != nil {
			best.move(x)
			best.end(errMoved)
		}
	}
}

// company counts the other stays at the site of y; s.mu is held.
func (s *sites) company(y *stay) (n int) {
	for _, x := range s.stays {
		if x != y && x.at == y.at {
			n++
		}
	}
	return n
}

// move books a partition at another site; sites.mu is held.
func (y *stay) move(to *site) {
	y.at.chosen--
	to.chosen++
	y.at = to
}

// start says that the partition starts; false if it is wanted elsewhere.
func (y *stay) start() bool {
	y.sites.mu.Lock()
	defer y.sites.mu.Unlock()
	y.started = y.waits.Err() == nil
	return y.started
}

// follow returns the site that the partition is at now, and what it waits for
// there: after errMoved.
func (y *stay) follow(ctx context.Context) *site {
	y.sites.mu.Lock()
	defer y.sites.mu.Unlock()
	y.waits, y.end = context.WithCancelCause(ctx)
	return y.at
}

// back returns to a site, because the other one cannot take the partition.
func (y *stay) back(to *site) {
	y.sites.mu.Lock()
	defer y.sites.mu.Unlock()
	y.avoid = append(slices.Clip(y.avoid), y.at)
	y.move(to)
}

// waiting is the context of what the partition waits for at its site.
func (y *stay) waiting() context.Context {
	y.sites.mu.Lock()
	defer y.sites.mu.Unlock()
	return y.waits
}
