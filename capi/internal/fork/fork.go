// Package fork tells whether this process is a child of one that had loaded the
// library: Go does not survive that, so that the C halves of both libraries ask
// before they call it. It is all C, in a package of its own so that there is one
// of it; the libraries import it for nothing else.
package fork

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra
import "C"
