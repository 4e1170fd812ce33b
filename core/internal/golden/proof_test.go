package golden

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// TestGoldenProofs: with the golden r and s the bytes are bellperson's, for
// every kind. Of the kinds whose proofs take longest one is enough, because
// TestGolden holds every assignment; CUZK_TEST_LONG=1 proves all.
func TestGoldenProofs(t *testing.T) {
	files, err := glob(folder, "sectors/*/proof-*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, kind := range []filecoin.Kind{filecoin.WindowPoSt, filecoin.WinningPoSt, filecoin.Update, filecoin.PoRep} {
		large := kind == filecoin.Update || kind == filecoin.PoRep // parameters of a gigabyte
		if testing.Short() && large {
			continue
		}
		p := newGoldenProver(t, kind)
		for _, file := range files {
			if strings.HasPrefix(filepath.Base(file), "proof-"+kind.String()+"-") {
				t.Run(strings.TrimPrefix(file, folder), func(t *testing.T) { p.run(t, file) })
				if large && os.Getenv("CUZK_TEST_LONG") == "" {
					break
				}
			}
		}
	}
}

type goldenProver struct {
	*groth16.Prover
	verifier *verify.Verifier
}

func newGoldenProver(t *testing.T, kind filecoin.Kind) *goldenProver {
	f, _, c := testparams.Open(t, kind)
	srs := f.SRS()
	p, err := groth16.New(c, groth16.NewPlan(c), srs.Key, f.Layout, groth16.NewCPU(srs, runtime.NumCPU()))
	require.NoError(t, err)
	v, err := verify.New(srs.Key)
	require.NoError(t, err)
	return &goldenProver{p, v}
}

func (p *goldenProver) run(t *testing.T, file string) {
	var want struct {
		Kind       string
		Sector     int
		Partitions int
		Proof      string
	}
	require.NoError(t, ReadJSON(file, &want))
	job, err := sector{filepath.Dir(file), want.Sector, want.Kind}.load()
	require.NoError(t, err)
	var got []byte
	for k := range want.Partitions {
		w, err := job.solve(k)
		require.NoError(t, err)
		z := groth16.Randomness{
			R: params.LabelScalar(fmt.Sprintf("r %s %d %d", want.Kind, want.Sector, k)),
			S: params.LabelScalar(fmt.Sprintf("s %s %d %d", want.Kind, want.Sector, k)),
		}
		proof, timings, err := p.Prove(context.Background(), w, z)
		require.NoError(t, err)
		t.Logf("partition %d: %+v, total %v", k, timings, timings.Total())
		proofs, err := verify.DecodeProofs(proof[:])
		require.NoError(t, err)
		require.NoError(t, p.verifier.Check(&proofs[0], w.Inputs[1:]))
		got = append(got, proof[:]...)
	}
	require.Equal(t, want.Proof, hex.EncodeToString(got))
}
