"""``params make``."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._engine import Engine
from .output import Bar, UsageError, number, size

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_make(verbs: Subparsers) -> None:
    """Declares the command."""
    p = verbs.add_parser("make", help="make parameters for tests")
    p.add_argument("--kind", required=True, choices=["porep", "winning_post", "window_post", "update", "aggregate"])
    p.add_argument("--size", type=size, default=0, help="sector size, such as 2KiB; not for aggregate")
    p.add_argument(
        "--length",
        type=number,
        default=0,
        help="of aggregate: points per vector of the SRS, twice as many as proofs can be aggregated",
    )
    p.add_argument(
        "--out", required=True, type=Path, help="folder for the .params and .vk, or .srs, files; made if missing"
    )
    p.add_argument("--seed-label", help="'golden': the fixed secrets of the test vectors; default: random secrets")
    p.add_argument("--threads", type=int, default=0, help="CPU threads; default: all")
    p.add_argument("--json", action="store_true", help="print the result as JSON")
    p.set_defaults(run=make)


def make(a: argparse.Namespace) -> dict[str, Any]:
    """Makes the files and returns what the command prints."""
    if (a.kind == "aggregate") != (a.length != 0) or (a.kind == "aggregate") == (a.size != 0):
        raise UsageError("--length belongs to --kind aggregate, --size to all other kinds")
    os.makedirs(a.out, exist_ok=True)
    began = time.monotonic()
    with (
        Engine(a.out, threads=a.threads) as engine,
        engine.submit_params(a.kind, a.size, a.out, a.seed_label, length=a.length) as job,
    ):
        with Bar() as bar:
            path = Path(os.fsdecode(job.wait(progress=bar)))
        stages = job.report()["stages"]
    seconds = time.monotonic() - began
    return {
        "params": str(path),
        "vk": None if a.kind == "aggregate" else str(path.with_suffix(".vk")),
        "bytes": path.stat().st_size,
        "seconds": round(seconds, 3),
        "stages": stages,
        "text": f"{path}: {path.stat().st_size} bytes in {seconds:.1f} s",
    }
