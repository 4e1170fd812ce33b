package budget

import "fmt"

// Locked is how much memory the process may lock.
type Locked struct {
	Limit      int64 // bytes, RLIMIT_MEMLOCK's soft limit; Unlimited: none
	Privileged bool  // CAP_IPC_LOCK: the limit does not apply
}

// Pinning is what to do about a wish to lock memory.
type Pinning struct {
	Bytes   int64  // to lock; the rest of the wish stays pageable
	Warning string // for people, "" if the wish is granted
}

// Pin decides whether want bytes can be locked beside held ones. A part of an
// SRS that is locked does not help much, and a page fault in a transfer costs
// more than it saves: so it is all or nothing, and never an error.
func (l Locked) Pin(held, want int64) Pinning {
	if l.Privileged || l.Limit >= Unlimited || held+want <= l.Limit {
		return Pinning{Bytes: want}
	}
	return Pinning{Warning: fmt.Sprintf("memory stays pageable and transfers will be slower: locking %s beside %s exceeds the limit of %s (ulimit -l)",
		FormatSize(want), FormatSize(held), FormatSize(l.Limit))}
}
