// Package measure times the parts that proofs are made of, each alone: on
// inputs of the wanted size, on the CPU's threads, and with a check of what was
// computed, so that no figure comes from a wrong result.
package measure

import (
	"context"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// MaxLog bounds sizes: 2^28 elements are those of the largest transform.
const MaxLog = 28

// work is something to be timed: run does it once and may be called again,
// check says whether the last run did it right, and spoil changes what that run has
// computed, for the test of the check. All stop soon after ctx ends.
type work struct {
	run   func(ctx context.Context) error
	check func(ctx context.Context) error
	spoil func()
}

// kind is a part that can be measured.
type kind struct {
	name    string
	bytes   int64 // held per element, inputs included
	prepare func(ctx context.Context, n, workers int) (work, error)
}

// kinds are all parts, in the order in which people list them.
var kinds = []kind{
	{"field", 96, prepareField},
	{"ntt", 64, prepareNTT},
	{"msm_g1", 224, prepareMSMG1},
	{"msm_g2", 352, prepareMSMG2},
	{"bit_sum_g1", 224, prepareBitSum},
	{"poseidon", 64, preparePoseidon},
	{"sha256", 128, prepareSHA256},
}

// Names lists the parts: field multiplications, a transform of n values, sums of
// n products in both groups, the sum of n points of which half are selected,
// hashes of eight field elements, and of two nodes.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Part is a part and its size.
type Part struct {
	kind
	n int
}

// New finds a part by name; log2 is the logarithm of its number of elements.
func New(name string, log2 int) (Part, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return Part{}, status.New(status.Argument, "what", "nothing called %q to measure, want one of %v", name, Names())
	}
	if log2 < 0 || log2 > MaxLog {
		return Part{}, status.New(status.Argument, "log2_size", "size 2^%d: want 2^0 to 2^%d", log2, MaxLog)
	}
	return Part{kinds[i], 1 << log2}, nil
}

// Bytes bounds the memory that the part holds, beside that of a few threads.
func (p Part) Bytes() int64 { return p.bytes * int64(p.n) }

// String names the part with its size, "msm_g1 2^20".
func (p Part) String() string { return p.name + " 2^" + strconv.Itoa(bits.TrailingZeros(uint(p.n))) }

// Run prepares the part's input, times it repeats times, and checks the last
// result; a wrong one has code status.Internal. Preparing is not timed. done is
// told of each repetition.
func (p Part) Run(ctx context.Context, repeats, workers int, done func()) ([]time.Duration, error) {
	w, err := p.prepare(ctx, p.n, workers)
	if err != nil {
		return nil, status.EndedOr(ctx, err)
	}
	times := make([]time.Duration, repeats)
	for i := range times {
		if err := context.Cause(ctx); err != nil {
			return nil, status.EndedOr(ctx, err)
		}
		began := time.Now()
		err := w.run(ctx)
		times[i] = time.Since(began)
		if err != nil {
			return nil, status.EndedOr(ctx, err)
		}
		done()
	}
	return times, status.EndedOr(ctx, w.check(ctx))
}

// wrong is the error of a part whose result is not what another way gives.
func wrong(name string) error {
	return status.New(status.Internal, name, "%s computed a wrong result", name)
}
