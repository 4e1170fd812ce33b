package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
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

// resetPeak starts the measurement of peak memory anew.
func resetPeak() { os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakRSS is the most resident memory in bytes since resetPeak.
func peakRSS() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range bytes.Split(data, []byte("\n")) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kib, _ := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
			return kib << 10
		}
	}
	return 0
}
