package curio

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/libcuzk/libcuzk/tests/curio/cuzkv1"
)

// params is the folder of the test parameters, which the Python tests make.
func params(t *testing.T) string {
	dir := os.Getenv("CUZK_TEST_PARAMS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		dir = filepath.Join(cache, "cuzk")
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "v28-*.params")); len(found) < 4 {
		t.Skipf("no test parameters in %s", dir)
	}
	return dir
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestProofs has real proofs made, of the expected length; CUZK_TEST_LONG adds those that take half a minute.
func TestProofs(t *testing.T) {
	s := start(t, "unix://"+filepath.Join(t.TempDir(), "s"), "--params", params(t))
	s.logged(t, "ready")
	c := client(t, s.address)
	requests := []*cuzkv1.SubmitProofRequest{winning(t), window(t)}
	if os.Getenv("CUZK_TEST_LONG") != "" {
		requests = append(requests, snap(t), porep(t, "porep-1001-101", golden(t, "c1-0.json")))
	}
	for _, request := range requests {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute) // ProveTimeout
		proof, err := c.Prove(ctx, request)
		cancel()
		require.NoError(t, err, request.RequestId)
		require.Len(t, proof, 192, request.RequestId)
	}
}

// TestInputs: everything that Curio sends is taken and solved.
func TestInputs(t *testing.T) {
	_, c := solving(t)
	c1 := golden(t, "c1-0.json")
	marshalled, err := AsGo(c1)
	require.NoError(t, err)
	require.NotEqual(t, c1, marshalled)
	unsized := snap(t)
	unsized.SectorSize = 0
	for _, request := range []*cuzkv1.SubmitProofRequest{winning(t), window(t), snap(t), unsized,
		porep(t, "porep-1001-101", c1), porep(t, "ps-porep-1001-101-7", marshalled)} {
		_, err := c.Prove(soon(t), request)
		require.NoError(t, err, request.RequestId)
	}
}

// TestTwoPartitionsWithOneRequestID: the second is not taken for the first.
func TestTwoPartitionsWithOneRequestID(t *testing.T) {
	_, c := solving(t)
	one, other := window(t), window(t)
	other.VanillaProofs = other.VanillaProofs[:1]
	require.Equal(t, one.RequestId, other.RequestId)
	var wait sync.WaitGroup
	for _, request := range []*cuzkv1.SubmitProofRequest{one, other} {
		wait.Go(func() {
			_, err := c.Prove(soon(t), request)
			require.NoError(t, err)
		})
	}
	wait.Wait()
	require.EqualValues(t, 2, completed(t, c))
}

// TestSameRequestTwice: one proof is made.
func TestSameRequestTwice(t *testing.T) {
	_, c := solving(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			_, err := c.Prove(soon(t), porep(t, "porep-1001-101", golden(t, "c1-0.json")))
			require.NoError(t, err)
		})
	}
	wait.Wait()
	require.EqualValues(t, 1, completed(t, c))
}

func completed(t *testing.T, c *Client) uint64 {
	engine, err := c.engine()
	require.NoError(t, err)
	answer, err := engine.GetStatus(soon(t), &cuzkv1.GetStatusRequest{})
	require.NoError(t, err)
	return answer.TotalProofsCompleted
}

// TestDeadline: the job of a caller whose time was over is cancelled, and its next retry is served.
func TestDeadline(t *testing.T) {
	s, c := solving(t, "--grace", "0")
	c1 := golden(t, "c1-0.json")
	for i := range 60 { // the job may be done before
		request := porep(t, fmt.Sprintf("late-%d", i), append(bytes.Clone(c1), bytes.Repeat([]byte(" "), 4<<20)...))
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(5+5*i)*time.Millisecond)
		_, err := c.Prove(ctx, request)
		cancel()
		if err == nil {
			break // too late for that
		}
		require.Equal(t, codes.DeadlineExceeded, status.Code(err), "%v", err)
		_, err = c.Prove(soon(t), request)
		require.NoError(t, err)
	}
	s.logged(t, "cancel: its callers have gone")
}

// TestWinningBesidePoReps: ten PoReps are under way, and a WinningPoSt does not wait for them.
func TestWinningBesidePoReps(t *testing.T) {
	_, c := solving(t)
	var wait sync.WaitGroup
	var last time.Time
	var lock sync.Mutex
	for i := range 10 {
		c1 := append(golden(t, "c1-0.json"), bytes.Repeat([]byte(" "), i<<20)...)
		wait.Go(func() {
			_, err := c.Prove(soon(t), porep(t, fmt.Sprintf("porep-%d", i), c1))
			require.NoError(t, err)
			lock.Lock()
			defer lock.Unlock()
			last = time.Now()
		})
	}
	time.Sleep(50 * time.Millisecond)
	_, err := c.Prove(soon(t), winning(t))
	require.NoError(t, err)
	ended := time.Now()
	wait.Wait()
	require.True(t, ended.Before(last), "the WinningPoSt was the last of all")
}

// TestLargeMessages: what is large is received whole, and what is wrong with it said.
func TestLargeMessages(t *testing.T) {
	_, c := solving(t)
	sizes := []int{60 << 20}
	if os.Getenv("CUZK_TEST_LONG") != "" {
		sizes = append(sizes, 250<<20)
	}
	for _, size := range sizes {
		request := porep(t, "large", []byte("{}"))
		request.VanillaProof = bytes.Repeat([]byte("x"), size)
		_, err := c.Prove(soon(t), request)
		require.ErrorContains(t, err, "FAILED: input_syntax", "%d bytes", size)
	}
}

// TestBadRequests: each has an answer in words, and the next caller notices nothing.
func TestBadRequests(t *testing.T) {
	_, c := solving(t)
	for name, test := range map[string]struct {
		request func() *cuzkv1.SubmitProofRequest
		words   string
	}{
		"nil submit": {func() *cuzkv1.SubmitProofRequest { return nil }, "no field submit"},
		"kind 0":     {func() *cuzkv1.SubmitProofRequest { r := winning(t); r.ProofKind = 0; return r }, "proof_kind 0"},
		"kind 9":     {func() *cuzkv1.SubmitProofRequest { r := winning(t); r.ProofKind = 9; return r }, "proof_kind 9"},
		"randomness": {func() *cuzkv1.SubmitProofRequest { r := winning(t); r.Randomness = r.Randomness[1:]; return r },
			"randomness has 31 bytes: want 32"},
		"registered proof": {func() *cuzkv1.SubmitProofRequest { r := winning(t); r.RegisteredProof = 10; return r },
			"FAILED: input_mismatch: registered_proof 10"},
		"sector size": {func() *cuzkv1.SubmitProofRequest { r := window(t); r.SectorSize = 32 << 30; return r },
			"FAILED: input_mismatch: sector_size"},
		"swapped sectors": {func() *cuzkv1.SubmitProofRequest {
			r := window(t)
			r.VanillaProofs[0], r.VanillaProofs[1] = r.VanillaProofs[1], r.VanillaProofs[0]
			return r
		}, "FAILED: input_value: sectors[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Prove(soon(t), test.request())
			require.ErrorContains(t, err, test.words)
			_, err = c.Prove(soon(t), winning(t))
			require.NoError(t, err)
		})
	}
}

// TestKilledUnderLoad: callers get an error, try again, and all are served by the next server.
func TestKilledUnderLoad(t *testing.T) {
	s, c := solving(t)
	var wait sync.WaitGroup
	var failed atomic.Int64
	for i := range 20 {
		wait.Go(func() {
			request := porep(t, fmt.Sprintf("porep-%d", i), append(golden(t, "c1-0.json"), bytes.Repeat([]byte(" "), 1<<20)...))
			for range 300 {
				if _, err := c.Prove(soon(t), request); err == nil {
					return
				}
				failed.Add(1)
				time.Sleep(100 * time.Millisecond)
			}
			t.Errorf("call %d was never served", i)
		})
	}
	s.logged(t, "accepted porep")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGKILL))
	s.cmd.Wait()
	again := start(t, s.address, "--witness-only")
	again.logged(t, "listening on")
	wait.Wait()
	require.NotZero(t, failed.Load())
}

// TestStopped: a server that was asked to stop ends what is under way.
func TestStopped(t *testing.T) {
	s, c := solving(t)
	var wait sync.WaitGroup
	for i := range 5 {
		wait.Go(func() {
			_, err := c.Prove(soon(t), porep(t, fmt.Sprintf("porep-%d", i), append(golden(t, "c1-0.json"), bytes.Repeat([]byte(" "), i)...)))
			require.NoError(t, err)
		})
	}
	for range 5 {
		s.logged(t, "accepted porep")
	}
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	wait.Wait()
	s.logged(t, "drained")
	require.NoError(t, s.cmd.Wait())
}

// TestSecondServer: neither the socket nor the port of a live server can be taken.
func TestSecondServer(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	tcp := free.Addr().String()
	free.Close()
	unix := "unix://" + filepath.Join(t.TempDir(), "s")
	s := start(t, unix+","+tcp, "--witness-only")
	s.logged(t, "listening on")
	for address, words := range map[string]string{unix: "another server listens there", tcp: "cannot be bound"} {
		start(t, address, "--witness-only").logged(t, words)
		_, err := client(t, address).Prove(soon(t), winning(t))
		require.NoError(t, err)
	}
}
