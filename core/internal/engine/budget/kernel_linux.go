package budget

import "golang.org/x/sys/unix"

// memoryOfKernel asks sysinfo(2) for the machine's memory in bytes.
func memoryOfKernel() (total, free int64, err error) {
	var s unix.Sysinfo_t
	err = unix.Sysinfo(&s)
	unit := max(int64(s.Unit), 1)
	return int64(s.Totalram) * unit, int64(s.Freeram+s.Bufferram) * unit, err
}
