package core_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"libcuzk/core"
)

// A proof of a sealed sector, with all defaults but the folder.
func ExampleEngine_ProvePoRep() {
	engine, err := core.Open(core.Options{ParamsDir: "/var/tmp/filecoin-proof-parameters"})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	c1, err := os.ReadFile("c1.json") // what seal_commit_phase1 returned
	if err != nil {
		log.Fatal(err)
	}
	proof, err := engine.ProvePoRep(context.Background(), c1, 101, [32]byte{0xe9, 0x07})
	switch core.CodeOf(err) {
	case core.OK:
		fmt.Printf("%d bytes\n", len(proof))
	case core.SRSMissing:
		log.Fatal("fetch the parameters first: ", err)
	default:
		log.Fatal(err)
	}
}

// Work that goes on while the caller looks at it.
func ExampleJob() {
	engine, err := core.Open(core.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	job, err := engine.Submit(context.Background(), core.Params{Kind: core.KindPoRep, SectorSize: 2048, Dir: "/tmp"})
	if err != nil {
		log.Fatal(err)
	}
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		path, err := job.Wait(ctx)
		cancel()
		if core.CodeOf(err) != core.Timeout {
			fmt.Println(string(path), err)
			return
		}
		p := job.Report().Progress
		fmt.Println(p.Stage, p.Done, "of", p.Total)
	}
}

// Options print as the literal that makes them again.
func ExampleOptions_String() {
	fmt.Println(core.Options{Backend: core.CPU, Threads: 4})
	// Output: core.Options{Backend: "cpu", Threads: 4}
}

// An error says what and where, and has a code.
func ExampleError() {
	_, err := core.Open(core.Options{Threads: -1})
	var e *core.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code, "|", e.Message, "|", e.Detail)
	}
	// Output: argument | options: Threads -1: want 0 to 65536 | options
}
