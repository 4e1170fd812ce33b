//go:build amd64 && !purego

package field

import "golang.org/x/sys/cpu"

// Available returns the highest level that the processor and the operating system,
// which has to save the registers, offer.
func Available() Level {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512IFMA:
		return IFMA
	case x.HasAVX2:
		return AVX2
	}
	return Portable
}
