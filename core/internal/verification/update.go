package verification

import (
	"context"
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// UpdateInfo is what the chain knows of a sector update.
type UpdateInfo struct {
	RegisteredProof              int
	CommROld, CommRNew, CommDNew [32]byte
}

// Update reports whether proof is a valid proof of the update.
func (v *Verifier) Update(ctx context.Context, info UpdateInfo, proof []byte) (bool, error) {
	registered, err := filecoin.NewUpdateProof(int64(info.RegisteredProof))
	if err != nil {
		return false, err
	}
	s := &filecoin.UpdateStatement{Proof: registered, CommROld: info.CommROld, CommRNew: info.CommRNew, CommDNew: info.CommDNew}
	return Holds(v.Check(ctx, s, proof))
}

// VanillaUpdate reports whether the vanilla proofs of all partitions of a sector
// update hold, with the published verifier's answer for every input.
func (v *Verifier) VanillaUpdate(ctx context.Context, info UpdateInfo, data [][]byte) (bool, error) {
	registered, err := filecoin.NewUpdateProof(int64(info.RegisteredProof))
	if err != nil {
		return false, err
	}
	s := &filecoin.UpdateStatement{Proof: registered, CommROld: info.CommROld, CommRNew: info.CommRNew, CommDNew: info.CommDNew}
	return vanilla.VerifyUpdate(ctx, s, data, v.options.Threads)
}

// InPartition puts a partition's number before an error's place.
func InPartition(k int, err error) error {
	return status.Within(fmt.Sprintf("partitions[%d]", k), err)
}
