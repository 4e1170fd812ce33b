"""The C functions of libcuzk as ctypes sees them; include/cuzk.h is the manual."""

from __future__ import annotations

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path

from ._codes import BY_CODE
from ._error import CuzkError

ABI_VERSION = 0

BACKENDS = {"auto": 0, "cpu": 1, "cuda": 2}
KINDS = {"porep": 1, "winning_post": 2, "window_post": 3, "update": 4}
CHECK_DIGEST = 1
CHECK_SUBGROUP = 2


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
    ]


class PoRepInfo(ctypes.Structure):
    """cuzk_porep_info."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("registered_proof", c_int32),
        ("sector_number", c_uint64),
        ("prover_id", c_uint8 * 32),
        ("comm_r", c_uint8 * 32),
        ("comm_d", c_uint8 * 32),
        ("ticket", c_uint8 * 32),
        ("seed", c_uint8 * 32),
    ]


class ParamsOptions(ctypes.Structure):
    """cuzk_params_options."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("sector_size", c_uint64),
        ("dir", c_char_p),
        ("seed_label", c_char_p),
    ]


class ProgressStruct(ctypes.Structure):
    """cuzk_progress."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("stage", c_char_p),
        ("done", c_uint64),
        ("total", c_uint64),
    ]


PROGRESS_FN = CFUNCTYPE(c_int32, POINTER(ProgressStruct), c_void_p)

_HANDLE_OUT = POINTER(c_void_p)
_SIZE_OUT = POINTER(c_size_t)

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
    "cuzk_verify_porep": (
        c_int32,
        [c_void_p, POINTER(PoRepInfo), c_char_p, c_size_t, POINTER(c_int32), _HANDLE_OUT],
    ),
    "cuzk_params_make": (c_int32, [c_void_p, POINTER(ParamsOptions), PROGRESS_FN, c_void_p, _HANDLE_OUT]),
    "cuzk_submit_porep": (c_int32, [c_void_p, c_char_p, c_size_t, c_uint64, c_char_p, _HANDLE_OUT, _HANDLE_OUT]),
    "cuzk_submit_params": (c_int32, [c_void_p, POINTER(ParamsOptions), _HANDLE_OUT, _HANDLE_OUT]),
    "cuzk_job_wait": (c_int32, [c_void_p, c_int64, PROGRESS_FN, c_void_p, _HANDLE_OUT]),
    "cuzk_job_result": (c_int32, [c_void_p, c_void_p, _SIZE_OUT, _HANDLE_OUT]),
    "cuzk_job_report": (c_int32, [c_void_p, c_void_p, _SIZE_OUT, _HANDLE_OUT]),
    "cuzk_job_cancel": (c_int32, [c_void_p, _HANDLE_OUT]),
    "cuzk_job_free": (None, [c_void_p]),
}


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


def path_bytes(path: str | os.PathLike[str] | None) -> bytes | None:
    """A path as the library takes it; a NUL inside cannot be passed to C."""
    if path is None:
        return None
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError("path contains a NUL byte")
    return raw
