package budget

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Machine is what this process may use of host memory.
type Machine struct {
	Total     int64    // bytes that the kernel manages
	Available int64    // bytes it could hand out now without swapping; 0: unknown
	Limit     int64    // the tightest limit of control groups and of the process; Unlimited: none
	LimitFrom string   // what sets it: a file without the leading slash, or "RLIMIT_AS"
	Unknown   []string // what could not be found out, for the log and the status
}

// Kernel is what the system answers without files.
type Kernel struct {
	Memory func() (total, free int64, err error)        // bytes
	Limit  func(resource int) (bytes uint64, err error) // the soft limit of a resource
}

// System asks the running kernel: sysinfo(2) and getrlimit(2).
func System() Kernel {
	return Kernel{
		Memory: memoryOfKernel,
		Limit: func(resource int) (uint64, error) {
			var r unix.Rlimit
			err := unix.Getrlimit(resource, &r)
			return r.Cur, err
		},
	}
}

// leastKnown is what a machine is taken to have whose memory cannot be found out.
const leastKnown = 1 << 30

// ReadMachine reads /proc and the control groups (v1, v2 and both at once) from
// a file system rooted at /, os.DirFS("/") outside of tests, and asks the kernel for
// what is not there. What cannot be found out is never taken as unlimited: without
// /proc and sysinfo a machine has a gibibyte; control groups that cannot be read are
// listed in Unknown.
func ReadMachine(root fs.FS, kernel Kernel) Machine {
	m := Machine{Limit: Unlimited}
	for line := range m.lines(root, "proc/meminfo") {
		switch f := strings.Fields(line); {
		case len(f) < 2:
		case f[0] == "MemTotal:":
			m.Total = kib(f[1])
		case f[0] == "MemAvailable:":
			m.Available = kib(f[1])
		}
	}
	if m.Total == 0 {
		m.ask(kernel)
	}
	for _, g := range m.groups(root) {
		for dir := g.path; ; dir = path.Dir(dir) {
			for _, file := range g.files {
				m.limit(root, path.Join(g.mount, dir, file))
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	m.process(root, kernel)
	return m
}

// ask takes the machine's memory from sysinfo(2), which needs neither a file nor a
// descriptor.
func (m *Machine) ask(kernel Kernel) {
	total, free, err := kernel.Memory()
	if err != nil || total <= 0 {
		m.Unknown = append(m.Unknown, fmt.Sprintf("memory of the machine, taken as %d bytes: sysinfo: %v", leastKnown, err))
		total, free = leastKnown, 0
	}
	m.Total, m.Available = total, free
}

// process looks at the limits of the process on address space and data, less what it
// uses of them already (proc(5), status: VmSize and VmData).
func (m *Machine) process(root fs.FS, kernel Kernel) {
	used := map[string]int64{}
	for line := range m.lines(root, "proc/self/status") {
		if f := strings.Fields(line); len(f) >= 2 && (f[0] == "VmSize:" || f[0] == "VmData:") {
			used[f[0]] = kib(f[1])
		}
	}
	for _, r := range []struct {
		resource   int
		name, used string
	}{{unix.RLIMIT_AS, "RLIMIT_AS", "VmSize:"}, {unix.RLIMIT_DATA, "RLIMIT_DATA", "VmData:"}} {
		bytes, err := kernel.Limit(r.resource)
		if err != nil {
			m.Unknown = append(m.Unknown, fmt.Sprintf("%s: %v", r.name, err))
			continue
		}
		if left := max(int64(min(bytes, Unlimited))-used[r.used], 0); bytes < Unlimited && left < m.Limit {
			m.Limit, m.LimitFrom = left, r.name
		}
	}
}

// leastAvailable is what a default budget has even where less memory is free when the
// engine opens, which may change.
const leastAvailable = 1 << 30

// Most returns the bytes that a budget may have, and what sets that limit: nine tenths
// of what machine, control group and process allow, so that the rest of the process
// has memory. own is the caller's own limit and a further bound; if it is 0, the
// budget is also at most nine tenths of what is available now: where sealing holds
// most of a machine, its total says nothing.
func (m Machine) Most(own int64) (bytes int64, from string) {
	bytes, from = m.Total, "the machine's memory"
	if own == 0 && m.Available > 0 && max(m.Available, leastAvailable) < bytes {
		bytes, from = max(m.Available, leastAvailable), "the memory that was available when the engine opened"
	}
	if m.Limit < bytes {
		bytes, from = m.Limit, m.LimitFrom
	}
	bytes = bytes / 10 * 9
	if own > 0 && own <= bytes {
		return own, "memory_budget"
	}
	return bytes, from
}

// limit lowers the limit to that in a file. "max", and the huge numbers with
// which v1 says the same, are none.
func (m *Machine) limit(root fs.FS, file string) {
	for line := range m.lines(root, file) {
		n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err == nil && n >= 0 && n < m.Limit {
			m.Limit, m.LimitFrom = n, file
		}
		return
	}
}

// group is a control group of this process: where its hierarchy is mounted, and
// its path below.
type group struct {
	mount, path string
	files       []string // those that limit memory
}

// groups finds the memory groups: /proc/self/cgroup has a line "0::PATH" for v2
// and "N:memory:PATH" for v1 (cgroups(7)), /proc/self/mountinfo where they are.
func (m *Machine) groups(root fs.FS) (out []group) {
	v1, v2 := m.mounts(root)
	for line := range m.lines(root, "proc/self/cgroup") {
		f := strings.SplitN(line, ":", 3)
		switch {
		case len(f) < 3:
		case f[0] == "0" && f[1] == "" && v2.point != "":
			out = append(out, group{v2.point, v2.below(f[2]), []string{"memory.max", "memory.high"}})
		case listed(f[1], "memory") && v1.point != "":
			out = append(out, group{v1.point, v1.below(f[2]), []string{"memory.limit_in_bytes"}})
		}
	}
	return out
}

// mount is a mounted hierarchy: the group that its mount point shows.
type mount struct{ point, shows string }

// below translates a group's path to one below the mount point. In a container
// the mount point may show the container's own group while the path names the
// host's: then the mount point is all there is to see.
func (m mount) below(group string) string {
	if m.shows == "/" {
		return path.Clean("/" + group)
	}
	if rest, ok := strings.CutPrefix(group, m.shows+"/"); ok {
		return path.Clean("/" + rest)
	}
	return "/"
}

// mounts finds the two hierarchies (proc(5), mountinfo: fields 4 and 5 are root
// and mount point, the type and the options of the file system follow " - ").
func (machine *Machine) mounts(root fs.FS) (v1, v2 mount) {
	for line := range machine.lines(root, "proc/self/mountinfo") {
		front, back, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(front), strings.Fields(back)
		if !ok || len(f) < 5 || len(g) < 3 {
			continue
		}
		m := mount{strings.TrimPrefix(f[4], "/"), f[3]}
		switch {
		case g[0] == "cgroup2":
			v2 = m
		case g[0] == "cgroup" && listed(g[2], "memory"):
			v1 = m
		}
	}
	return v1, v2
}

func listed(commas, name string) bool {
	for item := range strings.SplitSeq(commas, ",") {
		if item == name {
			return true
		}
	}
	return false
}

func kib(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > Unlimited>>10 {
		return 0
	}
	return n << 10
}

// lines yields the lines of a small file; none if it cannot be read, which is noted
// unless the file is one of a control group that does not exist: the topmost group has
// no limits.
func (m *Machine) lines(root fs.FS, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		data, err := fs.ReadFile(root, name)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) || strings.HasPrefix(name, "proc/") {
				m.Unknown = append(m.Unknown, fmt.Sprintf("/%s: %v", name, err))
			}
			return
		}
		scan := bufio.NewScanner(bytes.NewReader(data))
		for scan.Scan() {
			if !yield(scan.Text()) {
				return
			}
		}
	}
}
