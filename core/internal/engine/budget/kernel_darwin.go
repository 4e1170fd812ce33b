package budget

import "golang.org/x/sys/unix"

// memoryOfKernel asks sysctl(3) for the machine's memory in bytes; what is free is not
// known, and taken as half of it.
func memoryOfKernel() (total, free int64, err error) {
	bytes, err := unix.SysctlUint64("hw.memsize")
	return int64(bytes), int64(bytes / 2), err
}
