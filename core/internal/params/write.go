package params

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"

	"libcuzk/core/internal/status"
)

// writeFile writes path through fill into a temporary file beside it, which is
// renamed when it is whole and on disk. After an error nothing is left.
func writeFile(path string, fill func(w *bufio.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	file, err := os.CreateTemp(dir, "."+base+".*.tmp")
	if err != nil {
		return status.New(status.FileIO, path, "creating parameters: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	w := bufio.NewWriterSize(file, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	for _, step := range []func() error{
		w.Flush,
		func() error { return file.Chmod(0o644) },
		file.Sync,
		file.Close,
		func() error { return os.Rename(file.Name(), path) },
	} {
		if err := step(); err != nil {
			return status.New(status.FileIO, path, "writing parameters: %w", err)
		}
	}
	return nil
}

// ended classifies err if it is only the end of ctx.
func ended(ctx context.Context, err error) error {
	var classified *status.Error
	switch {
	case err == nil || errors.As(err, &classified):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return status.New(status.Deadline, "", "deadline passed: %w", err)
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return status.New(status.Cancelled, "", "cancelled: %w", err)
	}
	return err
}
