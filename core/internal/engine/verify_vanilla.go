package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/circuit/update"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// VerifyVanillaUpdate reports whether the vanilla proofs of all partitions of a
// sector update hold: whether they open what the commitments demand, and
// satisfy the circuit, which is where their Merkle paths are followed. One
// partition is solved at a time, so that only one witness is in memory.
func (e *Engine) VerifyVanillaUpdate(ctx context.Context, info UpdateInfo, data [][]byte) (bool, error) {
	registered, err := filecoin.NewUpdateProof(int64(info.RegisteredProof))
	if err != nil {
		return false, err
	}
	s := &filecoin.UpdateStatement{Proof: registered, CommROld: info.CommROld, CommRNew: info.CommRNew, CommDNew: info.CommDNew}
	partitions, err := e.parseUpdate(s, data)
	if err != nil {
		return false, err
	}
	if err := e.checkUpdate(ctx, s, partitions, func(int64) {}); err != nil {
		return fits(err)
	}
	c, err := e.circuit(ctx, s.Shape())
	if err != nil {
		return false, err
	}
	for k, p := range partitions {
		if _, err := update.Solve(ctx, c, s, k, p); err != nil {
			return fits(unsolvable(inPartition(k, err)))
		}
	}
	return true, nil
}

// fits turns a vanilla proof that does not hold into false and leaves other
// errors alone.
func fits(err error) (bool, error) {
	if status.CodeOf(err) == status.InputMismatch {
		return false, nil
	}
	return false, err
}
