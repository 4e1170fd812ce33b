package ffi

import (
	"maps"
	"math"
	"slices"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// GenerateWinningPoStSectorChallenge returns the index of the sector that a
// WinningPoSt is about, below eligibleSectorsLen. It needs no engine.
func GenerateWinningPoStSectorChallenge[P ~int64, M ~uint64](proofType P, minerID M, randomness []byte, eligibleSectorsLen uint64) ([]uint64, error) {
	prover, err := proverID(ActorID(minerID))
	if err != nil {
		return nil, err
	}
	r, err := randomness32("randomness", randomness)
	if err != nil {
		return nil, err
	}
	i, err := cuzk.WinningPoStSector(int(proofType), r, prover, eligibleSectorsLen)
	if err != nil {
		return nil, err
	}
	return []uint64{i}, nil
}

// GeneratePoStFallbackSectorChallenges returns the challenged nodes of each
// sector. The order of sectorIds matters for the first version of WindowPoSt;
// of a sector that repeats the last place counts. A WinningPoSt has one sector:
// of several only the first is answered, as in filecoin-ffi. It needs no engine.
func GeneratePoStFallbackSectorChallenges[P ~int64, M, S ~uint64](proofType P, minerID M, randomness []byte, sectorIds []S) (*FallbackChallenges, error) {
	if _, err := proverID(ActorID(minerID)); err != nil {
		return nil, err
	}
	r, err := randomness32("randomness", randomness)
	if err != nil {
		return nil, err
	}
	if len(sectorIds) > 1 && cuzk.CheckPoStKind(int(proofType), cuzk.KindWinningPoSt) == nil {
		sectorIds = sectorIds[:1]
	}
	numbers := make([]uint64, len(sectorIds))
	for i, s := range sectorIds {
		numbers[i] = uint64(s)
	}
	nodes, err := cuzk.PoStChallenges(int(proofType), r, numbers)
	if err != nil {
		return nil, err
	}
	out := &FallbackChallenges{Challenges: map[SectorNumber][]uint64{}}
	for i, n := range numbers {
		out.Challenges[SectorNumber(n)] = nodes[i]
	}
	out.Sectors = slices.Sorted(maps.Keys(out.Challenges))
	return out, nil
}

// GetNumPartitionForFallbackPost returns the number of partitions of a
// WindowPoSt of so many sectors, at least one. It divides in single precision, as
// the published function does (filecoin-proofs post_util.rs:353-365), which
// differs from [cuzk.WindowPoStPartitions] above some 2^24 sectors. It needs no
// engine.
func GetNumPartitionForFallbackPost[P ~int64](proofType P, numSectors uint) (uint, error) {
	per, err := cuzk.WindowPoStSectors(int(proofType))
	if err != nil {
		return 0, err
	}
	return max(uint(math.Ceil(float64(float32(numSectors)/float32(per)))), 1), nil
}
