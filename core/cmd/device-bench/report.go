package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/libcuzk/libcuzk/gpu"
)

// report writes measurements as JSON lines.
type report struct {
	file                 *os.File
	commit, card, driver string
}

func newReport(path string, o *options, d gpu.Info) (*report, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	driver := o.driver
	if driver == "" {
		driver = fmt.Sprintf("cuda %d.%d", d.Driver/1000, d.Driver%1000/10)
	}
	return &report{file, o.commit, d.Name, driver}, nil
}

func (r *report) close() { r.file.Close() }

// value writes one measurement.
func (r *report) value(name string, v float64, unit string) {
	line, _ := json.Marshal(struct {
		Name   string  `json:"name"`
		Value  float64 `json:"value"`
		Unit   string  `json:"unit"`
		Commit string  `json:"commit"`
		Device string  `json:"device"`
		Driver string  `json:"driver"`
		Date   string  `json:"date"`
	}{name, v, unit, r.commit, r.card, r.driver, time.Now().UTC().Format(time.RFC3339)})
	line = append(line, '\n')
	os.Stdout.Write(line)
	r.file.Write(line)
}
