package cuzk_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// A proof of a sealed sector, with all defaults but the folder.
func ExampleEngine_ProvePoRep() {
	engine, err := cuzk.Open(cuzk.Options{ParamsDir: "/var/tmp/filecoin-proof-parameters"})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	c1, err := os.ReadFile("c1.json") // what seal_commit_phase1 returned
	if err != nil {
		log.Fatal(err)
	}
	proof, err := engine.ProvePoRep(context.Background(), c1, 101, [32]byte{0xe9, 0x07})
	switch cuzk.CodeOf(err) {
	case cuzk.OK:
		fmt.Printf("%d bytes\n", len(proof))
	case cuzk.SRSMissing:
		log.Fatal("fetch the parameters first: ", err)
	default:
		log.Fatal(err)
	}
}

// Work that goes on while the caller looks at it.
func ExampleJob() {
	engine, err := cuzk.Open(cuzk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	job, err := engine.Submit(context.Background(), cuzk.Params{Kind: cuzk.KindPoRep, SectorSize: 2048, Dir: "/tmp"})
	if err != nil {
		log.Fatal(err)
	}
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		path, err := job.Wait(ctx)
		cancel()
		if cuzk.CodeOf(err) != cuzk.Timeout {
			fmt.Println(string(path), err)
			return
		}
		p := job.Report().Progress
		fmt.Println(p.Stage, p.Done, "of", p.Total)
	}
}

// Options print as the literal that makes them again.
func ExampleOptions_String() {
	fmt.Println(cuzk.Options{Backend: cuzk.CPU, Threads: 4})
	// Output: cuzk.Options{Backend: "cpu", Threads: 4}
}

// An error says what and where, and has a code.
func ExampleError() {
	_, err := cuzk.Open(cuzk.Options{Threads: -1})
	var e *cuzk.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code, "|", e.Message, "|", e.Detail)
	}
	// Output: argument | options: Threads -1: want 0 to 65536 | options
}
