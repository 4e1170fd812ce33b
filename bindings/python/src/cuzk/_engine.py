"""The resident prover."""

from __future__ import annotations

import ctypes
import json
import math
import os
from collections.abc import Sequence
from ctypes import c_int32, c_uint64, c_void_p
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from . import _native, _structs
from ._aggregate import AggregateInfo, AggregateRequest, claims
from ._job import Job, JobOptions, ProgressCallback, in_slices
from ._snapshot import Snapshot
from ._statement import PoRepInfo, PoStInfo, PoStRequest, UpdateInfo, UpdateRequest
from ._structs import Options, ParamsOptions, PoRepRequest, bytes32, octets, pieces, unsigned

# What a submit function takes.
Request = (
    _structs.FixtureOptions
    | _structs.MeasureRequest
    | PoRepRequest
    | _structs.PoStRequest
    | _structs.UpdateRequest
    | _structs.AggregateRequest
    | ParamsOptions
)


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
        devices: Sequence[str] = (),
        device_library: str | os.PathLike[str] | None = None,
        device_memory_limit: int = 0,
        device_slots: int = 0,
        max_batch_size: int = 0,
        max_batch_wait: float = 0.0,
    ) -> None:
        """Opens an engine; see ``cuzk_options`` in cuzk.h for the arguments.

        Without ``params_dir`` the library takes FIL_PROOFS_PARAMETER_CACHE, or
        else the folder of the network's tools. ``max_batch_wait`` is in seconds.
        """
        self._handle: c_void_p | None = None
        if backend not in _native.BACKENDS:
            raise ValueError(f"backend {backend!r}: want one of {', '.join(_native.BACKENDS)}")
        unsigned("threads", threads, 32)
        unsigned("memory_budget", memory_budget, 64)
        unsigned("max_input", max_input, 64)
        unsigned("device_memory_limit", device_memory_limit, 64)
        unsigned("device_slots", device_slots, 32)
        unsigned("max_batch_size", max_batch_size, 32)
        wait_ms = math.ceil(max_batch_wait * 1000)  # 0 is the default
        unsigned("max_batch_wait", wait_ms, 64)
        names = devices if isinstance(devices, str) else ",".join(devices)
        if devices == "" or "" in (devices.split(",") if isinstance(devices, str) else devices):
            raise ValueError(f"devices {devices!r}: want indices or UUIDs, none for all devices")
        if "\0" in names:
            raise ValueError("devices contains a NUL")
        check = check_digest * _native.CHECK_DIGEST | check_subgroup * _native.CHECK_SUBGROUP
        options = Options(
            ctypes.sizeof(Options), _native.BACKENDS[backend], _native.path_bytes(params_dir),
            threads, check, memory_budget, max_input,
            names.encode() or None, _native.path_bytes(device_library),
            device_memory_limit, wait_ms, max_batch_size, device_slots,
        )  # fmt: skip
        handle = c_void_p()
        _native.call("cuzk_init", ctypes.byref(options), ctypes.byref(handle))
        self._handle = handle

    def prove_porep(
        self,
        c1: bytes,
        sector_number: int,
        prover_id: bytes,
        progress: ProgressCallback | None = None,
        *,
        circuit_proofs: bool = False,
        options: JobOptions | None = None,
    ) -> bytes:
        """Returns the seal proof of a commit-phase-1 output, 192 bytes per partition.

        Of a non-interactive sector that is the aggregate of its partitions, or with
        ``circuit_proofs`` the proofs of all of them.
        """
        with self.submit_porep(c1, sector_number, prover_id, circuit_proofs=circuit_proofs, options=options) as job:
            return job.wait(progress=progress)

    def submit_porep(
        self,
        c1: bytes,
        sector_number: int,
        prover_id: bytes,
        *,
        circuit_proofs: bool = False,
        options: JobOptions | None = None,
    ) -> Job:
        """Starts a job that proves; malformed input is the job's failure."""
        c1 = octets("c1", c1)
        request = PoRepRequest(
            ctypes.sizeof(PoRepRequest), circuit_proofs, c1, len(c1),
            unsigned("sector_number", sector_number, 64), bytes32("prover_id", prover_id),
        )  # fmt: skip
        return self._submit("cuzk_submit_porep", request, options)

    def verify_porep(self, info: PoRepInfo, proof: bytes) -> bool:
        """Tells whether a seal proof holds; bytes that are no proof raise ProofMalformed."""
        return self._verify("cuzk_verify_porep", info._c(), proof)

    def prove_post(
        self,
        request: PoStRequest,
        progress: ProgressCallback | None = None,
        *,
        options: JobOptions | None = None,
    ) -> bytes:
        """Returns a WinningPoSt, a WindowPoSt or one of its partitions, 192 bytes per partition."""
        with self.submit_post(request, options=options) as job:
            return job.wait(progress=progress)

    def submit_post(self, request: PoStRequest, *, options: JobOptions | None = None) -> Job:
        """Starts a job that proves; a malformed vanilla proof is the job's failure."""
        return self._submit("cuzk_submit_post", request._c(), options)

    def verify_post(self, info: PoStInfo, proof: bytes) -> bool:
        """Tells whether a proof of spacetime holds; as :meth:`verify_porep`."""
        return self._verify("cuzk_verify_post", info._c(), proof)

    def prove_update(
        self,
        request: UpdateRequest,
        progress: ProgressCallback | None = None,
        *,
        options: JobOptions | None = None,
    ) -> bytes:
        """Returns the proof of a sector update, 192 bytes per partition."""
        with self.submit_update(request, options=options) as job:
            return job.wait(progress=progress)

    def submit_update(self, request: UpdateRequest, *, options: JobOptions | None = None) -> Job:
        """Starts a job that proves; a malformed vanilla proof is the job's failure."""
        return self._submit("cuzk_submit_update", request._c(), options)

    def verify_update(self, info: UpdateInfo, proof: bytes) -> bool:
        """Tells whether the proof of a sector update holds; as :meth:`verify_porep`."""
        return self._verify("cuzk_verify_update", info._c(), proof)

    def verify_update_vanilla(self, info: UpdateInfo, vanilla_proofs: Sequence[bytes]) -> bool:
        """Tells whether the vanilla proofs of all partitions of a sector update hold; no parameters are needed."""
        parts, valid = pieces("vanilla_proofs", vanilla_proofs), c_int32()
        _native.call(
            "cuzk_verify_update_vanilla",
            self._live(), ctypes.byref(info._c()), parts, len(parts), ctypes.byref(valid),
        )  # fmt: skip
        return valid.value == 1

    def aggregate(
        self,
        request: AggregateRequest,
        progress: ProgressCallback | None = None,
        *,
        options: JobOptions | None = None,
    ) -> bytes:
        """Returns the SnarkPack aggregate of seal proofs: one proof that all of them hold."""
        with self.submit_aggregate(request, options=options) as job:
            return job.wait(progress=progress)

    def submit_aggregate(self, request: AggregateRequest, *, options: JobOptions | None = None) -> Job:
        """Starts a job that aggregates; see ``cuzk_aggregate`` in cuzk.h for its failures."""
        return self._submit("cuzk_submit_aggregate", request._c(), options)

    def verify_aggregate(self, info: AggregateInfo, aggregate: bytes) -> bool:
        """Tells whether an aggregate holds; as :meth:`verify_porep`."""
        return self._verify("cuzk_verify_aggregate", info._c(), aggregate)

    def verify_aggregates(self, claimed: Sequence[tuple[AggregateInfo, bytes]]) -> list[int]:
        """Verifies many aggregates in one combined check.

        Returns for each 0 if it holds, else the status code of ProofInvalid or of why it could not be checked.
        """
        array, infos = claims(claimed)
        verdicts = (c_int32 * max(1, len(claimed)))()
        _native.call("cuzk_verify_aggregates", self._live(), array, len(claimed), verdicts)
        del infos  # alive until here
        return list(verdicts[: len(claimed)])

    def make_params(
        self,
        kind: str,
        sector_size: int,
        out: str | os.PathLike[str] | None = None,
        seed_label: str | None = None,
        progress: ProgressCallback | None = None,
        *,
        length: int = 0,
    ) -> Path:
        """Makes test parameters and returns the path of the .params file.

        Of the kind ``aggregate``, whose sector size is 0, that is the .srs file with vectors of ``length`` points.
        """
        with self.submit_params(kind, sector_size, out, seed_label, length=length) as job:
            return Path(os.fsdecode(job.wait(progress=progress)))

    def submit_params(
        self,
        kind: str,
        sector_size: int,
        out: str | os.PathLike[str] | None = None,
        seed_label: str | None = None,
        *,
        length: int = 0,
        options: JobOptions | None = None,
    ) -> Job:
        """Starts a job that makes test parameters; see ``cuzk_params_options`` in cuzk.h."""
        label = None if seed_label is None else seed_label.encode()
        if label is not None and b"\0" in label:
            raise ValueError("seed_label contains a NUL byte")
        what = ParamsOptions(
            ctypes.sizeof(ParamsOptions), *_circuit(kind, sector_size), _native.path_bytes(out), label,
            length=unsigned("length", length, 64),
        )  # fmt: skip
        return self._submit("cuzk_submit_params", what, options)

    def load(self, kind: str, sector_size: int, progress: ProgressCallback | None = None) -> None:
        """Brings the parameters of a kind of proof to where they are used, so that the first proof need not:
        checked and mapped, and onto every device of the engine."""
        with self.submit_load(kind, sector_size) as job:
            job.wait(progress=progress)

    def submit_load(self, kind: str, sector_size: int) -> Job:
        """Starts a job that does what :meth:`load` does."""
        job = c_void_p()
        _native.call("cuzk_submit_load", self._live(), *_circuit(kind, sector_size), ctypes.byref(job))
        return Job(job)

    def evict(self, kind: str | None = None, sector_size: int = 0) -> int:
        """Lets go of the parameters of a kind of proof, or of all; returns the bytes freed.

        Raises :class:`cuzk.Busy` while they are in use.
        """
        freed = c_uint64()
        what = (0, 0) if kind is None else _circuit(kind, sector_size)
        _native.call("cuzk_params_evict", self._live(), *what, ctypes.byref(freed))
        return freed.value

    def make_fixture(
        self,
        kind: str,
        sector_size: int,
        out: str | os.PathLike[str],
        *,
        seed: int = 1,
        sectors: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Path:
        """Makes the input of a proof over sectors that were never sealed, in files of the folder ``out``.

        Returns the path of the JSON file that says what the chain knows; ``sectors`` is of a WindowPoSt.
        """
        with self.submit_fixture(kind, sector_size, out, seed=seed, sectors=sectors) as job:
            return Path(os.fsdecode(job.wait(progress=progress)))

    def submit_fixture(
        self,
        kind: str,
        sector_size: int,
        out: str | os.PathLike[str],
        *,
        seed: int = 1,
        sectors: int = 0,
        options: JobOptions | None = None,
    ) -> Job:
        """Starts a job that does what :meth:`make_fixture` does."""
        what = _structs.FixtureOptions(
            ctypes.sizeof(_structs.FixtureOptions), *_circuit(kind, sector_size), unsigned("seed", seed, 64),
            unsigned("sectors", sectors, 64), _native.path_bytes(out),
        )  # fmt: skip
        return self._submit("cuzk_submit_fixture", what, options)

    def measure(
        self, what: str, log2_size: int, repeats: int = 1, progress: ProgressCallback | None = None
    ) -> list[float]:
        """Times one part of proving alone, on 2**log2_size elements: seconds of each repetition.

        On an engine with devices that is ntt or msm_g1, on the first usable one.
        """
        with self.submit_measure(what, log2_size, repeats) as job:
            return nanoseconds(job.wait(progress=progress))

    def submit_measure(self, what: str, log2_size: int, repeats: int = 1, *, options: JobOptions | None = None) -> Job:
        """Starts a job that measures; its result is what ``cuzk_submit_measure`` in cuzk.h says."""
        if what not in _native.MEASURES:
            raise ValueError(f"what {what!r}: want one of {', '.join(_native.MEASURES)}")
        request = _structs.MeasureRequest(
            ctypes.sizeof(_structs.MeasureRequest), _native.MEASURES[what], unsigned("log2_size", log2_size, 32),
            unsigned("repeats", repeats, 32),
        )  # fmt: skip
        return self._submit("cuzk_submit_measure", request, options)

    def snapshot(self) -> Snapshot:
        """Returns what the engine does and holds, in fields; :meth:`status` has more detail."""
        c = _structs.Snapshot(ctypes.sizeof(_structs.Snapshot))
        _native.call("cuzk_engine_snapshot", self._live(), ctypes.byref(c))
        return Snapshot.of(c)

    def status(self) -> dict[str, Any]:
        """Returns what JSON can say of the engine: jobs in each state, queues, memory by purpose, parameters."""
        status: dict[str, Any] = json.loads(_native.copied("cuzk_engine_status", self._live()))
        return status

    def metrics(self) -> str:
        """Returns all metrics in the Prometheus text format."""
        return _native.copied("cuzk_engine_metrics", self._live()).decode()

    def trace(self) -> str:
        """Returns the last events of all jobs in the Chrome trace format (JSON), for Perfetto."""
        return _native.copied("cuzk_engine_trace", self._live()).decode()

    def drain(self, timeout: float | None = None) -> None:
        """Accepts no more jobs and waits until those under way have ended.

        After ``timeout`` seconds :class:`cuzk.Timeout` is raised; the jobs go on.
        """
        in_slices(timeout, lambda ms: _native.call("cuzk_engine_drain", self._live(), ms))

    def _submit(self, function: str, request: Request, options: JobOptions | None) -> Job:
        if options is not None:
            request.job = ctypes.pointer(options._c())
        job = c_void_p()
        _native.call(function, self._live(), ctypes.byref(request), ctypes.byref(job))
        return Job(job)

    def _verify(self, function: str, info: ctypes.Structure, proof: bytes) -> bool:
        valid = c_int32()
        proof = octets("proof", proof)
        _native.call(function, self._live(), ctypes.byref(info), proof, len(proof), ctypes.byref(valid))
        return valid.value == 1

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

    def __reduce__(self) -> NoReturn:
        raise TypeError("an engine belongs to its process: open one in each that needs it")

    def _live(self) -> c_void_p:
        if self._handle is None:
            raise ValueError("engine is closed")
        return self._handle


def _circuit(kind: str, sector_size: int) -> tuple[int, int]:
    """A kind and a sector size as C takes them."""
    if kind not in _native.KINDS:
        raise ValueError(f"kind {kind!r}: want one of {', '.join(_native.KINDS)}")
    return _native.KINDS[kind], unsigned("sector_size", sector_size, 64)


def nanoseconds(result: bytes) -> list[float]:
    """The seconds in the result of a measurement."""
    count = len(result) // 8
    return [n / 1e9 for n in (c_uint64 * count).from_buffer_copy(result)]
