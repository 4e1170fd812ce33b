package device

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
	"github.com/libcuzk/libcuzk/gpu"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

const root = "../../.."

// bench is a toy circuit with parameters, for one test.
type bench struct {
	circuit *r1cs.Circuit
	plan    *groth16.Plan
	scalars *params.Scalars
	path    string // of the same parameters as a file
}

func newBench(t testing.TB, rounds int) *bench {
	b := &bench{circuit: toy.Compile(rounds)}
	b.plan = groth16.NewPlan(b.circuit)
	toxic := params.ToxicFromLabel("device")
	var err error
	b.scalars, err = params.Evaluate(context.Background(), b.circuit, toxic, 2)
	require.NoError(t, err)
	b.path = filepath.Join(t.TempDir(), "toy.params")
	require.NoError(t, params.Make(context.Background(), b.circuit, toxic, b.path, b.path+".vk", params.MakeOptions{Workers: 2}))
	return b
}

func (b *bench) open(t testing.TB) *params.File {
	f, err := params.Open(context.Background(), b.path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// prove returns the proof of a witness with fixed randomness, on a backend.
func (b *bench) prove(ctx context.Context, backend groth16.Backend, w *r1cs.Witness) ([groth16.ProofSize]byte, error) {
	p, err := groth16.New(b.circuit, b.plan, b.scalars.Key, b.scalars.Layout, backend)
	if err != nil {
		return [groth16.ProofSize]byte{}, err
	}
	proof, _, err := p.Prove(ctx, w, groth16.Randomness{R: params.LabelScalar("r"), S: params.LabelScalar("s")})
	return proof, err
}

// trace proves a witness and returns when its stages ran.
func (b *bench) trace(t testing.TB, backend groth16.Backend, w *r1cs.Witness) (trace groth16.Trace) {
	p, err := groth16.New(b.circuit, b.plan, b.scalars.Key, b.scalars.Layout, backend)
	require.NoError(t, err)
	_, _, err = p.ProveWith(context.Background(), w, groth16.Randomness{}, groth16.Hooks{Trace: func(x groth16.Trace) { trace = x }})
	require.NoError(t, err)
	return trace
}

func (b *bench) witness(t testing.TB, rng *rand.Rand, rounds int) *r1cs.Witness {
	in := make([]byte, rounds)
	for i := range in {
		in[i] = byte(rng.Uint32())
	}
	w, err := toy.Solve(b.circuit, in)
	require.NoError(t, err)
	return w
}

// twin takes what NewCPU returns.
func twin(c *groth16.CPU, errs ...error) groth16.Backend {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
	return c
}

func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CUZK_TEST_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("CUZK_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// open opens the first device.
func open(t testing.TB, l *fake.Library, o Options) (*Device, error) {
	all, err := l.Devices()
	if err != nil {
		return nil, classify(err)
	}
	return Open(l.Library, all[0], o)
}

// TestProofs: a device and the CPU give the same proofs, from parameters of a
// file and from generated ones, with sums beside each other and one after the other,
// for circuits of many sizes.
func TestProofs(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	sizes := []int{0, 1, 2, 5, 33}
	if os.Getenv("CUZK_TEST_LONG") != "" {
		sizes = append(sizes, 31, 100)
	}
	for _, rounds := range sizes {
		b := newBench(t, rounds)
		f := b.open(t)
		w := b.witness(t, rng, rounds)
		want, err := b.prove(context.Background(), twin(groth16.NewCPU(f.SRS(), 2)), w)
		require.NoError(t, err)
		v, err := verify.New(b.scalars.Key)
		require.NoError(t, err)
		proofs, err := verify.DecodeProofs(want[:])
		require.NoError(t, err)
		require.NoError(t, v.Check(&proofs[0], w.Inputs[1:]))
		for name, source := range map[string]Source{"file": File(f), "generated": Generated(b.scalars)} {
			d, err := open(t, l, Options{})
			require.NoError(t, err)
			backend, err := d.Load(context.Background(), b.circuit, b.plan, source, Limits{OneStream: name == "generated"})
			require.NoError(t, err)
			for range 2 {
				got, err := b.prove(context.Background(), backend, w)
				require.NoError(t, err)
				require.Equal(t, want, got, "%d rounds, %s", rounds, name)
			}
			backend.Close()
			require.NoError(t, d.Close())
		}
	}
	require.Zero(t, l.Blocks())
}

// TestManyInFlight: more callers than slots, all right.
func TestManyInFlight(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 9)
	d, err := open(t, l, Options{Slots: 2})
	require.NoError(t, err)
	backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.NoError(t, err)
	type pair struct{ got, want [groth16.ProofSize]byte }
	results := make(chan pair)
	cpu := twin(groth16.NewCPU(b.open(t).SRS(), 1))
	const n = 12
	for range n {
		w := b.witness(t, rng, 9)
		go func() {
			got, err := b.prove(context.Background(), backend, w)
			if err != nil {
				t.Error(err)
			}
			want, _ := b.prove(context.Background(), cpu, w)
			results <- pair{got, want}
		}()
	}
	for range n {
		r := <-results
		require.Equal(t, r.want, r.got)
	}
	backend.Close()
	require.NoError(t, d.Close())
	require.Zero(t, l.Blocks())
}

// run proves once from nothing and closes everything.
func (b *bench) run(t testing.TB, l *fake.Library, w *r1cs.Witness, from Source) (proof [groth16.ProofSize]byte, err error) {
	d, err := open(t, l, Options{Slots: 1})
	if err != nil {
		return proof, err
	}
	defer d.Close()
	backend, err := d.Load(context.Background(), b.circuit, b.plan, from, Limits{})
	if err != nil {
		return proof, err
	}
	defer backend.Close()
	return b.prove(context.Background(), backend, w)
}

// TestEveryFault fails each CUDA call of a whole proof in turn, once and for
// good: the proof is right or there is a typed error, and nothing leaks.
func TestEveryFault(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 1)
	w := b.witness(t, rng, 1)
	for name, from := range map[string]Source{"file": File(b.open(t)), "generated": Generated(b.scalars)} {
		step := uint64(1)
		if name == "generated" || testing.Short() {
			step = 7 // most calls are those of the file, in a tenth of the time
		}
		l.Heal()
		want, err := b.run(t, l, w, from)
		require.NoError(t, err)
		calls := l.Calls()
		require.Greater(t, calls, uint64(100))
		survived := 0
		for call := uint64(1); call <= calls; call += step {
			for _, fault := range []struct {
				code   int
				sticky bool
				want   status.Code
			}{
				{fake.OutOfMemory, false, status.Memory},
				{fake.LaunchFailure, false, status.Device},
				{fake.IllegalAddress, true, status.Device},
			} {
				l.Fail(call, fault.code, fault.sticky)
				got, err := b.run(t, l, w, from)
				if err == nil {
					require.Equal(t, want, got, "call %d, code %d", call, fault.code)
					survived++
				} else {
					require.Contains(t, []status.Code{fault.want, status.NoDevice}, status.CodeOf(err), "call %d: %v", call, err)
				}
				l.Heal()
				require.Zero(t, l.Blocks(), "call %d, code %d: memory leaks", call, fault.code)
			}
		}
		t.Logf("%s: %d calls, %d faults survived", name, calls, survived)
		require.Less(t, survived, int(calls))
		got, err := b.run(t, l, w, from)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestQuarantine: after a sticky error the device refuses work and says why;
// another device goes on.
func TestQuarantine(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	all, err := l.Devices()
	require.NoError(t, err)
	b := newBench(t, 3)
	w := b.witness(t, rng, 3)
	d, err := open(t, l, Options{})
	require.NoError(t, err)
	backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.NoError(t, err)
	want, err := b.prove(context.Background(), backend, w)
	require.NoError(t, err)

	l.Fail(30, fake.LaunchFailure, false)
	_, err = b.prove(context.Background(), backend, w)
	require.Equal(t, status.Device, status.CodeOf(err))
	require.NoError(t, d.Usable(), "an error that does not stick")
	got, err := b.prove(context.Background(), backend, w)
	require.NoError(t, err)
	require.Equal(t, want, got)

	l.Fail(30, fake.IllegalAddress, true)
	_, err = b.prove(context.Background(), backend, w)
	require.Equal(t, status.Device, status.CodeOf(err))
	var g *gpu.Error
	require.ErrorAs(t, err, &g)
	require.Equal(t, gpu.Lost, g.Code)
	require.Equal(t, fake.IllegalAddress, g.CUDA)
	require.NotEmpty(t, g.Stage)
	require.ErrorContains(t, d.Usable(), "quarantined")
	before := l.Calls()
	_, err = b.prove(context.Background(), backend, w)
	require.ErrorContains(t, err, "quarantined")
	require.Equal(t, before, l.Calls(), "a quarantined device is left alone")

	other, err := Open(l.Library, all[1], Options{})
	require.NoError(t, err)
	second, err := other.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.NoError(t, err)
	got, err = b.prove(context.Background(), second, w)
	require.NoError(t, err)
	require.Equal(t, want, got)
	second.Close()
	require.NoError(t, other.Close())
	backend.Close()
	require.NoError(t, d.Close())
	require.Zero(t, l.Blocks())
}

// TestWrongAnswers: a bit flipped on the way back never passes verification.
func TestWrongAnswers(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 3)
	w := b.witness(t, rng, 3)
	d, err := open(t, l, Options{})
	require.NoError(t, err)
	backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.NoError(t, err)
	v, err := verify.New(b.scalars.Key)
	require.NoError(t, err)
	l.Corrupt(1)
	proof, err := b.prove(context.Background(), backend, w)
	require.NoError(t, err)
	proofs, err := verify.DecodeProofs(proof[:])
	if err == nil {
		err = v.Check(&proofs[0], w.Inputs[1:])
	}
	require.Contains(t, []status.Code{status.ProofInvalid, status.ProofMalformed}, status.CodeOf(err))
	backend.Close()
	require.NoError(t, d.Close())
}

// TestMemory: limits are kept, and an error says how much was needed and free.
func TestMemory(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 100)
	w := b.witness(t, rng, 100)
	fits := uint64(0)
	for limit := uint64(1 << 10); ; limit *= 2 {
		require.Less(t, limit, uint64(1<<32))
		d, err := open(t, l, Options{MemoryLimit: limit})
		require.NoError(t, err)
		backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
		if err == nil {
			_, err = b.prove(context.Background(), backend, w)
		}
		u, merr := d.Memory()
		require.NoError(t, merr)
		require.LessOrEqual(t, u.Peak, limit)
		if backend != nil {
			backend.Close()
		}
		require.NoError(t, d.Close())
		require.Zero(t, l.Blocks())
		if err == nil {
			fits = limit
			break
		}
		require.Equal(t, status.Memory, status.CodeOf(err), "%v", err)
		var g *gpu.Error
		require.ErrorAs(t, err, &g)
		require.Greater(t, g.Needed, g.Available)
	}
	t.Logf("fits into %d bytes", fits)
	l.Cards(1<<12, 2)
	d, err := open(t, l, Options{})
	require.NoError(t, err)
	_, err = d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.Equal(t, status.Memory, status.CodeOf(err))
	require.NoError(t, d.Close())
}

// TestRefusedPoints: every section of a file is checked on the device.
func TestRefusedPoints(t *testing.T) {
	l := fake.Open(t, root)
	b := newBench(t, 5)
	raw, err := os.ReadFile(b.path)
	require.NoError(t, err)
	at := 3*96 + 3*192 + 4 + 96*int(binary.BigEndian.Uint32(raw[3*96+3*192:])) // of the section
	for _, x := range sections {
		n := int(binary.BigEndian.Uint32(raw[at:]))
		at += 4
		for _, c := range []struct {
			why  string
			edit func(p []byte)
		}{
			{"not on curve", func(p []byte) { p[x.size-1] ^= 1 }},
			{"coordinate not below the field modulus", func(p []byte) { p[0] |= 0x1f }},
			{"not an uncompressed point", func(p []byte) { p[0] |= 0x80 }},
			{"point at infinity", func(p []byte) { clear(p[:x.size]); p[0] = 0x40 }},
		} {
			bad := append([]byte(nil), raw...)
			k := n - 1
			c.edit(bad[at+k*x.size:])
			path := filepath.Join(t.TempDir(), "bad.params")
			require.NoError(t, os.WriteFile(path, bad, 0o644))
			f, err := params.Open(context.Background(), path)
			require.NoError(t, err)
			d, err := open(t, l, Options{})
			require.NoError(t, err)
			_, err = d.Load(context.Background(), b.circuit, b.plan, File(f), Limits{})
			require.Equal(t, status.SRSPoint, status.CodeOf(err), "%v", err)
			require.ErrorContains(t, err, fmt.Sprintf("%s[%d]: %s", x.name, k, c.why))
			require.NoError(t, d.Close())
			f.Close()
		}
		at += n * x.size
	}
	require.Zero(t, l.Blocks())
}

// TestEnds: a context that ends is noticed before and while a device works.
func TestEnds(t *testing.T) {
	l, rng := fake.Open(t, root), seeded(t)
	b := newBench(t, 3)
	w := b.witness(t, rng, 3)
	d, err := open(t, l, Options{Slots: 1})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = d.Load(ctx, b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.Equal(t, status.Cancelled, status.CodeOf(err))
	backend, err := d.Load(context.Background(), b.circuit, b.plan, Generated(b.scalars), Limits{})
	require.NoError(t, err)
	backend.slots <- struct{}{} // as if a partition were in flight
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = b.prove(ctx, backend, w)
	require.Equal(t, status.Deadline, status.CodeOf(err))
	<-backend.slots
	_, err = b.prove(context.Background(), backend, &r1cs.Witness{Inputs: w.Inputs})
	require.Equal(t, status.Internal, status.CodeOf(err))
	_, err = b.prove(context.Background(), backend, w)
	require.NoError(t, err)
	backend.Close()
	require.NoError(t, d.Close())
	require.Zero(t, l.Blocks())
}
