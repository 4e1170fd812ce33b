package params

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

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
func VerifyPublished(ctx context.Context, file *files.File, progress func(done, total int64)) error {
	_, want, ok := Recognise(file.Path)
	if !ok {
		return status.New(status.SRSDigest, file.Path, "%s: no published parameters have this name", file.Path)
	}
	got, err := file.Digest(ctx, progress)
	if err != nil {
		return err
	}
	if got != want {
		return status.New(status.SRSDigest, file.Path, "%s: digest %s, published is %s", file.Path, got, want)
	}
	return nil
}

// VerifyPublished reads the whole file and compares its digest with the one
// published for its name.
func (f *File) VerifyPublished(ctx context.Context, progress func(done, total int64)) error {
	return VerifyPublished(ctx, f.file, progress)
}
