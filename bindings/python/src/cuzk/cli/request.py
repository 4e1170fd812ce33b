"""Request files: what is to be proved or was, as JSON, vanilla proofs beside it.

A PoSt is ``{"registered_post_proof", "randomness", "prover_id" or "miner_id",
"sectors": [{"sector_number", "comm_r", "file"}, …]}``, an update
``{"registered_update_proof", "comm_r_old", "comm_r_new", "comm_d_new",
"files": […]}``, an aggregate ``{"registered_seal_proof", "aggregate_version", "prover_id" or
"miner_id", "sectors": [{"sector_number", "comm_r", "comm_d", "ticket", "seed", "file"}, …]}``
with the seal proofs in the files. Proofs go by name or number, bytes are hex, files are relative
to the request's folder; other fields are ignored.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from .._aggregate import SNARK_PACK_V1, SNARK_PACK_V2, AggregateInfo, AggregateRequest, AggregateSector
from .._statement import PoStInfo, PoStRequest, PoStSector, UpdateInfo, UpdateRequest, prover_id
from ..registered import post_kind, post_proof, seal_proof, update_proof
from .output import UsageError, bytes32, read_file

T = TypeVar("T")


def post_request(path: Path, kind: str, partition: int | None) -> PoStRequest:
    """Reads the request of a PoSt with its vanilla proofs."""

    def make(values: dict[str, Any], sectors: list[dict[str, Any]]) -> PoStRequest:
        files = [_name(s["file"]) for s in sectors]
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
        files = [_name(name) for name in _list(values, "files")]
        return UpdateRequest(*_update_public(values), _beside(path, files))

    return _read(path, make)


def update_info(path: Path) -> UpdateInfo:
    """Reads what the chain knows of an update."""
    return _read(path, lambda v: UpdateInfo(*_update_public(v)))


def aggregate_request(path: Path) -> AggregateRequest:
    """Reads the request of an aggregate with its seal proofs."""

    def make(values: dict[str, Any]) -> AggregateRequest:
        files = [str(s["file"]) for s in _list(values, "sectors")]
        return AggregateRequest(_aggregate_public(values), _beside(path, files))

    return _read(path, make)


def aggregate_info(path: Path) -> AggregateInfo:
    """Reads what the chain knows of an aggregate; no seal proof is touched."""
    return _read(path, _aggregate_public)


def _aggregate_public(values: dict[str, Any]) -> AggregateInfo:
    versions = {"SnarkPackV1": SNARK_PACK_V1, "SnarkPackV2": SNARK_PACK_V2, 0: SNARK_PACK_V1, 1: SNARK_PACK_V2}
    version = values["aggregate_version"]
    if isinstance(version, bool) or version not in versions:
        raise ValueError(f"aggregate_version {version!r}: want SnarkPackV1 or SnarkPackV2")
    sectors = [
        AggregateSector(
            _integer(s["sector_number"]), *(bytes32(s[name]) for name in ("comm_r", "comm_d", "ticket", "seed"))
        )
        for s in _list(values, "sectors")
    ]
    return AggregateInfo(seal_proof(values["registered_seal_proof"]), versions[version], _prover(values), sectors)


def _read(path: Path, make: Callable[[dict[str, Any]], T]) -> T:
    """Makes a value of a request file; whatever is wrong with the file is a wrong command line."""
    try:
        values = json.loads(read_file(path))
        if not isinstance(values, dict):
            raise TypeError("not an object")
        return make(values)
    except KeyError as e:
        raise UsageError(f"{path}: not a request file: no {e}") from e
    except UnicodeDecodeError as e:
        raise UsageError(f"{path}: not a request file: it is not JSON text") from e
    except RecursionError as e:
        raise UsageError(f"{path}: not a request file: it is nested too deeply") from e
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
    return [read_file(path.parent / name) for name in files]


def _name(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise TypeError(f"{value!r} is not the name of a file")
    return value


def _list(values: dict[str, Any], name: str) -> list[Any]:
    if not isinstance(values[name], list):
        raise TypeError(f"{name} is not a list")
    value: list[Any] = values[name]
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not a whole number")
    return value
