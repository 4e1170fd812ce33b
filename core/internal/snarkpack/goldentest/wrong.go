package goldentest

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// Variant is a case that was changed, with what the published verifier says to it.
type Variant struct {
	Case
	Variant   string // its name
	Published string // "accepted", "rejected", "error" or "panic"
}

// variantFile is an entry of wrong.json and wrong-more.json.
type variantFile struct {
	Name       string  `json:"name"`
	Case       string  `json:"case"`
	Published  string  `json:"published"`
	Registered string  `json:"registered_seal_proof"`
	Version    string  `json:"aggregate_version"`
	Aggregate  string  `json:"aggregate"` // a file to take instead of the case's
	Append     string  `json:"append"`
	Truncate   *int    `json:"truncate"`
	Replace    [][]any `json:"replace"` // offset, bytes in hex
	Sectors    []string
	Sector     [][]any // index, field, value
}

// Variants reads wrong.json and wrong-more.json.
func Variants(t testing.TB) (all []Variant) {
	cases := map[string]*Case{}
	for _, name := range []string{"wrong.json", "wrong-more.json"} {
		var list []json.RawMessage
		readJSON(t, name, &list)
		for _, raw := range list {
			var f variantFile
			require.NoError(t, json.Unmarshal(raw, &f))
			if cases[f.Case] == nil {
				cases[f.Case] = Load(t, f.Case)
			}
			all = append(all, Variant{*cases[f.Case], f.Name, f.Published})
			f.change(t, &all[len(all)-1].Case)
		}
	}
	return all
}

// change makes the variant of its case.
func (f *variantFile) change(t testing.TB, c *Case) {
	data := c.Aggregate
	if f.Aggregate != "" {
		var err error
		data, err = os.ReadFile(filepath.Join(Dir(), f.Aggregate))
		require.NoError(t, err)
	}
	data = append([]byte(nil), data...)
	for _, r := range f.Replace {
		copy(data[int(r[0].(float64)):], digits(t, r[1].(string)))
	}
	if f.Truncate != nil {
		data = data[:*f.Truncate]
	}
	c.Aggregate = append(data, digits(t, f.Append)...)
	if f.Version != "" {
		c.Version = ParseVersion(t, f.Version)
	}
	if f.Registered != "" {
		c.Registered = parseProof(t, f.Registered)
	}
	c.Sectors = append([]Sector(nil), c.Sectors...)
	if f.Sectors != nil {
		c.Sectors = nil
		for _, s := range f.Sectors {
			c.Sectors = append(c.Sectors, LoadSector(t, s))
		}
	}
	for _, s := range f.Sector {
		c.Sectors[int(s[0].(float64))].set(t, s[1].(string), s[2])
	}
}

func (s *Sector) set(t testing.TB, field string, value any) {
	if field == "sector_number" {
		s.SectorNumber = uint64(value.(float64))
		return
	}
	to := map[string]*filecoin.Node{"seed": &s.Seed, "ticket": &s.Ticket, "comm_r": &s.CommR, "comm_d": &s.CommD, "prover_id": &s.ProverID}[field]
	require.NotNil(t, to, field)
	*to = node(t, value.(string))
}

func digits(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}
