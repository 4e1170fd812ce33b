"""Reads SubmitProofRequest and ProveRequest without copying what is large in them.

protobuf would copy a 50 MB input twice, and takes sixteen bytes for each entry of a list, also for one of two bytes.
This reads the same wire format (https://protobuf.dev/programming-guides/encoding/) with the same rules: the last value
of a field counts, messages that occur twice are merged, unknown fields are skipped. Bytes are views of the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_PIECES = 1 << 17  # of vanilla_proofs: far above the 2349 sectors of a partition
MAX_FIELDS = 1 << 18  # in a message, unknown ones too
_MAX_DEPTH = 100  # of groups, as protobuf has it
_NONE = memoryview(b"")


class Malformed(ValueError):
    """The bytes are no message of this type."""


@dataclass
class Submit:
    """A SubmitProofRequest; enums are plain numbers."""

    request_id: str = ""
    proof_kind: int = 0
    sector_size: int = 0
    registered_proof: int = 0
    priority: int = 0
    vanilla_proof: memoryview = _NONE
    vanilla_proofs: list[memoryview] = field(default_factory=list)
    sector_number: int = 0
    miner_id: int = 0
    randomness: memoryview = _NONE
    partition_index: int = 0
    comm_r_old: memoryview = _NONE
    comm_r_new: memoryview = _NONE
    comm_d_new: memoryview = _NONE


# Field number: (name, bits of the number or 0 for bytes).
_FIELDS = {
    1: ("request_id", 0), 2: ("proof_kind", 32), 3: ("sector_size", 64), 4: ("registered_proof", 64),
    5: ("priority", 32), 10: ("vanilla_proof", 0), 11: ("vanilla_proofs", 0), 20: ("sector_number", 64),
    21: ("miner_id", 64), 22: ("randomness", 0), 23: ("partition_index", 32), 30: ("comm_r_old", 0),
    31: ("comm_r_new", 0), 32: ("comm_d_new", 0),
}  # fmt: skip


def prove_request(message: bytes) -> Submit | None:
    """The field ``submit`` of a ProveRequest; None if it is not there. Raises Malformed."""
    submit: Submit | None = None
    for number, value in _fields(memoryview(message)):
        if number == 1 and isinstance(value, memoryview):
            submit = _merge(submit or Submit(), value)
    return submit


def submit_request(message: bytes) -> Submit:
    """A SubmitProofRequest. Raises Malformed."""
    return _merge(Submit(), memoryview(message))


def _merge(submit: Submit, message: memoryview) -> Submit:
    for number, value in _fields(message):
        name, bits = _FIELDS.get(number, ("", 0))
        if not name or isinstance(value, int) != bool(bits):
            continue  # unknown, or known with another wire type
        if isinstance(value, int):
            setattr(submit, name, value & ((1 << bits) - 1))
        elif number == 11:
            if len(submit.vanilla_proofs) == MAX_PIECES:
                raise Malformed(f"vanilla_proofs has more than {MAX_PIECES} entries")
            submit.vanilla_proofs.append(value)
        elif number == 1:
            try:
                submit.request_id = bytes(value).decode()
            except UnicodeDecodeError as e:
                raise Malformed(f"request_id is not UTF-8: {e}") from e
        else:
            setattr(submit, name, value)
    return submit


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field; fixed-width ones and groups are skipped."""
    at, end, count = 0, len(message), 0
    while at < end:
        count += 1
        if count > MAX_FIELDS:
            raise Malformed(f"more than {MAX_FIELDS} fields")
        tag, at = _varint(message, at)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise Malformed(f"field number {number} at byte {at}")
        if wire == 0:
            value, at = _varint(message, at)
            yield number, value
        elif wire == 2:
            length, at = _varint(message, at)
            if length > end - at:
                raise Malformed(f"field {number} of {length} bytes, {end - at} are left")
            yield number, message[at : at + length]
            at += length
        else:
            at = _skip(message, at, number, wire)


def _skip(message: memoryview, at: int, number: int, wire: int) -> int:
    """The place behind a fixed-width field or a group."""
    open_groups: list[int] = []
    count = 0
    while True:
        if wire == 3:
            open_groups.append(number)
            if len(open_groups) > _MAX_DEPTH:
                raise Malformed(f"groups nested deeper than {_MAX_DEPTH}")
        elif wire == 4:
            if not open_groups or open_groups.pop() != number:
                raise Malformed(f"end of group {number} at byte {at} without its beginning")
        elif wire == 0:
            _, at = _varint(message, at)
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
        elif wire == 2:
            length, at = _varint(message, at)
            at += length
        else:
            raise Malformed(f"wire type {wire} at byte {at}")
        if at > len(message):
            raise Malformed(f"field {number} is cut off")
        if not open_groups:
            return at
        count += 1
        if count > MAX_FIELDS:
            raise Malformed(f"more than {MAX_FIELDS} fields")
        tag, at = _varint(message, at)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise Malformed(f"field number {number} at byte {at}")


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of up to ten bytes, its lower 64 bits, and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            raise Malformed("cut off within a number")
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & ((1 << 64) - 1), at
    raise Malformed(f"number of more than ten bytes at byte {at}")
