"""``prove porep`` and ``verify porep``."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._engine import Engine, PoRepInfo, prover_id
from ..registered import seal_proof
from .output import Bar, UsageError, bytes32, number, write_whole

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

# The fields of PoRepInfo that are 32 bytes, as the sector file spells them.
_HEX = ("comm_r", "comm_d", "ticket", "seed")


def add_prove(kinds: Subparsers) -> None:
    """Declares ``prove porep``."""
    p = kinds.add_parser("porep", help="prove a sealed sector (commit phase 2)")
    p.add_argument("--c1", required=True, type=Path, help="output of commit phase 1, JSON")
    p.add_argument("--sector-number", required=True, type=number)
    p.add_argument("--miner-id", required=True, type=number, help="actor id: 1000 for f01000")
    p.add_argument("--out", required=True, type=Path, help="file for the proof")
    _add_common(p)
    p.set_defaults(run=prove)


def prove(a: argparse.Namespace) -> dict[str, Any]:
    """Proves and returns what the command prints."""
    c1 = a.c1.read_bytes()
    if not a.out.parent.is_dir():
        raise UsageError(f"{a.out.parent}: no such folder")
    began = time.monotonic()
    with (
        Engine(a.params, backend=a.backend, threads=a.threads) as engine,
        engine.submit_porep(c1, a.sector_number, prover_id(a.miner_id)) as job,
    ):
        with Bar() as bar:
            proof = job.wait(progress=bar)
        stages = job.report()["stages"]
    seconds = time.monotonic() - began
    write_whole(a.out, proof)
    times = ", ".join(f"{s['name']} {s['wall_ms']:.0f} ms" for s in stages)
    return {
        "proof": proof.hex(),
        "out": str(a.out),
        "seconds": round(seconds, 3),
        "stages": stages,
        "text": f"{a.out}: {len(proof)} bytes in {seconds:.2f} s ({times})",
    }


def add_verify(kinds: Subparsers) -> None:
    """Declares ``verify porep``."""
    p = kinds.add_parser("porep", help="verify a seal proof; exit status 0 only if it holds")
    p.add_argument("--proof", required=True, type=Path, help="file with the proof")
    p.add_argument("--sector", type=Path, help="JSON file with the public inputs below; options override it")
    p.add_argument("--registered-proof", help="such as StackedDrg32GiBV1_1, or its number")
    p.add_argument("--sector-number", type=number)
    p.add_argument("--miner-id", type=number)
    for name in _HEX:
        p.add_argument("--" + name.replace("_", "-"), type=bytes32, help="32 bytes as hex")
    _add_common(p)
    p.set_defaults(run=verify)


def verify(a: argparse.Namespace) -> dict[str, Any]:
    """Verifies and returns what the command prints."""
    proof = a.proof.read_bytes()
    info = _public_inputs(a)
    began = time.monotonic()
    with Engine(a.params, backend=a.backend, threads=a.threads) as engine:
        valid = engine.verify_porep(info, proof)
    seconds = time.monotonic() - began
    return {"valid": valid, "seconds": round(seconds, 3), "text": "valid" if valid else "not valid"}


def _public_inputs(a: argparse.Namespace) -> PoRepInfo:
    """Collects the public inputs from the options and the sector file."""
    values: dict[str, Any] = {}
    if a.sector is not None:
        try:
            values = json.loads(a.sector.read_bytes())
            for name in _HEX:
                values[name] = bytes32(values[name])
        except (ValueError, KeyError, TypeError, argparse.ArgumentTypeError) as e:
            raise UsageError(f"{a.sector}: not a sector file: {e!r}") from e
        values["registered_proof"] = values.get("registered_seal_proof")
    for name in (*_HEX, "sector_number", "miner_id", "registered_proof"):
        if getattr(a, name) is not None:
            values[name] = getattr(a, name)
    missing = [n for n in ("registered_proof", "sector_number", "miner_id", *_HEX) if values.get(n) is None]
    if missing:
        raise UsageError("missing public inputs: " + ", ".join(missing))
    try:
        registered, miner = seal_proof(values["registered_proof"]), prover_id(values["miner_id"])
    except (ValueError, TypeError) as e:
        raise UsageError(str(e)) from e
    return PoRepInfo(registered, values["sector_number"], miner, *(values[n] for n in _HEX))


def _add_common(p: argparse.ArgumentParser) -> None:
    p.add_argument("--params", type=Path, help="folder of .params and .vk files; default: as the network's tools")
    p.add_argument("--backend", choices=["auto", "cpu", "cuda"], default="auto")
    p.add_argument("--threads", type=int, default=0, help="CPU threads; default: all")
    p.add_argument("--json", action="store_true", help="print the result as JSON")
