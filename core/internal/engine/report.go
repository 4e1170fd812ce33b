package engine

import (
	"encoding/json"
	"errors"
	"time"

	"libcuzk/core/internal/status"
)

// JSON renders a report: {"kind":"porep","state":"done","stage":"verify",
// "done":1,"total":1,"stages":[{"name":"parse","wall_ms":0.4},…],"parts":[…]}, and for
// a failed job "error":{"code":-60,"name":…,"message":…,"detail":…}.
func (r Report) JSON() []byte {
	type stage struct {
		Name   string  `json:"name"`
		WallMs float64 `json:"wall_ms"`
	}
	out := struct {
		Kind   string   `json:"kind"`
		State  State    `json:"state"`
		Stage  string   `json:"stage"`
		Done   int64    `json:"done"`
		Total  int64    `json:"total"`
		Stages []stage  `json:"stages"`
		Parts  []stage  `json:"parts"`
		Error  *failure `json:"error,omitempty"`
	}{r.Kind, r.State, r.Progress.Stage, r.Progress.Done, r.Progress.Total, []stage{}, []stage{}, failureOf(r.Err)}
	for _, s := range r.Stages {
		out.Stages = append(out.Stages, stage{s.Name, float64(s.Wall) / float64(time.Millisecond)})
	}
	for _, s := range r.Parts {
		out.Parts = append(out.Parts, stage{s.Name, float64(s.Wall) / float64(time.Millisecond)})
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // plain fields: cannot happen
	}
	return text
}

// failure is the error of a report.
type failure struct {
	Code    status.Code `json:"code"`
	Name    string      `json:"name"`
	Message string      `json:"message"`
	Detail  string      `json:"detail"`
}

// failureOf describes err; nil for nil.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Code: status.CodeOf(err), Message: err.Error()}
	var e *status.Error
	if errors.As(err, &e) {
		f.Message, f.Detail = e.Message, e.Detail
	}
	f.Name = f.Code.String()
	return f
}
