// Package status holds the one typed error of libcuzk and its codes.
//
// Every fallible operation below the API classifies its failure once, where it
// is noticed, as an [Error]. The codes are those of the C ABI (cuzk_status):
// negative, grouped by tens, never reused.
package status

import (
	"errors"
	"fmt"
	"strings"
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
	cause := errors.Unwrap(wrapped)
	return &Error{Code: code, Message: wrapped.Error(), Detail: detail, Retryable: transient(code, cause), Err: cause}
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

// mostNamed is how many places a message names; the detail has all of them.
const mostNamed = 20

// Several joins the failures at several of total places, such as the bad sectors of a
// WindowPoSt; nil entries are places without one. One failure is returned as it is.
// Code and cause are those of the first, the detail is a list of all places, "a, b, c".
// If work was stopped while places were looked at, that is the failure.
func Several(what string, total int, errs []error) error {
	var all []*Error
	for _, err := range errs {
		var e *Error
		switch {
		case err == nil:
		case Stopped(err) || !errors.As(err, &e):
			return err
		default:
			all = append(all, e)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	out := *all[0]
	var messages, places []string
	for i, e := range all {
		if i < mostNamed {
			messages = append(messages, e.Message)
		}
		places = append(places, e.Detail)
	}
	out.Err = all[0]
	out.Message = fmt.Sprintf("%d of %d %s: %s", len(all), total, what, strings.Join(messages, "; "))
	if more := len(all) - mostNamed; more > 0 {
		out.Message += fmt.Sprintf("; and %d more", more)
	}
	out.Detail = strings.Join(places, ", ")
	return &out
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
