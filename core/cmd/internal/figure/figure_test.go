package figure

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLinesSayWhereAndWhen: every line has the fields that docs/bench.md promises.
func TestLinesSayWhereAndWhen(t *testing.T) {
	var one, two bytes.Buffer
	w := NewWriter(Machine{CPU: "a CPU", CPUs: 2, Device: "a card", Driver: "580"}, "abc1234", &one, &two)
	require.NoError(t, w.Write("prove_s", 1.5, "s"))
	require.NoError(t, w.Write("idle", 0, "%"))
	require.Equal(t, one.String(), two.String())
	for i, line := range bytes.Split(bytes.TrimSpace(one.Bytes()), []byte("\n")) {
		var f map[string]any
		require.NoError(t, json.Unmarshal(line, &f))
		_, err := time.Parse(time.RFC3339, f["date"].(string))
		require.NoError(t, err)
		delete(f, "date")
		require.Equal(t, map[string]any{"name": []string{"prove_s", "idle"}[i], "value": []float64{1.5, 0}[i], "unit": []string{"s", "%"}[i],
			"cpu": "a CPU", "cpus": 2.0, "device": "a card", "driver": "580", "commit": "abc1234"}, f)
	}
	require.NotEmpty(t, NewWriter(Host(), "").commit)
}
