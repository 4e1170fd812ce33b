package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verification"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// AggregateClaim is an aggregate and what it is said to prove.
type AggregateClaim struct {
	AggregateInfo
	Aggregate []byte
}

// VerifyAggregate reports whether an aggregate holds. Verdicts are those of the
// published verifier: bytes behind an aggregate are ignored, malformed ones are an error
// of code ProofMalformed.
func (e *Engine) VerifyAggregate(ctx context.Context, c AggregateClaim) (bool, error) {
	verdicts, err := e.VerifyAggregates(ctx, []AggregateClaim{c})
	if err != nil {
		return false, err
	}
	return verification.Holds(verdicts[0])
}

// VerifyAggregates verifies many aggregates in one combined check. The i-th verdict is
// nil, an error of code ProofInvalid, or why the i-th claim could not be checked. The
// error is that of ctx, or of the SRS.
func (e *Engine) VerifyAggregates(ctx context.Context, claims []AggregateClaim) (verdicts []error, err error) {
	if _, err := e.packVerifierKey(ctx); err != nil {
		return nil, err
	}
	verdicts = make([]error, len(claims))
	var checked []*snarkpack.Claim
	var index []int
	for i := range claims {
		if ctx.Err() != nil {
			return nil, status.Ended(ctx)
		}
		claim, err := e.readClaim(ctx, &claims[i])
		if err != nil {
			verdicts[i] = err
			continue
		}
		checked, index = append(checked, claim), append(index, i)
	}
	bad, err := snarkpack.Check(ctx, checked, e.config.Threads)
	for _, i := range bad {
		verdicts[index[i]] = status.New(status.ProofInvalid, "aggregate", "aggregate does not hold")
	}
	return verdicts, err
}

func (e *Engine) readClaim(ctx context.Context, c *AggregateClaim) (*snarkpack.Claim, error) {
	s, err := newSeals(c.AggregateInfo)
	if err != nil {
		return nil, err
	}
	if err := s.checkCommitments(); err != nil {
		return nil, err
	}
	return e.claim(ctx, s, c.Aggregate)
}

// claim reduces an aggregate of sectors to one equation.
func (e *Engine) claim(ctx context.Context, s *seals, aggregate []byte) (*snarkpack.Claim, error) {
	srs, err := e.packVerifierKey(ctx)
	if err != nil {
		return nil, err
	}
	var key *verify.Key
	if !s.commitmentsOnly {
		v, err := e.verifier.Key(ctx, s.registered.Shape())
		if err != nil {
			return nil, err
		}
		key = v.Key()
	}
	return snarkpack.NewClaim(ctx, srs, s.statement(key), aggregate, e.config.Threads)
}
