// Package ffi has functions with the names, argument order and types of
// filecoin-ffi's Go package, on an engine of libcuzk: a host that proves with
// filecoin-ffi changes an import. docs/drop-in.md lists what differs.
//
// No module of Filecoin is needed. Numbers may be of any type like int64 or
// uint64, so those of go-state-types fit as they are; in place of a CID goes
// anything with a Bytes method; the structs have the fields of those in
// go-state-types' proof package.
//
// The package functions share one engine, opened on first use from the
// environment (see [OptionsFromEnvironment]). [FFI] has the same calls on an
// engine of the caller's.
//
// What needs more than proving is left out, so that a host which wants it keeps
// calling filecoin-ffi: everything that reads sector files (sealing, vanilla
// proofs, the generate calls without "WithVanilla").
package ffi

import (
	"context"
	"sync"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// FFI has filecoin-ffi's calls on one engine. The engine stays the caller's.
// Safe for concurrent use.
type FFI struct {
	Engine *cuzk.Engine
}

// Lazy opens an engine when it is first asked for, with options from an
// environment, and keeps it for good. After a failure the next call tries
// again. Safe for concurrent use.
type Lazy struct {
	// Lookup returns the value of a variable, and whether it is set.
	Lookup func(name string) (string, bool)

	mu     sync.Mutex // guards engine
	engine *cuzk.Engine
}

// Get returns the engine. Its error has code Argument if a variable makes no
// sense, else that of cuzk.Open.
func (l *Lazy) Get() (*cuzk.Engine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine != nil {
		return l.engine, nil
	}
	options, err := OptionsFromEnvironment(l.Lookup)
	if err != nil {
		return nil, err
	}
	l.engine, err = cuzk.Open(options)
	return l.engine, err
}

// Default returns the calls on the engine that the package functions share.
func Default() (FFI, error) {
	e, err := shared.Get()
	return FFI{e}, err
}

// with runs a call on the shared engine.
func with[T any](call func(FFI) (T, error)) (none T, err error) {
	f, err := Default()
	if err != nil {
		return none, err
	}
	return call(f)
}

// background is the context of all calls: filecoin-ffi's have none. Closing the
// engine ends them.
func background() context.Context { return context.Background() }
