"""Figures: their form, their medians, and how they compare with saved ones."""

from __future__ import annotations

import datetime
import json
import os
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._engine import Engine


@dataclass(frozen=True)
class Record:
    """One figure: the median of ``count`` measurements, with quartiles ``low`` and ``high``."""

    name: str
    value: float
    unit: str
    count: int = 1
    low: float | None = None
    high: float | None = None


def figure(name: str, values: Sequence[float], unit: str) -> Record:
    """The figure of some measurements, at least one."""
    if len(values) < 2:
        return Record(name, values[0], unit)
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return Record(name, middle, unit, len(values), low, high)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which so many percent lie, between two where there is none."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def stamp(engine: Engine) -> dict[str, Any]:
    """Says where and when figures were measured."""
    s = engine.snapshot()
    return {
        "version": s.version,
        "backend": s.backend,
        "device": ", ".join(d.name for d in s.devices if d.usable),
        "threads": s.threads,
        "cpus": os.cpu_count(),
        "cpu": cpu_model(),
        "commit": _commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }


def _commit() -> str:
    """The commit of the tree that this package is in; "unknown" where it is installed elsewhere."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def cpu_model() -> str:
    """The first model name of /proc/cpuinfo."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), "")


class Saved:
    """Figures of a file of JSON lines: the median where a name occurs more than once."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._values: dict[str, list[float]] = {}
        for line in lines:
            if not line.strip():
                continue
            record = json.loads(line)
            if not isinstance(record, dict) or not isinstance(record.get("name"), str):
                raise ValueError(f"not a figure: {line.strip()[:80]}")
            if not isinstance(record.get("value"), (int, float)):
                raise ValueError(f"{record['name']} has no value")
            self._values.setdefault(record["name"], []).append(float(record["value"]))

    @classmethod
    def read(cls, path: Path) -> Saved:
        """Reads a file; what is not JSON lines of figures raises ValueError with its name."""
        try:
            return cls(path.read_text().splitlines())
        except ValueError as e:
            raise ValueError(f"{path}: not saved figures: {e}") from e

    def get(self, name: str) -> float | None:
        """The saved value of a figure, if there is one."""
        values = self._values.get(name)
        return statistics.median(values) if values else None

    def bellperson(self, kind: str, sector_size: str) -> float | None:
        """Seconds that bellperson's CPU prover took for a proof, as tests/interop measured it."""
        if kind != "porep":
            return None
        return self.get(f"porep_{sector_size}_c2/bellperson/first/wall")
