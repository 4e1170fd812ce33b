package engine

import (
	"context"
	"errors"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// tries remembers where a partition has failed.
type tries struct {
	at    []*site
	again bool  // every site has failed once, and they are tried once more
	freed bool  // idle parameters were evicted for it
	last  error // the last failure
	pass  bool  // a failure was one that may pass: of a device or its memory
}

// made makes the proof of partition k. A device that fails is no reason for the
// job to fail as long as another can take the partition; the last one gets a
// second chance.
func (r *run) made(ctx context.Context, k int) ([]byte, error) {
	var t tries
	for {
		s, err := r.engine.next(r.name, &t)
		if err != nil {
			return nil, err
		}
		proof, last, err := r.at(ctx, s, k, t.at)
		if err == nil {
			r.where[k] = last
			return proof, nil
		}
		if ctx.Err() != nil || !r.engine.failed(last, err, &t) {
			return nil, err
		}
	}
}

// next chooses the site of a partition of a circuit.
func (e *Engine) next(name string, t *tries) (*site, error) {
	ready := func(s *site) bool { return e.params.On(name, s.place) }
	if s := e.sites.choose(ready, t.at); s != nil {
		return s, nil
	}
	if t.pass && !t.again {
		t.again, t.at = true, nil
		if s := e.sites.choose(ready, nil); s != nil {
			return s, nil
		}
	}
	if t.last != nil {
		return nil, t.last
	}
	return nil, e.sites.lost()
}

// ready reports whether the parameters of a name are at a site.
func (e *Engine) ready(name string, at *site) bool { return e.params.On(name, at.place) }

// leave ends what choose began for a partition, wherever it is now. Who waits for company need not when a
// site has nothing to do.
func (e *Engine) leave(s *site) {
	if e.sites.leave(s) {
		e.gatherer.Flush()
	}
}

// failed notes that a partition failed at a site, and reports whether it may be
// tried again: only a device's own failures are worth that. Where device memory
// is short, idle parameters make room for one more try at the same site.
func (e *Engine) failed(s *site, err error, t *tries) bool {
	code := status.CodeOf(err)
	if s.device == nil || code != status.Device && code != status.Memory && code != status.Budget {
		return false
	}
	t.last = err
	if code == status.Budget {
		t.at = append(t.at, s)
		return true
	}
	t.pass = true
	e.meters.failures.Add(1, s.name, code.String())
	e.log(Error, "%s: %v", s.name, err)
	if s.usable() != nil {
		e.leaveDevice(s)
	}
	if code == status.Memory && !t.freed {
		t.freed = true
		if freed := e.params.EvictIdle(s.place); freed > 0 {
			e.log(Warn, "%s: %d bytes of idle parameters were evicted, to try again", s.name, freed)
			return true
		}
	}
	t.at = append(t.at, s)
	return true
}

// leaveDevice gives up a quarantined device: what waits for it goes elsewhere,
// and its copies of parameters go with their last use.
func (e *Engine) leaveDevice(s *site) {
	s.left.Do(func() {
		why := s.usable()
		e.log(Error, "%s is not used any more: %v", s.name, why)
		s.close(why)
		e.params.Abandon(s.place)
	})
}

// blame counts a wrong answer of each device that made one of the partitions. A
// device that was wrong is left, except that the last one makes its partitions
// once more first: again says that it has.
func (r *run) blame(culprits []int, again bool) {
	seen := map[*site]bool{}
	for _, k := range culprits {
		s := r.where[k]
		if s == nil || s.device == nil || seen[s] {
			continue
		}
		seen[s] = true
		r.engine.meters.wrong.Add(1, s.name)
		if again || r.engine.sites.others(s) {
			s.device.Quarantine(errors.New("a proof that it made does not hold"))
			r.engine.leaveDevice(s)
		}
	}
}
