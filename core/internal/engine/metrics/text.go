package metrics

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteTo writes all metrics. Series are sorted by their label values, so that
// two writes of the same state are the same bytes.
func (r *Registry) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	families := slices.Clone(r.families)
	r.mu.Unlock()
	var b strings.Builder
	for _, f := range families {
		f.write(&b)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (f *family) write(b *strings.Builder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.name, helpText.Replace(f.help), f.name, f.kind)
	keys := make([]string, 0, len(f.series))
	for key := range f.series {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		s := f.series[key]
		if f.kind == "histogram" {
			f.histogram(b, s)
		} else {
			f.line(b, "", s, "", s.value)
		}
	}
}

// histogram writes the buckets, each with all observations up to its bound.
func (f *family) histogram(b *strings.Builder, s *series) {
	var total uint64
	for i, n := range s.counts {
		total += n
		bound := math.Inf(1)
		if i < len(f.buckets) {
			bound = f.buckets[i]
		}
		f.line(b, "_bucket", s, number(bound), float64(total))
	}
	f.line(b, "_sum", s, "", s.value)
	f.line(b, "_count", s, "", float64(total))
}

// line writes one sample; le is the bound of a bucket, "" for others.
func (f *family) line(b *strings.Builder, suffix string, s *series, le string, value float64) {
	b.WriteString(f.name + suffix)
	sep := "{"
	pair := func(label, value string) {
		b.WriteString(sep + label + `="` + labelText.Replace(value) + `"`)
		sep = ","
	}
	for i, label := range f.labels {
		pair(label, s.values[i])
	}
	if le != "" {
		pair("le", le)
	}
	if sep == "," {
		b.WriteString("}")
	}
	b.WriteString(" " + number(value) + "\n")
}

// The format's escapes: backslash and line feed in help texts, also the quote in
// label values.
var (
	helpText  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelText = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func number(x float64) string {
	if math.IsInf(x, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
