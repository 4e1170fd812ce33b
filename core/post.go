package cuzk

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/verification"
)

// PoSt is a request for a WinningPoSt or WindowPoSt.
type PoSt struct {
	RegisteredProof int // number of filecoin-ffi and go-state-types, 0 to 14; it also says which kind

	// Randomness is a canonical field element: whoever draws it clears the top
	// two bits, Randomness[31] &= 0x3f. Another value is an error of code
	// InputValue, in verification too.
	Randomness [32]byte
	ProverID   [32]byte

	// Vanilla holds one encoded vanilla proof (bincode) for each sector, in
	// ascending sector number without repetition: exactly one for WinningPoSt.
	Vanilla [][]byte

	// Single proves one partition of a WindowPoSt: Vanilla holds its sectors
	// only, and Partition is its index, which matters for the challenges of the
	// first version.
	Single    bool
	Partition int

	// Sectors, if not nil, is what the chain says of each sector, in the order of
	// Vanilla. A vanilla proof of another sector or of another replica, as after a
	// sector was updated, is then refused before proving: code InputMismatch.
	Sectors []PoStSector

	// Job says how urgent the job is, and until when it is of use.
	Job JobOptions
}

func (r PoSt) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitPoSt(ctx, engine.PoSt{
		RegisteredProof: r.RegisteredProof, Randomness: r.Randomness, ProverID: r.ProverID, Vanilla: r.Vanilla,
		Single: r.Single, Partition: r.Partition, Sectors: r.Sectors, Options: r.Job.options(wait)})
}

// ProvePoSt returns the proof, 192 bytes per partition in partition order.
// Everything in the vanilla proofs is checked before proving starts. If vanilla proofs
// are at fault, the error names every one: its index, "sectors[3]", and its sector.
func (e *Engine) ProvePoSt(ctx context.Context, r PoSt) ([]byte, error) { return e.Run(ctx, r) }

// PoStInfo is what the chain knows of a PoSt.
type PoStInfo = verification.PoStInfo

// PoStSector is a sector in a PoStInfo: its number and comm_r.
type PoStSector = verification.PoStSector

// VerifyPoSt reports whether proof holds for the sectors, which may come in any
// order; of one that repeats the last counts. Errors are as for VerifyPoRep.
func (e *Engine) VerifyPoSt(ctx context.Context, info PoStInfo, proof []byte) (bool, error) {
	return guarded(func() (bool, error) { return e.engine.Verifier().PoSt(ctx, info, proof) })
}

// MergePartitions makes a WindowPoSt of the proofs of all its partitions.
func MergePartitions(registeredProof int, parts [][]byte) ([]byte, error) {
	return guarded(func() ([]byte, error) { return verification.MergePartitions(registeredProof, parts) })
}

// Update is a request for the proof of a sector update (SnapDeals).
type Update struct {
	RegisteredProof              int // 0 to 4
	CommROld, CommRNew, CommDNew [32]byte

	// Vanilla holds one encoded vanilla proof (bincode) for each partition, all
	// of them in order.
	Vanilla [][]byte

	// Job says how urgent the job is, and until when it is of use.
	Job JobOptions
}

func (r Update) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitUpdate(ctx, engine.Update{
		RegisteredProof: r.RegisteredProof, CommROld: r.CommROld, CommRNew: r.CommRNew, CommDNew: r.CommDNew,
		Vanilla: r.Vanilla, Options: r.Job.options(wait)})
}

// ProveUpdate returns the proof, 192 bytes per partition.
func (e *Engine) ProveUpdate(ctx context.Context, r Update) ([]byte, error) { return e.Run(ctx, r) }

// UpdateInfo is what the chain knows of a sector update.
type UpdateInfo = verification.UpdateInfo

// VerifyUpdate reports whether proof holds. Errors are as for VerifyPoRep.
func (e *Engine) VerifyUpdate(ctx context.Context, info UpdateInfo, proof []byte) (bool, error) {
	return guarded(func() (bool, error) { return e.engine.Verifier().Update(ctx, info, proof) })
}

// VerifyVanillaUpdate reports whether the vanilla proofs of all partitions of a
// sector update hold, with the published verifier's answer for every input. It
// needs no parameters. Bytes that are no vanilla proofs are an error of code
// InputSyntax or InputValue.
func (e *Engine) VerifyVanillaUpdate(ctx context.Context, info UpdateInfo, vanilla [][]byte) (bool, error) {
	return guarded(func() (bool, error) { return e.engine.Verifier().VanillaUpdate(ctx, info, vanilla) })
}
