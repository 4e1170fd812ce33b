package budget

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
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
			m := ReadMachine(tree(c.files))
			require.Equal(t, Machine{16384000 << 10, 8192000 << 10, c.limit, c.from}, m)
		})
	}
}

func TestMostLeavesRoom(t *testing.T) {
	require.EqualValues(t, 900, Machine{Total: 5000, Limit: 1000}.Most(0))
	require.EqualValues(t, 4500, Machine{Total: 5000, Limit: Unlimited}.Most(0))
	require.EqualValues(t, 800, Machine{Total: 5000, Limit: 1000}.Most(800))
	require.EqualValues(t, 900, Machine{Total: 5000, Limit: 1000}.Most(2<<40), "the machine's limit holds against the caller's wish")
	require.EqualValues(t, Unlimited, Machine{Limit: Unlimited}.Most(0))
}

// TestThisMachine reads the real files: a budget must come out.
func TestThisMachine(t *testing.T) {
	m := ReadMachine(os.DirFS("/"))
	t.Logf("%+v", m)
	require.Positive(t, m.Total)
	require.Positive(t, m.Available)
	require.Positive(t, m.Most(0))
	require.LessOrEqual(t, m.Most(0), m.Total)
}
