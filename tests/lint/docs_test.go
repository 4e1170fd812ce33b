package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/tests/harness"
)

// TestMistakesHaveTests: every test that docs/error-handling.md names exists, and
// every row of its lists has one.
func TestMistakesHaveTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(harness.Root(), "docs", "error-handling.md"))
	require.NoError(t, err)
	have := map[string]bool{}
	for _, s := range sources(t) {
		for name := range s.file.Scope.Objects {
			have[name] = have[name] || s.test
		}
	}
	rows := regexp.MustCompile("(?m)^\\| (.*?) \\| (`Test.*`) \\|$").FindAllStringSubmatch(string(page), -1)
	require.GreaterOrEqual(t, len(rows), 6+11, "failures of devices, mistakes of others")
	for _, row := range rows {
		names := regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[2], -1)
		require.NotEmpty(t, names, row[1])
		for _, name := range names {
			require.True(t, have[name[1]], "%s: no test %s", row[1], name[1])
		}
	}
}
