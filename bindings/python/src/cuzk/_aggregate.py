"""Aggregates of seal proofs (SnarkPack)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

from . import _structs as c
from ._structs import bytes32, registered, unsigned

SNARK_PACK_V1 = 0
SNARK_PACK_V2 = 1


@dataclass(frozen=True)
class AggregateSector:
    """What the chain knows of one sector of an aggregate; all but the number are 32 bytes."""

    sector_number: int
    comm_r: bytes
    comm_d: bytes
    ticket: bytes
    seed: bytes

    def _c(self) -> c.AggregateSector:
        return c.AggregateSector(
            unsigned("sector_number", self.sector_number, 64), bytes32("comm_r", self.comm_r),
            bytes32("comm_d", self.comm_d), bytes32("ticket", self.ticket), bytes32("seed", self.seed),
        )  # fmt: skip


@dataclass(frozen=True)
class AggregateInfo:
    """What the chain knows of an aggregate; the sectors are in the order in which they were aggregated.

    ``version`` is ``SNARK_PACK_V1`` or ``SNARK_PACK_V2``.
    """

    registered_proof: int
    version: int
    prover_id: bytes
    sectors: Sequence[AggregateSector]

    def _c(self) -> c.AggregateInfo:
        return c.AggregateInfo(
            ctypes.sizeof(c.AggregateInfo), registered(self.registered_proof), registered(self.version), 0,
            bytes32("prover_id", self.prover_id), _sectors(self.sectors), len(self.sectors),
        )  # fmt: skip


@dataclass(frozen=True)
class AggregateRequest:
    """Seal proofs to aggregate, one for each sector of ``info``, 192 bytes per partition.

    With ``commitments_only`` only comm_r and seed of the sectors are looked at, and that
    the proofs hold is not checked.
    """

    info: AggregateInfo
    proofs: Sequence[bytes]
    commitments_only: bool = False

    def _c(self) -> c.AggregateRequest:
        i = self.info
        return c.AggregateRequest(
            ctypes.sizeof(c.AggregateRequest), registered(i.registered_proof), registered(i.version),
            self.commitments_only, bytes32("prover_id", i.prover_id), _sectors(i.sectors), len(i.sectors),
            c.pieces("proofs", self.proofs), len(self.proofs),
        )  # fmt: skip


def _sectors(sectors: Sequence[AggregateSector]) -> ctypes.Array[c.AggregateSector]:
    return (c.AggregateSector * len(sectors))(*(s._c() for s in sectors))


def claims(
    list_of: Sequence[tuple[AggregateInfo, bytes]],
) -> tuple[ctypes.Array[c.AggregateClaim], list[c.AggregateInfo]]:
    """Claims as C takes them, and what they point to."""
    infos = [info._c() for info, _ in list_of]
    array = (c.AggregateClaim * len(list_of))(
        *(
            c.AggregateClaim(ctypes.pointer(info), data, len(data))
            for info, (_, data) in zip(infos, list_of, strict=True)
        )
    )
    return array, infos
