package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// VerifyVanillaUpdate reports whether the vanilla proofs of all partitions of a
// sector update hold, with the published verifier's answer for every input.
func (e *Engine) VerifyVanillaUpdate(ctx context.Context, info UpdateInfo, data [][]byte) (bool, error) {
	registered, err := filecoin.NewUpdateProof(int64(info.RegisteredProof))
	if err != nil {
		return false, err
	}
	s := &filecoin.UpdateStatement{Proof: registered, CommROld: info.CommROld, CommRNew: info.CommRNew, CommDNew: info.CommDNew}
	return vanilla.VerifyUpdate(ctx, s, data, e.config.Threads)
}
