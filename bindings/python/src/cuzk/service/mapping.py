"""Turns a SubmitProofRequest into a task for the engine."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from .._codes import InputMismatch
from .._engine import Engine
from .._job import Job, JobOptions
from .._statement import PoStRequest, UpdateRequest, prover_id
from ..registered import POST_PROOFS, SEAL_PROOFS, UPDATE_PROOFS
from ..wire.decode import Submit
from . import circuits

PRIORITIES = ("auto", "low", "normal", "high", "critical")  # by the number on the wire
_OF_KIND = {"winning_post": "critical", "window_post": "high"}
_SIZES = tuple(circuits.SIZES.values())
_SEAL_NAMES = {number: name for name, number in SEAL_PROOFS.items()}


class Refused(ValueError):
    """The request is none: no proof could ever come of it, whatever it contains."""


@dataclass
class PoRep:
    """The input of a seal proof."""

    c1: bytes
    sector_number: int
    prover_id: bytes


@dataclass
class Task:
    """A proof to be made.

    ``digest`` covers all that decides the result, and the priority; ``mismatch`` says what in the request contradicts
    itself: then it fails without being given to the engine.
    """

    label: str
    kind: str
    sector_size: int  # bytes; 0: only the input knows
    priority: str
    number: int  # of the sector of a PoRep, or of the partition of a WindowPoSt
    miner: int
    size: int  # bytes of the input
    digest: bytes
    input: PoRep | PoStRequest | UpdateRequest | None
    mismatch: InputMismatch | None = None

    @property
    def key(self) -> tuple[str, bytes]:
        """What two requests have in common that are the same."""
        return self.label, self.digest

    def submit(self, engine: Engine, witness_only: bool = False) -> Job:
        """Starts the job, which copies the input."""
        options = JobOptions(priority=self.priority, witness_only=witness_only)
        match self.input:
            case PoRep(c1, sector, prover):
                return engine.submit_porep(c1, sector, prover, options=options)
            case PoStRequest() as post:
                return engine.submit_post(post, options=options)
            case UpdateRequest() as update:
                return engine.submit_update(update, options=options)
        raise ValueError("the input of the task is no longer there")


def task(s: Submit) -> Task:
    """The task of a request; raises Refused."""
    if s.proof_kind not in (1, 2, 3, 4):
        raise Refused(
            f"proof_kind {s.proof_kind}: want 1 (PoRep), 2 (snap update), 3 (WindowPoSt partition) or 4 (WinningPoSt)"
        )
    if s.priority >= len(PRIORITIES):
        raise Refused(f"priority {s.priority}: want 0 to {len(PRIORITIES) - 1}")
    kind = {1: "porep", 2: "update", 3: "window_post", 4: "winning_post"}[s.proof_kind]
    pieces = [s.vanilla_proof] if kind == "porep" else s.vanilla_proofs
    _check_input(kind, s)
    priority = PRIORITIES[s.priority]
    if priority == "auto":
        priority = _OF_KIND.get(kind, "normal")
    made = Task(
        label=s.request_id, kind=kind, sector_size=s.sector_size, priority=priority,
        number=s.sector_number if kind == "porep" else s.partition_index, miner=s.miner_id,
        size=sum(map(len, pieces)), digest=_digest(s, priority, pieces), input=None,
    )  # fmt: skip
    try:
        made.sector_size = _sector_size(kind, s)
    except InputMismatch as e:
        made.mismatch = e
        return made
    made.input = _input(kind, s)
    return made


def _check_input(kind: str, s: Submit) -> None:
    """Refuses what is missing or of a wrong length."""
    if kind == "porep":
        if not s.vanilla_proof:
            raise Refused("vanilla_proof is empty: want the output of commit phase 1")
        return
    if not s.vanilla_proofs:
        raise Refused(
            "vanilla_proofs is empty: want " + ("one for each partition" if kind == "update" else "one for each sector")
        )
    if kind == "winning_post" and len(s.vanilla_proofs) != 1:
        raise Refused(f"vanilla_proofs has {len(s.vanilla_proofs)} entries: a WinningPoSt is about exactly one sector")
    names = ("comm_r_old", "comm_r_new", "comm_d_new") if kind == "update" else ("randomness",)
    for name in names:
        if len(getattr(s, name)) != 32:
            raise Refused(f"{name} has {len(getattr(s, name))} bytes: want 32")


def _input(kind: str, s: Submit) -> PoRep | PoStRequest | UpdateRequest:
    """The engine's request, with bytes of its own."""
    registered = s.registered_proof
    if kind == "porep":
        return PoRep(bytes(s.vanilla_proof), s.sector_number, prover_id(s.miner_id))
    proofs = [bytes(v) for v in s.vanilla_proofs]
    if kind == "update":
        return UpdateRequest(registered, bytes(s.comm_r_old), bytes(s.comm_r_new), bytes(s.comm_d_new), proofs)
    partition = s.partition_index if kind == "window_post" else None
    return PoStRequest(registered, bytes(s.randomness), prover_id(s.miner_id), proofs, partition)


def _sector_size(kind: str, s: Submit) -> int:
    """The sector size in bytes, 0 if only the engine can tell; raises InputMismatch.

    A PoRep's registered proof 0 may be unset: then the input alone says which it is.
    """
    families = {"porep": SEAL_PROOFS, "update": UPDATE_PROOFS}
    number = s.registered_proof
    family = families.get(kind, POST_PROOFS)
    if number not in family.values() or (
        kind in ("winning_post", "window_post") and (number < 5) != (kind == "winning_post")
    ):
        raise _mismatch("registered_proof", f"registered_proof {number} is none of a {kind}")
    size = _SIZES[number % 5]
    if kind == "porep":
        name = sealed_with(s.vanilla_proof)
        if name in SEAL_PROOFS:
            if number and SEAL_PROOFS[name] != number:
                raise _mismatch(
                    "registered_proof", f"registered_proof is {_SEAL_NAMES[number]}, vanilla_proof says {name}"
                )
            size = _SIZES[SEAL_PROOFS[name] % 5]
        elif not number:
            size = 0
    if s.sector_size and size and s.sector_size != size:
        raise _mismatch("sector_size", f"sector_size is {s.sector_size}, the proof is of sectors of {size} bytes")
    return size or s.sector_size


def _mismatch(place: str, message: str) -> InputMismatch:
    return InputMismatch(-62, "input_mismatch", message, place)


_NAME = re.compile(rb'"registered_proof"\s*:\s*"(\w{1,64})"')
_WRAPPED = re.compile(rb'"Phase1Out"\s*:\s*"')
_CHUNK = 64 << 10  # of base64: a multiple of four
_OVERLAP = 256  # longer than a match


def sealed_with(c1: memoryview) -> str:
    """The name of the registered proof in a commit-phase-1 output, raw or wrapped; "" if it is not found.

    Only a cross-check of what the request claims: the engine reads the input for itself. No copy of it is made.
    """
    wrapped = _WRAPPED.search(bytes(c1[:4096]))
    for part in _decoded(c1, wrapped.end()) if wrapped else [c1]:
        if match := _NAME.search(part):
            return match.group(1).decode()
    return ""


def _decoded(c1: memoryview, start: int) -> Iterable[bytes]:
    """Pieces of the text behind base64, overlapping; the last ones first after the first, where names are likely."""
    end = len(c1)
    places = list(range(start, end, _CHUNK))
    for at in places[:1] + places[:0:-1]:
        size = _CHUNK + _OVERLAP * 4
        text = bytes(c1[at : at + size]).split(b'"', 1)[0]
        try:
            yield base64.b64decode(text[: len(text) // 4 * 4])
        except binascii.Error:
            return


def _digest(s: Submit, priority: str, pieces: list[memoryview]) -> bytes:
    """SHA-256 over all that a request contains but its label; lengths go in, so that bytes cannot move unseen."""
    plain = (s.proof_kind, s.sector_size, s.registered_proof, priority, s.sector_number, s.miner_id, s.partition_index)
    h = hashlib.sha256(repr(plain).encode())
    for part in (s.randomness, s.comm_r_old, s.comm_r_new, s.comm_d_new, *pieces):
        h.update(len(part).to_bytes(8, "little"))
        h.update(part)
    return h.digest()
