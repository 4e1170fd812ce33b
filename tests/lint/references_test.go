package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/tests/harness"
)

var (
	// markdownLink is the target of a link, without its #section.
	markdownLink = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`)
	// pagedSection is "docs/page.md 4.5", also "4.5 and 4.6" and "2.3 to 2.5".
	pagedSection = regexp.MustCompile(`docs/([A-Za-z-]+\.md)((?:(?:,| and| to)? ?[0-9]+\.[0-9]+)*)`)
	sectionNo    = regexp.MustCompile(`[0-9]+\.[0-9]+`)
	heading      = regexp.MustCompile(`(?m)^#+ ([0-9]+(?:\.[0-9]+)?)\.? `)
	// treePath is a path of this tree in code marks.
	treePath = regexp.MustCompile("`((?:core|capi|gpu|include|bindings|tests|docs|\\.ci|\\.github)/[A-Za-z0-9_./-]*)")
	// nowhere names documents that are not in this tree.
	nowhere = regexp.MustCompile(`\bfacts(-[a-z]+)?\.md|\(design [0-9]|\bdesign\.md section`)
)

// upstream are the pages whose short paths are those of upstream repositories.
var upstream = []string{"docs/filecoin.md", "docs/snarkpack.md", "docs/snarkpack-sources.md"}

// TestReferencesExist: each path, page and section that code or a page names is there.
func TestReferencesExist(t *testing.T) {
	root := harness.Root()
	sections := map[string]map[string]bool{}
	links, numbers, paths := 0, 0, 0
	for _, path := range strings.Fields(harness.Run(t, "git", "-C", root, "ls-files")) {
		if strings.HasPrefix(path, "tests/golden/") || path == "tests/lint/references_test.go" ||
			!slices.Contains([]string{".md", ".go", ".h", ".c", ".cu", ".cuh", ".hpp", ".cpp", ".rs", ".py", ".sh", ".mk"}, filepath.Ext(path)) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(root, path))
		if os.IsNotExist(err) {
			continue // removed and not committed yet
		}
		require.NoError(t, err)
		text := string(raw)
		require.NotRegexp(t, nowhere, text, path)
		for _, ref := range pagedSection.FindAllStringSubmatch(text, -1) {
			page := ref[1]
			if sections[page] == nil {
				sections[page] = headings(t, filepath.Join(root, "docs", page), path)
			}
			for _, number := range sectionNo.FindAllString(ref[2], -1) {
				require.True(t, sections[page][number], "%s: docs/%s has no section %s", path, page, number)
				numbers++
			}
		}
		if filepath.Ext(path) != ".md" {
			continue
		}
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			if link[1] == "" || strings.Contains(link[1], ":") {
				continue
			}
			_, err := os.Stat(filepath.Join(root, filepath.Dir(path), link[1]))
			require.NoError(t, err, "%s has a link", path)
			links++
		}
		if slices.Contains(upstream, path) || path == "CHANGELOG.md" {
			continue
		}
		for _, ref := range treePath.FindAllStringSubmatch(text, -1) {
			_, err := os.Stat(filepath.Join(root, strings.TrimRight(ref[1], "./")))
			require.NoError(t, err, "%s names %s", path, ref[1])
			paths++
		}
	}
	require.Greater(t, links, 15, "links were found")
	require.Greater(t, numbers, 15, "sections were found")
	require.Greater(t, paths, 30, "paths were found")
}

// headings returns the numbers of the sections of a page that by names.
func headings(t *testing.T, page, by string) map[string]bool {
	text, err := os.ReadFile(page)
	require.NoError(t, err, "a page that %s names", by)
	numbers := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		numbers[h[1]] = true
	}
	return numbers
}
