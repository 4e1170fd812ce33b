package vanilla

import (
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// CheckPaths hashes the Merkle path of each opening from its leaf to its root and
// returns an error of code InputMismatch that names the first path which does not
// lead there. Solving the circuit does the same; this says which opening it was.
func (s *PoStSector) CheckPaths() error {
	for i, o := range s.Openings {
		if err := o.checkPath(fmt.Sprintf("inclusion_proofs[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// CheckPaths does what that of a PoSt's sector does, for the paths of both replicas;
// Check has hashed those of the data.
func (u *UpdatePartition) CheckPaths() error {
	for i := range u.Challenges {
		where := fmt.Sprintf("challenge_proofs[%d]", i)
		if err := u.Challenges[i].ROld.checkPath(where + ".proof_r_old"); err != nil {
			return err
		}
		if err := u.Challenges[i].RNew.checkPath(where + ".proof_r_new"); err != nil {
			return err
		}
	}
	return nil
}

// checkPath hashes a path of a Poseidon tree.
func (o Opening) checkPath(where string) error {
	cur, ok := filecoin.ToField(o.Leaf())
	for i := 0; i < o.Levels() && ok; i++ {
		siblings, at := o.Level(i)
		in := make([]fr.Element, 0, len(siblings)+1)
		for k := range siblings {
			if uint64(k) == at {
				in = append(in, cur)
			}
			var sibling fr.Element
			if sibling, ok = filecoin.ToField(&siblings[k]); !ok {
				break
			}
			in = append(in, sibling)
		}
		if uint64(len(siblings)) == at {
			in = append(in, cur)
		}
		if ok = ok && len(in) == cap(in); ok {
			cur = poseidon.Merkle(len(in)).Hash(in)
		}
	}
	if root := filecoin.FromField(&cur); !ok || root != *o.Root() {
		return status.New(status.InputMismatch, where, "%s: the Merkle path leads to %x, not to its root %x", where, root[:], o.Root()[:])
	}
	return nil
}
