// Package figure writes what the measuring commands measure: one JSON line a
// figure, in the form that docs/bench.md describes and every bench shares.
package figure

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Machine says what a figure was measured on.
type Machine struct {
	CPU    string `json:"cpu"`
	CPUs   int    `json:"cpus"`
	Device string `json:"device,omitempty"`
	Driver string `json:"driver,omitempty"`
}

// Host is this machine, without a device.
func Host() Machine { return Machine{CPU: cpuModel(), CPUs: runtime.NumCPU()} }

// Figure is one line.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Machine
	Commit string `json:"commit"`
	Date   string `json:"date"` // UTC, RFC 3339
}

// Writer writes figures of one machine and commit.
type Writer struct {
	to      io.Writer
	machine Machine
	commit  string
}

// NewWriter returns a writer to all of to; without a commit it asks git for that
// of the working folder.
func NewWriter(machine Machine, commit string, to ...io.Writer) *Writer {
	if commit == "" {
		commit = workingCommit()
	}
	return &Writer{io.MultiWriter(to...), machine, commit}
}

// Write writes one figure.
func (w *Writer) Write(name string, value float64, unit string) error {
	date := time.Now().UTC().Format(time.RFC3339)
	line, err := json.Marshal(Figure{name, value, unit, w.machine, w.commit, date})
	if err != nil {
		return err
	}
	_, err = w.to.Write(append(line, '\n'))
	return err
}

// workingCommit is the commit of the working folder, "-dirty" where it has changes.
func workingCommit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// cpuModel is the first model name of /proc/cpuinfo.
func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(info), "model name\t: ")
	model, _, _ := strings.Cut(rest, "\n")
	return model
}
