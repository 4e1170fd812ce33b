package field

import "sync/atomic"

// Level says which vector units the arithmetic uses.
type Level int32

const (
	Portable Level = iota // none
	AVX2                  // four lanes, limbs of 28 bits
	IFMA                  // AVX-512 with 52-bit multipliers: eight lanes, limbs of 52 bits
)

func (l Level) String() string { return [...]string{"portable", "avx2", "ifma"}[l] }

// level is the Level in use.
var level = func() *atomic.Int32 {
	v := new(atomic.Int32)
	v.Store(int32(Available()))
	return v
}()

// Use returns the level in use: what the machine has, unless Force changed it.
func Use() Level { return Level(level.Load()) }

// Force uses another level until restore is called. It is for tests, which compare the
// levels with one another; nothing may be computing meanwhile.
func Force(l Level) (restore func()) {
	old := level.Swap(int32(l))
	return func() { level.Store(old) }
}
