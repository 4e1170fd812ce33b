package budget

import (
	"bufio"
	"bytes"
	"io/fs"
	"iter"
	"path"
	"strconv"
	"strings"
)

// Machine is what this process may use of host memory.
type Machine struct {
	Total     int64  // bytes that the kernel manages; 0: unknown
	Available int64  // bytes it could hand out now without swapping; 0: unknown
	Limit     int64  // the tightest control-group limit; Unlimited: none
	LimitFrom string // the file that sets it, without the leading slash
}

// ReadMachine reads /proc and the control groups (v1, v2 and both at once) from
// a file system rooted at /, os.DirFS("/") outside of tests. What is missing or
// unreadable sets no limit: a wrong guess there must not stop the library.
func ReadMachine(root fs.FS) Machine {
	m := Machine{Limit: Unlimited}
	for line := range lines(root, "proc/meminfo") {
		switch f := strings.Fields(line); {
		case len(f) < 2:
		case f[0] == "MemTotal:":
			m.Total = kib(f[1])
		case f[0] == "MemAvailable:":
			m.Available = kib(f[1])
		}
	}
	for _, g := range groups(root) {
		for dir := g.path; ; dir = path.Dir(dir) {
			for _, file := range g.files {
				m.limit(root, path.Join(g.mount, dir, file))
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return m
}

// Most returns the bytes that a budget may have by default: nine tenths of what
// machine and control group allow, so that the rest of the process has room.
// The caller's own limit, if not 0, is a further bound.
func (m Machine) Most(own int64) int64 {
	most := m.Limit
	if m.Total > 0 {
		most = min(most, m.Total)
	}
	if most < Unlimited {
		most = most / 10 * 9
	}
	if own > 0 {
		most = min(most, own)
	}
	return most
}

// limit lowers the limit to that in a file. "max", and the huge numbers with
// which v1 says the same, are none.
func (m *Machine) limit(root fs.FS, file string) {
	for line := range lines(root, file) {
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
func groups(root fs.FS) (out []group) {
	v1, v2 := mounts(root)
	for line := range lines(root, "proc/self/cgroup") {
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
func mounts(root fs.FS) (v1, v2 mount) {
	for line := range lines(root, "proc/self/mountinfo") {
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

// lines yields the lines of a small file; none if it cannot be read.
func lines(root fs.FS, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		data, err := fs.ReadFile(root, name)
		if err != nil {
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
