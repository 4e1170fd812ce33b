package device

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
)

// Choose returns the devices to use: those named by index ("0") or by UUID
// ("GPU-5fb0…", a prefix is enough if it fits one), or all usable ones if none
// is named. A named device that cannot be used is an error of code NoDevice; so
// is an empty choice, and the error then says why each device was rejected.
func Choose(all []gpu.Info, names []string) ([]gpu.Info, error) {
	var chosen []gpu.Info
	if len(names) == 0 {
		for _, d := range all {
			if d.Rejected == "" {
				chosen = append(chosen, d)
			}
		}
		if len(chosen) == 0 {
			return nil, status.New(status.NoDevice, "devices", "no usable device: %s", Rejections(all))
		}
		return chosen, nil
	}
	seen := map[int]bool{}
	for _, name := range names {
		d, err := find(all, name)
		if err != nil {
			return nil, err
		}
		if seen[d.Index] {
			return nil, status.New(status.Argument, "devices", "device %q is named twice", name)
		}
		if d.Rejected != "" {
			return nil, status.New(status.NoDevice, "devices", "device %q (%s): %s", name, d.Name, d.Rejected)
		}
		seen[d.Index] = true
		chosen = append(chosen, d)
	}
	return chosen, nil
}

// find looks a device up by index or UUID.
func find(all []gpu.Info, name string) (gpu.Info, error) {
	var found []gpu.Info
	for _, d := range all {
		if name == strconv.Itoa(d.Index) || strings.HasPrefix(name, "GPU-") && strings.HasPrefix(d.UUID.String(), name) {
			found = append(found, d)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return gpu.Info{}, status.New(status.NoDevice, "devices", "no device %q among %d", name, len(all))
	default:
		return gpu.Info{}, status.New(status.Argument, "devices", "%q names %d devices", name, len(found))
	}
}

// Rejections says for every device that is not usable why; "no device is
// visible" if there is none at all.
func Rejections(all []gpu.Info) string {
	if len(all) == 0 {
		return "no device is visible"
	}
	var why []string
	for _, d := range all {
		if d.Rejected != "" {
			why = append(why, fmt.Sprintf("device %d (%s): %s", d.Index, d.Name, d.Rejected))
		}
	}
	return strings.Join(why, "; ")
}
