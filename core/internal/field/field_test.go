package field_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// seeded returns a generator of test values and prints how to repeat it.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CUZK_TEST_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("CUZK_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
