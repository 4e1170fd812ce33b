package golden

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const folder = "../../../tests/golden"

// quickCost bounds what runs with every test: all circuits up to 512 MiB but
// the 512 MiB update, all assignments up to 512 MiB. The rest is verify-circuits.
const quickCost = 40_000_000

func TestGolden(t *testing.T) {
	cases, err := Cases(folder)
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		if c.Cost > quickCost {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { require.NoError(t, c.Run()) })
	}
}
