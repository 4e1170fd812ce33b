package golden

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const folder = "../../../tests/golden"

// quickCost bounds what TestGolden hashes in full: about a minute in all. The
// rest is for verify-circuits: .ci/run checks the circuits of 32 GiB, make
// nightly every fact.
const quickCost = 40_000_000

// TestGolden checks every fact in tests/golden; of circuits above quickCost only
// the counts and the first rows, of assignments above it nothing, and says so.
func TestGolden(t *testing.T) {
	cases, err := Cases(folder)
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			switch {
			case c.Cost <= quickCost:
				require.NoError(t, c.Run())
			case c.Start != nil:
				require.NoError(t, c.Start())
				t.Skipf("%d terms: the first %d rows are right; make verify-circuits checks the rest", c.Cost, startRows)
			default:
				t.Skipf("%d values: make verify-circuits checks them", c.Cost)
			}
		})
	}
}
