// Package sched decides which waiting work starts next.
//
// The unit is a [Task], usually one partition of a job that waits for a stage.
// [Policy] decides, with pure functions over snapshots; [Queue] is the thin
// moving part around it, in which goroutines wait for their turn and for the
// amounts that they need of bounded resources (slots, bytes).
//
// The order is: critical before everything; then by priority; then the older
// job, and in it the lower partition. A task below high that has waited longer
// than Policy.Ageing is aged, and of every Policy.Share+1 starts below critical
// one belongs to the oldest aged task. So a steady stream of high work cannot
// starve normal work, and a backlog of old normal work cannot hold up high work
// by more than one start in Share+1: both bounds hold at once, which they would
// not if age simply raised the priority. Critical work is rare by nature
// (WinningPoSt) and is not held up at all.
//
// A task that does not fit claims what it needs: worse ones may overtake it only
// with what it leaves over, so that big tasks are not starved by small ones.
package sched

import (
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Priority is how urgent a job is. The zero value is Normal.
type Priority int8

// Priorities, each with the work that it is meant for.
const (
	Low      Priority = iota - 1
	Normal            // PoRep, SnapDeals
	High              // WindowPoSt
	Critical          // WinningPoSt
)

var priorityNames = [...]string{"low", "normal", "high", "critical"}

// Priorities returns all of them, the most urgent first.
func Priorities() []Priority { return []Priority{Critical, High, Normal, Low} }

// Valid reports whether p is one of the four.
func (p Priority) Valid() bool { return p >= Low && p <= Critical }

// String returns the lower-case name.
func (p Priority) String() string {
	if !p.Valid() {
		return "invalid"
	}
	return priorityNames[p-Low]
}

// ParsePriority reads a name as String writes it. Anything else is an error of
// code status.Argument.
func ParsePriority(name string) (Priority, error) {
	for i, n := range priorityNames {
		if n == name {
			return Low + Priority(i), nil
		}
	}
	return Normal, status.New(status.Argument, "priority", "unknown priority %q: want %s", name,
		strings.Join(priorityNames[:], ", "))
}
