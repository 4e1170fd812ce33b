// Package signals keeps the library's threads out of the host's delivery of
// signals. It is all C, in a package of its own so that both C libraries have
// it; they import it for nothing else.
package signals

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra
import "C"
