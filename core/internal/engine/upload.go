package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// upload makes a prover whose points are on a device, or come there in pieces.
func (e *Engine) upload(ctx context.Context, name string, from *prover, at int, progress func(done, total int64)) (*prover, error) {
	s := e.sites.all[at]
	if err := fault.At(e.config.Faults, fault.Device); err != nil {
		return nil, deviceFault(err)
	}
	most, err := e.share(ctx, name, at)
	if err != nil {
		return nil, err
	}
	file, err := params.Open(from.file.Path)
	if err != nil {
		return nil, err
	}
	p := &prover{circuit: from.circuit, plan: from.plan, layout: from.layout, file: file}
	progress(0, file.Bytes())
	var mu sync.Mutex // so that progress never goes back
	var done int64
	told := func(bytes int) {
		mu.Lock()
		defer mu.Unlock()
		done += int64(bytes)
		progress(done, file.Bytes())
	}
	p.device, err = s.device.Load(ctx, p.circuit, p.plan, device.WatchedFile(file, told),
		device.Limits{Device: uint64(most.Device), Host: uint64(most.Pinned), Stay: e.config.Stay})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	progress(file.Bytes(), file.Bytes())
	p.amount = budget.Amount{Device: int64(p.device.Bytes()), Pinned: int64(p.device.HostBytes()), On: at}
	p.pieces = !p.device.Resident()
	e.announce(s, p)
	if err := p.prove(file.SRS().Key, p.device); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// announce logs where the parameters are.
func (e *Engine) announce(s *site, p *prover) {
	how := ""
	if p.pieces {
		how = fmt.Sprintf(", in pieces with %d bytes of host memory", p.amount.Pinned)
	}
	e.log(Info, "parameters of %s on %s: %d bytes%s", p.file.Path, s.name, p.amount.Device, how)
	if p.amount.Pinned > 0 && !p.device.Placement().Locked {
		e.log(Warn, "%s: not all of the host memory for %s could be locked, which makes it several times slower: raise the limit of locked memory",
			s.name, p.file.Path)
	}
}

// deviceFault is an injected failure of a device.
func deviceFault(err error) error {
	return status.New(status.Device, "fault", "%w", err)
}
