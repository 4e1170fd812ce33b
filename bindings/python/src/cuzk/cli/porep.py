"""``prove porep`` and ``verify porep``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._statement import PoRepInfo, prover_id
from .._structs import unsigned
from ..registered import seal_proof
from . import command
from .output import UsageError, bytes32, number, read_file

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
    _add_circuit_proofs(p)
    command.add_out(p)
    command.add_engine(p)
    p.set_defaults(run=prove)


def prove(a: argparse.Namespace) -> dict[str, Any]:
    """Proves and returns what the command prints."""
    c1, miner = read_file(a.c1), prover_id(a.miner_id)
    return command.prove(
        a, lambda engine: engine.submit_porep(c1, a.sector_number, miner, circuit_proofs=a.circuit_proofs)
    )


def add_verify(kinds: Subparsers) -> None:
    """Declares ``verify porep``."""
    p = kinds.add_parser("porep", help="verify a seal proof; exit status 0 only if it holds")
    command.add_proof(p)
    p.add_argument("--sector", type=Path, help="JSON file with the public inputs below; options override it")
    p.add_argument("--registered-proof", help="such as StackedDrg32GiBV1_1, or its number")
    p.add_argument("--sector-number", type=number)
    p.add_argument("--miner-id", type=number)
    for name in _HEX:
        p.add_argument("--" + name.replace("_", "-"), type=bytes32, help="32 bytes as hex")
    _add_circuit_proofs(p)
    command.add_engine(p)
    p.set_defaults(run=verify)


def verify(a: argparse.Namespace) -> dict[str, Any]:
    """Verifies and returns what the command prints."""
    info = _public_inputs(a)
    return command.verify(a, lambda engine, proof: engine.verify_porep(info, proof))


def _public_inputs(a: argparse.Namespace) -> PoRepInfo:
    """Collects the public inputs from the options and the sector file."""
    values: dict[str, Any] = {}
    if a.sector is not None:
        try:
            values = json.loads(read_file(a.sector))
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
        sector = unsigned("sector_number", values["sector_number"], 64)
    except (ValueError, TypeError) as e:
        raise UsageError(str(e)) from e
    commitments = {name: values[name] for name in _HEX}
    return PoRepInfo(registered, sector, miner, **commitments, circuit_proofs=a.circuit_proofs)


def _add_circuit_proofs(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--circuit-proofs", action="store_true", help="non-interactive: the proofs of all partitions, un-aggregated"
    )
