package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFilesAreCurrent fails when the generator was edited without go generate.
func TestFilesAreCurrent(t *testing.T) {
	for name, text := range outputs {
		have, err := os.ReadFile(filepath.Join("..", name))
		require.NoError(t, err)
		require.Equal(t, string(have), text(), name)
	}
}
