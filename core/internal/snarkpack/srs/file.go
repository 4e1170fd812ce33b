// Package srs reads and makes the structured reference strings of SnarkPack: files
// such as v28-fil-inner-product-v1.srs (bellperson groth16/aggregate/srs.rs).
//
// A file has four vectors, each behind its length in 4 bytes, big endian: a^i·g and
// b^i·g in G1, a^i·h and b^i·h in G2, i = 0, 1, …, where g and h are the standard
// generators and nobody knows a and b. Points are compressed, 48 and 96 bytes.
package srs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/aggregator"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Name is the name of the network's file, and Digest its published digest: the first
// 16 bytes of its BLAKE2b-512.
const (
	Name   = "v28-fil-inner-product-v1.srs"
	Digest = "ae20310138f5ba81451d723f858e3797"
)

// maxPoints bounds the length of a vector.
const maxPoints = 1<<20 + 1

// names are those of the vectors in errors.
var names = [4]string{"srs.g_alpha", "srs.g_beta", "srs.h_alpha", "srs.h_beta"}

// pointSize returns the bytes of a point of a vector.
func pointSize(vector int) int {
	if vector < 2 {
		return bls.SizeOfG1AffineCompressed
	}
	return bls.SizeOfG2AffineCompressed
}

// File is an open file whose lengths are known. Points are read when they are asked
// for. It is safe for concurrent use until Close.
type File struct {
	file  *files.File
	count [4]int
	at    [4]int64 // of the first point
}

// Open opens a file and checks the lengths of its vectors. Bytes behind the last are
// ignored, as bellperson does. Errors begin with the path.
func Open(ctx context.Context, path string) (*File, error) {
	file, err := files.Open(ctx, path)
	if files.Missing(err) {
		return nil, status.New(status.SRSMissing, path, "no SRS of aggregation: %w", err)
	}
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	if err := f.measure(ctx); err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

// Identity returns what the file was known by when it was opened.
func (f *File) Identity() files.Identity { return f.file.Identity }

// CheckDigest reads the whole file and compares its digest with the published one.
func (f *File) CheckDigest(ctx context.Context) error {
	got, err := f.file.Digest(ctx, nil)
	if err == nil && got != Digest {
		err = status.New(status.SRSDigest, f.file.Path, "%s: digest %s, published is %s", f.file.Path, got, Digest)
	}
	return err
}

// wrong is an error about a vector or point of the file.
func (f *File) wrong(code status.Code, place, format string, args ...any) error {
	return files.Blame(f.file.Path, status.New(code, place, format, args...))
}

func (f *File) measure(ctx context.Context) error {
	var at int64
	for v := range f.count {
		var b [4]byte
		if at+4 > f.file.Size {
			return f.wrong(status.SRSLayout, names[v], "file of %d bytes ends before the length of %s", f.file.Size, names[v])
		}
		if err := f.file.ReadAt(ctx, b[:], at); err != nil {
			return err
		}
		n := int64(binary.BigEndian.Uint32(b[:]))
		at += 4
		if n > maxPoints {
			return f.wrong(status.SRSLayout, names[v], "%s announces %d points, at most %d are possible", names[v], n, maxPoints)
		}
		if fits := (f.file.Size - at) / int64(pointSize(v)); n > fits {
			return f.wrong(status.SRSLayout, names[v], "%s announces %d points, the file ends after %d", names[v], n, fits)
		}
		f.count[v], f.at[v] = int(n), at
		at += n * int64(pointSize(v))
	}
	return nil
}

// Close ends the use of the file.
func (f *File) Close() { f.file.Close() }

// Proofs returns for how many proofs the file suffices: the largest power of two such
// that every vector has twice as many points, at most snarkpack.MaxProofs; 0 if it is
// too short for two.
func (f *File) Proofs() int {
	shortest := min(f.count[0], f.count[1], f.count[2], f.count[3])
	n := snarkpack.MaxProofs
	for n > 1 && 2*n > shortest {
		n /= 2
	}
	if n < 2 {
		return 0
	}
	return n
}

// Suffices checks that the file serves an aggregate of n proofs, padding included.
// The published code asks for 2n points of all four vectors for both roles.
func (f *File) Suffices(n int) error {
	for v, count := range f.count {
		if count < 2*n {
			return f.wrong(status.SRSLayout, names[v],
				"SRS too short: %s has %d points, an aggregate of %d proofs takes %d", names[v], count, n, 2*n)
		}
	}
	return nil
}

// VerifierKey reads the six points that verification takes.
func (f *File) VerifierKey(ctx context.Context) (*snarkpack.VerifierKey, error) {
	if err := f.Suffices(1); err != nil {
		return nil, err
	}
	k := new(snarkpack.VerifierKey)
	for v, to := range [4][2]decoder{{&k.G, &k.GA}, {nil, &k.GB}, {&k.H, &k.HA}, {nil, &k.HB}} {
		var buf [2 * bls.SizeOfG2AffineCompressed]byte
		size := pointSize(v)
		if err := f.file.ReadAt(ctx, buf[:2*size], f.at[v]); err != nil {
			return nil, err
		}
		for i, p := range to {
			if p == nil {
				continue
			}
			if err := f.decode(p, buf[i*size:(i+1)*size], v, i); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// ProverKey reads and checks what aggregation of n proofs takes, a power of two.
func (f *File) ProverKey(ctx context.Context, n, workers int) (*aggregator.Key, error) {
	if err := f.Suffices(n); err != nil {
		return nil, err
	}
	k := new(aggregator.Key)
	type task struct{ vector, lo, hi int }
	var tasks []task
	for v := range 4 {
		length := 2 * n
		if v < 2 {
			k.G1[v] = make([]bls.G1Affine, length)
		} else {
			length = n
			k.G2[v-2] = make([]bls.G2Affine, length)
		}
		for lo := 0; lo < length; lo += readBlock {
			tasks = append(tasks, task{v, lo, min(lo+readBlock, length)})
		}
	}
	err := spawn.Each(ctx, workers, len(tasks), func(i int) error {
		t := tasks[i]
		size := pointSize(t.vector)
		buf := make([]byte, (t.hi-t.lo)*size)
		if err := f.file.ReadAt(ctx, buf, f.at[t.vector]+int64(t.lo*size)); err != nil {
			return err
		}
		for j := t.lo; j < t.hi; j++ {
			var p decoder
			if t.vector < 2 {
				p = &k.G1[t.vector][j]
			} else {
				p = &k.G2[t.vector-2][j]
			}
			if err := f.decode(p, buf[(j-t.lo)*size:(j-t.lo+1)*size], t.vector, j); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return nil, status.Ended(ctx)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// readBlock is how many points are read by one system call.
const readBlock = 256

// KeyBytes returns the memory that a prover's key for n proofs takes.
func KeyBytes(n int) int64 {
	return int64(n) * (4*bls.SizeOfG1AffineUncompressed + 2*bls.SizeOfG2AffineUncompressed)
}

// decoder is a point that decodes itself, checking canonical form, curve and subgroup.
type decoder interface{ SetBytes([]byte) (int, error) }

func (f *File) decode(p decoder, b []byte, vector, index int) error {
	if b[0]&0x80 == 0 {
		return f.badPoint(vector, index, errors.New("not a compressed point"))
	}
	if _, err := p.SetBytes(b); err != nil {
		return f.badPoint(vector, index, err)
	}
	return nil
}

func (f *File) badPoint(vector, index int, err error) error {
	name := fmt.Sprintf("%s[%d]", names[vector], index)
	return f.wrong(status.SRSPoint, name, "%s: %w", name, err)
}
