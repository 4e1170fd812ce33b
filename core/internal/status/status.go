// Package status holds the one typed error of libcuzk and its codes.
//
// Every fallible operation below the API classifies its failure once, where it
// is noticed, as an [Error]. The codes are those of the C ABI (cuzk_status):
// negative, grouped by tens, never reused.
package status

import (
	"errors"
	"fmt"
)

//go:generate go run ./codegen

// Code is a cuzk_status value: 0 is success, every failure is negative.
type Code int32

// Error is a classified failure.
type Error struct {
	Code      Code
	Message   string // for people; names what is wrong and where
	Detail    string // for machines, e.g. "srs.h[4711]" or "vanilla_proofs[0][3].c_x"; may be empty
	Retryable bool   // the same call may succeed later without a change of its input
	Err       error  // cause, may be nil
}

// Error renders "code name: message (detail)"; the message includes its cause.
func (e *Error) Error() string {
	s := e.Code.String() + ": " + e.Message
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// New returns an Error with a formatted message. A %w operand becomes the cause.
func New(code Code, detail, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), Detail: detail, Err: errors.Unwrap(wrapped)}
}

// CodeOf returns the code of the first Error in err's chain, OK for nil and
// Internal for an unclassified error.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// String returns the lower-case name of the code.
func (c Code) String() string {
	if s, ok := names[c]; ok {
		return s
	}
	return "unknown"
}

// Annotate puts what was attempted before the message of a typed error, and keeps
// all else of it.
func Annotate(err error, format string, args ...any) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Message = fmt.Sprintf(format, args...) + ": " + e.Message
	out.Err = e
	return &out
}

// DetailOf returns the detail of the first Error in err's chain; "" if it has none.
func DetailOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Detail
	}
	return ""
}

// Within puts where an error happened, such as "sectors[3]", before the place
// that a typed error names itself. Its message must begin with that place.
func Within(where string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Message = where + "." + e.Message
	out.Detail = where
	if e.Detail != "" {
		out.Detail += "." + e.Detail
	}
	return &out
}
