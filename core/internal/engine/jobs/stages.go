package jobs

import "time"

// stages measures named stages that may overlap, each in pieces that may overlap
// too. The two figures of a stage answer different questions and are kept apart:
// how long somebody worked on it, and how much work it was.
type stages struct {
	list  []*stage // in the order of their first beginning
	epoch int      // counts calls of close: pieces from before are over
}

type stage struct {
	name   string
	active int       // pieces and phases under way
	since  time.Time // when active became positive
	wall   time.Duration
	sum    time.Duration // of the pieces that have ended
	pieces int
}

// StageTime is the time of a stage of a job.
type StageTime struct {
	Name   string
	Wall   time.Duration // during which at least one piece of it was under way
	Sum    time.Duration // of its pieces that have ended, added up; Wall if it has none
	Pieces int
}

// begin starts a piece, or the phase of the whole job, of a stage; what it
// returns ends it, and does nothing a second time.
func (s *stages) begin(name string, now time.Time, phase bool) (end func()) {
	st := s.find(name)
	if st.active == 0 {
		st.since = now
	}
	st.active++
	epoch, open := s.epoch, true
	return func() {
		if !open || epoch != s.epoch {
			return
		}
		open = false
		end := time.Now()
		if !phase {
			st.pieces++
			st.sum += end.Sub(now)
		}
		st.leave(end)
	}
}

func (s *stages) find(name string) *stage {
	for _, st := range s.list {
		if st.name == name {
			return st
		}
	}
	st := &stage{name: name}
	s.list = append(s.list, st)
	return st
}

func (st *stage) leave(now time.Time) {
	if st.active--; st.active == 0 {
		st.wall += now.Sub(st.since)
	}
}

// close ends what is still under way, without counting it as a piece.
func (s *stages) close(now time.Time) {
	s.epoch++
	for _, st := range s.list {
		if st.active > 0 {
			st.active = 0
			st.wall += now.Sub(st.since)
		}
	}
}

// times returns the figures as of now.
func (s *stages) times(now time.Time) (out []StageTime) {
	for _, st := range s.list {
		t := StageTime{st.name, st.wall, st.sum, st.pieces}
		if st.active > 0 {
			t.Wall += now.Sub(st.since)
		}
		if t.Pieces == 0 {
			t.Sum = t.Wall
		}
		out = append(out, t)
	}
	return out
}
