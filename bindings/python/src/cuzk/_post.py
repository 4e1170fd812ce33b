"""What is asked and done about a PoSt without an engine."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_size_t, c_uint64

from . import _native
from ._structs import bytes32, pieces, registered, unsigned


def winning_sector(registered_proof: int, randomness: bytes, prover_id: bytes, eligible: int) -> int:
    """Tells which of so many eligible sectors, from 0, a WinningPoSt is about."""
    index = c_uint64()
    _native.call(
        "cuzk_post_winner", registered(registered_proof), bytes32("randomness", randomness),
        bytes32("prover_id", prover_id), unsigned("eligible", eligible, 64), ctypes.byref(index),
    )  # fmt: skip
    return index.value


def window_partitions(registered_proof: int, sector_count: int) -> int:
    """Tells how many partitions a WindowPoSt of so many sectors has."""
    partitions = c_uint64()
    count = unsigned("sector_count", sector_count, 64)
    _native.call("cuzk_post_partitions", registered(registered_proof), count, ctypes.byref(partitions))
    return partitions.value


def post_challenges(registered_proof: int, randomness: bytes, sector_numbers: Sequence[int]) -> list[list[int]]:
    """Tells which nodes of each sector the vanilla proofs must open; numbers ascend."""
    n = len(sector_numbers)
    numbers = (c_uint64 * n)(*(unsigned("sector_number", s, 64) for s in sector_numbers))
    nodes = (c_uint64 * (66 * n))()  # enough for both kinds
    count = c_size_t(len(nodes))
    _native.call(
        "cuzk_post_challenges", registered(registered_proof), bytes32("randomness", randomness),
        numbers, n, nodes, ctypes.byref(count),
    )  # fmt: skip
    per = count.value // n
    return [list(nodes[i * per : (i + 1) * per]) for i in range(n)]


def merge_post(registered_proof: int, partitions: Sequence[bytes]) -> bytes:
    """Makes a WindowPoSt of the proofs of all its partitions, in order; none is verified."""
    parts = pieces("partitions", partitions)
    return _native.copied("cuzk_post_merge", registered(registered_proof), parts, len(parts), size=192 * len(parts))
