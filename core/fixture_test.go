package cuzk

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// described is what the files of a fixture say of it.
type described struct {
	MinerID    uint64 `json:"miner_id"`
	Number     uint64 `json:"sector_number"`
	ProverID   string `json:"prover_id"`
	Randomness string
	Sectors    []struct{ File string }
	CommDNew   string `json:"comm_d_new"`
	CommRNew   string `json:"comm_r_new"`
	CommROld   string `json:"comm_r_old"`
	Files      []string
}

func id(t *testing.T, text string) (out [32]byte) {
	t.Helper()
	_, err := hex.Decode(out[:], []byte(text))
	require.NoError(t, err)
	return out
}

// read makes the request of a fixture's files; 0 is the 2 KiB proof of every
// table of registered proofs, 10 that of WindowPoSt in its second version.
func (d described) request(t *testing.T, kind Kind, dir string, job JobOptions) Request {
	t.Helper()
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return b
	}
	var vanilla [][]byte
	for _, s := range d.Sectors {
		vanilla = append(vanilla, read(s.File))
	}
	for _, name := range d.Files {
		vanilla = append(vanilla, read(name))
	}
	switch kind {
	case KindPoRep:
		return PoRep{C1: read("c1.json"), SectorNumber: d.Number, ProverID: id(t, d.ProverID), Job: job}
	case KindUpdate:
		return Update{CommROld: id(t, d.CommROld), CommRNew: id(t, d.CommRNew), CommDNew: id(t, d.CommDNew), Vanilla: vanilla, Job: job}
	}
	number := map[Kind]int{KindWinningPoSt: 0, KindWindowPoSt: 10}[kind]
	return PoSt{RegisteredProof: number, Randomness: id(t, d.Randomness), ProverID: id(t, d.ProverID), Vanilla: vanilla, Job: job}
}

// TestFixturesAreSolved makes an input of every kind and solves it, without
// parameters; without WitnessOnly the same input needs them.
func TestFixturesAreSolved(t *testing.T) {
	e, err := Open(Options{ParamsDir: t.TempDir()})
	require.NoError(t, err)
	defer e.Close()
	for kind, sectors := range map[Kind]int{KindPoRep: 0, KindWinningPoSt: 1, KindWindowPoSt: 5, KindUpdate: 0} {
		dir := t.TempDir()
		path, err := e.Run(t.Context(), Fixture{Kind: kind, SectorSize: 2048, Seed: 3, Sectors: sectors, Dir: dir})
		require.NoError(t, err, kind)
		text, err := os.ReadFile(string(path))
		require.NoError(t, err)
		var d described
		require.NoError(t, json.Unmarshal(text, &d))
		if kind == KindWindowPoSt {
			require.Len(t, d.Sectors, sectors)
		}
		j, err := e.Submit(t.Context(), d.request(t, kind, dir, JobOptions{WitnessOnly: true, Key: string(kind)}))
		require.NoError(t, err)
		result, err := j.Wait(t.Context())
		require.NoError(t, err, kind)
		require.Empty(t, result)
		solved := false
		for _, s := range j.Report().Stages {
			solved = solved || s.Name == "solve"
			require.NotEqual(t, "prove", s.Name)
		}
		require.True(t, solved)

		_, err = e.Submit(t.Context(), d.request(t, kind, dir, JobOptions{Key: string(kind)}))
		require.Equal(t, Conflict, CodeOf(err), "another request than that of the witness")
		_, err = e.Run(t.Context(), d.request(t, kind, dir, JobOptions{}))
		require.Equal(t, SRSMissing, CodeOf(err), kind)
	}
	for _, u := range e.Status().Memory.Used {
		require.Zero(t, u.Host+u.Backlog, u.Purpose)
	}
}

func TestFixtureRefuses(t *testing.T) {
	e, err := Open(Options{})
	require.NoError(t, err)
	defer e.Close()
	dir := t.TempDir()
	for want, bad := range map[Code][]Fixture{
		Argument: {
			{Kind: "seal", SectorSize: 2048, Dir: dir},
			{Kind: KindPoRep, SectorSize: 2048, Dir: dir, Sectors: 2},
			{Kind: KindWindowPoSt, SectorSize: 2048, Dir: dir, Sectors: -1},
			{Kind: KindWindowPoSt, SectorSize: 2048, Dir: dir, Seed: 1 << 60},
		},
		Unsupported: {{Kind: KindUpdate, SectorSize: 2047, Dir: dir}},
		FileIO:      {{Kind: KindUpdate, SectorSize: 2048, Dir: filepath.Join(dir, "missing")}, {Kind: KindUpdate, SectorSize: 2048}},
	} {
		for _, f := range bad {
			_, err := e.Submit(t.Context(), f)
			require.Equal(t, want, CodeOf(err), "%+v: %v", f, err)
		}
	}
}

func TestMeasure(t *testing.T) {
	e, err := Open(Options{MemoryBudget: 64 << 20})
	require.NoError(t, err)
	defer e.Close()
	require.Contains(t, Measures(), "ntt")
	times, err := e.Run(t.Context(), Measure{What: "ntt", Log2: 10, Repeats: 3})
	require.NoError(t, err)
	require.Len(t, times, 3*8)
	_, err = e.Submit(t.Context(), Measure{What: "fft", Log2: 10})
	require.Equal(t, Argument, CodeOf(err))
	_, err = e.Submit(t.Context(), Measure{What: "ntt", Log2: 10, Repeats: -1})
	require.Equal(t, Argument, CodeOf(err))
	_, err = e.Submit(t.Context(), Measure{What: "msm_g2", Log2: 28})
	require.Equal(t, Budget, CodeOf(err))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Run(ctx, Measure{What: "msm_g1", Log2: 14, Repeats: 1000})
	require.Equal(t, Cancelled, CodeOf(err))
}

func TestStatusNamesVersionAndBackend(t *testing.T) {
	e, err := Open(Options{Backend: CPU})
	require.NoError(t, err)
	defer e.Close()
	s := e.Status()
	require.Equal(t, []string{Version, "cpu"}, []string{s.Version, s.Backend})
	require.Contains(t, string(s.JSON()), `"version":"`+Version+`"`)
}
