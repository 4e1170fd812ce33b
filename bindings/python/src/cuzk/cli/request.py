"""Request files: what is to be proved or was, as JSON, vanilla proofs beside it.

A PoSt is ``{"registered_post_proof", "randomness", "prover_id" or "miner_id",
"sectors": [{"sector_number", "comm_r", "file"}, …]}``, an update
``{"registered_update_proof", "comm_r_old", "comm_r_new", "comm_d_new",
"files": […]}``. Proofs go by name or number, bytes are hex, files are relative
to the request's folder; other fields are ignored.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from .._statement import PoStInfo, PoStRequest, PoStSector, UpdateInfo, UpdateRequest, prover_id
from ..registered import post_kind, post_proof, update_proof
from .output import UsageError, bytes32

T = TypeVar("T")


def post_request(path: Path, kind: str, partition: int | None) -> PoStRequest:
    """Reads the request of a PoSt with its vanilla proofs."""

    def make(values: dict[str, Any], sectors: list[dict[str, Any]]) -> PoStRequest:
        files = [str(s["file"]) for s in sectors]
        return PoStRequest(*_post_public(values, kind), _beside(path, files), partition)

    return _read(path, lambda v: make(v, _list(v, "sectors")))


def post_info(path: Path, kind: str, partition: int | None) -> PoStInfo:
    """Reads what the chain knows of a PoSt; no vanilla proof is touched."""

    def make(values: dict[str, Any], sectors: list[dict[str, Any]]) -> PoStInfo:
        public = [PoStSector(_integer(s["sector_number"]), bytes32(s["comm_r"])) for s in sectors]
        return PoStInfo(*_post_public(values, kind), public, partition)

    return _read(path, lambda v: make(v, _list(v, "sectors")))


def update_request(path: Path) -> UpdateRequest:
    """Reads the request of an update with its vanilla proofs."""

    def make(values: dict[str, Any]) -> UpdateRequest:
        files = [str(name) for name in _list(values, "files")]
        return UpdateRequest(*_update_public(values), _beside(path, files))

    return _read(path, make)


def update_info(path: Path) -> UpdateInfo:
    """Reads what the chain knows of an update."""
    return _read(path, lambda v: UpdateInfo(*_update_public(v)))


def _read(path: Path, make: Callable[[dict[str, Any]], T]) -> T:
    """Makes a value of a request file; whatever is wrong with the file is a wrong command line."""
    try:
        values = json.loads(path.read_bytes())
        if not isinstance(values, dict):
            raise TypeError("not an object")
        return make(values)
    except KeyError as e:
        raise UsageError(f"{path}: not a request file: no {e}") from e
    except (ValueError, TypeError, argparse.ArgumentTypeError) as e:
        raise UsageError(f"{path}: not a request file: {e}") from e


def _post_public(values: dict[str, Any], kind: str) -> tuple[int, bytes, bytes]:
    """The registered proof, which must be of the kind, randomness and prover id."""
    registered = post_proof(values["registered_post_proof"])
    if post_kind(registered) != kind:
        raise ValueError(f"{values['registered_post_proof']} is no {kind}")
    return registered, bytes32(values["randomness"]), _prover(values)


def _prover(values: dict[str, Any]) -> bytes:
    """The prover id, given as such, as the miner's number, or as both."""
    if "prover_id" not in values:
        return prover_id(_integer(values["miner_id"]))
    prover = bytes32(values["prover_id"])
    if "miner_id" in values and prover != prover_id(_integer(values["miner_id"])):
        raise ValueError("prover_id and miner_id are not of the same miner")
    return prover


def _update_public(values: dict[str, Any]) -> tuple[int, bytes, bytes, bytes]:
    return (
        update_proof(values["registered_update_proof"]),
        bytes32(values["comm_r_old"]),
        bytes32(values["comm_r_new"]),
        bytes32(values["comm_d_new"]),
    )


def _beside(path: Path, files: list[str]) -> list[bytes]:
    return [(path.parent / name).read_bytes() for name in files]


def _list(values: dict[str, Any], name: str) -> list[Any]:
    if not isinstance(values[name], list):
        raise TypeError(f"{name} is not a list")
    value: list[Any] = values[name]
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not a whole number")
    return value
