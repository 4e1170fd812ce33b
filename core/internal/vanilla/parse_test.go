package vanilla

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

const golden = "../../../tests/golden/sectors/"

// readGolden reads a golden file, gunzipping it where only name.gz exists.
func readGolden(t testing.TB, name string) []byte {
	t.Helper()
	if b, err := os.ReadFile(golden + name); err == nil {
		return b
	}
	f, err := os.Open(golden + name + ".gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	b, err := io.ReadAll(z)
	require.NoError(t, err)
	return b
}

// c1Files returns the names of all golden C1 outputs.
func c1Files(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(golden + "*/c1*.json*")
	require.NoError(t, err)
	require.Len(t, paths, 13)
	for i, p := range paths {
		rel, err := filepath.Rel(golden, p)
		require.NoError(t, err)
		paths[i] = strings.TrimSuffix(rel, ".gz")
	}
	return paths
}

// The reader against encoding/json on every golden file: each node of the
// document appears, in order, where the typed proof has it.
func TestParseGolden(t *testing.T) {
	for _, name := range c1Files(t) {
		data := readGolden(t, name)
		c, err := ParseC1(data)
		require.NoError(t, err, name)
		if strings.HasPrefix(name, "32g") {
			continue // reading it again in general form takes long
		}
		var doc map[string]any
		require.NoError(t, json.Unmarshal(data, &doc))
		require.Equal(t, doc["registered_proof"], c.Proof.Name())
		require.Equal(t, nodesOf(doc["comm_r"]), []Node{c.CommR})
		require.Equal(t, nodesOf(doc["ticket"]), []Node{c.Ticket})
		parts := doc["vanilla_proofs"].(map[string]any)[c.Proof.V1Name()].([]any)
		require.Len(t, c.Partitions, c.Proof.Partitions())
		for k, part := range parts {
			for i, ch := range part.([]any) {
				compareChallenge(t, c.Proof.Shape(), ch.(map[string]any), &c.Partitions[k][i])
			}
		}
	}
}

func compareChallenge(t *testing.T, s filecoin.Shape, doc map[string]any, c *Challenge) {
	t.Helper()
	comparePath(t, doc["comm_d_proofs"], &c.TreeD, treeD(s))
	comparePath(t, doc["comm_r_last_proof"], &c.TreeR, treeCR(s))
	cols := doc["replica_column_proofs"].(map[string]any)
	docs := append([]any{cols["c_x"]}, append(cols["drg_parents"].([]any), cols["exp_parents"].([]any)...)...)
	require.Len(t, docs, 15)
	for i, d := range docs {
		col := &c.Own
		if i > 0 {
			col = &c.Parents[i-1]
		}
		m := d.(map[string]any)
		require.Equal(t, m["column"].(map[string]any)["index"], float64(col.Index))
		require.Equal(t, nodesOf(m["column"].(map[string]any)["rows"]), col.Rows)
		comparePath(t, m["inclusion_proof"], &col.Path, treeCR(s))
	}
	labels := append(doc["labeling_proofs"].([]any), doc["encoding_proof"])
	require.Len(t, labels, s.Layers+1)
	for i, d := range labels {
		l := &c.Encoding
		if i < s.Layers {
			l = &c.Labels[i]
		}
		m := d.(map[string]any)
		require.Equal(t, nodesOf(m["parents"]), l.Parents)
		require.Equal(t, m["layer_index"], float64(l.Layer))
		require.Equal(t, m["node"], float64(l.Node))
	}
}

func comparePath(t *testing.T, doc any, p *Path, tr tree) {
	t.Helper()
	m := doc.(map[string]any)["data"].(map[string]any)[tr.variant].(map[string]any)
	require.Equal(t, nodesOf(m["root"]), []Node{p.Root})
	require.Equal(t, nodesOf(m["leaf"]), []Node{p.Leaf})
	var siblings []Node
	var index, weight uint64 = 0, 1
	for i, field := range tr.fields[2:] {
		for _, e := range m[field].(map[string]any)["path"].([]any) {
			siblings = append(siblings, nodesOf(e.(map[string]any)["hashes"])...)
			index += weight * uint64(e.(map[string]any)["index"].(float64))
			weight *= uint64(tr.parts[i].arity)
		}
	}
	require.Equal(t, siblings, p.Siblings)
	require.Equal(t, index, p.Index)
}

// nodesOf flattens nested arrays of numbers into nodes.
func nodesOf(v any) (out []Node) {
	list := v.([]any)
	if _, number := list[0].(float64); !number {
		for _, e := range list {
			out = append(out, nodesOf(e)...)
		}
		return out
	}
	var n Node
	for i, b := range list {
		n[i] = byte(b.(float64))
	}
	return []Node{n}
}

func wrap(data []byte, number int64, size uint64) []byte {
	w := struct {
		SectorNum  int64
		Phase1Out  []byte
		SectorSize uint64
	}{number, data, size}
	b, _ := json.Marshal(w)
	return b
}

func TestParseWrapper(t *testing.T) {
	data := readGolden(t, "2k-v1_1/c1-0.json")
	bare, err := ParseC1(data)
	require.NoError(t, err)
	require.Nil(t, bare.Wrapper)
	got, err := ParseC1(wrap(data, 101, 2048))
	require.NoError(t, err)
	require.Equal(t, &Wrapper{101, 2048}, got.Wrapper)
	got.Wrapper = nil
	require.Equal(t, bare, got)

	// Reordered, spaced, with an unknown field and an escaped one.
	odd := fmt.Sprintf(`{ "Extra":{"a":[1,{}]}, "SectorSize":2048, "Phase1Out" : %q , "Sector\u004eum":7}`, base64.StdEncoding.EncodeToString(data))
	got, err = ParseC1([]byte(odd))
	require.NoError(t, err)
	require.Equal(t, uint64(7), got.Wrapper.SectorNumber)

	for want, text := range map[string][]byte{
		"wrapper says 4096 bytes":   wrap(data, 1, 4096),
		"greater than":              []byte(strings.Replace(string(wrap(data, 1, 2048)), `"SectorNum":1`, `"SectorNum":9223372036854775808`, 1)),
		"unsigned integer":          wrap(data, -1, 2048),
		"Phase1Out: illegal base64": []byte(`{"SectorNum":1,"Phase1Out":"A","SectorSize":2048}`),
		"data after the end":        append(wrap(data, 1, 2048), '1'),
		"registered_proof":          wrap([]byte(`{}`), 1, 2048),
		"SectorSize":                []byte(`{"SectorNum":1,"Phase1Out":""}`),
	} {
		_, err = ParseC1(text)
		require.ErrorContains(t, err, want)
	}
	_, err = ParseC1(wrap(wrap(data, 1, 2048), 1, 2048))
	require.Error(t, err, "a wrapper in a wrapper")
}

// shuffled writes a document with the fields of every object in another order
// and white space between all tokens.
func shuffled(t *testing.T, data []byte, reverse bool) []byte {
	t.Helper()
	var doc any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	require.NoError(t, d.Decode(&doc))
	var b bytes.Buffer
	writeShuffled(&b, doc, reverse)
	return b.Bytes()
}

func writeShuffled(b *bytes.Buffer, v any, reverse bool) {
	switch v := v.(type) {
	case map[string]any:
		var keys []string
		for k := range v {
			keys = append(keys, k)
		}
		if reverse {
			keys = append(keys, "unknown field")
		}
		if len(keys) == 2 && keys[1] == "unknown field" { // an enum, which has no other field
			keys = keys[:1]
		}
		b.WriteString("{\n")
		for i, k := range keys {
			if i > 0 {
				b.WriteString("\t,\r\n")
			}
			fmt.Fprintf(b, "%q : ", k)
			if k == "unknown field" {
				b.WriteString(`[null, true, false, -1.5e+3, "\ud83d\ude00\n", {"x": {}}, []]`)
			} else {
				writeShuffled(b, v[k], reverse)
			}
		}
		b.WriteString(" }")
	case []any:
		b.WriteString("[ ")
		for i, e := range v {
			if i > 0 {
				b.WriteString(" , ")
			}
			writeShuffled(b, e, reverse)
		}
		b.WriteString(" ]")
	default:
		e, _ := json.Marshal(v)
		b.Write(e)
	}
}

func TestParseAnyOrderAndSpace(t *testing.T) {
	data := readGolden(t, "2k-v1_1/c1-0.json")
	want, err := ParseC1(data)
	require.NoError(t, err)
	for i := range 6 {
		got, err := ParseC1(shuffled(t, data, i%2 == 0))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// Every prefix of a document is refused, and nothing panics.
func TestParseTruncated(t *testing.T) {
	data := readGolden(t, "2k-v1_1/c1-0.json")
	for n := 0; n < len(data); n += 1 + n%61 {
		_, err := ParseC1(data[:n:n])
		require.Equal(t, status.InputSyntax, status.CodeOf(err), "%d bytes: %v", n, err)
	}
}

func BenchmarkParseC1(b *testing.B) {
	data := readGolden(b, "32g-sparse/c1.json")
	b.Run("32GiB", func(b *testing.B) { benchParse(b, data) })
	b.Run("wrapped", func(b *testing.B) { benchParse(b, wrap(data, 2101, 32*filecoin.GiB)) })
}

func benchParse(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if _, err := ParseC1(data); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(len(data)), "alloc/size")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N), "mallocs/op")
}
