package pipeline

import (
	"errors"

	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// failures remembers where a partition has failed.
type failures struct {
	workers   []*Worker // that failed, and get no further try
	second    bool      // every worker has failed once, and all are tried once more
	evicted   bool      // idle parameters were evicted for it
	last      error     // the last failure
	transient bool      // a failure may not happen again: of a device or its memory
}

// nextWorker chooses the worker of a partition's next try. When all usable workers
// have failed, and a failure may not happen again, each gets a second try; then the
// last failure is returned.
func (p *Pipeline) nextWorker(name string, f *failures) (*Worker, error) {
	ready := func(w *Worker) bool { return p.ready(name, w) }
	if w := p.Workers.place(ready, f.workers); w != nil {
		return w, nil
	}
	if f.transient && !f.second {
		f.second, f.workers = true, nil
		if w := p.Workers.place(ready, nil); w != nil {
			return w, nil
		}
	}
	if f.last != nil {
		return nil, f.last
	}
	return nil, p.Workers.lost()
}

// retry notes that a partition failed at a worker, and reports whether it may be
// tried again: only failures of a device itself are worth that. Where device memory
// is short, idle parameters are evicted for one more try at the same worker.
func (p *Pipeline) retry(w *Worker, err error, f *failures) bool {
	code := status.CodeOf(err)
	if w.Device == nil || code != status.Device && code != status.Memory && code != status.Budget {
		return false
	}
	f.last = err
	if code == status.Budget {
		f.workers = append(f.workers, w)
		return true
	}
	f.transient = true
	p.Counters.Failures.Add(1, w.Name, code.String())
	p.Logger.Log(logging.Error, "%s: %v", w.Name, err)
	if w.Usable() != nil {
		p.abandon(w)
	}
	if code == status.Memory && !f.evicted {
		f.evicted = true
		if freed := p.Params.EvictIdle(w.Place); freed > 0 {
			p.Logger.Log(logging.Warn, "%s: %d bytes of idle parameters were evicted, to try again", w.Name, freed)
			return true
		}
	}
	f.workers = append(f.workers, w)
	return true
}

// abandon gives up a quarantined device: what waits for it is tried elsewhere, and
// its copies of parameters go with their last use.
func (p *Pipeline) abandon(w *Worker) {
	w.abandoned.Do(func() {
		why := w.Usable()
		p.Logger.Log(logging.Error, "%s is not used any more: %v", w.Name, why)
		w.close(why)
		p.Params.Abandon(w.Place)
	})
}

// blame counts a wrong answer for each device that made one of the partitions, and
// quarantines the device. The last usable device is spared the first time: it makes
// its partitions once more. again says that it has.
func (r *proof) blame(wrong []int, again bool) {
	seen := map[*Worker]bool{}
	for _, k := range wrong {
		w := r.made[k].worker
		if w == nil || w.Device == nil || seen[w] {
			continue
		}
		seen[w] = true
		r.Counters.Wrong.Add(1, w.Name)
		if again || r.Workers.others(w) {
			w.Device.Quarantine(errors.New("a proof that it made does not hold"))
			r.abandon(w)
		}
	}
}
