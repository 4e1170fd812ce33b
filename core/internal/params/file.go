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

	"libcuzk/core/internal/curve"
	"libcuzk/core/internal/status"
	"libcuzk/core/internal/verify"
)

// File is a mapped `.params` file. Its sections are safe for concurrent use
// until Close.
type File struct {
	Path   string
	Layout Layout
	key    *verify.Key
	data   []byte // the mapping
	h, l   *section[curve.G1Affine]
	a, b1  *section[curve.G1Affine]
	b2     *section[curve.G2Affine]
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
	data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, data: data}
	if err := guardMapping("srs", f.parse); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// mapFile maps a whole file for reading.
func mapFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, status.New(status.SRSMissing, path, "no parameter file: %w", err)
	}
	if err != nil {
		return nil, status.New(status.FileIO, path, "opening parameters: %w", err)
	}
	defer file.Close()
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
	f.h = newSection("srs.h", r.next("srs.h", curve.SizeG1), curve.SizeG1, curve.DecodeG1)
	f.l = newSection("srs.l", r.next("srs.l", curve.SizeG1), curve.SizeG1, curve.DecodeG1)
	f.a = newSection("srs.a", r.next("srs.a", curve.SizeG1), curve.SizeG1, curve.DecodeG1)
	f.b1 = newSection("srs.b_g1", r.next("srs.b_g1", curve.SizeG1), curve.SizeG1, curve.DecodeG1)
	f.b2 = newSection("srs.b_g2", r.next("srs.b_g2", curve.SizeG2), curve.SizeG2, curve.DecodeG2)
	if r.err != nil {
		return r.err
	}
	if len(r.rest) > 0 {
		return status.New(status.SRSLayout, "srs", "%d bytes after the last section", len(r.rest))
	}
	f.Layout = Layout{IC: len(key.IC), H: f.h.Len(), L: f.l.Len(), A: f.a.Len(), B: f.b1.Len()}
	return f.consistent()
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

// Encoded copies encoded points of a section, from point first on, until dst is
// full: for a device that decodes and checks them itself. The mapping is read
// here and nowhere else, so that a fault of it (the file was truncated, the disk
// failed) is an error of code FileIO.
func (f *File) Encoded(section, first int, dst []byte) error {
	data, size, name := f.encoded(section)
	return guardMapping(name, func() error {
		if from := first * size; copy(dst, data[min(from, len(data)):]) < len(dst) {
			return status.New(status.Internal, name, "%s has fewer than %d points", name, first+len(dst)/size)
		}
		return nil
	})
}

func (f *File) encoded(section int) (data []byte, size int, name string) {
	switch section {
	case SectionH:
		return f.h.data, f.h.size, f.h.name
	case SectionL:
		return f.l.data, f.l.size, f.l.name
	case SectionA:
		return f.a.data, f.a.size, f.a.name
	case SectionB1:
		return f.b1.data, f.b1.size, f.b1.name
	default:
		return f.b2.data, f.b2.size, f.b2.name
	}
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
	if err := unix.Munmap(data); err != nil {
		return status.New(status.FileIO, f.Path, "unmapping parameters: %w", err)
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
