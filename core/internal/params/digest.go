package params

import (
	"context"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Digest returns the digest of a file as Filecoin's parameters.json has it: the
// first 16 bytes of its BLAKE2b-512, in hex (facts.md 4.9).
func Digest(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", status.New(status.FileIO, path, "opening parameters: %w", err)
	}
	defer file.Close()
	hash, err := blake2b.New512(nil)
	if err != nil {
		return "", status.New(status.Internal, "blake2b", "%w", err)
	}
	buf := make([]byte, 1<<20)
	for {
		if ctx.Err() != nil {
			return "", ended(ctx, context.Cause(ctx))
		}
		n, err := file.Read(buf)
		hash.Write(buf[:n])
		if err == io.EOF {
			return hex.EncodeToString(hash.Sum(nil)[:16]), nil
		}
		if err != nil {
			return "", status.New(status.FileIO, path, "reading parameters: %w", err)
		}
	}
}

// Recognise finds the published circuit whose file has the name of path, and
// the digest published for that file. ok is false for any other name.
func Recognise(path string) (p filecoin.Published, digest string, ok bool) {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	if ext != ".params" && ext != ".vk" {
		return p, "", false
	}
	p, ok = filecoin.PublishedByName(strings.TrimSuffix(base, ext))
	if ext == ".vk" {
		return p, p.VKDigest, ok
	}
	return p, p.ParamsDigest, ok
}

// VerifyPublished reads the whole file and compares its digest with the one
// published for its name.
func VerifyPublished(ctx context.Context, path string) error {
	_, want, ok := Recognise(path)
	if !ok {
		return status.New(status.SRSDigest, path, "no published parameters have this name")
	}
	got, err := Digest(ctx, path)
	if err != nil {
		return err
	}
	if got != want {
		return status.New(status.SRSDigest, path, "digest %s, published is %s", got, want)
	}
	return nil
}
