"""``prove``, ``verify`` and ``merge`` for ``winning_post`` and ``window_post``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._post import merge_post
from ..registered import post_proof
from . import command, request
from .output import UsageError, number, read_file, write_output

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_HELP = {"winning_post": "the sector that won a block", "window_post": "the sectors of a deadline"}


def add_prove(kinds: Subparsers) -> None:
    """Declares ``prove winning_post`` and ``prove window_post``."""
    for kind, what in _HELP.items():
        p = kinds.add_parser(kind, help="prove " + what)
        _add_request(p, kind, "JSON file that names the vanilla proofs beside it")
        command.add_out(p)
        command.add_engine(p)
        p.set_defaults(run=prove, kind=kind)


def prove(a: argparse.Namespace) -> dict[str, Any]:
    """Proves and returns what the command prints."""
    r = request.post_request(a.request, a.kind, a.partition)
    return command.prove(a, lambda engine: engine.submit_post(r))


def add_verify(kinds: Subparsers) -> None:
    """Declares ``verify winning_post`` and ``verify window_post``."""
    for kind, what in _HELP.items():
        p = kinds.add_parser(kind, help=f"verify the proof of {what}; exit status 0 only if it holds")
        _add_request(p, kind, "JSON file with the public inputs")
        command.add_proof(p)
        command.add_engine(p)
        p.set_defaults(run=verify, kind=kind)


def verify(a: argparse.Namespace) -> dict[str, Any]:
    """Verifies and returns what the command prints."""
    info = request.post_info(a.request, a.kind, a.partition)
    return command.verify(a, lambda engine, proof: engine.verify_post(info, proof))


def add_merge(kinds: Subparsers) -> None:
    """Declares ``merge window_post``."""
    p = kinds.add_parser("window_post", help="join the proofs of all partitions, in order")
    p.add_argument("--registered-proof", required=True, help="such as StackedDrgWindow32GiBV1_1, or its number")
    p.add_argument("partition", nargs="+", type=Path, help="file with the proof of a partition")
    command.add_out(p)
    command.add_json(p)
    p.set_defaults(run=merge)


def merge(a: argparse.Namespace) -> dict[str, Any]:
    """Merges and returns what the command prints."""
    try:
        registered = post_proof(a.registered_proof)
    except ValueError as e:
        raise UsageError(str(e)) from e
    with command.open_out(a) as out:
        proof = merge_post(registered, [read_file(path) for path in a.partition])
        write_output(out, proof)
    return {"proof": proof.hex(), "out": str(a.out), "text": f"{a.out}: {len(proof)} bytes"}


def _add_request(p: argparse.ArgumentParser, kind: str, what: str) -> None:
    p.add_argument("--request", required=True, type=Path, metavar="FILE", help=what)
    if kind == "window_post":
        p.add_argument("--partition", type=number, help="FILE has the sectors of this partition only")
    else:
        p.set_defaults(partition=None)
