// Command goruntime writes an overlay for `go build -overlay`, with which the C
// libraries get a Go runtime that is a guest in its process. Two of the
// runtime's files are replaced:
//
//   - netpoll_epoll.go: timers wait on a futex instead of epoll. The runtime then
//     opens no descriptors at all: a host that has none left, or closes all it
//     does not know, does no harm. Files are read by blocking calls, as with
//     epoll, which takes no regular files either; there are no sockets.
//   - sigtab_linux_generic.go: the runtime's threads do not unblock SIGCHLD,
//     SIGPROF, SIGTRAP, SIGSTKFLT and 34, which is SIGRTMIN, so that they inherit them
//     blocked (see capi/internal/signals) and never take one that the host waits for.
//
// A change that does not fit the installed Go is an error, not a library without
// it. Go hosts, which import the package cuzk, keep their own runtime.
//
// Usage: goruntime -o DIR, which writes DIR/overlay.json and the files it names.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed netpoll_futex.go.txt
var netpoll string

func main() {
	out := flag.String("o", "", "folder for overlay.json and the files it names")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "goruntime:", err)
		os.Exit(1)
	}
}

// write makes the overlay in dir.
func write(dir string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	runtime := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime")
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	files := map[string]func(original string) (string, error){
		"netpoll_epoll.go":        replaceNetpoll,
		"sigtab_linux_generic.go": keepBlocked,
	}
	replace := map[string]string{}
	for name, change := range files {
		original, err := os.ReadFile(filepath.Join(runtime, name))
		if err != nil {
			return err
		}
		changed, err := change(string(original))
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(runtime, name), err)
		}
		replace[filepath.Join(runtime, name)] = filepath.Join(dir, name)
		if err := writeIfNew(filepath.Join(dir, name), changed); err != nil {
			return err
		}
	}
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return writeIfNew(filepath.Join(dir, "overlay.json"), string(overlay)+"\n")
}

// netpollFunctions are those that the rest of the runtime calls; the replacement
// has the same.
var netpollFunctions = []string{
	"func netpollinit() {",
	"func netpollIsPollDescriptor(fd uintptr) bool {",
	"func netpollopen(fd uintptr, pd *pollDesc) uintptr {",
	"func netpollclose(fd uintptr) uintptr {",
	"func netpollarm(pd *pollDesc, mode int) {",
	"func netpollBreak() {",
	"func netpoll(delay int64) (gList, int32) {",
}

// replaceNetpoll returns the replacement, if the original has exactly the
// functions that it replaces.
func replaceNetpoll(original string) (string, error) {
	if n := strings.Count(original, "\nfunc "); n != len(netpollFunctions) {
		return "", fmt.Errorf("has %d functions, expected %d: another version of Go", n, len(netpollFunctions))
	}
	for _, f := range netpollFunctions {
		if !strings.Contains(original, "\n"+f) {
			return "", fmt.Errorf("lacks %q: another version of Go", f)
		}
	}
	return netpoll, nil
}

// keepBlocked returns the table of signals without the flag that unblocks those
// that no instruction of a thread raises.
func keepBlocked(original string) (string, error) {
	for _, line := range []string{
		`{_SigThrow + _SigUnblock, "SIGTRAP: `,
		`{_SigThrow + _SigUnblock, "SIGSTKFLT: `,
		`{_SigNotify + _SigUnblock + _SigIgn, "SIGCHLD: `,
		`{_SigNotify + _SigUnblock, "SIGPROF: `,
		`{_SigSetStack + _SigUnblock, "signal 34"`,
	} {
		if strings.Count(original, line) != 1 {
			return "", fmt.Errorf("lacks %q: another version of Go", line)
		}
		original = strings.Replace(original, line, strings.Replace(line, " + _SigUnblock", "", 1), 1)
	}
	return original, nil
}

// writeIfNew leaves a file alone that has the text already, so that nothing is
// built again.
func writeIfNew(path, text string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
