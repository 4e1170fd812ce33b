"""The C structs of libcuzk as ctypes sees them; include/cuzk.h is the manual."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, c_char, c_char_p, c_int32, c_size_t, c_uint8, c_uint32, c_uint64

Bytes32 = c_uint8 * 32


class Options(ctypes.Structure):
    """cuzk_options."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("backend", c_int32),
        ("params_dir", c_char_p),
        ("threads", c_uint32),
        ("params_check", c_uint32),
        ("memory_budget", c_uint64),
        ("max_input", c_uint64),
        ("devices", c_char_p),
        ("device_library", c_char_p),
        ("device_memory_limit", c_uint64),
        ("max_batch_wait_ms", c_uint64),
        ("max_batch_size", c_uint32),
        ("device_slots", c_uint32),
    ]


class JobOptions(ctypes.Structure):
    """cuzk_job_options."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("priority", c_int32),
        ("key", c_char_p),
        ("deadline_ms", c_uint64),
        ("witness_only", c_uint32),
        ("reserved", c_uint32),
    ]


class Bytes(ctypes.Structure):
    """cuzk_bytes."""

    _fields_ = [("data", c_char_p), ("len", c_size_t)]


class PoRepRequest(ctypes.Structure):
    """cuzk_porep_request."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("circuit_proofs", c_uint32),
        ("c1_json", c_char_p),
        ("c1_len", c_size_t),
        ("sector_number", c_uint64),
        ("prover_id", Bytes32),
        ("job", POINTER(JobOptions)),
    ]


class PoRepInfo(ctypes.Structure):
    """cuzk_porep_info."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("sector_number", c_uint64),
        ("prover_id", Bytes32),
        ("comm_r", Bytes32),
        ("comm_d", Bytes32),
        ("ticket", Bytes32),
        ("seed", Bytes32),
        ("circuit_proofs", c_uint32),
        ("reserved", c_uint32),
    ]


class PoStRequest(ctypes.Structure):
    """cuzk_post_request."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("randomness", Bytes32),
        ("prover_id", Bytes32),
        ("vanilla_proofs", POINTER(Bytes)),
        ("vanilla_count", c_size_t),
        ("single", c_uint32),
        ("partition", c_uint32),
        ("job", POINTER(JobOptions)),
    ]


class PoStSector(ctypes.Structure):
    """cuzk_post_sector."""

    _fields_ = [("sector_number", c_uint64), ("comm_r", Bytes32)]


class PoStInfo(ctypes.Structure):
    """cuzk_post_info."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("randomness", Bytes32),
        ("prover_id", Bytes32),
        ("sectors", POINTER(PoStSector)),
        ("sector_count", c_size_t),
        ("single", c_uint32),
        ("partition", c_uint32),
    ]


class UpdateRequest(ctypes.Structure):
    """cuzk_update_request."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("comm_r_old", Bytes32),
        ("comm_r_new", Bytes32),
        ("comm_d_new", Bytes32),
        ("vanilla_proofs", POINTER(Bytes)),
        ("vanilla_count", c_size_t),
        ("job", POINTER(JobOptions)),
    ]


class UpdateInfo(ctypes.Structure):
    """cuzk_update_info."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("comm_r_old", Bytes32),
        ("comm_r_new", Bytes32),
        ("comm_d_new", Bytes32),
    ]


class AggregateSector(ctypes.Structure):
    """cuzk_aggregate_sector."""

    _fields_ = [
        ("sector_number", c_uint64),
        ("comm_r", Bytes32),
        ("comm_d", Bytes32),
        ("ticket", Bytes32),
        ("seed", Bytes32),
    ]


class AggregateRequest(ctypes.Structure):
    """cuzk_aggregate_request."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("version", c_int32),
        ("commitments_only", c_uint32),
        ("prover_id", Bytes32),
        ("sectors", POINTER(AggregateSector)),
        ("sector_count", c_size_t),
        ("proofs", POINTER(Bytes)),
        ("proof_count", c_size_t),
        ("job", POINTER(JobOptions)),
    ]


class AggregateInfo(ctypes.Structure):
    """cuzk_aggregate_info."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("version", c_int32),
        ("reserved", c_uint32),
        ("prover_id", Bytes32),
        ("sectors", POINTER(AggregateSector)),
        ("sector_count", c_size_t),
    ]


class AggregateClaim(ctypes.Structure):
    """cuzk_aggregate_claim."""

    _fields_ = [("info", POINTER(AggregateInfo)), ("aggregate", c_char_p), ("aggregate_len", c_size_t)]


class ParamsOptions(ctypes.Structure):
    """cuzk_params_options."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("sector_size", c_uint64),
        ("dir", c_char_p),
        ("seed_label", c_char_p),
        ("job", POINTER(JobOptions)),
        ("length", c_uint64),
    ]


class Progress(ctypes.Structure):
    """cuzk_progress."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("stage", c_char_p),
        ("done", c_uint64),
        ("total", c_uint64),
    ]


class FixtureOptions(ctypes.Structure):
    """cuzk_fixture_options."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("sector_size", c_uint64),
        ("seed", c_uint64),
        ("sectors", c_uint64),
        ("dir", c_char_p),
        ("job", POINTER(JobOptions)),
    ]


class MeasureRequest(ctypes.Structure):
    """cuzk_measure_request."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("what", c_int32),
        ("log2_size", c_uint32),
        ("repeats", c_uint32),
        ("job", POINTER(JobOptions)),
    ]


class Queue(ctypes.Structure):
    """cuzk_queue."""

    _fields_ = [("waiting", c_uint32 * 5), ("running", c_uint32), ("oldest_ms", c_uint64)]


class Memory(ctypes.Structure):
    """cuzk_memory."""

    _fields_ = [("host", c_uint64), ("pinned", c_uint64), ("device", c_uint64)]


class Device(ctypes.Structure):
    """cuzk_device."""

    _fields_ = [
        ("name", c_char * 48),
        ("uuid", c_char * 48),
        ("memory", c_uint64),
        ("used", c_uint64),
        ("usable", c_uint32),
        ("reserved", c_uint32),
    ]


class Snapshot(ctypes.Structure):
    """cuzk_snapshot."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("backend", c_int32),
        ("version", c_char_p),
        ("threads", c_uint32),
        ("device_count", c_uint32),
        ("jobs_queued", c_uint64),
        ("jobs_running", c_uint64),
        ("jobs_done", c_uint64),
        ("jobs_failed", c_uint64),
        ("jobs_cancelled", c_uint64),
        ("solve", Queue),
        ("prove", Queue),
        ("limit", Memory),
        ("used_params", Memory),
        ("used_partitions", Memory),
        ("used_other", Memory),
        ("idle_bytes", c_uint64),
        ("input_limit", c_uint64),
        ("input_used", c_uint64),
        ("memory_waiting", c_uint64),
        ("params_count", c_uint64 * 3),
        ("params_bytes", c_uint64 * 3),
        ("lost_events", c_uint64),
        ("devices", Device * 16),
    ]


def pieces(name: str, values: Sequence[bytes]) -> ctypes.Array[Bytes]:
    """An array of cuzk_bytes that refers to the values, which it keeps alive.

    Other buffers are copied: ctypes can point into ``bytes`` alone. One ``bytes`` in
    place of a list would be a list of numbers, which are refused.
    """
    copies = [octets(f"{name}[{i}]", value) for i, value in enumerate(values)]
    return (Bytes * len(copies))(*(Bytes(value, len(value)) for value in copies))


def octets(name: str, value: bytes | bytearray | memoryview) -> bytes:
    """The bytes of a buffer, the only kind that ctypes can point into."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name} is {type(value).__name__}, want bytes")
    return bytes(value)


def unsigned(name: str, value: int, bits: int) -> int:
    """The value, which ctypes would cut to its field without a word."""
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} {value}: want 0 to 2**{bits} - 1")
    return value


def registered(value: int) -> int:
    """A registered proof's number, where it fits its field; the library knows which exist."""
    if not -(1 << 31) <= value < 1 << 31:
        raise ValueError(f"registered_proof {value}: no such number")
    return value


def bytes32(name: str, value: bytes) -> ctypes.Array[c_uint8]:
    """A copy of 32 bytes."""
    if len(value) != 32:
        raise ValueError(f"{name} has {len(value)} bytes, want 32")
    return Bytes32.from_buffer_copy(value)
