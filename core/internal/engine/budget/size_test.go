package budget

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "4096": 4096, "7B": 7, "7 B": 7, "1kB": 1000, "64GB": 64e9, "2KiB": 2048,
		"2TiB":    2 << 40, // once read as 50 GiB, silently
		"1.5 GiB": 3 << 29, "0.5KiB": 512, "0.001kB": 1, "400GiB": 400 << 30,
		"9223372036854775807": math.MaxInt64, "7.5PiB": 15 << 49,
	} {
		got, err := ParseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, bad := range []string{
		"", " ", "GiB", "2tib", "2T", "2TiBs", "2TiB ", " 2TiB", "2  TiB", "2KB", "2Gib", "2EiB", "ten GiB", "-1GiB", "+1GiB",
		"1e9", "0x10", "1/2GiB", "1_000", "1,5GiB", "1..5GiB", "1.5.1GiB", ".5GiB", "5.GiB", "0.3B", "1.0001kiB", "0.1KiB",
		"9223372036854775808", "8192PiB", "1111111111111111111111111111111111111111111GiB", "١GiB", "2TiB\x00", "NaN", "Inf",
	} {
		n, err := ParseSize(bad)
		require.Equal(t, status.Argument, status.CodeOf(err), "%q gave %d", bad, n)
		require.Zero(t, n)
	}
	_, err := ParseSize("2TB1")
	require.ErrorContains(t, err, "2TB1", "names what is wrong")
	_, err = ParseSize("50gb")
	require.ErrorContains(t, err, "GiB", "and what would be right")
}

func TestFormatSizeReadsBack(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10_000 {
		n := r.Int64N(1<<uint(1+r.IntN(62))) << uint(r.IntN(2)*r.IntN(30)) & math.MaxInt64
		got, err := ParseSize(FormatSize(n))
		require.NoError(t, err, "seed %d: %d", seed, n)
		require.Equal(t, n, got, "seed %d", seed)
	}
	require.Equal(t, []string{"0B", "1000B", "2TiB", "1536MiB"},
		[]string{FormatSize(0), FormatSize(1000), FormatSize(2 << 40), FormatSize(3 << 29)})
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"2TiB", "1.5 GiB", "7", "B", "9999999999999999999", "0.000001kB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseSize(text)
		if err != nil {
			return
		}
		again, err := ParseSize(FormatSize(n))
		if err != nil || again != n || n < 0 {
			t.Fatalf("%q: %d, then %d, %v", text, n, again, err)
		}
	})
}
