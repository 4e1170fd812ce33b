package vanilla

import (
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// PoStSector is the vanilla proof of one sector, as generate_single_vanilla_proof
// returns it: FallbackPoStSectorProof (RFP fp/types/mod.rs:111-123).
type PoStSector struct {
	Number                  uint64
	CommR, CommC, CommRLast Node
	Openings                []Opening // of tree R, one per challenge
}

// ParsePoStSector reads one sector of a proof of the given kind and size. The
// result refers to data.
func ParsePoStSector(data []byte, p filecoin.PoStProof) (*PoStSector, error) {
	openings := filecoin.WindowChallenges
	if p.Kind() == filecoin.WinningPoSt {
		openings = filecoin.WinningChallenges
	}
	enc := newEncoding(treeCR(p.Shape()))
	d := &decoder{data: data}
	s := &PoStSector{Number: d.u64("sector_id"), CommR: d.node("comm_r")}
	d.count(1, "vanilla_proof.sectors", "sector proofs")
	d.count(openings, "inclusion_proofs", "inclusion proofs")
	if d.err == nil {
		s.Openings = make([]Opening, openings)
	}
	for i := range s.Openings {
		s.Openings[i] = d.opening(enc, fmt.Sprintf("inclusion_proofs[%d]", i))
	}
	s.CommC, s.CommRLast = d.node("comm_c"), d.node("comm_r_last")
	d.end("vanilla proof")
	if d.err != nil {
		return nil, d.err
	}
	return s, nil
}

// Check compares a sector with the public values: its number, comm_r, the
// challenged leaves in their order, and that all paths claim to end in
// comm_r_last. It does not hash the paths: the circuit's witness does, and
// solving fails where a path does not lead to comm_r_last.
func (s *PoStSector) Check(public filecoin.PoStSector, challenges []uint64) error {
	if s.Number != public.Number {
		return status.New(status.InputMismatch, "sector_id", "sector_id: vanilla proof of sector %d, want %d", s.Number, public.Number)
	}
	if s.CommR != public.CommR {
		return status.New(status.InputMismatch, "comm_r", "comm_r: %x in the vanilla proof, want %x", s.CommR, public.CommR)
	}
	if err := checkCommR("comm_r", &s.CommC, &s.CommRLast, &s.CommR); err != nil {
		return err
	}
	for i := range s.Openings {
		where := fmt.Sprintf("inclusion_proofs[%d]", i)
		if err := s.Openings[i].check(where, &s.CommRLast, challenges[i]); err != nil {
			return err
		}
	}
	return nil
}

// check compares an opening's root and leaf number.
func (o Opening) check(where string, root *Node, index uint64) error {
	if *o.Root() != *root {
		return status.New(status.InputMismatch, where+".root", "%s: root %x, want %x", where, o.Root()[:], root[:])
	}
	if got := o.Index(); got != index {
		return status.New(status.InputMismatch, where+".path", "%s: opens leaf %d, the challenge is %d", where, got, index)
	}
	return nil
}
