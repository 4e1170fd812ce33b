package cuzk

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
)

// paramsFiles returns the good 2 KiB WindowPoSt files, which are small, and
// their name.
func paramsFiles(t *testing.T, kind filecoin.Kind) (name string, srs, vk []byte) {
	t.Helper()
	file, shape, _ := testparams.Open(t, kind)
	srs, err := os.ReadFile(file.Path)
	require.NoError(t, err)
	base := filepath.Join(testparams.Dir(t), shape.ParamsName())
	vk, err = os.ReadFile(base + ".vk")
	require.NoError(t, err)
	return shape.ParamsName(), srs, vk
}

// sectionStarts returns where the points of h, l, a, b_g1, b_g2 begin in a
// parameter file, and their number (facts of the format: a big-endian count
// before each section).
func sectionStarts(srs, vk []byte) (starts, counts [5]int) {
	at := len(vk)
	for i := range starts {
		counts[i] = int(binary.BigEndian.Uint32(srs[at:]))
		starts[i] = at + 4
		size := 96
		if i == 4 {
			size = 192
		}
		at = starts[i] + counts[i]*size
	}
	return starts, counts
}

// TestBadParameters proves with damaged parameters: each gives a typed error
// that names file, section and point, and no byte of a proof.
func TestBadParameters(t *testing.T) {
	name, srs, vk := paramsFiles(t, filecoin.WindowPoSt)
	_, otherSRS, otherVK := paramsFiles(t, filecoin.WinningPoSt)
	starts, counts := sectionStarts(srs, vk)
	flip := func(at int) []byte {
		b := bytes.Clone(srs)
		b[at] ^= 1
		return b
	}
	request, _ := postCase(t, "2k-v1_1/window_post")
	for what, c := range map[string]struct {
		srs, vk []byte // nil: no file
		code    Code
		detail  string
	}{
		"no params":      {nil, vk, SRSMissing, ".params"},
		"no vk":          {srs, nil, SRSMissing, ".vk"},
		"empty":          {[]byte{}, vk, SRSLayout, ".params"},
		"empty vk":       {srs, []byte{}, SRSLayout, ".vk"},
		"head only":      {srs[:100], vk, SRSLayout, "vk"},
		"in the key":     {srs[:len(vk)-1], vk, SRSLayout, "vk"},
		"before h":       {srs[:len(vk)+3], vk, SRSLayout, "srs.h"},
		"in h":           {srs[:starts[0]+500], vk, SRSLayout, "srs.h"},
		"in l":           {srs[:starts[1]+500], vk, SRSLayout, "srs.l"},
		"in b_g2":        {srs[:len(srs)-1], vk, SRSLayout, "srs.b_g2"},
		"over-long":      {append(bytes.Clone(srs), 0), vk, SRSLayout, "srs"},
		"other circuit":  {otherSRS, vk, SRSMismatch, ""},
		"other vk":       {srs, otherVK, SRSLayout, ".vk"},
		"bit in vk":      {flip(10), vk, SRSPoint, "vk.alpha_g1"},
		"bit in h":       {flip(starts[0] + 96*7 + 95), vk, SRSPoint, "srs.h[7]"},
		"bit in h's end": {flip(starts[1] - 5), vk, SRSPoint, ""},
		"bit in l":       {flip(starts[1] + 96*(counts[1]-1) + 50), vk, SRSPoint, "srs.l["},
		"bit in a":       {flip(starts[2] + 96 + 50), vk, SRSPoint, "srs.a[1]"},
		"bit in b_g1":    {flip(starts[3] + 96*2 + 95), vk, SRSPoint, "srs.b_g1[2]"},
		"bit in b_g2":    {flip(starts[4] + 192*2 + 191), vk, SRSPoint, "srs.b_g2[2]"},
		"flag bit":       {func() []byte { b := bytes.Clone(srs); b[starts[1]] |= 0x40; return b }(), vk, SRSPoint, "srs.l[0]"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			for ext, data := range map[string][]byte{".params": c.srs, ".vk": c.vk} {
				if data != nil {
					require.NoError(t, os.WriteFile(filepath.Join(dir, name+ext), data, 0o600))
				}
			}
			e, err := Open(Options{ParamsDir: dir, Backend: CPU})
			require.NoError(t, err)
			defer e.Close()
			proof, err := e.ProvePoSt(t.Context(), request)
			require.Nil(t, proof)
			require.Equal(t, c.code, CodeOf(err), "%v", err)
			var typed *Error
			require.ErrorAs(t, err, &typed)
			require.Contains(t, typed.Detail, c.detail, "%v", err)
		})
	}
}

// TestParameterChecksOnRequest: the digest of test parameters is not the
// published one, and points outside the subgroup are found.
func TestParameterChecksOnRequest(t *testing.T) {
	testparams.Open(t, filecoin.WindowPoSt)
	request, info := postCase(t, "2k-v1_1/window_post")
	e, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU, CheckDigest: true})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.ProvePoSt(t.Context(), request)
	require.Equal(t, SRSDigest, CodeOf(err), "%v", err)

	s, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU, CheckSubgroup: true})
	require.NoError(t, err)
	defer s.Close()
	proof, err := s.ProvePoSt(t.Context(), request)
	require.NoError(t, err)
	valid, err := s.VerifyPoSt(t.Context(), info, proof)
	require.NoError(t, err)
	require.True(t, valid)
}

// TestBudgetThatCannotFit fails at once with both numbers.
func TestBudgetThatCannotFit(t *testing.T) {
	testparams.Open(t, filecoin.WindowPoSt)
	request, _ := postCase(t, "2k-v1_1/window_post")
	e, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU, MemoryBudget: 1 << 20})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.ProvePoSt(t.Context(), request)
	require.Equal(t, Budget, CodeOf(err), "%v", err)
	require.ErrorContains(t, err, "a partition of window_post-2048 can never fit")
	require.ErrorContains(t, err, "never more than 524288") // half: the rest is for waiting inputs
	require.ErrorContains(t, err, "memory_budget (1048576 bytes")
}

// TestInputLimit refuses inputs larger than MaxInput unread.
func TestInputLimit(t *testing.T) {
	request, _ := postCase(t, "2k-v1_1/window_post")
	e, err := Open(Options{ParamsDir: t.TempDir(), MaxInput: 100})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.ProvePoSt(t.Context(), request)
	require.Equal(t, InputValue, CodeOf(err), "%v", err)
	_, err = e.ProvePoRep(t.Context(), make([]byte, 101), 1, [32]byte{})
	require.Equal(t, InputValue, CodeOf(err), "%v", err)
}
