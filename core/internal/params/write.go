package params

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Points are where the points of a file come from.
type Points struct {
	// Set sets dst to the encoded points of a section (SectionH, …) from position
	// first on. It is called on several goroutines.
	Set     func(section, first int, dst []byte) error
	Part    int // points that are asked for at a time
	Workers int // parts that are asked for at once
}

// Save writes a `.params` file through a temporary one. progress, if not nil, is
// called from the calling goroutine with the bytes written so far and the length
// of the whole file.
func Save(ctx context.Context, path string, key *verify.Key, l Layout, from Points, progress func(done, total int64)) error {
	return WriteFile(path, func(file *os.File) error {
		head := key.AppendTo(nil)
		parts, lengths := l.parts(int64(len(head)), from.Part)
		if _, err := file.Write(head); err != nil {
			return err
		}
		done := int64(len(head))
		for at, n := range lengths {
			done += 4
			if _, err := file.WriteAt(binary.BigEndian.AppendUint32(nil, n), at); err != nil {
				return err
			}
		}
		bufs := make([][]byte, max(1, from.Workers))
		for len(parts) > 0 {
			now := parts[:min(len(bufs), len(parts))]
			parts = parts[len(now):]
			err := spawn.Each(ctx, len(now), len(now), func(i int) error { return now[i].write(file, from, &bufs[i]) })
			if err != nil {
				return ended(ctx, err)
			}
			for _, p := range now {
				done += int64(p.bytes)
			}
			if progress != nil {
				progress(done, l.Size())
			}
		}
		return nil
	})
}

// SaveKey writes a `.vk` file through a temporary one.
func SaveKey(path string, key *verify.Key) error {
	return WriteFile(path, func(file *os.File) error {
		_, err := file.Write(key.AppendTo(nil))
		return err
	})
}

// part is a stretch of a section and where it stands in the file.
type part struct {
	section, first, bytes int
	at                    int64
}

// parts cuts all sections, which begin at position at of the file, and returns
// where the length of each stands.
func (l Layout) parts(at int64, points int) (parts []part, lengths map[int64]uint32) {
	lengths = map[int64]uint32{}
	for section, n := range [...]int{SectionH: l.H, SectionL: l.L, SectionA: l.A, SectionB1: l.B, SectionB2: l.B} {
		size := curve.SizeG1
		if section == SectionB2 {
			size = curve.SizeG2
		}
		lengths[at] = uint32(n)
		at += 4
		for first := 0; first < n; first += points {
			p := part{section, first, min(points, n-first) * size, at}
			parts = append(parts, p)
			at += int64(p.bytes)
		}
	}
	return parts, lengths
}

func (p part) write(file *os.File, from Points, buf *[]byte) error {
	if cap(*buf) < p.bytes {
		*buf = make([]byte, p.bytes)
	}
	to := (*buf)[:p.bytes]
	if err := from.Set(p.section, p.first, to); err != nil {
		return err
	}
	if _, err := file.WriteAt(to, p.at); err != nil {
		return status.New(status.FileIO, "", "writing parameters: %w", err)
	}
	return nil
}

// WriteFile writes path through fill into a temporary file beside it, which is
// renamed when it is whole and on disk. After an error nothing is left.
func WriteFile(path string, fill func(file *os.File) error) (err error) {
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
	for _, step := range []func() error{
		func() error { return fill(file) },
		func() error { return file.Chmod(0o644) },
		file.Sync,
		file.Close,
		func() error { return os.Rename(file.Name(), path) },
	} {
		var classified *status.Error
		if err := step(); errors.As(err, &classified) {
			return err
		} else if err != nil {
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
