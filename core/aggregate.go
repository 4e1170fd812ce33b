package cuzk

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// The versions of SnarkPack, as the network numbers them
// (RegisteredAggregationProof). Version 1 does not bind an aggregate's first round to a
// challenge: chains take it in old messages only.
const (
	SnarkPackV1 = 0
	SnarkPackV2 = 1
)

// KindAggregate is the SRS of aggregation in [Params], [Load], [Engine.Preload] and
// [Engine.Evict]. The sector size of the latter is then the number of proofs to be ready for, or 0.
const KindAggregate Kind = "aggregate"

// AggregateSector is what the chain knows of one sector of an aggregate: SectorNumber,
// CommR, CommD, Ticket and Seed.
type AggregateSector = engine.AggregateSector

// AggregateInfo is what the chain knows of an aggregate of seal proofs.
type AggregateInfo struct {
	RegisteredProof int // of every sector: the network's number of the seal proof, 0 to 19
	Version         int // SnarkPackV1 or SnarkPackV2
	ProverID        [32]byte
	Sectors         []AggregateSector // in the order in which they were aggregated
}

// Aggregate is a request for the SnarkPack aggregate of seal proofs: one proof that
// all of them hold, of 2260 + 2976·log2 n bytes for n circuit proofs, padding included.
// Equal requests give equal bytes. The aggregate is verified before it is returned.
//
// Interactive sectors: 1 to 1638 of 10 partitions, 16384 of one. Non-interactive ones:
// 1 to 65, and of each the circuit proofs, see PoRep.CircuitProofs; a single one needs
// no aggregation, since PoRep returns the aggregate.
type Aggregate struct {
	AggregateInfo

	// Proofs are the seal proofs, in the order of Sectors: 192 bytes per partition.
	Proofs [][]byte

	// CommitmentsOnly says that of Sectors only CommR and Seed are known, and
	// ProverID is not, which suffices for making the aggregate. Then that the proofs
	// hold is not checked: if one does not, neither does the aggregate.
	CommitmentsOnly bool

	// Job says how urgent the job is, and until when it is of use.
	Job JobOptions
}

func (r Aggregate) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitAggregate(ctx, engine.Aggregate{AggregateInfo: engine.AggregateInfo(r.AggregateInfo),
		Proofs: r.Proofs, CommitmentsOnly: r.CommitmentsOnly, Options: r.Job.options(wait)})
}

// VerifyAggregate reports whether an aggregate holds, with the SRS and the verifying key
// in ParamsDir. It says what the published verifier says, which ignores bytes behind an
// aggregate. Bytes that are no aggregate, or not one of so many proofs, are an error of
// code ProofMalformed, commitments that are no field elements one of InputValue.
func (e *Engine) VerifyAggregate(ctx context.Context, info AggregateInfo, aggregate []byte) (bool, error) {
	return guarded(func() (bool, error) {
		return e.engine.VerifyAggregate(ctx, engine.AggregateClaim{AggregateInfo: engine.AggregateInfo(info), Aggregate: aggregate})
	})
}

// AggregateClaim is an aggregate and what it is said to prove.
type AggregateClaim struct {
	AggregateInfo
	Aggregate []byte
}

// VerifyAggregates verifies many aggregates in one combined check, such as all of a
// block: a false one passes with a chance of 2^-128. The i-th verdict is nil if claim i
// holds, an error of code ProofInvalid if it does not, and otherwise why it could not be
// checked. The error is about all of them: a missing SRS, or the end of ctx.
func (e *Engine) VerifyAggregates(ctx context.Context, claims []AggregateClaim) (verdicts []error, err error) {
	err = spawn.Guard(func() (err error) {
		inner := make([]engine.AggregateClaim, len(claims))
		for i, c := range claims {
			inner[i] = engine.AggregateClaim{AggregateInfo: engine.AggregateInfo(c.AggregateInfo), Aggregate: c.Aggregate}
		}
		verdicts, err = e.engine.VerifyAggregates(ctx, inner)
		return err
	})
	return verdicts, err
}
