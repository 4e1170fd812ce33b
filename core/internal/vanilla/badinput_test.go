package vanilla

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// edit is a document whose value at a place can be replaced by raw text.
type edit struct {
	path  string // with indexes
	value jsontext.Value
	start int // of the value in the document
	end   int
}

// places returns every value of a document, and of each kind of place (the
// path without indexes) at most two.
func places(t *testing.T, data []byte) (out []edit) {
	t.Helper()
	index := regexp.MustCompile(`/[0-9]+`)
	seen := map[string]int{}
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		if d.PeekKind() == 0 {
			return out
		}
		// A decoder that looks at the value without moving on.
		kind, at := d.PeekKind(), int(d.InputOffset())
		name := false
		if k, n := d.StackIndex(d.StackDepth()); k == '{' && n%2 == 0 {
			name = true
		}
		if kind != ']' && kind != '}' && !name {
			for data[at] == ',' || data[at] == ':' {
				at++
			}
			v, err := jsontext.NewDecoder(bytes.NewReader(data[at:])).ReadValue()
			require.NoError(t, err)
			_, err = d.ReadToken()
			require.NoError(t, err)
			path := string(d.StackPointer())
			pattern := index.ReplaceAllString(path, "/*")
			if seen[pattern]++; seen[pattern] <= 2 {
				out = append(out, edit{path, slices.Clone(v), at, at + len(v)})
			}
			continue
		}
		_, err := d.ReadToken()
		require.NoError(t, err)
	}
}

func (e edit) with(data []byte, text string) []byte {
	return slices.Concat(data[:e.start], []byte(text), data[e.end:])
}

func fieldNames(v jsontext.Value) (names []string) {
	var m map[string]json.RawMessage
	if json.Unmarshal(v, &m) == nil {
		for name := range m {
			names = append(names, name)
		}
	}
	return names
}

// Every kind of value is replaced by others of wrong type, range or length, and
// every field is dropped and doubled. All of it must be refused with the place.
func TestParseRefuses(t *testing.T) {
	data := readGolden(t, "2k-v1_1/c1-0.json")
	tried := 0
	refuse := func(text []byte, what string, codes ...status.Code) {
		tried++
		_, err := ParseC1(text)
		require.Error(t, err, what)
		require.Contains(t, codes, status.CodeOf(err), "%s: %v", what, err)
	}
	for _, e := range places(t, data) {
		text := string(e.value)
		for _, other := range []string{`"x"`, `-1`, `1.5`, `1e1`, `true`, `{}`, `[]`, `[[]]`, `00`, `18446744073709551616`, ``, `nul`} {
			refuse(e.with(data, other), e.path+" = "+other, status.InputSyntax, status.InputValue)
		}
		if text != "null" {
			refuse(e.with(data, "null"), e.path+" = null", status.InputSyntax)
		}
		switch text[0] {
		case '{':
			for _, name := range fieldNames(e.value) {
				refuse(e.with(data, without(text, name)), e.path+" without "+name, status.InputSyntax)
				refuse(e.with(data, twice(text, name)), e.path+" twice "+name, status.InputSyntax)
			}
		case '[':
			refuse(e.with(data, text[:len(text)-1]+",0]"), e.path+" longer", status.InputSyntax, status.InputValue)
			refuse(e.with(data, text[:len(text)-1]+",]"), e.path+" comma", status.InputSyntax, status.InputValue)
			refuse(e.with(data, "[,"+text[1:]), e.path+" comma", status.InputSyntax, status.InputValue)
			if i := strings.LastIndexByte(text, ','); i > 0 && text[1] != '[' && text[1] != '{' {
				refuse(e.with(data, text[:i]+"]"), e.path+" shorter", status.InputValue)
			}
			refuse(e.with(data, strings.Replace(text, "[", "[ 256 ,", 1)), e.path+" 256", status.InputSyntax, status.InputValue)
		}
	}
	t.Logf("%d documents", tried)
	require.Greater(t, tried, 1000)
}

// without removes a field of an object, twice repeats it.
func without(object, name string) string {
	var m map[string]json.RawMessage
	_ = json.Unmarshal([]byte(object), &m)
	delete(m, name)
	b, _ := json.Marshal(m)
	return string(b)
}

func twice(object, name string) string {
	var m map[string]json.RawMessage
	_ = json.Unmarshal([]byte(object), &m)
	return fmt.Sprintf(`%s,%q:%s}`, object[:len(object)-1], name, m[name])
}

func TestParseNamesThePlace(t *testing.T) {
	text := string(readGolden(t, "2k-v1_1/c1-0.json"))
	big := `[1,0,0,0,255,255,255,255,254,91,254,255,2,164,189,83,5,216,161,9,8,216,57,51,72,125,157,41,83,167,237,115]` // r
	for _, v := range []struct {
		name, old, new string
		last           bool // replace the last occurrence
		code           status.Code
		detail         string
	}{
		{"r as leaf", `"leaf":[`, `"leaf":` + big + `,"x":[`, false, status.InputValue, "vanilla_proofs[0][0].comm_d_proofs.data.Single.leaf"},
		{"r as comm_r", `"comm_r":[`, `"comm_r":` + big + `,"x":[`, false, status.InputValue, "comm_r"},
		{"row", `"rows":[`, `"rows":[ [1],`, true, status.InputValue, "vanilla_proofs[0][1].replica_column_proofs.exp_parents[7].column.rows[0]"},
		{"index", `"index":1}`, `"index":2}`, false, status.InputValue, "vanilla_proofs[0][0].comm_d_proofs.data.Single.path.path[0].index"},
		{"arity", `"hashes":[`, `"hashes":[[],`, false, status.InputValue, "vanilla_proofs[0][0].comm_d_proofs.data.Single.path.path[0].hashes[0]"},
		{"variant", `"Single"`, `"Sub"`, true, status.InputValue, "vanilla_proofs[0][1].replica_column_proofs.exp_parents[7].inclusion_proof.data"},
		{"proof", `"StackedDrg2KiBV1_1"`, `"StackedDrg2KiBV7"`, false, status.InputValue, "registered_proof"},
		{"size", `"StackedDrg2KiBV1_1"`, `"StackedDrg8MiBV1_1"`, false, status.InputMismatch, "vanilla_proofs"},
		{"partitions", `"StackedDrg2KiBV1_1"`, `"StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"`, false, status.InputValue, "vanilla_proofs"},
		{"tag", `{"StackedDrg2KiBV1":`, `{"StackedDrg2KiBV1_1":`, false, status.InputValue, "vanilla_proofs"},
		{"challenges", `{"StackedDrg2KiBV1":[[`, `{"StackedDrg2KiBV1":[[],[`, false, status.InputValue, "vanilla_proofs[0]"},
		{"ticket", `"ticket":[`, `"ticket":[7,`, false, status.InputValue, "ticket"},
		{"unit", `"_h":null`, `"_h":0`, false, status.InputSyntax, "vanilla_proofs[0][0].replica_column_proofs.c_x.column._h"},
		{"second document", `{"registered_proof"`, `{}{"registered_proof"`, false, status.InputSyntax, ""},
		{"name", `"comm_r"`, "\"comm_r\xff\"", false, status.InputSyntax, ""},
		{"control", `"comm_r"`, "\"comm_r\n\"", false, status.InputSyntax, ""},
		{"surrogate", `"comm_r"`, `"comm_r\ud800"`, false, status.InputSyntax, ""},
	} {
		at := strings.Index(text, v.old)
		if v.last {
			at = strings.LastIndex(text, v.old)
		}
		_, err := ParseC1([]byte(text[:at] + v.new + text[at+len(v.old):]))
		var e *status.Error
		require.ErrorAs(t, err, &e, v.name)
		require.Equal(t, v.code, e.Code, "%s: %v", v.name, err)
		require.Equal(t, v.detail, e.Detail, "%s: %v", v.name, err)
	}
}

// TestErrorsStaySmall: neither a message nor what is remembered of ignored
// fields grows with the input.
func TestErrorsStaySmall(t *testing.T) {
	long := strings.Repeat("\x7f", 1<<20)
	text := string(readGolden(t, "2k-v1_1/c1-0.json"))
	for _, input := range []string{
		`{"registered_proof":"` + long + `"}`,
		`{"vanilla_proofs":{"` + long + `":[]}}`,
		`{"` + long + `":0,"` + long + `":0,"registered_proof":0}`,
		strings.Replace(text, `"Single"`, `"`+long+`"`, 1),
	} {
		_, err := ParseC1([]byte(input))
		require.Error(t, err)
		require.Less(t, len(err.Error()), 1000)
	}
	var many strings.Builder
	for i := range maxOthers + 1 {
		fmt.Fprintf(&many, `"x%d":0,`, i)
	}
	_, err := ParseC1([]byte(strings.Replace(text, "{", "{"+many.String(), 1)))
	require.Equal(t, status.InputSyntax, status.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, "unknown fields")
}

func TestSkipAgainstJSONText(t *testing.T) {
	for _, text := range []string{
		``, ` `, `null`, `nul`, `true false`, `[]`, `[1,]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `-`, `-0`, `01`, `1.`, `1.0e`, `1E+5`, `.5`,
		`"\u00"`, `"\x"`, `"\ud800\udc00"`, `"\udc00"`, "\"\x01\"", "\"\xc0\"", `"a`, `"\`, `[[[[`, `{"a":{"b":[1,{"c":null}]}}`, "[1\v]", `+1`, `NaN`, `1 2`,
	} {
		compareSkip(t, []byte(text))
	}
	deep := strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)
	s := scanner{data: []byte(deep)}
	s.skip(0)
	require.Equal(t, status.InputSyntax, status.CodeOf(s.err))
}

// compareSkip holds the scanner against jsontext on any bytes.
func compareSkip(t *testing.T, data []byte) {
	t.Helper()
	s := scanner{data: data}
	s.skip(0)
	s.end()
	if s.err != nil && strings.Contains(s.err.Message, "levels of nesting") {
		return
	}
	want := jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true))
	require.Equal(t, want, s.err == nil, "%q: %v", data, s.err)
}

func FuzzSkip(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e+3,"\u00e9\n",null,true,{}],"b":{"a":[[]]}}`))
	f.Add([]byte("[\"\\ud83d\\ude00\", 0.1E-2 ]"))
	f.Fuzz(compareSkip)
}

// FuzzParseC1 reads any bytes. Its seeds are short, because a valid document
// has 100 kB and mutating that is slow; FuzzEditedC1 goes where those are.
func FuzzParseC1(f *testing.F) {
	f.Add(wrap([]byte("{}"), 101, 2048))
	f.Add([]byte(`{"SectorNum":1,"Phase1Out":"e30=","SectorSize":2048}`))
	f.Add([]byte(`{"registered_proof":"StackedDrg32GiBV1_1","vanilla_proofs":{"StackedDrg32GiBV1":[[{"comm_d_proofs":{"data":{"Single":{"root":[1,2,3]`))
	f.Add([]byte(`{"registered_proof":"StackedDrg2KiBV1","vanilla_proofs":{"StackedDrg2KiBV1":[]},"comm_r":[0],"x":{"y":[null]}}`))
	f.Fuzz(parseAny)
}

// FuzzEditedC1 replaces drop bytes of a valid document by insert.
func FuzzEditedC1(f *testing.F) {
	data := readGolden(f, "2k-v1_1/c1-0.json")
	f.Add(uint32(0), uint16(0), []byte(""))
	f.Add(uint32(bytes.Index(data, []byte(`"_h"`))), uint16(9), []byte(`"x":0`))
	f.Add(uint32(bytes.Index(data, []byte(`"index"`))), uint16(9), []byte(`"index" : 0`))
	f.Add(uint32(bytes.Index(data, []byte(`"leaf"`))), uint16(9), []byte(`"leaf":[255,`))
	f.Add(uint32(bytes.Index(data, []byte(`_1"`))), uint16(2), []byte(""))
	f.Fuzz(func(t *testing.T, at uint32, drop uint16, insert []byte) {
		from := int(at) % len(data)
		to := min(from+int(drop), len(data))
		parseAny(t, slices.Concat(data[:from], insert, data[to:]))
	})
}

// parseAny: whatever is accepted is valid JSON with the counts of its proof, and
// accepted again in another writing.
func parseAny(t *testing.T, data []byte) {
	c, err := ParseC1(data)
	if err != nil {
		require.Nil(t, c)
		require.Negative(t, int(status.CodeOf(err)))
		return
	}
	v := jsontext.Value(slices.Clone(data))
	require.True(t, v.IsValid(jsontext.AllowDuplicateNames(true)))
	require.Len(t, c.Partitions, c.Proof.Partitions())
	require.NoError(t, v.Indent(jsontext.AllowDuplicateNames(true)))
	again, err := ParseC1(v)
	require.NoError(t, err)
	require.Equal(t, c, again)
}
