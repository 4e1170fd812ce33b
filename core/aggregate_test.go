package cuzk

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/goldentest"
)

// packEngine opens an engine on the golden verifying keys and an SRS of n points.
func packEngine(t testing.TB, n int) *Engine {
	dir := t.TempDir()
	goldentest.Keys(t, dir)
	e, err := Open(Options{ParamsDir: dir, Backend: CPU})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	if n > 0 {
		path, err := e.MakeParams(t.Context(), Params{Kind: KindAggregate, Length: n, Dir: dir, SeedLabel: "golden"}, nil)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, "v28-fil-inner-product-v1.srs"), path)
	}
	return e
}

// aggregateOf is the request that makes a golden aggregate.
func aggregateOf(t testing.TB, c *goldentest.Case) Aggregate {
	r := Aggregate{AggregateInfo: AggregateInfo{RegisteredProof: int(c.Registered), Version: int(c.Version)}}
	for _, s := range c.Sectors {
		r.ProverID = s.ProverID
		r.Sectors = append(r.Sectors, AggregateSector{SectorNumber: s.SectorNumber, CommR: s.CommR, CommD: s.CommD, Ticket: s.Ticket, Seed: s.Seed})
		r.Proofs = append(r.Proofs, s.Proof)
	}
	if c.Sectors[0].Proof == nil {
		r.Proofs = c.SimulatedProofs(t)
	}
	return r
}

// sameProver reports whether all sectors belong to one prover, which a request names
// once.
func sameProver(c *goldentest.Case) bool {
	for _, s := range c.Sectors {
		if s.ProverID != c.Sectors[0].ProverID {
			return false
		}
	}
	return true
}

// TestAggregate makes golden aggregates through the API and verifies them.
func TestAggregate(t *testing.T) {
	e := packEngine(t, 129)
	names := []string{"2k-v1_1-n1-V1", "2k-v1_1-n2-V2", "2k-v1_1-n4-V1", "2k-v1-n3-V2", "2k-ni-s1-V2", "sim-32g-s1-V2", "sim-2k-n64-V2"}
	var claims []AggregateClaim
	for _, name := range names {
		c := goldentest.Load(t, name)
		r := aggregateOf(t, c)
		r.CommitmentsOnly = true
		got, err := e.Run(t.Context(), r)
		require.NoError(t, err, name)
		require.Equal(t, c.Aggregate, got, name)
		if !sameProver(c) {
			continue
		}
		r.CommitmentsOnly = false
		got, err = e.Run(t.Context(), r)
		require.NoError(t, err, name)
		require.Equal(t, c.Aggregate, got, name)
		ok, err := e.VerifyAggregate(t.Context(), r.AggregateInfo, got)
		require.NoError(t, err, name)
		require.True(t, ok, name)
		claims = append(claims, AggregateClaim{r.AggregateInfo, got})
	}
	require.Greater(t, len(claims), 2)
	wrong, broken := claims[1], claims[0]
	wrong.Version = 1 - wrong.Version
	broken.Aggregate = broken.Aggregate[:100]
	claims = append(claims, wrong, broken)
	verdicts, err := e.VerifyAggregates(t.Context(), claims)
	require.NoError(t, err)
	for i, verdict := range verdicts[:len(verdicts)-2] {
		require.NoError(t, verdict, i)
	}
	requireCode(t, verdicts[len(verdicts)-2], ProofInvalid)
	requireCode(t, verdicts[len(verdicts)-1], ProofMalformed)
}

// TestAggregateBadInput: every mistake is an error in words.
func TestAggregateBadInput(t *testing.T) {
	e := packEngine(t, 129)
	c := goldentest.Load(t, "sim-32g-s4-V2")
	good := aggregateOf(t, c)
	for name, test := range map[string]struct {
		change func(*Aggregate)
		code   Code
		text   string
	}{
		"no sectors":       {func(r *Aggregate) { r.Sectors, r.Proofs = nil, nil }, InputValue, "no sectors"},
		"fewer proofs":     {func(r *Aggregate) { r.Proofs = r.Proofs[:3] }, InputValue, "3 proofs for 4 sectors"},
		"fewer sectors":    {func(r *Aggregate) { r.Sectors = r.Sectors[:3] }, InputValue, "4 proofs for 3 sectors"},
		"unknown proof":    {func(r *Aggregate) { r.RegisteredProof = 20 }, Argument, "20"},
		"unknown version":  {func(r *Aggregate) { r.Version = 2 }, Argument, "2"},
		"another circuit":  {func(r *Aggregate) { r.RegisteredProof = 5 }, ProofMalformed, "proofs[0] has 1920 bytes, a proof of StackedDrg2KiBV1_1 has 192"},
		"another size":     {func(r *Aggregate) { r.RegisteredProof = 9 }, SRSMissing, "verifying key"},
		"short proof":      {func(r *Aggregate) { r.Proofs[2] = r.Proofs[2][:1919] }, ProofMalformed, "proofs[2] has 1919 bytes"},
		"an infinite C":    {func(r *Aggregate) { r.Proofs[1] = infiniteC(r.Proofs[1]) }, ProofMalformed, "proofs[1].proof[0].c: point at infinity"},
		"zero comm_r":      {func(r *Aggregate) { r.Sectors[3].CommR = [32]byte{} }, InputValue, "sectors[3].comm_r must not be all zero"},
		"zero comm_d":      {func(r *Aggregate) { r.Sectors[0].CommD = [32]byte{} }, InputValue, "sectors[0].comm_d must not be all zero"},
		"huge comm_d":      {func(r *Aggregate) { r.Sectors[0].CommD = [32]byte(bytes.Repeat([]byte{255}, 32)) }, InputValue, "sectors[0]."},
		"a wrong proof":    {func(r *Aggregate) { r.Proofs[2] = r.Proofs[1] }, ProofInvalid, "proofs[2], of sector 3, does not hold"},
		"a wrong sector":   {func(r *Aggregate) { r.Sectors[1].SectorNumber = 77 }, ProofInvalid, "proofs[1], of sector 77, does not hold"},
		"too many sectors": {func(r *Aggregate) { r.Sectors = make([]AggregateSector, 1639) }, InputValue, "at most 16384"},
		"too many for the SRS": {func(r *Aggregate) {
			r.Sectors = append(r.Sectors, append(r.Sectors, r.Sectors...)...)
			r.Proofs = append(r.Proofs, append(r.Proofs, r.Proofs...)...)
		}, SRSLayout, "has 129 points, an aggregate of 128 proofs takes 256"},
		"too many non-interactive": {func(r *Aggregate) {
			r.RegisteredProof = 18
			r.Sectors = make([]AggregateSector, 66)
		}, InputValue, "1 to 65"},
	} {
		r := good
		r.Sectors, r.Proofs = append([]AggregateSector(nil), good.Sectors...), append([][]byte(nil), good.Proofs...)
		test.change(&r)
		_, err := e.Run(t.Context(), r)
		requireCode(t, err, test.code)
		require.ErrorContains(t, err, test.text, name)
	}
	none := packEngine(t, 0)
	_, err := none.Run(t.Context(), good)
	requireCode(t, err, SRSMissing)
	_, err = none.VerifyAggregate(t.Context(), good.AggregateInfo, c.Aggregate)
	requireCode(t, err, SRSMissing)
	require.NoError(t, os.WriteFile(filepath.Join(none.Options().ParamsDir, "v28-fil-inner-product-v1.srs"), []byte{0, 0, 0, 1, 2}, 0o644))
	_, err = none.Run(t.Context(), good)
	requireCode(t, err, SRSLayout)
	_, err = none.VerifyAggregate(t.Context(), good.AggregateInfo, c.Aggregate)
	requireCode(t, err, SRSLayout)
}

// infiniteC puts the point at infinity in the place of a proof's C.
func infiniteC(proof []byte) []byte {
	out := bytes.Clone(proof)
	clear(out[144:192])
	out[144] = 0xc0
	return out
}

// TestAggregateJob: an aggregation is a job with a known size, progress and an end, and
// its key is kept for the next and makes room for others.
func TestAggregateJob(t *testing.T) {
	e := packEngine(t, 513)
	c := goldentest.Load(t, "sim-2k-n100-V2")
	r := aggregateOf(t, c)
	j, err := e.Submit(t.Context(), r)
	require.NoError(t, err)
	size, err := j.Size(t.Context())
	require.NoError(t, err)
	require.Equal(t, len(c.Aggregate), size)
	seen := false
	for running := true; running; {
		select {
		case <-j.Done():
			running = false
		case <-time.After(time.Millisecond):
			p := j.Report().Progress
			seen = seen || p.Stage == "prove" && p.Done > 0 && p.Total == 21*128
		}
	}
	require.True(t, seen, "progress is reported")
	got, err := j.Result()
	require.NoError(t, err)
	require.Equal(t, c.Aggregate, got)

	j, err = e.Submit(context.Background(), r)
	require.NoError(t, err)
	for j.Report().Progress.Stage != "prove" {
		time.Sleep(time.Millisecond)
	}
	require.True(t, j.Cancel())
	_, err = j.Wait(t.Context())
	requireCode(t, err, Cancelled)
	require.Eventually(t, func() bool { // the job's end is known before it lets go
		freed, err := e.Evict(KindAggregate, 0)
		return err == nil && freed == 128*768
	}, 10*time.Second, time.Millisecond)
	freed, err := e.Evict(KindAggregate, 0)
	require.NoError(t, err)
	require.Zero(t, freed)
	require.NoError(t, e.Preload(t.Context(), KindAggregate, 100, nil))
	got, err = e.Run(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, c.Aggregate, got)
}

// TestNonInteractive proves a non-interactive sector whole, and aggregates two. Minutes:
// CUZK_TEST_LONG=1, as in make test-long.
func TestNonInteractive(t *testing.T) {
	if os.Getenv("CUZK_TEST_LONG") == "" {
		t.Skip("set CUZK_TEST_LONG=1")
	}
	testparams.Open(t, filecoin.PoRep)
	dir := t.TempDir()
	for _, ext := range []string{".params", ".vk"} {
		shape, err := filecoin.NewShape(filecoin.PoRep, 2*filecoin.KiB)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(filepath.Join(testparams.Dir(t), shape.ParamsName()+ext), filepath.Join(dir, shape.ParamsName()+ext)))
	}
	goldentest.WriteSRS(t, filepath.Join(dir, "v28-fil-inner-product-v1.srs"), 64)
	e, err := Open(Options{ParamsDir: dir, Backend: CPU})
	require.NoError(t, err)
	defer e.Close()
	r, info := porepCase(t, "2k-ni/c1.json.gz", "2k-ni/sector-0.json")
	proof, err := e.Run(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, proof, 14164)
	ok, err := e.VerifyPoRep(t.Context(), info, proof)
	require.NoError(t, err)
	require.True(t, ok)
	info.SectorNumber++
	ok, err = e.VerifyPoRep(t.Context(), info, proof)
	require.NoError(t, err)
	require.False(t, ok)
}

// TestVerifyNonInteractive: a non-interactive seal proof is the aggregate of version 2
// of its partitions.
func TestVerifyNonInteractive(t *testing.T) {
	e := packEngine(t, 2)
	for name, want := range map[string]bool{"2k-ni-s1-V2": true, "2k-ni-s1-V1": false} {
		c := goldentest.Load(t, name)
		s := c.Sectors[0]
		info := PoRepInfo{RegisteredProof: int(c.Registered), SectorNumber: s.SectorNumber, ProverID: s.ProverID,
			CommR: s.CommR, CommD: s.CommD, Ticket: s.Ticket, Seed: [32]byte{}}
		ok, err := e.VerifyPoRep(t.Context(), info, c.Aggregate)
		require.NoError(t, err)
		require.Equal(t, want, ok, name)
		_, err = e.VerifyPoRep(t.Context(), info, s.Proof)
		requireCode(t, err, ProofMalformed)
		info.CircuitProofs = true
		info.Seed = s.Seed
		ok, err = e.VerifyPoRep(t.Context(), info, s.Proof)
		require.NoError(t, err)
		require.True(t, ok)
	}
}
