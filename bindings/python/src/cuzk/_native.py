"""The C functions of libcuzk as ctypes sees them; include/cuzk.h is the manual."""

from __future__ import annotations

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path

from ._codes import BY_CODE, BufferShort
from ._error import CuzkError
from ._structs import (
    AggregateClaim,
    AggregateInfo,
    AggregateRequest,
    Bytes,
    Bytes32,
    FixtureOptions,
    MeasureRequest,
    Options,
    ParamsOptions,
    PoRepInfo,
    PoRepRequest,
    PoStInfo,
    PoStRequest,
    Progress,
    Snapshot,
    UpdateInfo,
    UpdateRequest,
)

ABI_VERSION = 0

BACKENDS = {"auto": 0, "cpu": 1, "cuda": 2}
KINDS = {"porep": 1, "winning_post": 2, "window_post": 3, "update": 4, "aggregate": 5}
MEASURES = {"field": 1, "ntt": 2, "msm_g1": 3, "msm_g2": 4, "bit_sum_g1": 5, "poseidon": 6, "sha256": 7}
PRIORITIES = {"auto": 0, "low": 1, "normal": 2, "high": 3, "critical": 4}
CHECK_DIGEST = 1
CHECK_SUBGROUP = 2

PROGRESS_FN = CFUNCTYPE(c_int32, POINTER(Progress), c_void_p)

_HANDLE_OUT = POINTER(c_void_p)
_SIZE_OUT = POINTER(c_size_t)


def _prove(request: type[ctypes.Structure]) -> tuple[object, list[object]]:
    return c_int32, [c_void_p, POINTER(request), c_void_p, _SIZE_OUT, _HANDLE_OUT]


def _submit(request: type[ctypes.Structure]) -> tuple[object, list[object]]:
    return c_int32, [c_void_p, POINTER(request), _HANDLE_OUT, _HANDLE_OUT]


def _verify(info: type[ctypes.Structure]) -> tuple[object, list[object]]:
    return c_int32, [c_void_p, POINTER(info), c_char_p, c_size_t, POINTER(c_int32), _HANDLE_OUT]


# name: (result, arguments); tests compare the names with the header.
PROTOTYPES: dict[str, tuple[object, list[object]]] = {
    "cuzk_abi_version": (c_int32, []),
    "cuzk_version": (c_char_p, []),
    "cuzk_status_name": (c_char_p, [c_int32]),
    "cuzk_error_code": (c_int32, [c_void_p]),
    "cuzk_error_message": (c_char_p, [c_void_p]),
    "cuzk_error_detail": (c_char_p, [c_void_p]),
    "cuzk_error_retryable": (c_int32, [c_void_p]),
    "cuzk_error_free": (None, [c_void_p]),
    "cuzk_init": (c_int32, [POINTER(Options), _HANDLE_OUT, _HANDLE_OUT]),
    "cuzk_free": (None, [c_void_p]),
    "cuzk_prove_porep": (
        c_int32,
        [c_void_p, c_char_p, c_size_t, c_uint64, c_char_p, c_void_p, _SIZE_OUT, _HANDLE_OUT],
    ),
    "cuzk_verify_porep": _verify(PoRepInfo),
    "cuzk_prove_post": _prove(PoStRequest),
    "cuzk_verify_post": _verify(PoStInfo),
    "cuzk_post_merge": (c_int32, [c_int32, POINTER(Bytes), c_size_t, c_void_p, _SIZE_OUT, _HANDLE_OUT]),
    "cuzk_post_winner": (c_int32, [c_int32, Bytes32, Bytes32, c_uint64, POINTER(c_uint64), _HANDLE_OUT]),
    "cuzk_post_partitions": (c_int32, [c_int32, c_uint64, POINTER(c_uint64), _HANDLE_OUT]),
    "cuzk_post_challenges": (
        c_int32,
        [c_int32, Bytes32, POINTER(c_uint64), c_size_t, POINTER(c_uint64), _SIZE_OUT, _HANDLE_OUT],
    ),
    "cuzk_prove_update": _prove(UpdateRequest),
    "cuzk_verify_update": _verify(UpdateInfo),
    "cuzk_verify_update_vanilla": (
        c_int32,
        [c_void_p, POINTER(UpdateInfo), POINTER(Bytes), c_size_t, POINTER(c_int32), _HANDLE_OUT],
    ),
    "cuzk_aggregate": _prove(AggregateRequest),
    "cuzk_verify_aggregate": _verify(AggregateInfo),
    "cuzk_verify_aggregates": (c_int32, [c_void_p, POINTER(AggregateClaim), c_size_t, POINTER(c_int32), _HANDLE_OUT]),
    "cuzk_params_make": (c_int32, [c_void_p, POINTER(ParamsOptions), PROGRESS_FN, c_void_p, _HANDLE_OUT]),
    "cuzk_submit_porep": _submit(PoRepRequest),
    "cuzk_submit_post": _submit(PoStRequest),
    "cuzk_submit_update": _submit(UpdateRequest),
    "cuzk_submit_aggregate": _submit(AggregateRequest),
    "cuzk_submit_params": _submit(ParamsOptions),
    "cuzk_submit_fixture": _submit(FixtureOptions),
    "cuzk_submit_measure": _submit(MeasureRequest),
    "cuzk_engine_snapshot": (c_int32, [c_void_p, POINTER(Snapshot), _HANDLE_OUT]),
    "cuzk_submit_load": (c_int32, [c_void_p, c_int32, c_uint64, _HANDLE_OUT, _HANDLE_OUT]),
    "cuzk_params_evict": (c_int32, [c_void_p, c_int32, c_uint64, POINTER(c_uint64), _HANDLE_OUT]),
    "cuzk_engine_drain": (c_int32, [c_void_p, c_int64, _HANDLE_OUT]),
    "cuzk_job_wait": (c_int32, [c_void_p, c_int64, PROGRESS_FN, c_void_p, _HANDLE_OUT]),
    "cuzk_job_result": (c_int32, [c_void_p, c_void_p, _SIZE_OUT, _HANDLE_OUT]),
    "cuzk_job_report": (c_int32, [c_void_p, c_void_p, _SIZE_OUT, _HANDLE_OUT]),
    "cuzk_job_cancel": (c_int32, [c_void_p, POINTER(c_int32), _HANDLE_OUT]),
    "cuzk_job_free": (None, [c_void_p]),
}


# The calls that copy what can be seen of an engine.
for _view in ("status", "metrics", "trace"):
    PROTOTYPES[f"cuzk_engine_{_view}"] = (c_int32, [c_void_p, c_void_p, _SIZE_OUT, _HANDLE_OUT])


def _load() -> ctypes.CDLL:
    """Opens the library: CUZK_LIBRARY, the wheel's copy, the system's."""
    bundled = Path(__file__).with_name("_lib") / "libcuzk.so.0"
    path = os.environ.get("CUZK_LIBRARY") or (str(bundled) if bundled.exists() else "libcuzk.so.0")
    try:
        lib = ctypes.CDLL(path)
    except OSError as e:
        raise ImportError(f"cannot load libcuzk: {e} (install it, or name the file in CUZK_LIBRARY)") from e
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    if lib.cuzk_abi_version() != ABI_VERSION:
        raise ImportError(f"{path} has ABI version {lib.cuzk_abi_version()}, this package needs {ABI_VERSION}")
    return lib


lib = _load()


def raise_for(code: int, err: c_void_p) -> None:
    """Raises the exception of a failed call and frees its error object."""
    if code == 0:
        return
    try:
        name = lib.cuzk_status_name(code).decode()
        message = lib.cuzk_error_message(err).decode(errors="replace") if err else name
        detail = lib.cuzk_error_detail(err).decode(errors="replace") if err else ""
        retryable = bool(lib.cuzk_error_retryable(err))
    finally:
        lib.cuzk_error_free(err)
    raise BY_CODE.get(code, CuzkError)(code, name, message, detail, retryable)


def call(name: str, *arguments: object) -> None:
    """Calls a fallible function, its last argument supplied here."""
    err = c_void_p()
    raise_for(getattr(lib, name)(*arguments, ctypes.byref(err)), err)


def copied(name: str, *arguments: object, size: int = 4096) -> bytes:
    """Calls a function that fills a buffer, with ``size`` bytes or what it needs then.

    It may need more each time: reports grow between two calls.
    """
    length = c_size_t(size)
    while True:
        buffer = ctypes.create_string_buffer(length.value)
        try:
            call(name, *arguments, buffer, ctypes.byref(length))
            return buffer.raw[: length.value]
        except BufferShort:
            continue


def path_bytes(path: str | os.PathLike[str] | None) -> bytes | None:
    """A path as the library takes it; a NUL inside cannot be passed to C."""
    if path is None:
        return None
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError("path contains a NUL byte")
    return raw
