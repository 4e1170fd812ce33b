package budget

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// tree makes a file system of path → content.
func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

const meminfo = "MemTotal:       16384000 kB\nMemFree:  1 kB\nMemAvailable:    8192000 kB\n"

func TestControlGroups(t *testing.T) {
	const v2mount = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	const v1mount = "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n" +
		"36 31 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	for name, c := range map[string]struct {
		files map[string]string
		limit int64
		from  string
	}{
		"none": {map[string]string{}, Unlimited, ""},
		"v2, the parent is tighter": {map[string]string{
			"proc/self/cgroup": "0::/user.slice/prover.service\n", "proc/self/mountinfo": v2mount,
			"sys/fs/cgroup/user.slice/prover.service/memory.max":  "max\n",
			"sys/fs/cgroup/user.slice/prover.service/memory.high": "9000000\n",
			"sys/fs/cgroup/user.slice/memory.max":                 "5000000\n",
		}, 5000000, "sys/fs/cgroup/user.slice/memory.max"},
		"v2 in a container with its own namespace": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2mount,
			"sys/fs/cgroup/memory.max": "7000000\n",
		}, 7000000, "sys/fs/cgroup/memory.max"},
		"v1 in a container that sees the host's path": {map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/abc\n3:cpu:/docker/abc\n",
			"proc/self/mountinfo":                        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "6000000\n",
		}, 6000000, "sys/fs/cgroup/memory/memory.limit_in_bytes"},
		"v1, a group below the shown one": {map[string]string{
			"proc/self/cgroup":                               "4:memory:/docker/abc/job\n",
			"proc/self/mountinfo":                            "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "4000000\n",
		}, 4000000, "sys/fs/cgroup/memory/job/memory.limit_in_bytes"},
		"v1, a group of a similar name": {map[string]string{
			"proc/self/cgroup":                               "4:memory:/docker/abcdef\n",
			"proc/self/mountinfo":                            "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/def/memory.limit_in_bytes": "1\n",
		}, Unlimited, ""},
		"both: v1 holds the limit, and a huge number is none": {map[string]string{
			"proc/self/cgroup":                               "9:name=systemd:/\n4:memory:/a/b\n0::/\n",
			"proc/self/mountinfo":                            v1mount + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "3000000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
			"sys/fs/cgroup/cpu/a/b/memory.limit_in_bytes":    "5\n",
		}, 3000000, "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes"},
		"a path that leads outside": {map[string]string{
			"proc/self/cgroup": "0::/../../other\n", "proc/self/mountinfo": v2mount,
			"sys/fs/cgroup/memory.max": "2000000\n",
		}, 2000000, "sys/fs/cgroup/memory.max"},
		"nonsense": {map[string]string{
			"proc/self/cgroup": "\n:\n0:\n0::\nmemory\n4:memory:\n", "proc/self/mountinfo": v2mount + "x - cgroup2\n - \n" + v1mount,
			"sys/fs/cgroup/memory.max": "banana\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "-1\n",
		}, Unlimited, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["proc/meminfo"] = meminfo
			m := ReadMachine(tree(c.files), quiet)
			m.Unknown = nil
			require.Equal(t, Machine{16384000 << 10, 8192000 << 10, c.limit, c.from, nil}, m)
		})
	}
}

// quiet is a kernel without limits that knows nothing of memory.
var quiet = Kernel{
	Memory: func() (int64, int64, error) { return 0, 0, unix.ENOSYS },
	Limit:  func(int) (uint64, error) { return unix.RLIM_INFINITY, nil },
}

// TestUnknownIsNeverUnlimited: without /proc the kernel is asked; where it does not
// answer, a small machine is assumed; and what could not be read is said.
func TestUnknownIsNeverUnlimited(t *testing.T) {
	kernel := quiet
	m := ReadMachine(tree(nil), kernel)
	require.EqualValues(t, leastKnown, m.Total)
	most, _ := m.Most(0)
	require.Less(t, most, int64(leastKnown))
	require.Contains(t, strings.Join(m.Unknown, "\n"), "memory of the machine")

	kernel.Memory = func() (int64, int64, error) { return 64 << 30, 8 << 30, nil }
	m = ReadMachine(tree(nil), kernel)
	require.EqualValues(t, 64<<30, m.Total)
	require.EqualValues(t, 8<<30, m.Available)
	require.Contains(t, strings.Join(m.Unknown, "\n"), "/proc/self/cgroup")
	most, _ = m.Most(1 << 62)
	require.LessOrEqual(t, most, int64(64<<30))

	m = ReadMachine(unreadable{tree(map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
		"proc/self/mountinfo": "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"})}, kernel)
	require.Contains(t, strings.Join(m.Unknown, "\n"), "/sys/fs/cgroup/a/memory.max")
}

// unreadable has control groups that may not be read.
type unreadable struct{ fs.FS }

func (u unreadable) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "sys/") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.FS.Open(name)
}

// TestLimitsOfTheProcess: address space and data segment bound memory like a control
// group, less what is in use.
func TestLimitsOfTheProcess(t *testing.T) {
	files := tree(map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "proc/self/mountinfo": "",
		"proc/self/status": "VmSize:	 1000 kB\nVmData:	 500 kB\n"})
	for resource, want := range map[int]string{unix.RLIMIT_AS: "RLIMIT_AS", unix.RLIMIT_DATA: "RLIMIT_DATA"} {
		kernel := quiet
		kernel.Limit = func(r int) (uint64, error) {
			if r == resource {
				return 3 << 30, nil
			}
			return unix.RLIM_INFINITY, nil
		}
		m := ReadMachine(files, kernel)
		most, from := m.Most(0)
		require.Equal(t, want, from)
		require.Less(t, most, int64(3<<30)/10*9)
		require.Greater(t, most, int64(3<<30)/10*9-2<<20)
		require.Empty(t, m.Unknown)
	}
}

func TestMostLeavesRoom(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		m    Machine
		own  int64
		want int64
		from string
	}{
		"control group":         {Machine{Total: 5000, Limit: 1000, LimitFrom: "sys/max"}, 0, 900, "sys/max"},
		"machine":               {Machine{Total: 5000, Limit: Unlimited}, 0, 4500, "the machine's memory"},
		"own":                   {Machine{Total: 5000, Limit: 1000}, 800, 800, "memory_budget"},
		"own beyond the limits": {Machine{Total: 5000, Limit: 1000, LimitFrom: "sys/max"}, 2 << 40, 900, "sys/max"},
		"sealing has most":      {Machine{Total: 500 * gib, Available: 100 * gib, Limit: Unlimited}, 0, 90 * gib, "the memory that was available when the engine opened"},
		"own, sealing has most": {Machine{Total: 500 * gib, Available: 100 * gib, Limit: Unlimited}, 200 * gib, 200 * gib, "memory_budget"},
		"nearly none available": {Machine{Total: 500 * gib, Available: 1, Limit: Unlimited}, 0, gib / 10 * 9, "the memory that was available when the engine opened"},
	} {
		most, from := c.m.Most(c.own)
		require.Equal(t, c.want, most, name)
		require.Equal(t, c.from, from, name)
	}
}

// TestThisMachine reads the real files: a budget must come out.
func TestThisMachine(t *testing.T) {
	m := ReadMachine(os.DirFS("/"), System())
	t.Logf("%+v", m)
	require.Positive(t, m.Available)
	most, from := m.Most(0)
	require.Positive(t, most)
	require.LessOrEqual(t, most, m.Total)
	require.NotEmpty(t, from)
	total, free, err := System().Memory()
	require.NoError(t, err)
	require.InEpsilon(t, m.Total, total, 0.05, "sysinfo says what /proc/meminfo does")
	require.Positive(t, free)
}
