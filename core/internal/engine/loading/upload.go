package loading

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
)

// upload makes a copy whose points are on device number at, or come there in pieces.
func (s *Store) upload(ctx context.Context, name string, from *Loaded, at int, progress func(done, total int64)) (*Loaded, error) {
	if err := fault.At(s.options.Faults, fault.Device); err != nil {
		return nil, fault.OfDevice(err)
	}
	most, err := s.share(ctx, name, at)
	if err != nil {
		return nil, err
	}
	file := from.file.Share() // the same file that was checked
	p := &Loaded{circuit: from.circuit, plan: from.plan, layout: from.layout, file: file}
	progress(0, file.Bytes())
	var mu sync.Mutex // so that progress never goes back
	var done int64
	told := func(bytes int) {
		mu.Lock()
		defer mu.Unlock()
		done += int64(bytes)
		progress(done, file.Bytes())
	}
	p.device, err = s.options.Devices[at].Load(ctx, p.circuit, p.plan, device.WatchedFile(file, told),
		device.Limits{Device: uint64(most.Device), Host: uint64(most.Pinned), Stay: s.options.StayLimit})
	if err != nil {
		file.Close()
		return nil, err
	}
	progress(file.Bytes(), file.Bytes())
	p.amount = budget.Amount{Device: int64(p.device.Bytes()), Pinned: int64(p.device.HostBytes()), On: at}
	p.pieces = !p.device.Resident()
	s.announce(at, p)
	if err := p.proveWith(file.SRS().Key, p.device); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// announce logs where the parameters are.
func (s *Store) announce(at int, p *Loaded) {
	name := s.options.Devices[at].Track()
	how := ""
	if p.pieces {
		how = fmt.Sprintf(", in pieces with %d bytes of host memory", p.amount.Pinned)
	}
	s.options.Logger.Log(logging.Info, "parameters of %s on %s: %d bytes%s", p.file.Path, name, p.amount.Device, how)
	if p.amount.Pinned > 0 && !p.device.Placement().Locked {
		s.options.Logger.Log(logging.Warn, "%s: not all of the host memory for %s could be locked, which makes it several times slower: raise the limit of locked memory",
			name, p.file.Path)
	}
}
