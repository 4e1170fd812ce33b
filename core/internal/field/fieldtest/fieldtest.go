// Package fieldtest lets tests run on every level of vector arithmetic, also on those
// that the machine lacks.
package fieldtest

import (
	"fmt"
	"os"
	"testing"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/field/emulator"
)

// Levels returns the levels that tests can run on: those of the machine, and IFMA
// through the emulator. CUZK_TEST_LEVEL names the only one to run.
func Levels(t testing.TB) []field.Level {
	levels := []field.Level{field.Portable}
	for l := field.AVX2; l <= field.Available(); l++ {
		levels = append(levels, l)
	}
	if field.Available() == field.AVX2 && emulator.Supported {
		levels = append(levels, field.IFMA)
	}
	name := os.Getenv("CUZK_TEST_LEVEL")
	if name == "" {
		return levels
	}
	for _, l := range levels {
		if l.String() == name {
			return []field.Level{l}
		}
	}
	t.Fatalf("CUZK_TEST_LEVEL=%s: tests cannot run on that level here", name)
	return nil
}

// Emulated says that a level runs on the emulator, ten thousand times slower.
func Emulated(l field.Level) bool { return l > field.Available() }

// Use runs the rest of a test on a level.
func Use(t testing.TB, l field.Level) {
	if Emulated(l) {
		emulator.Install()
	}
	t.Cleanup(field.Force(l))
}

// Each runs a test on every level.
func Each(t *testing.T, test func(t *testing.T, l field.Level)) {
	for _, l := range Levels(t) {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			Use(t, l)
			test(t, l)
		})
	}
}
