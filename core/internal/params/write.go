package params

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/files"
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

// Save writes a `.params` file and the `.vk` file of its key; they take their names together, or neither does.
// Existing ones are refused unless replace is true. progress, if not nil, is
// called from the calling goroutine with the bytes written so far and the length
// of the `.params` file.
func Save(ctx context.Context, path, keyPath string, key *verify.Key, l Layout, from Points, replace bool, progress func(done, total int64)) error {
	out, err := Begin(ctx, path, keyPath, replace)
	if err != nil {
		return err
	}
	defer out.Abort()
	return out.save(ctx, key, l, from, progress)
}

// Output is the place of a `.params` and a `.vk` file that are being made.
type Output struct {
	*files.Set
	params, key string // names
}

// Begin takes the place of the files, before there is anything to write.
func Begin(ctx context.Context, path, keyPath string, replace bool) (*Output, error) {
	dir, name := filepath.Split(path)
	if filepath.Dir(path) != filepath.Dir(keyPath) {
		return nil, status.New(status.Argument, keyPath, "%s is not in the folder of %s", keyPath, path)
	}
	names := []string{name, filepath.Base(keyPath)}
	set, err := files.Begin(ctx, filepath.Clean(dir), names, replace)
	return &Output{set, names[0], names[1]}, err
}

func (o *Output) save(ctx context.Context, key *verify.Key, l Layout, from Points, progress func(done, total int64)) error {
	head := key.AppendTo(nil)
	if err := o.write(ctx, o.params, l.Size(), func(w *files.Writer) error {
		return writePoints(ctx, w, head, l, from, progress)
	}); err != nil {
		return err
	}
	if err := o.write(ctx, o.key, int64(len(head)), func(w *files.Writer) error { return w.Append(ctx, head) }); err != nil {
		return err
	}
	return o.Commit(ctx)
}

// write makes one file.
func (o *Output) write(ctx context.Context, name string, size int64, fill func(w *files.Writer) error) error {
	w, err := o.Create(ctx, name, size)
	if err != nil {
		return err
	}
	err = fill(w)
	if e := w.Close(ctx); err == nil {
		err = e
	}
	return err
}

// writePoints writes a `.params` file.
func writePoints(ctx context.Context, w *files.Writer, head []byte, l Layout, from Points, progress func(done, total int64)) error {
	parts, lengths := l.parts(int64(len(head)), from.Part)
	if err := w.WriteAt(ctx, head, 0); err != nil {
		return err
	}
	done := int64(len(head))
	for at, n := range lengths {
		done += 4
		if err := w.WriteAt(ctx, binary.BigEndian.AppendUint32(nil, n), at); err != nil {
			return err
		}
	}
	bufs := make([][]byte, max(1, from.Workers))
	for len(parts) > 0 {
		now := parts[:min(len(bufs), len(parts))]
		parts = parts[len(now):]
		err := spawn.Each(ctx, len(now), len(now), func(i int) error { return now[i].write(ctx, w, from, &bufs[i]) })
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

func (p part) write(ctx context.Context, w *files.Writer, from Points, buf *[]byte) error {
	if cap(*buf) < p.bytes {
		*buf = make([]byte, p.bytes)
	}
	to := (*buf)[:p.bytes]
	if err := from.Set(p.section, p.first, to); err != nil {
		return err
	}
	return w.WriteAt(ctx, to, p.at)
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
