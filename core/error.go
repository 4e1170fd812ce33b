package cuzk

import "github.com/libcuzk/libcuzk/core/internal/status"

// Error is the one error type of this package: everything that fails returns
// one, with the code of the C ABI, a message for people, a detail for machines
// and whether the same call may succeed later.
type Error = status.Error

// Code classifies an Error. Codes are negative, grouped by tens and never
// renumbered; OK is 0.
type Code = status.Code

// CodeOf returns the code of err: OK for nil, Internal for a foreign error.
func CodeOf(err error) Code { return status.CodeOf(err) }
