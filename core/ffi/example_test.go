package ffi_test

import (
	"fmt"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/ffi"
)

// A host that keeps its own engine calls the same names on it.
func ExampleFFI() {
	engine, err := cuzk.Open(cuzk.Options{ParamsDir: "/var/tmp/filecoin-proof-parameters", Backend: cuzk.CPU})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	_, err = ffi.FFI{Engine: engine}.SealCommitPhase2([]byte(`{"no": "C1"}`), 101, 1001)
	fmt.Println(cuzk.CodeOf(err))
	// Output: input_syntax
}

// A challenge needs no engine and takes the caller's own number types.
func ExampleGeneratePoStFallbackSectorChallenges() {
	type sectorNumber uint64
	c, err := ffi.GeneratePoStFallbackSectorChallenges(int64(13), uint64(1000), make([]byte, 32), []sectorNumber{7, 3})
	fmt.Println(c.Sectors, len(c.Challenges[7]), err)
	// Output: [3 7] 10 <nil>
}
