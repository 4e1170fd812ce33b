package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGeneratedFilesAgree fails when a language's codes differ from codes.tsv.
func TestGeneratedFilesAgree(t *testing.T) {
	files, err := generate("../../../..")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for path, want := range files {
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(have), "%s is stale: run go generate ./core/internal/status", path)
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "group\t10\targument\targuments\n"
	for name, tsv := range map[string]string{
		"columns":         head + "-10\tA\ta",
		"not a number":    head + "ten\tA\ta\tx",
		"no group":        "-10\tA\ta\tx",
		"outside group":   head + "-20\tA\ta\tx",
		"positive":        head + "10\tA\ta\tx",
		"repeated value":  head + "-10\tA\ta\tx\n-10\tB\tb\tx",
		"repeated name":   head + "-10\tA\ta\tx\n-11\tB\ta\tx",
		"descending only": head + "-11\tA\ta\tx\n-10\tB\tb\tx",
	} {
		_, err := parse(tsv)
		require.Error(t, err, name)
	}
	good, err := parse(head + "-10\tSRSOdd\tsrs_odd\tmeans this")
	require.NoError(t, err)
	require.Equal(t, "SrsOdd", good[0].Codes[0].Camel())
	require.True(t, strings.Contains(renderHeader(good), "CUZK_ERR_SRS_ODD"))
}
