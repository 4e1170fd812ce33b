"""What is proved: inputs of sparse sectors, made in a folder or read from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .._engine import Engine
from .._job import Job, JobOptions
from .._statement import PoStRequest, UpdateRequest, prover_id
from .._structs import unsigned
from ..cli import request
from ..cli.output import size

KINDS = ("porep", "winning_post", "window_post", "update")


@dataclass(frozen=True)
class PoRep:
    """The input of a seal proof."""

    c1: bytes
    sector_number: int
    prover_id: bytes


@dataclass(frozen=True)
class Workload:
    """A proof to be made again and again."""

    kind: str
    size_name: str
    input: PoRep | PoStRequest | UpdateRequest

    @property
    def name(self) -> str:
        """Such as ``porep_2kib``."""
        return f"{self.kind}_{self.size_name.lower()}"

    def submit(self, engine: Engine, options: JobOptions | None = None) -> Job:
        """Starts a job that proves it."""
        match self.input:
            case PoRep(c1, sector, prover):
                return engine.submit_porep(c1, sector, prover, options=options)
            case PoStRequest() as post:
                return engine.submit_post(post, options=options)
            case UpdateRequest() as update:
                return engine.submit_update(update, options=options)


def make(engine: Engine, kind: str, size_name: str, folder: Path, seed: int = 1, sectors: int = 0) -> Workload:
    """Makes the input of a proof in a folder of its own below ``folder``."""
    into = folder / f"{kind}-{size_name}-{seed}-{sectors}"
    into.mkdir(parents=True, exist_ok=True)
    engine.make_fixture(kind, size(size_name), into, seed=seed, sectors=sectors)
    return read(into, kind, size_name)


def read(folder: Path, kind: str, size_name: str) -> Workload:
    """Reads what ``gen-vanilla`` has written, or a folder in that form."""
    if kind == "porep":
        return Workload(kind, size_name, _porep(folder))
    path = folder / f"{kind}.json"
    if kind == "update":
        return Workload(kind, size_name, request.update_request(path))
    return Workload(kind, size_name, request.post_request(path, kind, None))


def _porep(folder: Path) -> PoRep:
    path = folder / "sector-0.json"
    try:
        sector = json.loads(path.read_bytes())
        number, prover = unsigned("sector_number", sector["sector_number"], 64), prover_id(sector["miner_id"])
    except (ValueError, KeyError, TypeError) as e:
        raise ValueError(f"{path}: not a sector file: {e!r}") from e
    return PoRep((folder / "c1.json").read_bytes(), number, prover)
