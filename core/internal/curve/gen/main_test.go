package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTwinsAreCurrent fails when a _g1.go file was edited without go generate.
func TestTwinsAreCurrent(t *testing.T) {
	files, err := filepath.Glob("../*_g1.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		twin, err := os.ReadFile(strings.TrimSuffix(file, "_g1.go") + "_g2.go")
		require.NoError(t, err)
		require.Equal(t, string(twin), Twin(string(source), filepath.Base(file)), file)
	}
}
