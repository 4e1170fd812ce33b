package jobs

import (
	"sync"
	"time"
)

// Attempt is one execution of a job: what its work reports to. Once the attempt
// is over, nothing that it is told has any effect. Safe for concurrent use.
type Attempt struct {
	ID  uint64 // unique in the table: no two attempts of any jobs share one
	job *Job

	over bool // guarded by job.mu
}

// Job returns the number of the job.
func (a *Attempt) Job() uint64 { return a.job.ID }

// Kind returns what the job does, "porep".
func (a *Attempt) Kind() string { return a.job.request.Kind }

// Since returns when the job was submitted, which is what its age counts from.
func (a *Attempt) Since() time.Time { return a.job.times[0] }

// end makes the attempt deaf; pieces that it left open end here.
func (a *Attempt) end() {
	a.do(func(j *Job) {
		a.over = true
		j.phase()
		j.phase = func() {}
		j.stages.close(time.Now())
	})
}

// do runs fn under the job's lock, unless the attempt or the job is over.
func (a *Attempt) do(fn func(*Job)) {
	a.job.mu.Lock()
	defer a.job.mu.Unlock()
	if !a.over && a.job.attempt == a {
		fn(a.job)
	}
}

// live reports whether the attempt still counts.
func (a *Attempt) live() (ok bool) {
	a.do(func(*Job) { ok = true })
	return ok
}

// Sized says how many bytes the result will have: see Job.Size.
func (a *Attempt) Sized(bytes int) {
	a.do(func(j *Job) { j.learn(bytes) })
}

// Stage begins a stage of the job as a whole, of total units, and ends the one
// before. The first one sets the job running.
func (a *Attempt) Stage(name string, total int64) {
	a.do(func(j *Job) {
		now := time.Now()
		j.show(name, total, now)
		j.phase = j.stages.begin(name, now, true)
	})
}

// Show is Stage for a stage whose time is measured in pieces, with Time: it only
// says what the progress is of.
func (a *Attempt) Show(name string, total int64) {
	a.do(func(j *Job) { j.show(name, total, time.Now()) })
}

// show ends the stage before and sets the progress; j.mu is held.
func (j *Job) show(name string, total int64, now time.Time) {
	if j.is == Queued {
		j.is, j.times[1] = Running, now
	}
	j.phase()
	j.phase = func() {}
	j.progress = Progress{Stage: name, Total: total}
}

// Step adds n done units to the current stage.
func (a *Attempt) Step(n int64) {
	a.do(func(j *Job) { j.progress.Done += n })
}

// Advance says that done of total units of the current stage are done; a smaller
// figure than before is ignored.
func (a *Attempt) Advance(done, total int64) {
	a.do(func(j *Job) {
		if done > j.progress.Done {
			j.progress.Done, j.progress.Total = done, total
		}
	})
}

// Time measures one piece of a stage, such as one partition, and returns what
// ends it. Pieces may overlap, with each other and with pieces of other stages.
func (a *Attempt) Time(stage string) (end func()) {
	end = func() {}
	a.do(func(j *Job) {
		finish := j.stages.begin(stage, time.Now(), false)
		end = sync.OnceFunc(func() { a.do(func(*Job) { finish() }) })
	})
	return end
}

// Spent books time that a part of a stage took for one piece of work, such as
// the transforms of one partition; the report has the sums.
func (a *Attempt) Spent(part string, d time.Duration) {
	a.do(func(j *Job) {
		for i := range j.parts {
			if p := &j.parts[i]; p.Name == part {
				p.Wall += d
				p.Sum += d
				p.Pieces++
				return
			}
		}
		j.parts = append(j.parts, StageTime{part, d, d, 1})
	})
}
