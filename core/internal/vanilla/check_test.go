package vanilla

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// load parses a golden C1 and the sector that it belongs to.
func load(t testing.TB, name string) (*C1, *filecoin.Seal) {
	t.Helper()
	c, err := ParseC1(readGolden(t, name))
	require.NoError(t, err, name)
	var s struct {
		Prover string `json:"prover_id"`
		Number uint64 `json:"sector_number"`
		CommR  string `json:"comm_r"`
	}
	dir, file, _ := strings.Cut(name, "/")
	index := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(file, "c1"), "-"), ".json")
	if index == "" {
		index = "0"
	}
	require.NoError(t, json.Unmarshal(readGolden(t, dir+"/sector-"+index+".json"), &s))
	prover, err := hex.DecodeString(s.Prover)
	require.NoError(t, err)
	seal := c.Seal(Node(prover), s.Number)
	require.Equal(t, s.CommR, hex.EncodeToString(seal.CommR[:]))
	return c, seal
}

func TestCheckAcceptsGolden(t *testing.T) {
	for _, name := range c1Files(t) {
		c, seal := load(t, name)
		start := time.Now()
		require.NoError(t, c.Check(context.Background(), seal, runtime.NumCPU()), name)
		t.Logf("%s: %v", name, time.Since(start))
	}
}

// Every value of a C1 is checked: changing any node or number is an error.
func TestCheckRefusesEveryChange(t *testing.T) {
	for _, name := range []string{"2k-v1/c1-0.json", "2k-v1_1/c1-0.json"} {
		c, seal := load(t, name)
		changes := 0
		visit(reflect.ValueOf(c).Elem(), "", func(path string, change func()) {
			change()
			err := c.Check(context.Background(), seal, 1)
			require.Equal(t, status.InputMismatch, status.CodeOf(err), "%s: %v", path, err)
			if i := strings.Index(path, ".Partitions"); i >= 0 && !strings.Contains(path, "Root") {
				require.Contains(t, err.Error(), "vanilla_proofs"+path[len(".Partitions"):][:6], path)
			}
			change() // its own inverse
			changes++
		})
		require.NoError(t, c.Check(context.Background(), seal, 1))
		t.Logf("%s: %d changes", name, changes)
	}
}

// visit calls do for every node and unsigned number with a function that flips
// its lowest bit.
func visit(v reflect.Value, path string, do func(path string, change func())) {
	switch v.Kind() {
	case reflect.Array:
		if n, ok := v.Addr().Interface().(*Node); ok {
			do(path, func() { n[0] ^= 1 })
			return
		}
		fallthrough
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), fmt.Sprintf("%s[%d]", path, i), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), path+"."+v.Type().Field(i).Name, do)
		}
	case reflect.Uint32, reflect.Uint64:
		do(path, func() { v.SetUint(v.Uint() ^ 1) })
	}
}

func TestCheckNamesThePlace(t *testing.T) {
	c, seal := load(t, "2k-v1_1/c1-0.json")
	ch := &c.Partitions[0][1]
	for want, n := range map[string]*Node{
		"vanilla_proofs[0][1].replica_column_proofs.drg_parents[2].column.rows[1]": &ch.Parents[2].Rows[1],
		"vanilla_proofs[0][1].replica_column_proofs.exp_parents[7].column.rows[0]": &ch.Parents[13].Rows[0],
		"vanilla_proofs[0][1].replica_column_proofs.exp_parents[7].column.rows":    &ch.Parents[13].Rows[1],
		"vanilla_proofs[0][1].replica_column_proofs.c_x.column.rows[1]":            &ch.Own.Rows[1],
		"vanilla_proofs[0][1].replica_column_proofs.c_x.inclusion_proof":           &ch.Own.Path.Siblings[3],
		"vanilla_proofs[0][1].labeling_proofs[1].parents[30]":                      &ch.Labels[1].Parents[30],
		"vanilla_proofs[0][1].encoding_proof.parents[0]":                           &ch.Encoding.Parents[0],
		"vanilla_proofs[0][1].comm_d_proofs":                                       &ch.TreeD.Siblings[0],
		"vanilla_proofs[0][1].comm_r_last_proof.leaf":                              &ch.TreeR.Leaf,
		"vanilla_proofs[0][1].comm_r_last_proof":                                   &ch.TreeR.Siblings[13],
		"vanilla_proofs[0][1].comm_r_last_proof.root":                              &ch.TreeR.Root,
		"vanilla_proofs[0][0]":                                                     &c.Partitions[0][0].TreeR.Root,
	} {
		n[0] ^= 1
		err := c.Check(context.Background(), seal, 2)
		n[0] ^= 1
		var e *status.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, want, e.Detail, e.Message)
	}
}

func TestCheckRefusesAnotherSector(t *testing.T) {
	c, seal := load(t, "2k-v1_1/c1-0.json")
	for want, change := range map[string]func(s *filecoin.Seal){
		"sector number":    func(s *filecoin.Seal) { s.SectorNumber++ },
		"prover id":        func(s *filecoin.Seal) { s.ProverID[0]++ },
		"registered_proof": func(s *filecoin.Seal) { s.Proof = 0 },
		"seed":             func(s *filecoin.Seal) { s.Seed[0]++ },
		"comm_d":           func(s *filecoin.Seal) { s.CommD[0]++ },
	} {
		other := *seal
		change(&other)
		require.ErrorContains(t, c.Check(context.Background(), &other, 1), want)
	}
	c.Wrapper = &Wrapper{SectorNumber: 5}
	require.ErrorContains(t, c.Check(context.Background(), seal, 1), "SectorNum")
	c.Wrapper = nil

	// Wrong everywhere, but consistently so: seed and prover decide challenges.
	c.Seed, seal.Seed = Node{1}, Node{1}
	require.ErrorContains(t, c.Check(context.Background(), seal, 1), "the challenge is")
	c.Seed, seal.Seed = Node{}, Node{}
	require.ErrorContains(t, c.Check(context.Background(), seal, 1), "must not be all zero")
}

// A C1 that was not parsed may have any shape.
func TestCheckRefusesWrongCounts(t *testing.T) {
	for i, change := range []func(c *C1){
		func(c *C1) { c.Partitions = nil },
		func(c *C1) { c.Partitions[0] = c.Partitions[0][:1] },
		func(c *C1) { c.Partitions[0][0].Labels = nil },
		func(c *C1) { c.Partitions[0][0].Own.Rows = c.Partitions[0][0].Own.Rows[:1] },
		func(c *C1) { c.Partitions[0][0].Parents[9].Rows = nil },
		func(c *C1) { c.Partitions[0][0].TreeD.Siblings = nil },
		func(c *C1) { c.Partitions[0][0].TreeR.Siblings = nil },
		func(c *C1) { c.Partitions[0][0].Labels[1].Parents = nil },
		func(c *C1) {
			s := c.Partitions[0][0].TreeR.Siblings
			for i := range s[0] {
				s[0][i] = 0xff
			}
		},
	} {
		c, seal := load(t, "2k-v1_1/c1-0.json")
		change(c)
		err := c.Check(context.Background(), seal, 1)
		require.Equal(t, status.InputMismatch, status.CodeOf(err), "%d: %v", i, err)
	}
}

func TestCheckStops(t *testing.T) {
	c, seal := load(t, "2k-ni/c1.json")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, status.Cancelled, status.CodeOf(c.Check(ctx, seal, 2)))
	ctx, cancel = context.WithTimeout(context.Background(), -1)
	defer cancel()
	require.Equal(t, status.Deadline, status.CodeOf(c.Check(ctx, seal, 2)))

	err := each(context.Background(), 3, 2, func(i int) error { panic(i) })
	require.Equal(t, status.Panic, status.CodeOf(err))
	require.ErrorContains(t, err, "panic: 0")
}

// The smallest failing index wins, whatever the timing.
func TestEachIsDeterministic(t *testing.T) {
	for range 200 {
		err := each(context.Background(), 50, 8, func(i int) error {
			if i%7 == 3 {
				return status.New(status.Internal, fmt.Sprint(i), "at %d", i)
			}
			runtime.Gosched()
			return nil
		})
		require.ErrorContains(t, err, "at 3")
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, name := range []string{"2k-v1_1/c1-0.json", "32g-sparse/c1.json"} {
		c, seal := load(b, name)
		b.Run(strings.Split(name, "/")[0], func(b *testing.B) {
			for b.Loop() {
				if err := c.Check(context.Background(), seal, runtime.NumCPU()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
