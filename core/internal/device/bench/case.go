package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/golden"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// benchCase is one input on one device.
type benchCase struct {
	*options
	report *report
	set    *device.Set
	trace  *trace

	sector, kind string
	sectorIndex  int
	name         string // of results: "porep_32gib"
	job          *golden.Job
	prover       *groth16.Prover
	verifier     *verify.Verifier
	params       *params.File // that pieces come from; may be nil
	temporary    string       // folder of that file, if it is to be removed
	key          *verify.Key
	sketches     bool // the devices complete sketches of witnesses
}

// prepare reads an input and makes its parameters; close the pool and then the
// parameters.
func (c *benchCase) prepare(ctx context.Context, name string) (*device.Pool, error) {
	part := strings.Split(name, ":")
	if len(part) < 2 {
		return nil, fmt.Errorf("a case is SECTOR:KIND[:INDEX]")
	}
	c.sector, c.kind = part[0], part[1]
	if len(part) > 2 {
		c.sectorIndex, _ = strconv.Atoi(part[2])
	}
	c.name = c.kind + "_" + size(c.sector) + c.label
	if err := c.load(); err != nil {
		return nil, err
	}
	return c.setup(ctx)
}

// run does a whole case.
func (c *benchCase) run(ctx context.Context, name string) error {
	defer c.closeParams()
	backend, err := c.prepare(ctx, name)
	if err != nil {
		return err
	}
	defer backend.Close()
	if err := c.latency(ctx); err != nil {
		return err
	}
	if err := c.throughput(ctx); err != nil {
		return err
	}
	u, err := c.set.Devices[0].Memory()
	if err != nil {
		return err
	}
	c.report.value(c.name+"_device_gib", float64(u.Peak)/(1<<30), "GiB")
	return c.trace.write(filepath.Join(c.out, c.name+"-trace.json"))
}

// size turns "32g-sparse" into "32gib".
func size(sector string) string { return strings.Split(sector, "-")[0] + "ib" }

// load reads the input and compiles its circuit.
func (c *benchCase) load() (err error) {
	start := time.Now()
	c.job, err = golden.Load(filepath.Join(c.golden, "sectors", c.sector), c.kind, c.sectorIndex)
	if err != nil {
		return err
	}
	c.report.value(c.name+"_parse_check_compile_s", time.Since(start).Seconds(), "s")
	return nil
}

// setup makes the parameters on the device.
func (c *benchCase) setup(ctx context.Context) (*device.Pool, error) {
	start := time.Now()
	scalars, err := params.Evaluate(ctx, c.job.Circuit, params.ToxicFromLabel(params.GoldenLabel), c.workers)
	if err != nil {
		return nil, err
	}
	c.report.value(c.name+"_setup_scalars_s", time.Since(start).Seconds(), "s")
	start = time.Now()
	plan := groth16.NewPlan(c.job.Circuit)
	source, name := device.Generated(scalars), "_setup_points_s"
	if c.file {
		if err := c.openFile(ctx, plan, scalars); err != nil {
			return nil, err
		}
		debug.FreeOSMemory()
		resetPeak()
		source, name, start = device.File(c.params), "_load_file_s", time.Now()
	}
	backend, err := c.set.Load(ctx, c.job.Circuit, plan, source, c.limits())
	if err != nil {
		return nil, err
	}
	loaded := time.Since(start).Seconds()
	c.report.value(c.name+name, loaded, "s")
	if c.file {
		c.report.value(c.name+"_load_file_rate", float64(c.params.Bytes())/loaded/1e9, "GB/s")
		c.report.value(c.name+"_load_host_ram_gib", float64(peakRSS())/(1<<30), "GiB")
	}
	for i, b := range backend.Backends() {
		b.Observe = c.trace.device(b.Device())
		fmt.Printf("# %s on device %d: %+v\n", c.name, i, b.Placement())
	}
	c.sketches = c.job.Sketch != nil && !c.whole && !c.check
	for _, b := range backend.Backends() {
		c.sketches = c.sketches && b.Sketches()
	}
	c.key = scalars.Key
	if c.verifier, err = verify.New(c.key); err != nil {
		return nil, err
	}
	var prover groth16.Backend = backend
	if c.check {
		prover = &oracle{backend, scalars}
	}
	c.prover, err = groth16.New(c.job.Circuit, plan, c.key, scalars.Layout, prover)
	scalars, prover = nil, nil
	debug.FreeOSMemory()
	resetPeak()
	return backend, err
}

// limits are what parameters may take.
func (o *options) limits() device.Limits {
	return device.Limits{Host: uint64(o.host), Stay: uint64(o.stay), Piece: o.piece, OneStream: o.oneStream}
}

// proofs is one proved job.
type proofs struct {
	bytes  []byte
	inputs [][]fr.Element
}

// prove solves and proves all partitions, as many at a time as there are cores
// to solve them, and verifies them together.
func (c *benchCase) prove(ctx context.Context, times *stages) (*proofs, error) {
	n := c.count()
	p := &proofs{make([]byte, n*groth16.ProofSize), make([][]fr.Element, n)}
	err := spawn.Each(ctx, n, n, func(k int) error {
		start := time.Now()
		solve := c.job.Solve
		if c.sketches {
			solve = c.job.Sketch
		}
		w, err := solve(k)
		if err != nil {
			return err
		}
		times.add("solve", c.trace.host("solve", k, start))
		p.inputs[k] = w.Inputs[1:]
		return c.provePartition(ctx, k, w, p.bytes[k*groth16.ProofSize:], times)
	})
	if err != nil {
		return nil, err
	}
	start := time.Now()
	decoded, err := verify.DecodeProofs(p.bytes)
	if err != nil {
		return nil, err
	}
	if err := c.verifier.CheckBatch(decoded, p.inputs); err != nil {
		return nil, err
	}
	times.add("verify", c.trace.host("verify", 0, start))
	return p, nil
}

func (c *benchCase) provePartition(ctx context.Context, k int, w *r1cs.Witness, to []byte, times *stages) error {
	z := groth16.Randomness{
		R: params.LabelScalar(fmt.Sprintf("r %s %d %d", c.kind, c.sectorIndex, k)),
		S: params.LabelScalar(fmt.Sprintf("s %s %d %d", c.kind, c.sectorIndex, k)),
	}
	proof, t, err := c.prover.Prove(ctx, w, z)
	if err != nil {
		return err
	}
	copy(to, proof[:])
	for name, s := range map[string]groth16.Stage{"rows": t.Eval, "ntt": t.NTT, "h": t.H, "l": t.L, "a": t.A, "b1": t.B1, "b2": t.B2} {
		times.add(name, s.Duration())
	}
	return nil
}

func (c *benchCase) count() int {
	n := c.job.Statement.Partitions()
	if c.partitions > 0 && c.partitions < n {
		return c.partitions
	}
	return n
}

// latency proves one job after a warming one and compares its bytes.
func (c *benchCase) latency(ctx context.Context) error {
	start := time.Now()
	if _, err := c.prove(ctx, new(stages)); err != nil {
		return fmt.Errorf("first proof: %w", err)
	}
	c.report.value(c.name+"_first_s", time.Since(start).Seconds(), "s")
	c.trace.clear()
	times := new(stages)
	start = time.Now()
	p, err := c.prove(ctx, times)
	if err != nil {
		return fmt.Errorf("second proof: %w", err)
	}
	c.report.value(c.name+"_latency_s", time.Since(start).Seconds(), "s")
	for _, name := range times.names() {
		c.report.value(fmt.Sprintf("%s_partition_%s_ms", c.name, name), times.mean(name).Seconds()*1e3, "ms")
	}
	c.report.value(c.name+"_gpu_idle_percent", 100*c.trace.idle(), "%")
	c.report.value(c.name+"_host_ram_gib", float64(peakRSS())/(1<<30), "GiB")
	if err := c.compare(p); err != nil {
		return err
	}
	return c.save(p)
}

// throughput proves jobs back to back: the next is solved while one is proved.
func (c *benchCase) throughput(ctx context.Context) error {
	if c.repeat < 1 {
		return nil
	}
	c.trace.clear()
	before, err := c.set.Devices[0].Memory()
	if err != nil {
		return err
	}
	start := time.Now()
	err = spawn.Each(ctx, 2, c.repeat, func(int) error {
		_, err := c.prove(ctx, new(stages))
		return err
	})
	if err != nil {
		return err
	}
	c.report.value(c.name+"_throughput_s", time.Since(start).Seconds()/float64(c.repeat), "s")
	c.report.value(c.name+"_throughput_gpu_idle_percent", 100*c.trace.idle(), "%")
	after, err := c.set.Devices[0].Memory()
	c.report.value(c.name+"_device_memory_growth_bytes", float64(int64(before.Available)-int64(after.Available)), "B")
	return err
}

// compare holds the proofs against the golden ones, where there are any.
func (c *benchCase) compare(p *proofs) error {
	var want struct{ Proof string }
	file := filepath.Join(c.golden, "sectors", c.sector, fmt.Sprintf("proof-%s-%d.json", c.kind, c.sectorIndex))
	if err := golden.ReadJSON(file, &want); os.IsNotExist(err) {
		return nil
	} else if err != nil {
		return err
	}
	raw, err := hex.DecodeString(want.Proof)
	if err != nil {
		return err
	}
	if !bytes.Equal(raw[:min(len(raw), len(p.bytes))], p.bytes) {
		return fmt.Errorf("the proof differs from %s", file)
	}
	c.report.value(c.name+"_golden_bytes_equal", 1, "bool")
	return nil
}

// save keeps proofs, verifying key and public inputs for another verifier.
func (c *benchCase) save(p *proofs) error {
	var inputs bytes.Buffer
	for _, x := range p.inputs {
		for i := range x {
			b := x[i].Bytes()
			inputs.Write(b[:])
		}
	}
	base := filepath.Join(c.out, c.name)
	for name, data := range map[string][]byte{".proof": p.bytes, ".vk": c.key.AppendTo(nil), ".inputs": inputs.Bytes()} {
		if err := os.WriteFile(base+name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// stages sums the times of stages over partitions.
type stages struct {
	mu    sync.Mutex
	sum   map[string]time.Duration
	count map[string]int
	order []string
}

func (s *stages) add(name string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sum == nil {
		s.sum, s.count = map[string]time.Duration{}, map[string]int{}
	}
	if s.count[name] == 0 {
		s.order = append(s.order, name)
	}
	s.sum[name] += d
	s.count[name]++
}

func (s *stages) names() []string { return s.order }

func (s *stages) mean(name string) time.Duration { return s.sum[name] / time.Duration(s.count[name]) }
