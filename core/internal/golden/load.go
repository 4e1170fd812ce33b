package golden

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/circuit/porep"
	"github.com/libcuzk/libcuzk/core/internal/circuit/post"
	"github.com/libcuzk/libcuzk/core/internal/circuit/update"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// solvable is a checked vanilla proof with its circuit.
type solvable struct {
	statement filecoin.Statement
	circuit   *r1cs.Circuit
	solve     func(k int) (*r1cs.Witness, error)
}

func (s sector) load() (*solvable, error) {
	switch s.kind {
	case "porep":
		return s.loadPoRep()
	case "winning_post", "window_post":
		return s.loadPoSt()
	case "update":
		return s.loadUpdate()
	}
	return nil, fmt.Errorf("kind %q is not known", s.kind)
}

// readOneOf reads the first file that exists.
func readOneOf(names ...string) (raw []byte, err error) {
	for _, name := range names {
		if raw, err = Read(name); err == nil {
			return raw, nil
		}
	}
	return nil, err
}

func (s sector) loadPoRep() (*solvable, error) {
	raw, err := readOneOf(filepath.Join(s.dir, fmt.Sprintf("c1-%d.json", s.index)), filepath.Join(s.dir, "c1.json"))
	if err != nil {
		return nil, err
	}
	c1, err := vanilla.ParseC1(raw)
	if err != nil {
		return nil, err
	}
	compiled := circuit.Compile(c1.Proof.Shape())
	return &solvable{c1.Statement(), compiled, func(k int) (*r1cs.Witness, error) { return porep.Solve(context.Background(), compiled, c1, k) }}, nil
}

// hexNode is 32 bytes as the golden files write them.
type hexNode filecoin.Node

// UnmarshalText reads 64 hex digits.
func (n *hexNode) UnmarshalText(text []byte) error {
	if len(text) != 2*len(n) {
		return fmt.Errorf("%d hex digits, want %d", len(text), 2*len(n))
	}
	_, err := hex.Decode(n[:], text)
	return err
}

// postRequest is sectors/NAME/{winning,window}_post.json.
type postRequest struct {
	Proof      string  `json:"registered_post_proof"`
	Randomness hexNode `json:"randomness"`
	Sectors    []struct {
		Number     uint64  `json:"sector_number"`
		CommR      hexNode `json:"comm_r"`
		Challenges []uint64
		File       string
	}
}

func (s sector) loadPoSt() (*solvable, error) {
	var r postRequest
	if err := ReadJSON(filepath.Join(s.dir, s.kind+".json"), &r); err != nil {
		return nil, err
	}
	proof, err := filecoin.ParsePoStProof(r.Proof)
	if err != nil {
		return nil, err
	}
	var public []filecoin.PoStSector
	var sectors []*vanilla.PoStSector
	for _, x := range r.Sectors {
		raw, err := Read(filepath.Join(s.dir, x.File))
		if err != nil {
			return nil, err
		}
		v, err := vanilla.ParsePoStSector(raw, proof)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.File, err)
		}
		sectors = append(sectors, v)
		public = append(public, filecoin.PoStSector{Number: x.Number, CommR: filecoin.Node(x.CommR)})
	}
	if proof.Kind() == filecoin.WinningPoSt {
		return winning(proof, filecoin.Node(r.Randomness), public[0], sectors[0])
	}
	return window(proof, filecoin.Node(r.Randomness), public, sectors)
}

func winning(proof filecoin.PoStProof, randomness filecoin.Node, public filecoin.PoStSector, v *vanilla.PoStSector) (*solvable, error) {
	s := &filecoin.WinningStatement{Proof: proof, Randomness: randomness, Sector: public}
	if err := v.Check(public, s.Challenges()); err != nil {
		return nil, err
	}
	compiled := circuit.Compile(s.Shape())
	return &solvable{s, compiled, func(int) (*r1cs.Witness, error) {
		return post.Solve(context.Background(), compiled, s.Shape(), runtime.NumCPU(), []*vanilla.PoStSector{v})
	}}, nil
}

func window(proof filecoin.PoStProof, randomness filecoin.Node, public []filecoin.PoStSector, sectors []*vanilla.PoStSector) (*solvable, error) {
	s := &filecoin.WindowStatement{Proof: proof, Randomness: randomness, Sectors: public}
	for i, v := range sectors {
		if err := v.Check(public[i], s.Challenges(i)); err != nil {
			return nil, fmt.Errorf("sectors[%d]: %w", i, err)
		}
	}
	compiled, per := circuit.Compile(s.Shape()), s.Shape().Sectors
	of := func(k int) []*vanilla.PoStSector { return sectors[k*per : min(len(sectors), (k+1)*per)] }
	return &solvable{s, compiled, func(k int) (*r1cs.Witness, error) {
		return post.Solve(context.Background(), compiled, s.Shape(), runtime.NumCPU(), of(k))
	}}, nil
}

// updateRequest is sectors/NAME/update.json.
type updateRequest struct {
	Proof    string  `json:"registered_update_proof"`
	CommROld hexNode `json:"comm_r_old"`
	CommRNew hexNode `json:"comm_r_new"`
	CommDNew hexNode `json:"comm_d_new"`
	Files    []string
}

func (s sector) loadUpdate() (*solvable, error) {
	var r updateRequest
	if err := ReadJSON(filepath.Join(s.dir, "update.json"), &r); err != nil {
		return nil, err
	}
	proof, err := filecoin.ParseUpdateProof(r.Proof)
	if err != nil {
		return nil, err
	}
	u := &filecoin.UpdateStatement{
		Proof: proof, CommROld: filecoin.Node(r.CommROld), CommDNew: filecoin.Node(r.CommDNew), CommRNew: filecoin.Node(r.CommRNew),
	}
	compiled := circuit.Compile(u.Shape())
	return &solvable{u, compiled, func(k int) (*r1cs.Witness, error) {
		raw, err := Read(filepath.Join(s.dir, r.Files[k]))
		if err != nil {
			return nil, err
		}
		v, err := vanilla.ParseUpdatePartition(raw, proof)
		if err != nil {
			return nil, err
		}
		if err := v.Check(u, k); err != nil {
			return nil, err
		}
		return update.Solve(context.Background(), compiled, u, k, v)
	}}, nil
}
