// Package soak lets one engine run for a long time with everything at once, as a
// storage provider's would: `make soak MINUTES=20`.
package soak

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/tests/harness"
)

var soak = flag.Duration("soak", 0, "how long to run; 0: not at all")

// kind is a golden request, and how its proof is verified.
type kind struct {
	name    string
	weight  int // share of the jobs
	request func(cuzk.JobOptions) cuzk.Request
	verify  func(context.Context, *cuzk.Engine, []byte) (bool, error)
}

// TestSoak runs mixed 2 KiB jobs with random priorities, keys, deadlines and
// cancels, some by blocking calls. Every proof is verified; goroutines, file
// descriptors and memory do not grow while jobs are under way, and are at the end
// where they were after the first job of each kind. Figures are printed as lines
// of JSON.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("make soak MINUTES=20")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dir := harness.Params(t, cuzk.KindPoRep, cuzk.KindWinningPoSt, cuzk.KindWindowPoSt, cuzk.KindUpdate)
	e, err := cuzk.Open(cuzk.Options{ParamsDir: dir, Backend: cuzk.CPU})
	require.NoError(t, err)
	kinds := golden(t)
	for _, k := range kinds {
		proof, err := e.Run(t.Context(), k.request(cuzk.JobOptions{}))
		require.NoError(t, err, k.name)
		holds(t, e, k, proof)
	}
	began, tally := time.Now(), tally{}
	r := report{began, newStamp()}
	before := footprint(t)
	r.footprint("before", before)
	stop, seen := make(chan struct{}), make(chan []resources, 1)
	var watch, wg sync.WaitGroup
	watch.Go(func() { seen <- r.watch(t, stop) })
	for g := range 4 {
		random := rand.New(rand.NewPCG(seed, uint64(g)))
		wg.Go(func() {
			for time.Since(began) < *soak {
				k := pick(random, kinds)
				tally.add(k.name + " " + one(t, e, random, k))
			}
		})
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	for what, n := range tally.of {
		r.print("ended/"+strings.ReplaceAll(what, " ", "/"), float64(n), "jobs")
	}
	busy, wanted := e.Idle(began, time.Now())
	r.print("prover/busy", busy.Seconds(), "s")
	r.print("prover/idle_while_work_waits", wanted.Seconds(), "s")
	r.print("pipeline_overlap", overlap(t, e), "ratio")
	flat(t, r, <-seen)
	require.Eventually(t, func() bool { return footprint(t).within(before) }, time.Minute, time.Second, "flat: %+v", before)
	r.footprint("after", footprint(t))
	require.NoError(t, e.Close())
	r.print("minutes", r.minutes(), "min")
}

// one submits a job with random options and returns how it ended.
func one(t *testing.T, e *cuzk.Engine, r *rand.Rand, k kind) string {
	job := cuzk.JobOptions{Priority: []string{"", "low", "normal", "high", "critical"}[r.IntN(5)]}
	if r.IntN(4) == 0 {
		job.Key = k.name + strconv.Itoa(r.IntN(3))
	}
	if r.IntN(10) == 0 {
		job.Deadline = time.Now().Add(time.Duration(r.IntN(60_000)) * time.Millisecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if r.IntN(5) == 0 {
		proof, err := e.Run(ctx, k.request(job))
		return end(t, e, k, proof, err)
	}
	j, err := e.Submit(ctx, k.request(job))
	if err != nil {
		t.Errorf("%s: %v", k.name, err)
		return "refused"
	}
	if r.IntN(5) == 0 {
		time.Sleep(time.Duration(r.IntN(5_000)) * time.Millisecond)
		stopped := time.Now()
		if j.Cancel() {
			<-j.Done()
			if took := time.Since(stopped); took > 5*time.Second {
				t.Errorf("%s stopped after %s", k.name, took)
			}
		}
	}
	proof, err := j.Wait(context.Background())
	return end(t, e, k, proof, err)
}

// end verifies a proof and says how its job ended.
func end(t *testing.T, e *cuzk.Engine, k kind, proof []byte, err error) string {
	switch cuzk.CodeOf(err) {
	case cuzk.OK:
		holds(t, e, k, proof)
		return "done"
	case cuzk.Cancelled, cuzk.Deadline:
		return "stopped"
	}
	t.Errorf("%s: %v", k.name, err)
	return "failed"
}

func holds(t *testing.T, e *cuzk.Engine, k kind, proof []byte) {
	if ok, err := k.verify(context.Background(), e, proof); err != nil || !ok {
		t.Errorf("%s: the proof does not hold: %v", k.name, err)
	}
}

func pick(r *rand.Rand, kinds []kind) kind {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := r.IntN(total)
	for _, k := range kinds {
		if n -= k.weight; n < 0 {
			return k
		}
	}
	return kinds[0]
}

// tally counts how jobs ended.
type tally struct {
	mu sync.Mutex // guards of
	of map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[what]++
}

// resources is what a process holds.
type resources struct {
	Goroutines, Files int
	AnonMiB           int // memory that is no file's
}

// footprint collects garbage first.
func footprint(t *testing.T) resources {
	debug.FreeOSMemory()
	return held(t)
}

func held(t *testing.T) (f resources) {
	f.Goroutines = runtime.NumGoroutine()
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	f.Files = len(files)
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(status), "RssAnon:")
	require.True(t, ok)
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	f.AnonMiB = kib >> 10
	return f
}

// within allows for what the runtime keeps in reserve.
func (f resources) within(before resources) bool {
	return f.Goroutines <= before.Goroutines+4 && f.Files <= before.Files+2 && f.AnonMiB <= before.AnonMiB+64
}

// golden builds a request of each kind from golden data.
func golden(t *testing.T) []kind {
	return []kind{porep(t), post(t, "winning_post", 10, 0), post(t, "window_post", 8, 10), update(t)}
}

func porep(t *testing.T) kind {
	var info struct {
		ProverID harness.Hex32 `json:"prover_id"`
		CommR    harness.Hex32 `json:"comm_r"`
		CommD    harness.Hex32 `json:"comm_d"`
		Ticket   harness.Hex32
		Seed     harness.Hex32
		Number   uint64 `json:"sector_number"`
	}
	load(t, "sector-0.json", &info)
	c1 := read(t, "c1-0.json")
	return kind{"porep", 1,
		func(job cuzk.JobOptions) cuzk.Request {
			return cuzk.PoRep{C1: c1, SectorNumber: info.Number, ProverID: info.ProverID, Job: job}
		},
		func(ctx context.Context, e *cuzk.Engine, proof []byte) (bool, error) {
			return e.VerifyPoRep(ctx, cuzk.PoRepInfo{RegisteredProof: 5, SectorNumber: info.Number, ProverID: info.ProverID,
				CommR: info.CommR, CommD: info.CommD, Ticket: info.Ticket, Seed: info.Seed}, proof)
		}}
}

// post is a PoSt of one sector; registered is its number.
func post(t *testing.T, name string, weight, registered int) kind {
	var file struct {
		Randomness harness.Hex32
		ProverID   harness.Hex32 `json:"prover_id"`
		Sectors    []struct {
			Number uint64        `json:"sector_number"`
			CommR  harness.Hex32 `json:"comm_r"`
			File   string
		}
	}
	load(t, name+".json", &file)
	info := cuzk.PoStInfo{RegisteredProof: registered, Randomness: file.Randomness, ProverID: file.ProverID}
	var vanilla [][]byte
	for _, s := range file.Sectors {
		vanilla = append(vanilla, read(t, s.File))
		info.Sectors = append(info.Sectors, cuzk.PoStSector{Number: s.Number, CommR: s.CommR})
	}
	return kind{name, weight,
		func(job cuzk.JobOptions) cuzk.Request {
			return cuzk.PoSt{RegisteredProof: registered, Randomness: file.Randomness, ProverID: file.ProverID, Vanilla: vanilla, Job: job}
		},
		func(ctx context.Context, e *cuzk.Engine, proof []byte) (bool, error) {
			return e.VerifyPoSt(ctx, info, proof)
		}}
}

func update(t *testing.T) kind {
	var file struct {
		CommROld harness.Hex32 `json:"comm_r_old"`
		CommRNew harness.Hex32 `json:"comm_r_new"`
		CommDNew harness.Hex32 `json:"comm_d_new"`
		Files    []string
	}
	load(t, "update.json", &file)
	var vanilla [][]byte
	for _, name := range file.Files {
		vanilla = append(vanilla, read(t, name))
	}
	return kind{"update", 1,
		func(job cuzk.JobOptions) cuzk.Request {
			return cuzk.Update{CommROld: file.CommROld, CommRNew: file.CommRNew, CommDNew: file.CommDNew, Vanilla: vanilla, Job: job}
		},
		func(ctx context.Context, e *cuzk.Engine, proof []byte) (bool, error) {
			return e.VerifyUpdate(ctx, cuzk.UpdateInfo{CommROld: file.CommROld, CommRNew: file.CommRNew, CommDNew: file.CommDNew}, proof)
		}}
}

func read(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join(harness.Golden(), "sectors", "2k-v1_1", name))
	require.NoError(t, err)
	return data
}

func load(t *testing.T, name string, into any) {
	require.NoError(t, json.Unmarshal(read(t, name), into))
}
