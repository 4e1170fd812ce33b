package budget

import (
	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// ReadLocked asks the kernel.
func ReadLocked() (Locked, error) {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r); err != nil {
		return Locked{}, status.New(status.Internal, "RLIMIT_MEMLOCK", "reading the limit of locked memory: %w", err)
	}
	l := Locked{Limit: Unlimited}
	if r.Cur < Unlimited {
		l.Limit = int64(r.Cur)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if unix.Capget(&head, &sets[0]) == nil {
		l.Privileged = sets[0].Effective&(1<<unix.CAP_IPC_LOCK) != 0
	}
	return l, nil
}
