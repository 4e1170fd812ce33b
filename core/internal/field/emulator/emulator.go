//go:build amd64 && linux && cgo && !purego

// Package emulator runs the AVX-512 instructions of package field on machines that
// lack them, for tests: it handles the signal that an unknown instruction raises,
// carries the instruction out on registers in memory and continues after it. An
// instruction takes about 50 ns, and a run of them a microsecond more.
package emulator

// int cuzk_emulator_install(void);
import "C"

import "sync"

// Supported says that Install works in this build.
const Supported = true

// Install handles unknown instructions of the whole process from now on.
var Install = sync.OnceFunc(func() {
	if C.cuzk_emulator_install() != 0 {
		panic("sigaction refused")
	}
})
