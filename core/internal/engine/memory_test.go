package engine

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// TestBudgetCoversAPartition proves a 2 KiB WinningPoSt, with CUZK_TEST_LONG=1 a
// PoRep too, while the collector leaves little garbage: the heap grows by no more
// than the budget was charged, and by not much less.
func TestBudgetCoversAPartition(t *testing.T) {
	made(t, filecoin.WinningPoSt)
	e := Open(Config{ParamsDir: testparams.Dir(t), Threads: 2, MaxInput: 1 << 30, History: 10, Events: 100})
	defer func() { require.NoError(t, e.Close()) }()
	covers(t, e, filecoin.WinningPoSt)
	if os.Getenv("CUZK_TEST_LONG") != "" {
		made(t, filecoin.PoRep)
		covers(t, e, filecoin.PoRep)
	}
}

// made sees to it that parameters are there.
func made(t *testing.T, kind filecoin.Kind) {
	shape, err := shapeOf(kind.String(), 2048)
	require.NoError(t, err)
	testparams.Make(t, shape, circuit.Compile(shape))
}

func covers(t *testing.T, e *Engine, kind filecoin.Kind) {
	t.Helper()
	prove := golden(t, e, kind)
	if kind != filecoin.PoRep {
		prove() // maps the parameters, and makes what stays
	}
	shape, err := shapeOf(kind.String(), 2048)
	require.NoError(t, err)
	c, err := e.store.Circuit(t.Context(), shape)
	require.NoError(t, err)
	charged := e.pipeline.PartitionBytes(c, mapped).Host
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	before := heap()
	var peak atomic.Uint64
	stop := make(chan struct{})
	var watch spawn.Group
	watch.Go(func() error {
		for {
			select {
			case <-stop:
				return nil
			case <-time.After(200 * time.Microsecond):
				peak.Store(max(peak.Load(), live()))
			}
		}
	})
	prove()
	close(stop)
	require.NoError(t, watch.Wait())
	grown := int64(peak.Load()) - int64(before)
	t.Logf("%s: charged %d bytes, the heap grew by %d (%.2f)", kind, charged, grown, float64(grown)/float64(charged))
	require.Less(t, float64(grown), 1.1*float64(charged), "5 %% of garbage, and what jobs have beside partitions")
	require.Greater(t, float64(grown), 0.5*float64(charged))
}

// heap collects garbage and returns the bytes of objects.
func heap() uint64 {
	runtime.GC()
	return live()
}

func live() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// golden returns what proves a golden request of a kind.
func golden(t *testing.T, e *Engine, kind filecoin.Kind) (prove func() []byte) {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "tests", "golden", "sectors", "2k-v1_1")
	data := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		return b
	}
	submit := func() (*Job, error) {
		if kind == filecoin.PoRep {
			return e.SubmitPoRep(context.Background(), PoRep{C1: data("c1-0.json"), SectorNumber: 101, ProverID: [32]byte{0xe9, 0x07}})
		}
		r := PoSt{RegisteredProof: 0, ProverID: [32]byte{0xe9, 0x07}, Vanilla: [][]byte{data("winning_post-0.vanilla")}}
		var file struct{ Randomness string }
		require.NoError(t, json.Unmarshal(data("winning_post.json"), &file))
		_, err := hex.Decode(r.Randomness[:], []byte(file.Randomness))
		require.NoError(t, err)
		return e.SubmitPoSt(context.Background(), r)
	}
	return func() []byte {
		j, err := submit()
		require.NoError(t, err)
		proof, err := j.Wait(context.Background())
		require.NoError(t, err)
		return proof
	}
}
