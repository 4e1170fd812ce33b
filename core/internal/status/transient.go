package status

import (
	"errors"
	"syscall"
)

// ErrChanged is the cause of a failure that happened because something changed while it
// was looked at: the next look finds it at rest.
var ErrChanged = errors.New("changed meanwhile")

// transientErrnos are what system calls answer when the same call may succeed a moment
// later: shortages of the process or the machine, and servers that do not answer.
var transientErrnos = []syscall.Errno{
	syscall.EAGAIN, syscall.EINTR, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.ENOSPC, syscall.EDQUOT,
	syscall.EBUSY, syscall.ETXTBSY, syscall.ETIMEDOUT, syscall.ESTALE, syscall.EIO, syscall.ECONNRESET, syscall.EHOSTDOWN, syscall.ENETDOWN,
	syscall.ENOLCK, syscall.EDEADLK,
}

// transient reports whether the call that failed may succeed later without a change
// of its input. It follows from code and cause alone; [New] asks it for every error.
func transient(code Code, cause error) bool {
	switch code {
	case Busy, Timeout, Memory, Device:
		return true
	case FileIO:
		for _, errno := range transientErrnos {
			if errors.Is(cause, errno) {
				return true
			}
		}
	}
	return errors.Is(cause, ErrChanged)
}
