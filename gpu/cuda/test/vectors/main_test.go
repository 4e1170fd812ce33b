package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVectorsAreCurrent fails when gnark.bin is not what this program writes.
func TestVectorsAreCurrent(t *testing.T) {
	have, err := os.ReadFile("../gnark.bin")
	require.NoError(t, err)
	var want bytes.Buffer
	write(&want)
	require.True(t, bytes.Equal(want.Bytes(), have), "gnark.bin is stale: run make generate")
}
