package filecoin

import (
	"math/bits"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Piece is a piece of a sector's data: its commitment, and its length in bytes
// before padding (127 for every 128 of the sector).
type Piece struct {
	CommP Node
	Size  uint64
}

// minimumPiece is the least length that the number of pieces is bounded by (RFP
// fp/constants.rs MINIMUM_PIECE_SIZE).
const minimumPiece = 127

// padded is the length of so many bytes in a sector (RFP fp/types/bytes_amount.rs).
func padded(unpadded uint64) uint64 {
	sum, carry := bits.Add64(unpadded, unpadded/127, 0)
	if carry != 0 {
		return ^uint64(0)
	}
	return sum
}

// DataCommitment returns comm_d of a sector that holds the pieces in order, with
// zeros where a larger one needs them before it and after the last as far as the
// tree of what is there goes (RFP fp/pieces.rs compute_comm_d). Without pieces it
// is that of a sector of zeros.
func DataCommitment(sectorSize uint64, pieces []Piece) (Node, error) {
	if len(pieces) == 0 {
		return ZeroCommD(sectorSize), nil
	}
	if uint64(len(pieces)) > sectorSize/128*127/minimumPiece {
		return Node{}, status.New(status.InputValue, "pieces", "pieces: %d are more than the sector can hold", len(pieces))
	}
	var sum uint64
	for _, p := range pieces {
		size := padded(p.Size)
		if sum += size; size > sectorSize || sum > sectorSize {
			return Node{}, status.New(status.InputValue, "pieces", "pieces: larger than the sector of %d bytes", sectorSize)
		}
	}
	var s pieceStack
	for i, p := range pieces {
		if size := padded(p.Size); bits.OnesCount64(size) != 1 {
			return Node{}, status.New(status.InputValue, "pieces", "pieces: pieces[%d] has %d bytes padded, want a power of two", i, size)
		}
		for len(s) > 0 && s[len(s)-1].Size < p.Size {
			if err := s.pad(); err != nil {
				return Node{}, err
			}
		}
		s.push(p)
	}
	for len(s) > 1 {
		if err := s.pad(); err != nil {
			return Node{}, err
		}
	}
	return s[0].CommP, nil
}

// pieceStack holds trees of falling size, joined as soon as two are equal.
type pieceStack []Piece

func (s *pieceStack) push(p Piece) {
	for n := len(*s); n > 0 && (*s)[n-1].Size == p.Size; n = len(*s) {
		left := (*s)[n-1]
		*s = (*s)[:n-1]
		p = Piece{CommP: HashD(&left.CommP, &p.CommP), Size: left.Size + p.Size}
	}
	*s = append(*s, p)
}

// pad puts as many zeros behind the last tree as it is long.
func (s *pieceStack) pad() error {
	size := (*s)[len(*s)-1].Size
	want := padded(size)
	var zero Node
	zero = HashD(&zero, &zero)
	hashed := uint64(64)
	for ; hashed < want; hashed *= 2 {
		zero = HashD(&zero, &zero)
	}
	if hashed != want {
		return status.New(status.InputValue, "pieces", "pieces: no zeros of %d bytes", want)
	}
	s.push(Piece{CommP: zero, Size: size})
	return nil
}
