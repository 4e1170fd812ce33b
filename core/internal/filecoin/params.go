package filecoin

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// Published is one circuit of the trusted setup. A digest is the first 16 bytes
// of the BLAKE2b-512 of the whole file, in hex (RFP
// core/parameter_cache.rs:426-436).
type Published struct {
	Kind       Kind
	SectorSize uint64
	// Poseidon marks the variant of the update circuit with a Poseidon tree D.
	// No vanilla prover exists for it, so libcuzk only knows its names.
	Poseidon     bool
	Name         string // of the files, without .params and .vk
	ParamsDigest string
	VKDigest     string
}

// SnarkPack inputs of the aggregation of non-interactive proofs.
const (
	InnerProductName   = "v28-fil-inner-product-v1.srs"
	InnerProductDigest = "ae20310138f5ba81451d723f858e3797"
)

// AllPublished returns the 22 published circuits.
func AllPublished() []Published { return slices.Clone(published[:]) }

// PublishedByName finds a circuit by the name of its files without extension.
func PublishedByName(name string) (Published, bool) {
	for i := range published {
		if published[i].Name == name {
			return published[i], true
		}
	}
	return Published{}, false
}

// Published returns the published files of this circuit; test sizes have none.
func (s Shape) Published() (Published, bool) { return PublishedByName(s.ParamsName()) }

// ParamsName is the name of the circuit's parameter files without extension:
// version, prefix and the SHA-256 of the identifier (RFP
// core/parameter_cache.rs:27,65-75,170-192).
func (s Shape) ParamsName() string {
	prefix := ""
	switch s.Kind {
	case PoRep:
		prefix = "stacked-proof-of-replication-" + s.TreeName() + "-sha256_hasher"
	case Update:
		prefix = "empty-sector-update-" + s.TreeName()
	default:
		prefix = "proof-of-spacetime-fallback-" + s.TreeName()
	}
	return fmt.Sprintf("v28-%s-%x", prefix, sha256.Sum256([]byte(s.Identifier())))
}

// Identifier is the text whose hash names the parameter files: Rust's public
// parameters in print (RFP porep/vanilla/params.rs:107, post/vanilla.rs:56,
// upd/vanilla.rs:78).
func (s Shape) Identifier() string {
	switch s.Kind {
	case PoRep:
		return fmt.Sprintf("layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: %d "+
			"base_graph: drgraph::BucketGraph{size: %d; degree: %d; hasher: poseidon_hasher} }, "+
			"challenges: LayerChallenges { layers: %d, max_count: %d }, tree: %s }",
			ExpanderDegree, s.Nodes(), DRGDegree, s.Layers, s.Challenges, s.TreeName())
	case Update:
		return fmt.Sprintf("empty_sector_update::PublicParams{ sector_nodes: %d }", s.Nodes())
	default:
		return fmt.Sprintf("FallbackPoSt::PublicParams{sector_size: %d, challenge_count: %d, sector_count: %d}",
			s.SectorSize, s.Challenges, s.Sectors)
	}
}
