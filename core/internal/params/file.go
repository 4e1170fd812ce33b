// Package params reads and makes Groth16 parameters in bellperson's format:
// `.params` (the SRS) and `.vk` (docs/filecoin.md 4.5 and 4.6, bellperson
// groth16/params.rs).
//
// A parameter file is never held in memory: its points are read when they are
// used, from the kernel's page cache if they are there. Opening a file checks
// every length; a point is checked to be on the curve when it is first decoded.
// Files are read by system calls and not mapped, since a page that does not come
// would stop the whole Go runtime (package files).
package params

import (
	"context"
	"encoding/binary"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// File is an open `.params` file. Its sections are safe for concurrent use
// until Close.
type File struct {
	Path   string
	Layout Layout
	key    *verify.Key
	file   *files.File
	h, l   *section[curve.G1Affine]
	a, b1  *section[curve.G1Affine]
	b2     *section[curve.G2Affine]

	stretches [SectionB2 + 1]stretch
}

// stretch is where a section is in the file.
type stretch struct {
	name  string
	size  int // bytes per point
	at    int64
	count int // points
}

// SRS is what a prover needs of the parameters, in their file or in memory.
type SRS struct {
	Key         *verify.Key
	H, L, A, B1 curve.SourceG1
	B2          curve.SourceG2
}

// Open opens the parameters of any circuit: see [OpenFor].
func Open(ctx context.Context, path string) (*File, error) { return OpenFor(ctx, path, Layout{}) }

// OpenFor opens a parameter file, checks that the lengths of all sections fit
// each other, the file and the circuit's layout (zero: any), in this order, and
// then decodes the verifying key. Errors begin with the path: SRSMissing,
// FileIO, SRSLayout, SRSMismatch of another circuit, SRSPoint.
func OpenFor(ctx context.Context, path string, circuit Layout) (*File, error) {
	file, err := files.Open(ctx, path)
	if files.Missing(err) {
		return nil, status.New(status.SRSMissing, path, "no parameter file: %w", err)
	}
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, file: file}
	if err := f.parse(ctx, circuit); err != nil {
		f.Close()
		return nil, f.Blame(err)
	}
	return f, nil
}

// Blame puts the path of the file before what an error says of its contents.
func (f *File) Blame(err error) error { return files.Blame(f.Path, err) }

// parse finds the sections, compares their lengths, and reads the key.
func (f *File) parse(ctx context.Context, circuit Layout) error {
	ic, err := f.keyPoints(ctx)
	if err != nil {
		return err
	}
	at := vkFixed + int64(ic)*curve.SizeG1
	for i, name := range []string{"srs.h", "srs.l", "srs.a", "srs.b_g1", "srs.b_g2"} {
		size := curve.SizeG1
		if i == SectionB2 {
			size = curve.SizeG2
		}
		count, err := f.count(ctx, name, at, size)
		if err != nil {
			return err
		}
		f.stretches[i] = stretch{name, size, at + 4, count}
		at += 4 + int64(count*size)
	}
	if at < f.file.Size {
		return status.New(status.SRSLayout, "srs", "%d bytes after the last section", f.file.Size-at)
	}
	f.h, f.l, f.a = f.sectionG1(SectionH), f.sectionG1(SectionL), f.sectionG1(SectionA)
	f.b1 = f.sectionG1(SectionB1)
	f.b2 = newSection(f, f.stretches[SectionB2], curve.DecodeAllG2)
	f.Layout = Layout{IC: ic, H: f.h.Len(), L: f.l.Len(), A: f.a.Len(), B: f.b1.Len()}
	if err := f.consistent(); err != nil {
		return err
	}
	if circuit != (Layout{}) {
		if err := f.Layout.Match(circuit); err != nil {
			return err
		}
	}
	head := make([]byte, vkFixed+ic*curve.SizeG1)
	if err := f.file.ReadAt(ctx, head, 0); err != nil {
		return err
	}
	f.key, err = verify.ParseKey(head)
	return err
}

// keyPoints reads how many ic points the verifying key announces, for which the
// file must have room.
func (f *File) keyPoints(ctx context.Context) (int, error) {
	if f.file.Size < vkFixed {
		return 0, status.New(status.SRSLayout, "vk", "the file has %d bytes, the verifying key at its head has at least %d",
			f.file.Size, vkFixed)
	}
	ic, err := f.number(ctx, vkFixed-4)
	switch room := (f.file.Size - vkFixed) / curve.SizeG1; {
	case err != nil:
		return 0, err
	case ic == 0 || ic > verify.MaxInputs:
		return 0, status.New(status.SRSLayout, "vk.ic", "its head announces %d ic points, not 1 to %d: no parameters", ic, verify.MaxInputs)
	case ic > room:
		return 0, status.New(status.SRSLayout, "vk.ic", "its head announces %d ic points, the file has room for %d", ic, room)
	}
	return int(ic), nil
}

// count reads the number of points of a section, for which the file must have room.
func (f *File) count(ctx context.Context, name string, at int64, size int) (int, error) {
	if f.file.Size < at+4 {
		return 0, status.New(status.SRSLayout, name, "the file ends before the length of %s", name)
	}
	count, err := f.number(ctx, at)
	if room := (f.file.Size - at - 4) / int64(size); err == nil && count > room {
		err = status.New(status.SRSLayout, name, "%s announces %d points, the file has room for %d", name, count, room)
	}
	return int(count), err
}

// number reads a big-endian number of four bytes.
func (f *File) number(ctx context.Context, at int64) (int64, error) {
	var b [4]byte
	err := f.file.ReadAt(ctx, b[:], at)
	return int64(binary.BigEndian.Uint32(b[:])), err
}

func (f *File) sectionG1(i int) *section[curve.G1Affine] {
	return newSection(f, f.stretches[i], curve.DecodeAllG1)
}

// consistent checks the relations between lengths that hold for every circuit.
func (f *File) consistent() error {
	l := f.Layout
	switch {
	case l.H&(l.H+1) != 0:
		return status.New(status.SRSLayout, "srs.h", "%d h points are not one less than a power of two", l.H)
	case l.A < l.IC || l.A > l.IC+l.L:
		return status.New(status.SRSLayout, "srs.a", "%d a points do not fit %d inputs and %d aux variables", l.A, l.IC, l.L)
	case l.B > l.IC+l.L:
		return status.New(status.SRSLayout, "srs.b_g1", "%d b points do not fit %d inputs and %d aux variables", l.B, l.IC, l.L)
	case f.b2.Len() != l.B:
		return status.New(status.SRSLayout, "srs.b_g2", "%d b points in G1, %d in G2", l.B, f.b2.Len())
	}
	return nil
}

// SRS returns the parameters with points that are read and decoded each time
// they are used.
func (f *File) SRS() *SRS {
	return &SRS{Key: f.key, H: f.h, L: f.l, A: f.a, B1: f.b1, B2: f.b2}
}

// Sections of a file, in their order there, for [File.Encoded].
const (
	SectionH = iota
	SectionL
	SectionA
	SectionB1
	SectionB2
)

// Encoded reads encoded points of a section, from point first on, until dst is
// full: for a device that decodes and checks them itself.
func (f *File) Encoded(ctx context.Context, section, first int, dst []byte) error {
	s := &f.stretches[section]
	if last := first + len(dst)/s.size; s.count < last {
		return status.New(status.Internal, s.name, "%s has fewer than %d points", s.name, last)
	}
	return f.file.ReadAt(ctx, dst, s.at+int64(first*s.size))
}

// Bytes returns the length of the file.
func (f *File) Bytes() int64 { return f.file.Size }

// Identity returns what the file was known by when it was opened.
func (f *File) Identity() files.Identity { return f.file.Identity }

// Share returns the same open file once more, to be closed on its own.
func (f *File) Share() *File {
	out := *f
	out.file = f.file.Share()
	return &out
}

// Close ends the use of the file, once. Sources must not be used afterwards.
func (f *File) Close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}
