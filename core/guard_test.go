package cuzk

import (
	"slices"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/stretchr/testify/require"
)

// someProof is well-formed and holds for nothing.
func someProof() []byte {
	_, _, g1, g2 := bls.Generators()
	a, b := g1.Bytes(), g2.Bytes()
	return slices.Concat(a[:], b[:], a[:])
}

// TestCallsAreGuarded: a fault of the library in a call that is no job is an
// error, not the end of the host. An engine that was never opened stands for
// one.
func TestCallsAreGuarded(t *testing.T) {
	var e Engine
	for name, call := range map[string]func() error{
		"porep": func() error {
			_, err := e.VerifyPoRep(t.Context(), PoRepInfo{RegisteredProof: 5, CommR: [32]byte{1}, CommD: [32]byte{1}, Seed: [32]byte{1}}, someProof())
			return err
		},
		"post": func() error {
			_, err := e.VerifyPoSt(t.Context(), PoStInfo{RegisteredProof: 10, Sectors: make([]PoStSector, 1)}, someProof())
			return err
		},
		"update":  func() error { _, err := e.VerifyUpdate(t.Context(), UpdateInfo{}, someProof()); return err },
		"submit":  func() error { _, err := e.Submit(t.Context(), PoRep{C1: []byte("{}")}); return err },
		"run":     func() error { _, err := e.Run(t.Context(), PoRep{C1: []byte("{}")}); return err },
		"evict":   func() error { _, err := e.Evict("", 0); return err },
		"preload": func() error { return e.Preload(t.Context(), KindPoRep, 2048, nil) },
		"drain":   func() error { return e.Drain(t.Context()) },
		"close":   func() error { return e.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			require.NotPanics(t, func() { require.Equal(t, Panic, CodeOf(call())) })
		})
	}
}
