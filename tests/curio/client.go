// Package curio is a client of the proving service as Curio has one: a lazily
// opened connection for the whole process, messages of up to 256 MiB, the
// deadline in the context, and no call but Prove. Its tests hold the server to
// what Curio expects of it.
//
// It is a module of its own, so that gRPC is no dependency of libcuzk.
package curio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/libcuzk/libcuzk/tests/curio/cuzkv1"
)

//go:generate ../../build/venv/bin/python -m grpc_tools.protoc -I../../include --go_out=. --go_opt=module=github.com/libcuzk/libcuzk/tests/curio,Mcuzk/v1/proving.proto=github.com/libcuzk/libcuzk/tests/curio/cuzkv1 --go-grpc_out=. --go-grpc_opt=module=github.com/libcuzk/libcuzk/tests/curio,Mcuzk/v1/proving.proto=github.com/libcuzk/libcuzk/tests/curio/cuzkv1 cuzk/v1/proving.proto

// maxMessage is what a message may have in bytes, either way.
const maxMessage = 256 << 20

// Client asks a server for proofs.
type Client struct {
	Address string // unix:///PATH, HOST:PORT, or another target of gRPC

	once sync.Once
	conn *grpc.ClientConn
	err  error
}

// Prove returns the proof, or the server's reason for there being none.
func (c *Client) Prove(ctx context.Context, submit *cuzkv1.SubmitProofRequest) ([]byte, error) {
	engine, err := c.engine()
	if err != nil {
		return nil, err
	}
	answer, err := engine.Prove(ctx, &cuzkv1.ProveRequest{Submit: submit})
	if err != nil {
		return nil, err
	}
	result := answer.GetResult()
	if result == nil {
		return nil, errors.New("the answer has no result")
	}
	if result.Status != cuzkv1.AwaitProofResponse_COMPLETED {
		return nil, fmt.Errorf("%s: %s", result.Status, result.ErrorMessage)
	}
	return result.Proof, nil
}

// engine opens the connection with the first call.
func (c *Client) engine() (cuzkv1.ProvingEngineClient, error) {
	c.once.Do(func() {
		target := c.Address
		if !strings.Contains(target, "://") {
			target = "dns:///" + target
		}
		c.conn, c.err = grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	})
	if c.err != nil {
		return nil, c.err
	}
	return cuzkv1.NewProvingEngineClient(c.conn), nil
}

// Close ends the connection.
func (c *Client) Close() error {
	if c.conn == nil {
		return nil
	}
	return c.conn.Close()
}

// wrapper is how a commit-phase-1 output travels.
type wrapper struct {
	SectorNum  int64
	Phase1Out  []byte
	SectorSize uint64
}

// Wrap puts a commit-phase-1 output into its wrapper.
func Wrap(c1 []byte, sector int64, size uint64) ([]byte, error) {
	return json.Marshal(wrapper{sector, c1, size})
}

// AsGo reads a commit-phase-1 output and writes it as Go's encoder does: fields
// in another order, other white space.
func AsGo(c1 []byte) ([]byte, error) {
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(c1)))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}
