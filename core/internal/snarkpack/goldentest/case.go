// Package goldentest gives tests the aggregates of tests/golden/snarkpack, with the
// sectors and proofs that they were made of.
package goldentest

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/aggregator"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/srs"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Dir is the folder of the golden files.
func Dir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "tests", "golden", "snarkpack")
}

// Sector is one of the sectors of an aggregate.
type Sector struct {
	filecoin.Seal
	Proof      []byte // of all partitions, nil for simulated ones
	simulation int    // number of a simulated sector, 0 for a sealed one
}

// Case is a golden aggregate.
type Case struct {
	Name       string
	Registered filecoin.SealProof
	Version    snarkpack.Version
	Sectors    []Sector
	Padded     int
	Aggregate  []byte
	SHA256     string
	Challenges map[string]any // hex, little endian
}

// caseFile is the form of cases/NAME.json, and of what the lists of wrong ones change.
type caseFile struct {
	Registered string         `json:"registered_seal_proof"`
	Version    string         `json:"aggregate_version"`
	Sectors    []string       `json:"sectors"`
	Simulated  []int          `json:"simulated"`
	Padded     int            `json:"padded"`
	SHA256     string         `json:"aggregate_sha256"`
	Challenges map[string]any `json:"challenges"`
}

// Names lists the cases whose names fit a pattern of filepath.Match.
func Names(t testing.TB, pattern string) (names []string) {
	files, err := filepath.Glob(filepath.Join(Dir(), "cases", pattern+".json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	return names
}

// Load reads a case.
func Load(t testing.TB, name string) *Case {
	t.Helper()
	var f caseFile
	readJSON(t, filepath.Join("cases", name+".json"), &f)
	c := &Case{Name: name, Version: ParseVersion(t, f.Version), Padded: f.Padded, SHA256: f.SHA256, Challenges: f.Challenges}
	c.Registered = parseProof(t, f.Registered)
	if f.Simulated != nil {
		for i := range f.Simulated[1] {
			c.Sectors = append(c.Sectors, simulated(c.Registered, f.Simulated[0]+i))
		}
	}
	for _, s := range f.Sectors {
		c.Sectors = append(c.Sectors, LoadSector(t, s))
	}
	var err error
	c.Aggregate, err = os.ReadFile(filepath.Join(Dir(), "cases", name+".bin"))
	require.NoError(t, err)
	return c
}

// ParseVersion reads the name of a version.
func ParseVersion(t testing.TB, name string) snarkpack.Version {
	for _, v := range []snarkpack.Version{snarkpack.V1, snarkpack.V2} {
		if v.String() == name {
			return v
		}
	}
	require.Fail(t, "unknown version "+name)
	return 0
}

func parseProof(t testing.TB, name string) filecoin.SealProof {
	p, err := filecoin.ParseSealProof(name)
	require.NoError(t, err)
	return p
}

func readJSON(t testing.TB, name string, to any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(Dir(), name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, to))
}

// LoadSector reads sectors/NAME.json.
func LoadSector(t testing.TB, name string) (s Sector) {
	t.Helper()
	var f struct {
		Registered string `json:"registered_seal_proof"`
		ProverID   string `json:"prover_id"`
		Number     uint64 `json:"sector_number"`
		Ticket, Seed,
		Proof string
		CommR string `json:"comm_r"`
		CommD string `json:"comm_d"`
	}
	readJSON(t, filepath.Join("sectors", name+".json"), &f)
	s.Seal = filecoin.Seal{Proof: parseProof(t, f.Registered), ProverID: node(t, f.ProverID), SectorNumber: f.Number,
		CommD: node(t, f.CommD), CommR: node(t, f.CommR), Ticket: node(t, f.Ticket), Seed: node(t, f.Seed)}
	var err error
	s.Proof, err = hex.DecodeString(f.Proof)
	require.NoError(t, err)
	return s
}

func node(t testing.TB, digits string) filecoin.Node {
	b, err := hex.DecodeString(digits)
	require.NoError(t, err)
	require.Len(t, b, 32)
	return filecoin.Node(b)
}

// simulated returns a sector that was never sealed.
func simulated(p filecoin.SealProof, i int) Sector {
	secret := func(what string) filecoin.Node {
		s := params.LabelScalar(fmt.Sprintf("sim %s %d", what, i))
		var b [32]byte
		fr.LittleEndian.PutElement(&b, s)
		return b
	}
	return Sector{simulation: i, Seal: filecoin.Seal{Proof: p, ProverID: filecoin.ProverID(1000), SectorNumber: uint64(i),
		CommD: secret("comm_d"), CommR: secret("comm_r"), Ticket: secret("ticket"), Seed: secret("seed")}}
}

// Key returns the verifying key of the case's circuit.
func (c *Case) Key(t testing.TB) *verify.Key {
	name := filepath.Join(Dir(), "vk", "porep-34359738368.vk")
	if c.Registered.SectorSize() == 2*filecoin.KiB {
		name = filepath.Join(Dir(), "..", "vk", "porep-2048.vk")
	}
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	key, err := verify.ParseKey(raw)
	require.NoError(t, err)
	return key
}

// Included returns what the transcript binds of sectors.
func Included(p filecoin.SealProof, sectors []Sector) [32]byte {
	var commRs, seeds [][32]byte
	for _, s := range sectors {
		commRs, seeds = append(commRs, s.CommR), append(seeds, s.Seed)
	}
	if p.Feature() == filecoin.NonInteractive {
		seeds = nil
	}
	return snarkpack.Included(commRs, seeds)
}

// Statement returns what the aggregate claims.
func (c *Case) Statement(t testing.TB) snarkpack.Statement {
	return Statement(c.Key(t), c.Registered, c.Version, c.Sectors)
}

// Statement returns what an aggregate of sectors claims.
func Statement(key *verify.Key, p filecoin.SealProof, v snarkpack.Version, sectors []Sector) snarkpack.Statement {
	k := p.Partitions()
	return snarkpack.Statement{
		Key: key, Version: v, Included: Included(p, sectors), Count: k * len(sectors),
		Inputs: func(i int) ([]fr.Element, error) {
			seal := sectors[i/k].Seal
			seal.Proof = p
			s := seal.Statement()
			if err := s.CheckVerifiable(); err != nil {
				return nil, err
			}
			return s.PublicInputs(i % k)
		},
	}
}

// Proofs returns the Groth16 proofs of all partitions.
func (c *Case) Proofs(t testing.TB) []verify.Proof {
	var all []verify.Proof
	if c.Sectors[0].simulation == 0 {
		for _, s := range c.Sectors {
			proofs, err := verify.DecodeProofs(s.Proof)
			require.NoError(t, err)
			all = append(all, proofs...)
		}
		return all
	}
	return c.simulate(t)
}

// simulate makes proofs from the secrets of the verifying key: A = a·g, B = b·h, and
// the C that satisfies the equation.
func (c *Case) simulate(t testing.TB) []verify.Proof {
	ctx := context.Background()
	key := c.Key(t)
	toxic := params.ToxicFromLabel(params.GoldenLabel)
	known := c.Registered.SectorSize() != 2*filecoin.KiB // the discrete logarithms of the ic points
	ic := make([]fr.Element, len(key.IC))
	for i := range ic {
		ic[i] = params.LabelScalar(fmt.Sprintf("sim ic %d", i))
	}
	statement := c.Statement(t)
	n := statement.Count
	as, bs, cs := make([]fr.Element, n), make([]fr.Element, n), make([]fr.Element, n)
	sums := make([]bls.G1Affine, n) // of the ic points, where not known
	var deltaInverse, x fr.Element
	deltaInverse.Inverse(&toxic.Delta)
	var rest fr.Element // −γ/δ
	rest.Mul(&toxic.Gamma, &deltaInverse)
	rest.Neg(&rest)
	k := c.Registered.Partitions()
	for i := range n {
		in, err := statement.Inputs(i)
		require.NoError(t, err)
		s, part := c.Sectors[i/k].simulation, i%k
		as[i], bs[i] = params.LabelScalar(fmt.Sprintf("sim a %d %d", s, part)), params.LabelScalar(fmt.Sprintf("sim b %d %d", s, part))
		cs[i].Mul(&as[i], &bs[i])
		cs[i].Sub(&cs[i], x.Mul(&toxic.Alpha, &toxic.Beta))
		cs[i].Mul(&cs[i], &deltaInverse)
		scalars := append([]fr.Element{fr.One()}, in...)
		if known {
			var sum fr.Element
			for j := range scalars {
				sum.Add(&sum, x.Mul(&scalars[j], &ic[j]))
			}
			cs[i].Add(&cs[i], x.Mul(&sum, &rest))
			continue
		}
		for j := range scalars {
			scalars[j].Mul(&scalars[j], &rest)
		}
		sums[i], err = curve.MSMG1(ctx, curve.SliceG1(key.IC), scalars, 1)
		require.NoError(t, err)
	}
	g1, err := curve.NewFixedG1(ctx, curve.GeneratorG1(), 2*n, 2)
	require.NoError(t, err)
	g2, err := curve.NewFixedG2(ctx, curve.GeneratorG2(), n, 2)
	require.NoError(t, err)
	a, b, cc := make([]bls.G1Affine, n), make([]bls.G2Affine, n), make([]bls.G1Affine, n)
	require.NoError(t, g1.Mul(ctx, a, as, 2))
	require.NoError(t, g2.Mul(ctx, b, bs, 2))
	require.NoError(t, g1.Mul(ctx, cc, cs, 2))
	curve.AddBatchG1(cc, cc, sums)
	proofs := make([]verify.Proof, n)
	for i := range proofs {
		proofs[i] = verify.Proof{A: a[i], B: b[i], C: cc[i]}
	}
	return proofs
}

// SimulatedProofs returns the proofs of simulated sectors as bytes.
func (c *Case) SimulatedProofs(t testing.TB) (list [][]byte) {
	k := c.Registered.Partitions()
	for i, p := range c.Proofs(t) {
		if i%k == 0 {
			list = append(list, nil)
		}
		a, b, cc := p.A.Bytes(), p.B.Bytes(), p.C.Bytes()
		list[i/k] = append(append(append(list[i/k], a[:]...), b[:]...), cc[:]...)
	}
	return list
}

// Keys puts the golden verifying keys of 2 KiB and the simulated one of 32 GiB into a
// folder of parameters.
func Keys(t testing.TB, dir string) {
	for size, from := range map[uint64]string{
		2 * filecoin.KiB:  filepath.Join(Dir(), "..", "vk", "porep-2048.vk"),
		32 * filecoin.GiB: filepath.Join(Dir(), "vk", "porep-34359738368.vk"),
	} {
		shape, err := filecoin.NewShape(filecoin.PoRep, size)
		require.NoError(t, err)
		raw, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, shape.ParamsName()+".vk"), raw, 0o644))
	}
}

// Secrets returns those of the golden SRS.
func Secrets() (a, b fr.Element) {
	return params.LabelScalar("srs alpha"), params.LabelScalar("srs beta")
}

// ProverKey makes the key for n proofs from the secrets of the golden SRS.
func ProverKey(t testing.TB, n int) *aggregator.Key {
	ctx := context.Background()
	k := new(aggregator.Key)
	g1, err := curve.NewFixedG1(ctx, curve.GeneratorG1(), 4*n, 2)
	require.NoError(t, err)
	g2, err := curve.NewFixedG2(ctx, curve.GeneratorG2(), 2*n, 2)
	require.NoError(t, err)
	a, b := Secrets()
	for x, secret := range []fr.Element{a, b} {
		powers := make([]fr.Element, 2*n)
		powers[0].SetOne()
		for i := 1; i < len(powers); i++ {
			powers[i].Mul(&powers[i-1], &secret)
		}
		k.G1[x], k.G2[x] = make([]bls.G1Affine, 2*n), make([]bls.G2Affine, n)
		require.NoError(t, g1.Mul(ctx, k.G1[x], powers, 2))
		require.NoError(t, g2.Mul(ctx, k.G2[x], powers[:n], 2))
	}
	return k
}

// VerifierKey makes the verifier's key of the golden SRS.
func VerifierKey(t testing.TB) *snarkpack.VerifierKey {
	path := filepath.Join(t.TempDir(), srs.Name)
	WriteSRS(t, path, 2)
	f, err := srs.Open(t.Context(), path)
	require.NoError(t, err)
	defer f.Close()
	k, err := f.VerifierKey(t.Context())
	require.NoError(t, err)
	return k
}

// WriteSRS writes the golden SRS with vectors of n points.
func WriteSRS(t testing.TB, path string, n int) {
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	a, b := Secrets()
	require.NoError(t, srs.Write(context.Background(), file, n, &a, &b, 2, nil))
}
