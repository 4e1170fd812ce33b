package engine

import (
	"encoding/json"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
)

// statusJSON is the JSON of a status. All sizes are bytes.
type statusJSON struct {
	Version    string       `json:"version"`
	Backend    string       `json:"backend"` // "cpu" or "cuda"
	Why        string       `json:"why"`
	Devices    []deviceJSON `json:"devices"`
	Threads    int          `json:"threads"`
	Jobs       jobsJSON     `json:"jobs"`
	Queues     []queueJSON  `json:"queues"`
	Memory     memoryJSON   `json:"memory"`
	Params     []paramsJSON `json:"params"`
	Overlap    float64      `json:"overlap"`
	LostEvents uint64       `json:"lost_events"`
}

type deviceJSON struct {
	Index     int     `json:"index"`
	Name      string  `json:"name"`
	UUID      string  `json:"uuid"`
	Memory    int64   `json:"memory"`
	Used      int64   `json:"used"`
	Usable    bool    `json:"usable"`
	Why       string  `json:"why"`
	Slots     int     `json:"slots"`
	BusyMs    int64   `json:"busy_ms"`
	WantedMs  int64   `json:"wanted_ms"`
	IdleShare float64 `json:"idle_share"`
}

// jobsJSON counts jobs by state.
type jobsJSON struct {
	Now   map[string]int    `json:"now"`
	Ended map[string]uint64 `json:"ended"`
}

type queueJSON struct {
	Name     string         `json:"name"`
	Waiting  map[string]int `json:"waiting"` // by priority
	Running  int            `json:"running"`
	OldestMs int64          `json:"oldest_ms"`
}

type memoryJSON struct {
	Limits  limitsJSON `json:"limits"`
	Used    []useJSON  `json:"used"` // by purpose
	Waiting int        `json:"waiting"`
	Unknown []string   `json:"unknown"` // limits that could not be found out
}

type limitsJSON struct {
	Host    int64   `json:"host"`
	From    string  `json:"from"` // what sets host
	Pinned  int64   `json:"pinned"`
	Backlog int64   `json:"backlog"`
	Jobs    int64   `json:"jobs"` // waiting at the same time; 0: any number
	Device  []int64 `json:"device"`
}

type useJSON struct {
	Purpose string  `json:"purpose"`
	Host    int64   `json:"host"`
	Pinned  int64   `json:"pinned"`
	Backlog int64   `json:"backlog"`
	Device  []int64 `json:"device"`
	Idle    int64   `json:"idle"`
	Leases  int     `json:"leases"`
}

type paramsJSON struct {
	Name      string     `json:"name"`
	Path      string     `json:"path"`
	FileBytes int64      `json:"file_bytes"`
	Checked   bool       `json:"checked"`
	Tier      string     `json:"tier"` // the fastest that is ready
	Copies    []copyJSON `json:"copies"`
}

type copyJSON struct {
	Tier    string `json:"tier"`
	Device  int    `json:"device"`
	Bytes   int64  `json:"bytes"`
	Refs    int    `json:"refs"`
	Loading bool   `json:"loading"`
	Stage   string `json:"stage"`
	Done    int64  `json:"done"`
	Total   int64  `json:"total"`
}

// JSON renders the status.
func (s Status) JSON() []byte {
	text, err := json.Marshal(s.view())
	if err != nil {
		panic(err) // plain fields: cannot happen
	}
	return text
}

func (s Status) view() statusJSON {
	v := statusJSON{Version: s.Version, Backend: s.Backend, Why: s.Why, Devices: []deviceJSON{}, Threads: s.Threads,
		Jobs: jobsJSON{map[string]int{}, map[string]uint64{}}, Queues: []queueJSON{}, Params: []paramsJSON{},
		Overlap: s.Overlap, LostEvents: s.Lost}
	for _, d := range s.Devices {
		v.Devices = append(v.Devices, deviceJSON{d.Index, d.Name, d.UUID, d.Memory, d.Used, d.Usable, d.Why, d.Slots,
			d.Busy.Milliseconds(), d.Wanted.Milliseconds(), d.idleShare()})
	}
	for state, n := range s.Jobs.Now {
		v.Jobs.Now[string(state)] = n
	}
	for state, n := range s.Jobs.Ended {
		v.Jobs.Ended[string(state)] = n
	}
	for _, q := range s.Queues {
		waiting := map[string]int{}
		for _, p := range sched.Priorities() {
			waiting[p.String()] = q.Waiting[p]
		}
		v.Queues = append(v.Queues, queueJSON{q.Name, waiting, q.Running, q.Oldest.Milliseconds()})
	}
	limits := s.Memory.Limits
	v.Memory = memoryJSON{limitsJSON{limits.Host, limits.HostFrom, limits.Pinned, limits.Backlog, limits.Jobs, limits.Device}, []useJSON{}, s.Memory.Waiting,
		append([]string{}, s.Unknown...)}
	for _, u := range s.Memory.Used {
		v.Memory.Used = append(v.Memory.Used, useJSON{u.Purpose, u.Host, u.Pinned, u.Backlog, u.Device, u.Idle, u.Leases})
	}
	for _, p := range s.Params {
		copies := []copyJSON{}
		for _, c := range p.Copies {
			copies = append(copies, copyJSON{c.Place.Tier.String(), c.Place.Device, p.Bytes(c), c.Refs, c.Loading,
				c.Progress.Stage, c.Progress.Done, c.Progress.Total})
		}
		v.Params = append(v.Params, paramsJSON{p.Name, p.File.Path, p.File.Size, p.Checked, p.Tier.String(), copies})
	}
	return v
}
