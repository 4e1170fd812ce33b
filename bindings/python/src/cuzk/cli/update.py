"""``prove update`` and ``verify update``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import command, request

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_prove(kinds: Subparsers) -> None:
    """Declares ``prove update``."""
    p = kinds.add_parser("update", help="prove a sector update (SnapDeals)")
    p.add_argument(
        "--request", required=True, type=Path, metavar="FILE", help="JSON file that names the vanilla proofs beside it"
    )
    command.add_out(p)
    command.add_engine(p)
    p.set_defaults(run=prove)


def prove(a: argparse.Namespace) -> dict[str, Any]:
    """Proves and returns what the command prints."""
    r = request.update_request(a.request)
    return command.prove(a, lambda engine: engine.submit_update(r))


def add_verify(kinds: Subparsers) -> None:
    """Declares ``verify update``."""
    p = kinds.add_parser("update", help="verify the proof of a sector update; exit status 0 only if it holds")
    p.add_argument("--request", required=True, type=Path, metavar="FILE", help="JSON file with the public inputs")
    command.add_proof(p)
    command.add_engine(p)
    p.set_defaults(run=verify)


def verify(a: argparse.Namespace) -> dict[str, Any]:
    """Verifies and returns what the command prints."""
    info = request.update_info(a.request)
    return command.verify(a, lambda engine, proof: engine.verify_update(info, proof))
