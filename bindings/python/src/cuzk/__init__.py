"""Groth16 proofs for Filecoin sectors.

An :class:`Engine` turns vanilla proofs into Groth16 proofs. Failures are
exceptions: one class per status code of the C ABI, below one class per group,
below :class:`CuzkError`.
"""

from __future__ import annotations

from . import _codes
from ._aggregate import SNARK_PACK_V1, SNARK_PACK_V2, AggregateInfo, AggregateRequest, AggregateSector
from ._codes import *  # noqa: F403 - the exception classes of the code table
from ._engine import Engine
from ._error import CuzkError
from ._job import Job, JobOptions, Progress
from ._post import merge_post, post_challenges, window_partitions, winning_sector
from ._snapshot import Snapshot
from ._statement import PoRepInfo, PoStInfo, PoStRequest, PoStSector, UpdateInfo, UpdateRequest, prover_id
from ._version import __version__

__all__ = [
    "SNARK_PACK_V1",
    "SNARK_PACK_V2",
    "AggregateInfo",
    "AggregateRequest",
    "AggregateSector",
    "CuzkError",
    "Engine",
    "Job",
    "JobOptions",
    "PoRepInfo",
    "PoStInfo",
    "PoStRequest",
    "PoStSector",
    "Progress",
    "Snapshot",
    "UpdateInfo",
    "UpdateRequest",
    "__version__",
    "merge_post",
    "post_challenges",
    "prover_id",
    "window_partitions",
    "winning_sector",
]
__all__ += _codes.__all__
