package groth16

import "time"

// Timings is the wall time of each stage of one proof.
type Timings struct {
	Eval Stage // a and b from the packed witness
	NTT  Stage // quotient
	H    Stage // Σ h_i·H_i
	L    Stage // Σ w_i·L_i
	A    Stage
	B1   Stage // B in G1
	B2   Stage // B in G2
}

// Stage is the wall time of one stage.
type Stage time.Duration

// measure runs fn and adds its time.
func (s *Stage) measure(fn func() error) error {
	start := time.Now()
	err := fn()
	*s += Stage(time.Since(start))
	return err
}

// Duration returns the time of the stage.
func (s Stage) Duration() time.Duration { return time.Duration(s) }

// Total is the sum of all stages.
func (t *Timings) Total() time.Duration {
	return (t.Eval + t.NTT + t.H + t.L + t.A + t.B1 + t.B2).Duration()
}

// String prints the time of the stage.
func (s Stage) String() string { return s.Duration().String() }
