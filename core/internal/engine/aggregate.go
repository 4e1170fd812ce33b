package engine

import (
	"context"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/aggregator"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/srs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// AggregateSector is what the chain knows of one sector of an aggregate.
type AggregateSector struct {
	SectorNumber uint64
	CommR, CommD [32]byte
	Ticket, Seed [32]byte
}

// AggregateInfo is what the chain knows of an aggregate of seal proofs.
type AggregateInfo struct {
	RegisteredProof int // of every sector
	Version         int // RegisteredAggregationProof: 0 SnarkPackV1, 1 SnarkPackV2
	ProverID        [32]byte
	Sectors         []AggregateSector
}

// Aggregate asks for the SnarkPack aggregate of seal proofs.
type Aggregate struct {
	AggregateInfo
	Proofs [][]byte // the proofs of all partitions of each sector

	// CommitmentsOnly says that of the sectors only CommR and Seed are known, as
	// aggregate_seal_proofs is told. Then that the proofs hold cannot be checked.
	CommitmentsOnly bool

	Options JobOptions
}

// SubmitAggregate starts a job that aggregates; what Proofs point to must not change
// until it has ended. The aggregate is verified before it is returned. If it does not
// hold, the error has code ProofInvalid and names the first proof that is to blame.
func (e *Engine) SubmitAggregate(ctx context.Context, r Aggregate) (*Job, error) {
	q := request{kind: "aggregate", options: r.Options, input: r.Proofs, rest: []any{r.AggregateInfo, r.CommitmentsOnly}}
	return e.submit(ctx, q, func(ctx context.Context, t *pipeline.Task) ([]byte, error) {
		t.Stage("check", 0)
		s, err := newSeals(r.AggregateInfo)
		if err != nil {
			return nil, err
		}
		s.commitmentsOnly = r.CommitmentsOnly
		if err := s.check(); err != nil {
			return nil, err
		}
		proofs, err := s.decode(ctx, r.Proofs, e.config.Threads)
		if err != nil {
			return nil, err
		}
		return e.aggregate(ctx, t, s, proofs)
	})
}

// maxNonInteractive is how many non-interactive sectors one aggregate takes (FIP-0092;
// filecoin-proofs constants.rs).
const maxNonInteractive = 65

// seals are the sectors of an aggregate.
type seals struct {
	AggregateInfo
	registered      filecoin.SealProof
	version         snarkpack.Version
	commitmentsOnly bool
}

// newSeals checks numbers and counts.
func newSeals(info AggregateInfo) (s *seals, err error) {
	s = &seals{AggregateInfo: info}
	if s.registered, err = filecoin.NewSealProof(int64(info.RegisteredProof)); err != nil {
		return nil, err
	}
	if s.version, err = snarkpack.NewVersion(int64(info.Version)); err != nil {
		return nil, err
	}
	if len(info.Sectors) == 0 {
		return nil, status.New(status.InputValue, "sectors", "an aggregate of no sectors")
	}
	if n := s.count(); n > snarkpack.MaxProofs {
		return nil, status.New(status.InputValue, "sectors", "%d sectors with %d proofs, an aggregate holds at most %d proofs",
			len(info.Sectors), n, snarkpack.MaxProofs)
	}
	return s, nil
}

func (s *seals) nonInteractive() bool { return s.registered.Feature() == filecoin.NonInteractive }

// count returns the number of proofs.
func (s *seals) count() int { return len(s.Sectors) * s.registered.Partitions() }

// check refuses what the published code refuses before it computes anything, and the
// sectors that only aggregating refuses.
func (s *seals) check() error {
	if n := len(s.Sectors); s.nonInteractive() && n > maxNonInteractive {
		return status.New(status.InputValue, "sectors", "%d non-interactive sectors, an aggregate holds 1 to %d", n, maxNonInteractive)
	}
	if s.commitmentsOnly {
		return nil
	}
	return s.checkCommitments()
}

// checkCommitments refuses commitments of zeros.
func (s *seals) checkCommitments() error {
	for i := range s.Sectors {
		for _, c := range []struct {
			name string
			node *[32]byte
		}{{"comm_d", &s.Sectors[i].CommD}, {"comm_r", &s.Sectors[i].CommR}} {
			if *c.node == [32]byte{} {
				at := fmt.Sprintf("sectors[%d].%s", i, c.name)
				return status.New(status.InputValue, at, "%s must not be all zero", at)
			}
		}
	}
	return nil
}

// decode reads the proofs of all partitions of all sectors.
func (s *seals) decode(ctx context.Context, proofs [][]byte, workers int) ([]verify.Proof, error) {
	if len(proofs) != len(s.Sectors) {
		return nil, status.New(status.InputValue, "proofs", "%d proofs for %d sectors", len(proofs), len(s.Sectors))
	}
	k := s.registered.Partitions()
	for i, p := range proofs {
		if want := k * verify.ProofSize; len(p) != want {
			at := fmt.Sprintf("proofs[%d]", i)
			return nil, status.New(status.ProofMalformed, at, "%s has %d bytes, a proof of %s has %d", at, len(p), s.registered.Name(), want)
		}
	}
	all := make([]verify.Proof, s.count())
	err := spawn.Each(ctx, workers, len(proofs), func(i int) error {
		decoded, err := verify.DecodeProofs(proofs[i])
		if err != nil {
			return status.Within(fmt.Sprintf("proofs[%d]", i), err)
		}
		copy(all[i*k:], decoded)
		return nil
	})
	return all, err
}

// included returns what the transcript binds of the sectors.
func (s *seals) included() [32]byte {
	var commRs, seeds [][32]byte
	for i := range s.Sectors {
		commRs, seeds = append(commRs, s.Sectors[i].CommR), append(seeds, s.Sectors[i].Seed)
	}
	if s.nonInteractive() {
		seeds = nil
	}
	return snarkpack.Included(commRs, seeds)
}

// inputs returns the public inputs of a proof.
func (s *seals) inputs(i int) ([]fr.Element, error) {
	k := s.registered.Partitions()
	sector := &s.Sectors[i/k]
	seal := filecoin.Seal{Proof: s.registered, ProverID: s.ProverID, SectorNumber: sector.SectorNumber,
		CommD: sector.CommD, CommR: sector.CommR, Ticket: sector.Ticket, Seed: sector.Seed}
	in, err := seal.Statement().PublicInputs(i % k)
	if err != nil {
		return nil, status.Within(fmt.Sprintf("sectors[%d]", i/k), err)
	}
	return in, nil
}

// statement returns what the aggregate claims; key is not used if only commitments
// are known.
func (s *seals) statement(key *verify.Key) snarkpack.Statement {
	out := snarkpack.Statement{Key: key, Version: s.version, Included: s.included(), Count: s.count()}
	if !s.commitmentsOnly {
		out.Inputs = s.inputs
	}
	return out
}

// aggregate makes and verifies the aggregate of decoded proofs.
func (e *Engine) aggregate(ctx context.Context, t *pipeline.Task, s *seals, proofs []verify.Proof) ([]byte, error) {
	n := snarkpack.Padded(len(proofs))
	t.Sized(snarkpack.Size(n))
	if err := e.canAggregate(ctx, n); err != nil {
		return nil, err
	}
	t.Stage("load", 0)
	use, err := e.packKeys.acquire(ctx, e, t.Order(0), n)
	if err != nil {
		return nil, err
	}
	defer use.release()
	work, err := e.memory.Reserve(ctx, budget.Ask{Purpose: "aggregate", Amount: aggregateBytes(n, e.config.Threads), Task: t.Order(0)})
	if err != nil {
		return nil, err
	}
	defer work.Release()
	free, err := e.pipeline.CPU(ctx, t)
	if err != nil {
		return nil, err
	}
	defer free()
	t.Stage("prove", 0)
	p, err := aggregator.Aggregate(ctx, use.key, proofs, aggregator.Options{
		Version: s.version, Included: s.included(), Workers: e.config.Threads, Progress: t.Advance})
	if err != nil {
		return nil, err
	}
	out, err := p.Bytes()
	if err != nil {
		return nil, err
	}
	t.Stage("verify", 0)
	if err := e.checkAggregate(ctx, s, proofs, out); err != nil {
		return nil, err
	}
	return out, nil
}

// checkAggregate checks an aggregate that was made here.
func (e *Engine) checkAggregate(ctx context.Context, s *seals, proofs []verify.Proof, aggregate []byte) error {
	claim, err := e.claim(ctx, s, aggregate)
	if err != nil {
		return err
	}
	bad, err := snarkpack.Check(ctx, []*snarkpack.Claim{claim}, e.config.Threads)
	if err != nil || len(bad) == 0 {
		return err
	}
	if s.commitmentsOnly {
		return status.New(status.Internal, "aggregate", "the aggregate that was made does not hold")
	}
	return e.culprit(ctx, s, proofs)
}

// culprit names the first proof that does not hold.
func (e *Engine) culprit(ctx context.Context, s *seals, proofs []verify.Proof) error {
	v, err := e.verifier.Key(ctx, s.registered.Shape())
	if err != nil {
		return err
	}
	k := s.registered.Partitions()
	for i := range s.Sectors {
		if ctx.Err() != nil {
			return status.Ended(ctx)
		}
		inputs := make([][]fr.Element, k)
		for j := range inputs {
			if inputs[j], err = s.inputs(i*k + j); err != nil {
				return err
			}
		}
		if err := v.CheckBatch(proofs[i*k:(i+1)*k], inputs); status.CodeOf(err) == status.ProofInvalid {
			at := fmt.Sprintf("proofs[%d]", i)
			return status.New(status.ProofInvalid, at, "%s, of sector %d, does not hold", at, s.Sectors[i].SectorNumber)
		} else if err != nil {
			return err
		}
	}
	return status.New(status.Internal, "aggregate", "every proof holds, but the aggregate of them does not")
}

// canAggregate reports in words why n proofs cannot be aggregated here.
func (e *Engine) canAggregate(ctx context.Context, n int) error {
	f, err := srs.Open(ctx, e.packPath())
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Suffices(n); err != nil {
		return err
	}
	total := aggregateBytes(n, e.config.Threads)
	total.Host += srs.KeyBytes(n)
	if err := e.memory.Never(total); err != nil {
		return status.Annotate(err, "an aggregate of %d proofs can never fit", n)
	}
	return nil
}

// aggregateBytes is what making an aggregate holds beside the key, at most.
func aggregateBytes(n, threads int) budget.Amount {
	return budget.Amount{Host: int64(n)*aggregator.BytesPerProof + int64(threads)*aggregator.BytesPerWorker}
}
