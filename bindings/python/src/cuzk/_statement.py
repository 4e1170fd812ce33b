"""What is to be proved, and what the chain knows of it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import _structs as c
from ._structs import bytes32, registered, unsigned


def prover_id(miner_id: int) -> bytes:
    """The 32 bytes that stand for a miner: its actor id as unsigned LEB128, then zeros."""
    unsigned("miner_id", miner_id, 64)
    out = bytearray()
    while True:
        low, miner_id = miner_id & 0x7F, miner_id >> 7
        out.append(low | (0x80 if miner_id else 0))
        if not miner_id:
            return bytes(out).ljust(32, b"\0")


@dataclass(frozen=True)
class PoRepInfo:
    """What the chain knows of a sealed sector; commitments and ids are 32 bytes.

    ``circuit_proofs`` says that the proof of a non-interactive PoRep is the
    un-aggregated form.
    """

    registered_proof: int
    sector_number: int
    prover_id: bytes
    comm_r: bytes
    comm_d: bytes
    ticket: bytes
    seed: bytes
    circuit_proofs: bool = field(default=False, kw_only=True)

    def _c(self) -> c.PoRepInfo:
        return c.PoRepInfo(
            ctypes.sizeof(c.PoRepInfo), registered(self.registered_proof),
            unsigned("sector_number", self.sector_number, 64), bytes32("prover_id", self.prover_id),
            bytes32("comm_r", self.comm_r), bytes32("comm_d", self.comm_d), bytes32("ticket", self.ticket),
            bytes32("seed", self.seed), self.circuit_proofs,
        )  # fmt: skip


@dataclass(frozen=True)
class PoStRequest:
    """A WinningPoSt or WindowPoSt to prove; the registered proof says which.

    ``vanilla_proofs`` has one bincode vanilla proof for each sector, in
    ascending sector number; exactly one for WinningPoSt. With ``partition`` they
    are the sectors of that one partition of a WindowPoSt. ``randomness`` is a
    canonical field element: the network clears its top two bits.
    """

    registered_proof: int
    randomness: bytes
    prover_id: bytes
    vanilla_proofs: Sequence[bytes]
    partition: int | None = None

    def _c(self) -> c.PoStRequest:
        return c.PoStRequest(
            ctypes.sizeof(c.PoStRequest), registered(self.registered_proof),
            bytes32("randomness", self.randomness), bytes32("prover_id", self.prover_id),
            c.pieces("vanilla_proofs", self.vanilla_proofs), len(self.vanilla_proofs), *_single(self.partition),
        )  # fmt: skip


@dataclass(frozen=True)
class PoStSector:
    """A sector and its sealed commitment, 32 bytes."""

    sector_number: int
    comm_r: bytes

    def _c(self) -> c.PoStSector:
        return c.PoStSector(unsigned("sector_number", self.sector_number, 64), bytes32("comm_r", self.comm_r))


@dataclass(frozen=True)
class PoStInfo:
    """What the chain knows of a PoSt; the sectors may come in any order.

    With ``partition`` the proof and the sectors are those of one partition.
    """

    registered_proof: int
    randomness: bytes
    prover_id: bytes
    sectors: Sequence[PoStSector]
    partition: int | None = None

    def _c(self) -> c.PoStInfo:
        return c.PoStInfo(
            ctypes.sizeof(c.PoStInfo), registered(self.registered_proof),
            bytes32("randomness", self.randomness), bytes32("prover_id", self.prover_id),
            (c.PoStSector * len(self.sectors))(*(s._c() for s in self.sectors)), len(self.sectors),
            *_single(self.partition),
        )  # fmt: skip


def _single(partition: int | None) -> tuple[int, int]:
    """The fields ``single`` and ``partition`` of C."""
    return (0, 0) if partition is None else (1, unsigned("partition", partition, 32))


@dataclass(frozen=True)
class UpdateRequest:
    """A sector update (SnapDeals) to prove; commitments are 32 bytes.

    ``vanilla_proofs`` has one bincode vanilla proof for each partition, in order.
    """

    registered_proof: int
    comm_r_old: bytes
    comm_r_new: bytes
    comm_d_new: bytes
    vanilla_proofs: Sequence[bytes]

    def _c(self) -> c.UpdateRequest:
        return c.UpdateRequest(
            ctypes.sizeof(c.UpdateRequest), registered(self.registered_proof),
            bytes32("comm_r_old", self.comm_r_old), bytes32("comm_r_new", self.comm_r_new),
            bytes32("comm_d_new", self.comm_d_new),
            c.pieces("vanilla_proofs", self.vanilla_proofs), len(self.vanilla_proofs),
        )  # fmt: skip


@dataclass(frozen=True)
class UpdateInfo:
    """What the chain knows of a sector update; commitments are 32 bytes."""

    registered_proof: int
    comm_r_old: bytes
    comm_r_new: bytes
    comm_d_new: bytes

    def _c(self) -> c.UpdateInfo:
        return c.UpdateInfo(
            ctypes.sizeof(c.UpdateInfo), registered(self.registered_proof),
            bytes32("comm_r_old", self.comm_r_old), bytes32("comm_r_new", self.comm_r_new),
            bytes32("comm_d_new", self.comm_d_new),
        )  # fmt: skip
