package device

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The plans of the 32 GiB circuits fit into cards of several sizes, and get no
// worse with more memory; -v shows them. Weighing adds every bucket where it should.
func TestPlans(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no C++ compiler: ", err)
	}
	out, err := exec.Command("make", "-s", "-C", "../../..", "-f", "gpu/cuda/host/host.mk", "plans").CombinedOutput()
	t.Log(string(out))
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(out), "\n0 failed\n"))
}
