// Package params reads and makes Groth16 parameters in bellperson's format:
// `.params` (the SRS) and `.vk` (facts.md 4.5 and 4.6, bellperson
// groth16/params.rs).
//
// A parameter file is mapped, never read whole. Opening it checks every length;
// a point is checked to be on the curve when it is first decoded.
package params

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// File is a mapped `.params` file. Its sections are safe for concurrent use
// until Close.
type File struct {
	Path   string
	Layout Layout
	key    *verify.Key
	file   *os.File
	data   []byte // the mapping
	h, l   *section[curve.G1Affine]
	a, b1  *section[curve.G1Affine]
	b2     *section[curve.G2Affine]

	stretches [SectionB2 + 1]stretch
}

// stretch is where a section stands in the file.
type stretch struct {
	name  string
	size  int // bytes per point
	at    int64
	bytes int
}

// SRS is what a prover needs of the parameters, mapped or in memory.
type SRS struct {
	Key         *verify.Key
	H, L, A, B1 curve.SourceG1
	B2          curve.SourceG2
}

// Open maps a parameter file, decodes its verifying key and checks that the
// lengths of all sections fit each other and the file.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, status.New(status.SRSMissing, path, "no parameter file: %w", err)
	}
	if err != nil {
		return nil, status.New(status.FileIO, path, "opening parameters: %w", err)
	}
	data, err := mapFile(path, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	f := &File{Path: path, file: file, data: data}
	if err := guardMapping("srs", f.parse); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// mapFile maps a whole file for reading.
func mapFile(path string, file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, status.New(status.FileIO, path, "opening parameters: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, status.New(status.FileIO, path, "parameters are not a regular file")
	}
	if info.Size() == 0 {
		return nil, status.New(status.SRSLayout, path, "parameter file is empty")
	}
	data, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, status.New(status.FileIO, path, "mapping parameters: %w", err)
	}
	return data, nil
}

// parse finds the sections.
func (f *File) parse() error {
	key, n, err := verify.ParseKeyPrefix(f.data)
	if err != nil {
		return err
	}
	f.key = key
	r := sectionReader{rest: f.data[n:]}
	for i, name := range []string{"srs.h", "srs.l", "srs.a", "srs.b_g1", "srs.b_g2"} {
		size := curve.SizeG1
		if i == SectionB2 {
			size = curve.SizeG2
		}
		data := r.next(name, size)
		f.stretches[i] = stretch{name, size, int64(len(f.data) - len(r.rest) - len(data)), len(data)}
	}
	f.h, f.l, f.a = f.sectionG1(SectionH), f.sectionG1(SectionL), f.sectionG1(SectionA)
	f.b1 = f.sectionG1(SectionB1)
	f.b2 = newSection("srs.b_g2", f.stretches[SectionB2].of(f.data), curve.SizeG2, curve.DecodeAllG2)
	if r.err != nil {
		return r.err
	}
	if len(r.rest) > 0 {
		return status.New(status.SRSLayout, "srs", "%d bytes after the last section", len(r.rest))
	}
	f.Layout = Layout{IC: len(key.IC), H: f.h.Len(), L: f.l.Len(), A: f.a.Len(), B: f.b1.Len()}
	return f.consistent()
}

func (f *File) sectionG1(i int) *section[curve.G1Affine] {
	s := f.stretches[i]
	return newSection(s.name, s.of(f.data), s.size, curve.DecodeAllG1)
}

// of returns the bytes of the stretch.
func (s stretch) of(data []byte) []byte { return data[s.at : s.at+int64(s.bytes)] }

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

// SRS returns the parameters with points that are decoded from the mapping each
// time they are used.
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
// full: for a device that decodes and checks them itself. It reads the file, not
// the mapping, whose pages would be faulted in one by one.
func (f *File) Encoded(section, first int, dst []byte) error {
	s := &f.stretches[section]
	if from := first * s.size; s.bytes < from+len(dst) {
		return status.New(status.Internal, s.name, "%s has fewer than %d points", s.name, first+len(dst)/s.size)
	}
	if _, err := f.file.ReadAt(dst, s.at+int64(first*s.size)); err != nil {
		return status.New(status.FileIO, s.name, "reading %s: %w", s.name, err)
	}
	return nil
}

// Bytes returns the length of the file.
func (f *File) Bytes() int64 { return int64(len(f.data)) }

// Close unmaps the file. Sources must not be used afterwards.
func (f *File) Close() error {
	if f.data == nil {
		return nil
	}
	data := f.data
	f.data = nil
	if err := errors.Join(unix.Munmap(data), f.file.Close()); err != nil {
		return status.New(status.FileIO, f.Path, "closing parameters: %w", err)
	}
	return nil
}

// sectionReader takes counted sections off the front of rest; the first failure
// sticks.
type sectionReader struct {
	rest []byte
	err  error
}

func (r *sectionReader) next(name string, size int) []byte {
	if r.err != nil {
		return nil
	}
	if len(r.rest) < 4 {
		r.err = status.New(status.SRSLayout, name, "file ends before the length of %s", name)
		return nil
	}
	count := int64(binary.BigEndian.Uint32(r.rest))
	room := int64(len(r.rest)-4) / int64(size)
	if count > room {
		r.err = status.New(status.SRSLayout, name, "%s announces %d points, the file has room for %d", name, count, room)
		return nil
	}
	data := r.rest[4 : 4+count*int64(size)]
	r.rest = r.rest[4+len(data):]
	return data
}
