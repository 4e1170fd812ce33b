package budget

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// units are all that a size may end with. Case counts: "kb" might be bits.
var units = []struct {
	name  string
	bytes int64
}{
	{"B", 1},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15},
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"PiB", 1 << 50},
}

// ParseSize reads a number of bytes in human units: "2TiB", "1.5 GiB", "64GB",
// or plain "4096". Nothing is guessed: an unknown unit, a sign, a fraction of a
// byte or more than 2^63−1 bytes is an error of code status.Argument.
func ParseSize(text string) (int64, error) {
	end := strings.LastIndexAny(text, "0123456789.") + 1
	number, unit := text[:end], strings.TrimPrefix(text[end:], " ")
	scale := int64(1)
	if text[end:] != "" {
		if scale = scaleOf(unit); scale == 0 {
			return 0, badSize(text, "unknown unit "+strconv.Quote(unit)+", want "+unitNames())
		}
	}
	if number == "" || strings.Trim(number, "0123456789.") != "" || strings.Count(number, ".") > 1 ||
		strings.HasPrefix(number, ".") || strings.HasSuffix(number, ".") || len(number) > 40 {
		return 0, badSize(text, "want a decimal number and a unit")
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, badSize(text, "want a decimal number and a unit")
	}
	value.Mul(value, new(big.Rat).SetInt64(scale))
	if !value.IsInt() {
		return 0, badSize(text, "not a whole number of bytes")
	}
	if !value.Num().IsInt64() {
		return 0, badSize(text, "more than "+strconv.FormatInt(math.MaxInt64, 10)+" bytes")
	}
	return value.Num().Int64(), nil
}

func scaleOf(unit string) int64 {
	for _, u := range units {
		if u.name == unit {
			return u.bytes
		}
	}
	return 0
}

func unitNames() string {
	var names []string
	for _, u := range units {
		names = append(names, u.name)
	}
	return strings.Join(names, ", ")
}

func badSize(text, why string) error {
	return status.New(status.Argument, "size", "size %q: %s", text, why)
}

// FormatSize writes bytes so that ParseSize reads the same number: in the
// largest binary unit that needs no fraction, "2TiB", "1536MiB", "1000B".
func FormatSize(bytes int64) string {
	for i := len(units) - 1; i > 0; i-- {
		u := units[i]
		if strings.HasSuffix(u.name, "iB") && bytes != 0 && bytes%u.bytes == 0 {
			return strconv.FormatInt(bytes/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(bytes, 10) + "B"
}
