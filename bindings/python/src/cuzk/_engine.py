"""The resident prover."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_int32, c_void_p
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from . import _native
from ._job import Job, ProgressCallback


@dataclass(frozen=True)
class PoRepInfo:
    """What the chain knows of a sealed sector; commitments and ids are 32 bytes."""

    registered_proof: int
    sector_number: int
    prover_id: bytes
    comm_r: bytes
    comm_d: bytes
    ticket: bytes
    seed: bytes


def prover_id(miner_id: int) -> bytes:
    """The 32 bytes that stand for a miner: its actor id as unsigned LEB128, then zeros."""
    _check_range("miner_id", miner_id, 64)
    out = bytearray()
    while True:
        low, miner_id = miner_id & 0x7F, miner_id >> 7
        out.append(low | (0x80 if miner_id else 0))
        if not miner_id:
            return bytes(out).ljust(32, b"\0")


class Engine:
    """Compiled circuits, mapped parameters and worker threads.

    Close it, or use it in ``with``. Every method may be called from any
    thread. Methods raise :class:`cuzk.CuzkError` as the library classified the
    failure, and :class:`ValueError` once the engine is closed.
    """

    def __init__(
        self,
        params_dir: str | os.PathLike[str] | None = None,
        *,
        backend: str = "auto",
        threads: int = 0,
        check_digest: bool = False,
        check_subgroup: bool = False,
        memory_budget: int = 0,
        max_input: int = 0,
    ) -> None:
        """Opens an engine; see ``cuzk_options`` in cuzk.h for the arguments.

        Without ``params_dir`` the library takes FIL_PROOFS_PARAMETER_CACHE, or
        else the folder of the network's tools.
        """
        self._handle: c_void_p | None = None
        if backend not in _native.BACKENDS:
            raise ValueError(f"backend {backend!r}: want one of {', '.join(_native.BACKENDS)}")
        _check_range("threads", threads, 32)
        _check_range("memory_budget", memory_budget, 64)
        _check_range("max_input", max_input, 64)
        check = check_digest * _native.CHECK_DIGEST | check_subgroup * _native.CHECK_SUBGROUP
        options = _native.Options(
            ctypes.sizeof(_native.Options), _native.BACKENDS[backend], _native.path_bytes(params_dir),
            threads, check, memory_budget, max_input,
        )  # fmt: skip
        handle = c_void_p()
        _native.call("cuzk_init", ctypes.byref(options), ctypes.byref(handle))
        self._handle = handle

    def prove_porep(
        self, c1: bytes, sector_number: int, prover_id: bytes, progress: ProgressCallback | None = None
    ) -> bytes:
        """Returns the seal proof of a commit-phase-1 output, 192 bytes per partition."""
        with self.submit_porep(c1, sector_number, prover_id) as job:
            return job.wait(progress=progress)

    def submit_porep(self, c1: bytes, sector_number: int, prover_id: bytes) -> Job:
        """Starts a job that proves; malformed input is the job's failure."""
        _check_range("sector_number", sector_number, 64)
        _check_bytes32("prover_id", prover_id)
        job = c_void_p()
        _native.call("cuzk_submit_porep", self._live(), c1, len(c1), sector_number, prover_id, ctypes.byref(job))
        return Job(job)

    def verify_porep(self, info: PoRepInfo, proof: bytes) -> bool:
        """Tells whether a seal proof holds; bytes that are no proof raise ProofMalformed."""
        _check_range("sector_number", info.sector_number, 64)
        c = _native.PoRepInfo(ctypes.sizeof(_native.PoRepInfo), info.registered_proof, info.sector_number)
        for name in ("prover_id", "comm_r", "comm_d", "ticket", "seed"):
            value: bytes = getattr(info, name)
            _check_bytes32(name, value)
            ctypes.memmove(getattr(c, name), value, 32)
        valid = c_int32()
        _native.call(
            "cuzk_verify_porep", self._live(), ctypes.byref(c), proof, len(proof), ctypes.byref(valid)
        )  # fmt: skip
        return valid.value == 1

    def make_params(
        self,
        kind: str,
        sector_size: int,
        out: str | os.PathLike[str] | None = None,
        seed_label: str | None = None,
        progress: ProgressCallback | None = None,
    ) -> Path:
        """Makes test parameters and returns the path of the .params file."""
        with self.submit_params(kind, sector_size, out, seed_label) as job:
            return Path(os.fsdecode(job.wait(progress=progress)))

    def submit_params(
        self,
        kind: str,
        sector_size: int,
        out: str | os.PathLike[str] | None = None,
        seed_label: str | None = None,
    ) -> Job:
        """Starts a job that makes test parameters; see ``cuzk_params_options`` in cuzk.h."""
        if kind not in _native.KINDS:
            raise ValueError(f"kind {kind!r}: want one of {', '.join(_native.KINDS)}")
        _check_range("sector_size", sector_size, 64)
        label = None if seed_label is None else seed_label.encode()
        if label is not None and b"\0" in label:
            raise ValueError("seed_label contains a NUL byte")
        options = _native.ParamsOptions(
            ctypes.sizeof(_native.ParamsOptions), _native.KINDS[kind], sector_size, _native.path_bytes(out), label
        )
        job = c_void_p()
        _native.call("cuzk_submit_params", self._live(), ctypes.byref(options), ctypes.byref(job))
        return Job(job)

    def close(self) -> None:
        """Cancels all jobs and waits until they have stopped. A second call does nothing."""
        handle, self._handle = self._handle, None
        _native.lib.cuzk_free(handle)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _live(self) -> c_void_p:
        if self._handle is None:
            raise ValueError("engine is closed")
        return self._handle


def _check_range(name: str, value: int, bits: int) -> None:
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} {value}: want 0 to 2**{bits} - 1")


def _check_bytes32(name: str, value: bytes) -> None:
    if len(value) != 32:
        raise ValueError(f"{name} has {len(value)} bytes, want 32")
