package main

import (
	"fmt"
	"os"

	"github.com/libcuzk/libcuzk/core/cmd/internal/figure"
	"github.com/libcuzk/libcuzk/gpu"
)

// report writes measurements to a file and to standard output.
type report struct {
	file    *os.File
	figures *figure.Writer
}

func newReport(path string, o *options, d gpu.Info) (*report, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	machine := figure.Host()
	machine.Device, machine.Driver = d.Name, o.driver
	if machine.Driver == "" {
		machine.Driver = fmt.Sprintf("cuda %d.%d", d.Driver/1000, d.Driver%1000/10)
	}
	return &report{file, figure.NewWriter(machine, o.commit, os.Stdout, file)}, nil
}

func (r *report) close() { r.file.Close() }

// value writes one measurement; what cannot be written is lost to the file, not to
// the measurements after it.
func (r *report) value(name string, v float64, unit string) {
	if err := r.figures.Write(name, v, unit); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
