package main

/*
#include "shim.h"
*/
import "C"

import (
	"strings"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_engine_snapshot fills a snapshot but for its version.
//
//export cuzkgo_engine_snapshot
func cuzkgo_engine_snapshot(engine C.uint64_t, out *C.cuzk_snapshot, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		s := e.Status()
		out.backend = C.CUZK_BACKEND_CPU
		if s.Backend == string(cuzk.CUDA) {
			out.backend = C.CUZK_BACKEND_CUDA
		}
		out.threads = C.uint32_t(s.Threads)
		countJobs(out, s)
		countQueues(out, s)
		countMemory(out, s)
		countParams(out, s)
		out.lost_events = C.uint64_t(s.Lost)
		listDevices(out, s)
		return nil
	})
}

func countJobs(out *C.cuzk_snapshot, s cuzk.Status) {
	out.jobs_queued, out.jobs_running = C.uint64_t(s.Jobs.Now["queued"]), C.uint64_t(s.Jobs.Now["running"])
	out.jobs_done, out.jobs_failed = C.uint64_t(s.Jobs.Ended["done"]), C.uint64_t(s.Jobs.Ended["failed"])
	out.jobs_cancelled = C.uint64_t(s.Jobs.Ended["cancelled"])
}

// countQueues adds up the queues of all provers. What has no name in priorities
// but "" is their sum.
func countQueues(out *C.cuzk_snapshot, s cuzk.Status) {
	for _, q := range s.Queues {
		to := &out.prove
		if q.Name == "solve" {
			to = &out.solve
		}
		waiting := map[string]int{}
		for priority, n := range q.Waiting {
			waiting[priority.String()] = n
			waiting[""] += n
		}
		for level, name := range priorities {
			to.waiting[level] += C.uint32_t(waiting[name])
		}
		to.running += C.uint32_t(q.Running)
		to.oldest_ms = max(to.oldest_ms, C.uint64_t(q.Oldest.Milliseconds()))
	}
}

func countMemory(out *C.cuzk_snapshot, s cuzk.Status) {
	limits := s.Memory.Limits
	out.limit.host, out.limit.pinned = C.uint64_t(limits.Host), C.uint64_t(limits.Pinned)
	for _, bytes := range limits.Device {
		out.limit.device += C.uint64_t(bytes)
	}
	out.input_limit, out.memory_waiting = C.uint64_t(limits.Backlog), C.uint64_t(s.Memory.Waiting)
	for _, u := range s.Memory.Used {
		to := &out.used_other
		switch u.Purpose {
		case "srs":
			to = &out.used_params
		case "partition":
			to = &out.used_partitions
		}
		to.host += C.uint64_t(u.Host)
		to.pinned += C.uint64_t(u.Pinned)
		for _, bytes := range u.Device {
			to.device += C.uint64_t(bytes)
		}
		out.idle_bytes += C.uint64_t(u.Idle)
		out.input_used += C.uint64_t(u.Backlog)
	}
}

func countParams(out *C.cuzk_snapshot, s cuzk.Status) {
	count := func(tier int, bytes int64) {
		out.params_count[tier]++
		out.params_bytes[tier] += C.uint64_t(bytes)
	}
	for _, p := range s.Params {
		if len(p.Copies) == 0 {
			count(C.CUZK_TIER_DISK, p.File.Size)
		}
		for _, c := range p.Copies {
			count(int(c.Place.Tier), p.Bytes(c))
		}
	}
}

// listDevices copies names as far as they fit; the rest stays NUL.
func listDevices(out *C.cuzk_snapshot, s cuzk.Status) {
	out.device_count = C.uint32_t(len(s.Devices))
	for i, d := range s.Devices[:min(len(s.Devices), len(out.devices))] {
		to := &out.devices[i]
		setText(to.name[:], d.Name)
		setText(to.uuid[:], d.UUID)
		to.memory, to.used = C.uint64_t(d.Memory), C.uint64_t(d.Used)
		if d.Usable {
			to.usable = 1
		}
	}
}

// setText copies text, whole characters only, and leaves room for a NUL.
func setText(out []C.char, text string) {
	for len(text) >= len(out) {
		text = text[:len(text)-1]
	}
	for i, b := range []byte(strings.ToValidUTF8(text, "")) {
		out[i] = C.char(b)
	}
}
