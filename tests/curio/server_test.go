package curio

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/tests/curio/cuzkv1"
)

// root is the repository.
const root = "../.."

var sectors = filepath.Join(root, "tests/golden/sectors/2k-v1_1")

// server is a `python -m cuzk serve` of a test.
type server struct {
	address string
	cmd     *exec.Cmd
	lines   chan string
}

// start runs a server until the test ends.
func start(t *testing.T, address string, flags ...string) *server {
	python, err := filepath.Abs(filepath.Join(root, "build/venv/bin/python"))
	require.NoError(t, err)
	if given := os.Getenv("CUZK_TEST_PYTHON"); given != "" {
		python = given
	}
	if _, err := os.Stat(python); err != nil {
		t.Skipf("no Python with cuzk[serve]: %v (make it with `make test-python`, or set CUZK_TEST_PYTHON)", err)
	}
	library, err := filepath.Abs(filepath.Join(root, "build/lib/libcuzk.so.0"))
	require.NoError(t, err)
	s := &server{address, exec.Command(python, append([]string{"-m", "cuzk", "serve", "--listen", address}, flags...)...),
		make(chan string, 1<<16)}
	s.cmd.Env = append(os.Environ(), "CUZK_LIBRARY="+library)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	return s
}

// logged waits for a line with a text and returns all up to it; it fails the test when the server ends before.
func (s *server) logged(t *testing.T, text string) string {
	var seen []string
	timeout := time.After(time.Minute)
	for {
		select {
		case line, ok := <-s.lines:
			seen = append(seen, line)
			require.True(t, ok, "the server ended without %q:\n%s", text, strings.Join(seen, "\n"))
			if strings.Contains(line, text) {
				return strings.Join(seen, "\n")
			}
		case <-timeout:
			t.Fatalf("no %q in the log:\n%s", text, strings.Join(seen, "\n"))
		}
	}
}

// solving starts a server that solves without proving, and a client of it.
func solving(t *testing.T, flags ...string) (*server, *Client) {
	s := start(t, "unix://"+filepath.Join(t.TempDir(), "s"), append(flags, "--witness-only")...)
	s.logged(t, "listening on")
	return s, client(t, s.address)
}

func client(t *testing.T, address string) *Client {
	c := &Client{Address: address}
	t.Cleanup(func() { c.Close() })
	return c
}

// golden reads a file of the golden sector.
func golden(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join(sectors, name))
	require.NoError(t, err)
	return data
}

// field is a hex field of a golden JSON file.
func field(t *testing.T, file, name string) []byte {
	var values map[string]any
	require.NoError(t, json.Unmarshal(golden(t, file), &values))
	value, err := hex.DecodeString(values[name].(string))
	require.NoError(t, err)
	return value
}

// The requests, field by field as Curio fills them.

func winning(t *testing.T) *cuzkv1.SubmitProofRequest {
	randomness := field(t, "winning_post.json", "randomness")
	return &cuzkv1.SubmitProofRequest{RequestId: fmt.Sprintf("winpost-1001-%x", randomness[:8]),
		ProofKind: cuzkv1.ProofKind_WINNING_POST, SectorSize: 2048, RegisteredProof: 0, Priority: cuzkv1.Priority_CRITICAL,
		VanillaProofs: [][]byte{golden(t, "winning_post-0.vanilla")}, MinerId: 1001, Randomness: randomness}
}

func window(t *testing.T) *cuzkv1.SubmitProofRequest {
	randomness := field(t, "window_post.json", "randomness")
	return &cuzkv1.SubmitProofRequest{RequestId: fmt.Sprintf("wdpost-1001-0-%v", randomness[:8]),
		ProofKind: cuzkv1.ProofKind_WINDOW_POST_PARTITION, SectorSize: 2048, RegisteredProof: 10, Priority: cuzkv1.Priority_HIGH,
		VanillaProofs: [][]byte{golden(t, "window_post-0.vanilla"), golden(t, "window_post-1.vanilla")},
		MinerId:       1001, Randomness: randomness}
}

func snap(t *testing.T) *cuzkv1.SubmitProofRequest {
	return &cuzkv1.SubmitProofRequest{RequestId: "snap-1001-101", ProofKind: cuzkv1.ProofKind_SNAP_DEALS_UPDATE,
		SectorSize: 2048, RegisteredProof: 0, Priority: cuzkv1.Priority_NORMAL, SectorNumber: 101, MinerId: 1001,
		VanillaProofs: [][]byte{golden(t, "update-0.vanilla")}, CommROld: field(t, "update.json", "comm_r_old"),
		CommRNew: field(t, "update.json", "comm_r_new"), CommDNew: field(t, "update.json", "comm_d_new")}
}

func porep(t *testing.T, id string, c1 []byte) *cuzkv1.SubmitProofRequest {
	wrapped, err := Wrap(c1, 101, 2048)
	require.NoError(t, err)
	return &cuzkv1.SubmitProofRequest{RequestId: id, ProofKind: cuzkv1.ProofKind_POREP_SEAL_COMMIT, SectorSize: 2048,
		RegisteredProof: 5, Priority: cuzkv1.Priority_NORMAL, VanillaProof: wrapped, SectorNumber: 101, MinerId: 1001}
}
