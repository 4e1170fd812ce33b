package lint

import "strings"

// rule says which packages of libcuzk a package may import.
type rule struct {
	pkg   string // with "/…": and those below it
	allow []string
}

// under is the lowest floor: everyone may stand on it.
var under = []string{"core/internal/status", "core/internal/spawn", "core/internal/files"}

// rules is the import map: a package may import what is listed, the lowest
// floor, and packages below itself. The first rule that fits counts.
var rules = []rule{
	{"capi", []string{"core", "capi/internal/…"}},
	{"capi/internal/…", []string{"core"}},
	{"capi/filcrypto", []string{"core", "core/ffi", "capi/internal/…"}},
	{"core/ffi", []string{"core"}},
	{"core", []string{"core/internal/engine", "core/internal/verification"}},
	{"core/internal/status/…", nil},
	{"core/internal/spawn", nil},
	{"core/internal/files/…", nil},

	{"core/cmd/internal/figure", nil},

	// Mathematics.
	{"core/internal/field/…", nil},
	{"core/internal/curve/…", []string{"core/internal/field"}},
	{"core/internal/poseidon/…", []string{"core/internal/field"}},
	{"core/internal/verify", nil}, // independent: neither prover nor device

	// SnarkPack: what verifies shares no code with what proves.
	{"core/internal/snarkpack", []string{"core/internal/verify"}},
	{"core/internal/snarkpack/aggregator", []string{"core/internal/snarkpack", "core/internal/curve", "core/internal/verify"}},
	{"core/internal/snarkpack/srs", []string{"core/internal/snarkpack", "core/internal/snarkpack/aggregator", "core/internal/curve"}},

	// Filecoin's rules and bytes.
	{"core/internal/filecoin", []string{"core/internal/poseidon"}},
	{"core/internal/vanilla", []string{"core/internal/filecoin", "core/internal/poseidon"}},
	{"core/internal/fixture", []string{"core/internal/filecoin", "core/internal/poseidon", "core/internal/vanilla"}},

	// Circuits.
	{"core/internal/r1cs", nil},
	{"core/internal/gadget", []string{"core/internal/r1cs", "core/internal/poseidon"}},
	{"core/internal/circuit/…", []string{"core/internal/r1cs", "core/internal/gadget", "core/internal/poseidon",
		"core/internal/filecoin", "core/internal/vanilla", "core/internal/circuit/…"}},

	// Proving.
	{"core/internal/params", []string{"core/internal/r1cs", "core/internal/curve", "core/internal/filecoin", "core/internal/verify"}},
	{"core/internal/groth16/toy", []string{"core/internal/r1cs", "core/internal/gadget", "core/internal/poseidon"}}, // circuits for tests
	{"core/internal/groth16/…", []string{"core/internal/field", "core/internal/r1cs", "core/internal/curve", "core/internal/params", "core/internal/verify"}},
	{"gpu/…", []string{"gpu/…"}}, // never core
	{"core/internal/device/…", []string{"core/internal/r1cs", "core/internal/curve", "core/internal/params", "core/internal/groth16", "core/internal/poseidon", "gpu"}},
	{"core/internal/golden", []string{"core/internal/circuit/…", "core/internal/filecoin", "core/internal/r1cs", "core/internal/vanilla"}},

	// What proofs are made of, timed alone.
	{"core/internal/measure", []string{"core/internal/curve", "core/internal/filecoin", "core/internal/groth16/…", "core/internal/params",
		"core/internal/poseidon", "core/internal/r1cs", "core/internal/verify"}},

	// What needs verifying keys only.
	{"core/internal/singleflight", nil},
	{"core/internal/verification", []string{"core/internal/singleflight", "core/internal/circuit/…", "core/internal/filecoin", "core/internal/params",
		"core/internal/r1cs", "core/internal/vanilla", "core/internal/verify"}},

	// The packages of the engine stand below it. Only the two that prove know circuits
	// and backends.
	{"core/internal/engine/loading", []string{"core/internal/engine/…", "core/internal/circuit", "core/internal/curve", "core/internal/device", "core/internal/filecoin",
		"core/internal/groth16", "core/internal/params", "core/internal/r1cs", "core/internal/singleflight", "core/internal/verification", "core/internal/verify"}},
	{"core/internal/engine/pipeline", []string{"core/internal/engine/…", "core/internal/device", "core/internal/filecoin", "core/internal/groth16",
		"core/internal/r1cs", "core/internal/verify"}},
	{"core/internal/engine/srs", []string{"core/internal/engine/…", "core/internal/filecoin", "core/internal/params"}},
	{"core/internal/engine/…", []string{"core/internal/engine/…", "core/internal/filecoin"}},
}

// engine may import everything below the API.
var engine = rule{"core/internal/engine", []string{"core/internal/…", "gpu/…"}}

// ruleFor finds the rule of a package.
func ruleFor(pkg string) (rule, bool) {
	if pkg == engine.pkg {
		return engine, true
	}
	for _, r := range rules {
		if matches(r.pkg, pkg) {
			return r, true
		}
	}
	return rule{}, false
}

// allows reports whether the rule's package may import path.
func (r rule) allows(path string) bool {
	for _, allowed := range append(r.allow, under...) {
		if matches(allowed, path) {
			return true
		}
	}
	return strings.HasPrefix(path, strings.TrimSuffix(r.pkg, "/…")+"/") && r.pkg != "core"
}

// matches reports whether pkg is pattern, or below it if it ends in "/…".
func matches(pattern, pkg string) bool {
	base, open := strings.CutSuffix(pattern, "/…")
	return pkg == base || open && strings.HasPrefix(pkg, base+"/")
}
