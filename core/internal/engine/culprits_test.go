package engine

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verification"
)

// windowRequest reads a golden WindowPoSt of several sectors, to be solved only.
func windowRequest(t *testing.T) PoSt {
	dir := filepath.Join("..", "..", "..", "tests", "golden", "sectors", "2k-window3")
	var file struct {
		Proof      string `json:"registered_post_proof"`
		Randomness string
		Sectors    []struct {
			Number uint64 `json:"sector_number"`
			CommR  string `json:"comm_r"`
			File   string
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "window_post.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &file))
	proof, err := filecoin.ParsePoStProof(file.Proof)
	require.NoError(t, err)
	r := PoSt{RegisteredProof: int(proof), Options: JobOptions{WitnessOnly: true}}
	_, err = hex.Decode(r.Randomness[:], []byte(file.Randomness))
	require.NoError(t, err)
	for _, s := range file.Sectors {
		data, err := os.ReadFile(filepath.Join(dir, s.File))
		require.NoError(t, err)
		sector := verification.PoStSector{Number: s.Number}
		_, err = hex.Decode(sector.CommR[:], []byte(s.CommR))
		require.NoError(t, err)
		r.Vanilla, r.Sectors = append(r.Vanilla, data), append(r.Sectors, sector)
	}
	require.Len(t, r.Vanilla, 3, "of two partitions")
	return r
}

func postError(t *testing.T, e *Engine, r PoSt) error {
	j, err := e.SubmitPoSt(t.Context(), r)
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	return err
}

// TestEveryBadSectorIsNamed: whatever is wrong with vanilla proofs, in whichever
// partition, the error has index and number of each sector that is concerned, and of
// no other.
func TestEveryBadSectorIsNamed(t *testing.T) {
	e := Open(Config{ParamsDir: t.TempDir(), Threads: 2, MaxInput: 1 << 30, History: 10})
	defer e.Close()
	good := windowRequest(t)
	require.NoError(t, postError(t, e, good))
	spoil := map[string]struct {
		code  status.Code
		spoil func(data []byte) []byte
	}{
		"a sibling": {status.InputMismatch, func(d []byte) []byte {
			d[len(d)/2] ^= 1 // within the path of some opening
			return d
		}},
		"a root": {status.InputMismatch, func(d []byte) []byte { d[len(d)-5] ^= 1; return d }},
		"cut":    {status.InputSyntax, func(d []byte) []byte { return d[:len(d)-40] }},
	}
	for name, c := range spoil {
		for _, bad := range [][]int{{0}, {1}, {2}, {0, 2}, {0, 1, 2}} {
			r := good
			r.Vanilla = nil
			for _, data := range good.Vanilla {
				r.Vanilla = append(r.Vanilla, append([]byte{}, data...))
			}
			for _, i := range bad {
				r.Vanilla[i] = c.spoil(r.Vanilla[i])
			}
			err := postError(t, e, r)
			require.Equal(t, c.code, status.CodeOf(err), "%s of %v: %v", name, bad, err)
			for i := range good.Vanilla {
				at, number := fmt.Sprintf("sectors[%d]", i), fmt.Sprintf("(sector %d)", good.Sectors[i].Number)
				concerned := false
				for _, b := range bad {
					concerned = concerned || b == i
				}
				for _, text := range []string{at, number} {
					if concerned {
						require.ErrorContains(t, err, text, "%s of %v", name, bad)
					} else {
						require.NotContains(t, err.Error(), text, "%s of %v", name, bad)
					}
				}
				if concerned {
					require.Contains(t, status.DetailOf(err), at)
				}
			}
		}
	}
}

// TestRequestIsComparedWithVanillaProofs: a vanilla proof of another sector, or of a
// replica that the chain does not know any more, is refused before proving.
func TestRequestIsComparedWithVanillaProofs(t *testing.T) {
	e := Open(Config{ParamsDir: t.TempDir(), Threads: 2, MaxInput: 1 << 30, History: 10})
	defer e.Close()
	good := windowRequest(t)
	for name, change := range map[string]func(*verification.PoStSector){
		"comm_r":    func(s *verification.PoStSector) { s.CommR[3] ^= 1 },
		"sector_id": func(s *verification.PoStSector) { s.Number += 1000 },
	} {
		r := good
		r.Sectors = append([]verification.PoStSector{}, good.Sectors...)
		change(&r.Sectors[0])
		change(&r.Sectors[2])
		err := postError(t, e, r)
		require.Equal(t, status.InputMismatch, status.CodeOf(err))
		require.Equal(t, "sectors[0]."+name+", sectors[2]."+name, status.DetailOf(err))
	}
	r := good
	r.Sectors = r.Sectors[:2]
	require.Equal(t, status.InputValue, status.CodeOf(postError(t, e, r)), "as many as vanilla proofs, or none")
	r.Sectors = nil
	require.NoError(t, postError(t, e, r))
}
