// Package ffi has the exported names and signatures of filecoin-ffi's Go package
// for all that libcuzk offers, with the types of go-state-types, go-cid and
// go-address: a host changes an import path.
//
//	import ffi "github.com/libcuzk/libcuzk/bindings/go/filecoinffi" // was: "github.com/filecoin-project/filecoin-ffi"
//
// It is a module of its own, so that a host which has no use for go-state-types
// does not get it; github.com/libcuzk/libcuzk/core/ffi has the same calls without
// those types. Errors are *cuzk.Error; cuzk.CodeOf(err) is the code.
//
// What reads sector files is not here and stays with filecoin-ffi, which can be
// imported next to this package. docs/drop-in.md lists the calls, and all that
// differs.
//
// The calls share one engine, opened when it is first needed from the variables
// that operators set for filecoin-ffi (see [ffi.OptionsFromEnvironment] of
// core/ffi), or before that with options by [Use].
package ffi

import (
	"github.com/filecoin-project/go-address"
	commcid "github.com/filecoin-project/go-fil-commcid"
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/filecoin-project/go-state-types/proof"
	"github.com/ipfs/go-cid"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/ffi"
)

// Use makes the calls of this package run on an engine of the host's, which stays
// the host's and must outlive them. nil goes back to the shared engine. It must
// not be called while calls run.
func Use(engine *cuzk.Engine) { chosen = engine }

var chosen *cuzk.Engine

// on runs a call on the chosen engine, or on the shared one.
func on[T any](call func(ffi.FFI) (T, error)) (none T, err error) {
	f := ffi.FFI{Engine: chosen}
	if chosen == nil {
		if f, err = ffi.Default(); err != nil {
			return none, err
		}
	}
	return call(f)
}

// toActorID refuses what no ID address holds, as filecoin-ffi does.
func toActorID(minerID abi.ActorID) (ffi.ActorID, error) {
	if _, err := address.NewIDAddress(uint64(minerID)); err != nil {
		return 0, &cuzk.Error{Code: cuzk.Argument, Detail: "minerID", Message: err.Error()}
	}
	return ffi.ActorID(minerID), nil
}

// toCommR returns a sealed CID in the form that core/ffi reads.
func toCommR(what string, sealed cid.Cid) (ffi.CID, error) {
	return commitment(what, sealed, commcid.CIDToReplicaCommitmentV1, ffi.SealedCID)
}

// toCommD is toCommR of an unsealed CID.
func toCommD(what string, unsealed cid.Cid) (ffi.CID, error) {
	return commitment(what, unsealed, commcid.CIDToDataCommitmentV1, ffi.UnsealedCID)
}

func commitment(what string, c cid.Cid, read func(cid.Cid) ([]byte, error), write func([32]byte) ffi.RawCID) (ffi.CID, error) {
	if !c.Defined() {
		return nil, &cuzk.Error{Code: cuzk.Argument, Detail: what, Message: "no " + what}
	}
	b, err := read(c)
	if err == nil && len(b) != 32 {
		err = commcid.ErrIncorrectHash
	}
	if err != nil {
		return nil, &cuzk.Error{Code: cuzk.InputValue, Detail: what, Message: what + " " + c.String() + ": " + err.Error()}
	}
	return write([32]byte(b)), nil
}

// theirs converts proofs; the bytes are shared.
func theirs(proofs []ffi.PoStProof) []proof.PoStProof {
	out := make([]proof.PoStProof, len(proofs))
	for i, p := range proofs {
		out[i] = proof.PoStProof{PoStProof: abi.RegisteredPoStProof(p.PoStProof), ProofBytes: p.ProofBytes}
	}
	return out
}

// ours is the other direction of theirs.
func ours(proofs []proof.PoStProof) []ffi.PoStProof {
	out := make([]ffi.PoStProof, len(proofs))
	for i, p := range proofs {
		out[i] = ffi.PoStProof{PoStProof: ffi.RegisteredPoStProof(p.PoStProof), ProofBytes: p.ProofBytes}
	}
	return out
}
