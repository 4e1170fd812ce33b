// Package sass holds the products of the device to the machine instructions that
// docs/bench/sass-sm90.jsonl records: they are the ceiling of every kernel, and an
// assembler that no longer joins the halves of wide products doubles them.
package sass

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/tests/harness"
)

// opcodes are the low nine bits of an instruction of 16 bytes, from Volta on, and
// what the measurements call it. The ones that are counted take the multiplier
// longest.
var opcodes = map[uint64]string{0x25: "imad_wide", 0x27: "imad_hi"}

// spare is room for the address and the loop around a product.
const spare = 2

func TestProducts(t *testing.T) {
	mix := count(t, compile(t))
	for _, kernel := range []string{"fp_mul", "fp_sqr", "fr_mul", "fr_mul_shoup"} {
		require.NotEmpty(t, mix[kernel], kernel)
	}
	checked := 0
	for name, most := range recorded(t) {
		for kernel, got := range mix {
			for _, op := range opcodes {
				if name == "sass_"+kernel+"_"+op {
					require.LessOrEqual(t, got[op], most+spare, name)
					require.Positive(t, got[op], name)
					checked++
				}
			}
		}
	}
	require.Equal(t, 7, checked, "all but high halves of a product in Fr, which has none")
	require.LessOrEqual(t, mix["fr_mul"]["imad_hi"], spare)
}

// compile makes the machine code of products.cu for sm_90.
func compile(t *testing.T) string {
	nvcc := filepath.Join(harness.Root(), "build/cuda-toolkit/nvcc")
	if _, err := os.Stat(nvcc); err != nil {
		if nvcc, err = exec.LookPath("nvcc"); err != nil {
			t.Skip("no nvcc: make gpu fetches one")
		}
	}
	cuda, cubin := filepath.Join(harness.Root(), "gpu/cuda"), filepath.Join(t.TempDir(), "products.cubin")
	harness.Run(t, nvcc, "-std=c++17", "-O3", "-I"+cuda, "-arch=sm_90", "-cubin", "-o", cubin, "products.cu")
	return cubin
}

// count returns the counted instructions of every kernel.
func count(t *testing.T, cubin string) map[string]map[string]int {
	f, err := elf.Open(cubin)
	require.NoError(t, err)
	defer f.Close()
	mix := map[string]map[string]int{}
	for _, s := range f.Sections {
		kernel, ok := strings.CutPrefix(s.Name, ".text.")
		if !ok {
			continue
		}
		code, err := s.Data()
		require.NoError(t, err)
		mix[kernel] = map[string]int{}
		for at := 0; at+16 <= len(code); at += 16 {
			if op, ok := opcodes[binary.LittleEndian.Uint64(code[at:])&0x1ff]; ok {
				mix[kernel][op]++
			}
		}
	}
	return mix
}

// recorded reads the measurements.
func recorded(t *testing.T) map[string]int {
	f, err := os.Open(filepath.Join(harness.Root(), "docs/bench/sass-sm90.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	values := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct {
			Name  string
			Value int
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		values[line.Name] = line.Value
	}
	return values
}
