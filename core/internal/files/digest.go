package files

import (
	"context"
	"encoding/hex"

	"golang.org/x/crypto/blake2b"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Digest returns the digest of the file as Filecoin's parameters.json has it: the
// first 16 bytes of its BLAKE2b-512, in hex (docs/filecoin.md 4.9). progress, if not nil,
// is told the bytes read so far and the length of the file.
func (f *File) Digest(ctx context.Context, progress func(done, total int64)) (string, error) {
	hash, err := blake2b.New512(nil)
	if err != nil {
		return "", status.New(status.Internal, "blake2b", "%w", err)
	}
	for at := int64(0); at < f.Size; {
		n := int(min(Piece, f.Size-at))
		err := f.Use(ctx, []Span{{at, n}}, func(data []byte) error { _, err := hash.Write(data); return err })
		if err != nil {
			return "", err
		}
		if at += int64(n); progress != nil {
			progress(at, f.Size)
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:16]), nil
}
