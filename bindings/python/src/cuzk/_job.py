"""Work that goes on in the engine while Python does something else."""

from __future__ import annotations

import ctypes
import json
import math
import time
from collections.abc import Callable
from ctypes import c_void_p
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NoReturn

from . import _native, _structs
from ._codes import Timeout

# A blocking ctypes call delays Ctrl-C, so waits are cut into slices.
_SLICE_MS = 50


@dataclass(frozen=True)
class Progress:
    """How far the current stage of a job is; ``total`` 0 is unknown."""

    stage: str
    done: int
    total: int


ProgressCallback = Callable[[Progress], object]


@dataclass(frozen=True)
class JobOptions:
    """What every request may say of its job.

    ``priority`` is one of auto, low, normal, high, critical; auto goes by the
    kind of proof. As long as a job with an idempotency ``key`` is under way or
    remembered, the same request gives that job and another raises
    :class:`cuzk.Conflict`. A job that cannot be done within ``deadline`` seconds
    from its submission fails with :class:`cuzk.Deadline`. With ``witness_only`` a
    proof ends once its input has been checked and all partitions solved, with an
    empty result; it needs no parameters.
    """

    priority: str = "auto"
    key: str | None = None
    deadline: float | None = None
    witness_only: bool = False

    def _c(self) -> _structs.JobOptions:
        if self.priority not in _native.PRIORITIES:
            raise ValueError(f"priority {self.priority!r}: want one of {', '.join(_native.PRIORITIES)}")
        key = None if self.key is None else self.key.encode()
        if key == b"":
            raise ValueError("key is empty: None asks for no key")
        if key is not None and b"\0" in key:
            raise ValueError("key contains a NUL byte")
        ms = 0
        if self.deadline is not None:
            if not self.deadline > 0:
                raise ValueError(f"deadline {self.deadline}: want a positive number of seconds")
            ms = _structs.unsigned("deadline in ms", max(1, round(1000 * self.deadline)), 64)
        return _structs.JobOptions(
            ctypes.sizeof(_structs.JobOptions), _native.PRIORITIES[self.priority], key, ms, self.witness_only
        )


class Job:
    """A job of an :class:`~cuzk.Engine`. Close it, or use it in ``with``."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle: c_void_p | None = handle

    def wait(self, timeout: float | None = None, progress: ProgressCallback | None = None) -> bytes:
        """Returns the job's result or raises its failure.

        After ``timeout`` seconds :class:`cuzk.Timeout` is raised and the job
        goes on. ``progress`` is called on this thread about twenty times a second.
        """

        def wait(ms: int) -> None:
            try:
                _native.call("cuzk_job_wait", self._live(), ms, _native.PROGRESS_FN(0), None)
            finally:
                if progress is not None:
                    report = self.report()
                    progress(Progress(report["stage"], report["done"], report["total"]))

        in_slices(timeout, wait)
        return self.result()

    def result(self) -> bytes:
        """Returns the result of a finished job; raises :class:`cuzk.Busy` before."""
        return _native.copied("cuzk_job_result", self._live())

    def report(self) -> dict[str, Any]:
        """Returns a snapshot: kind, state, stage, done, total, stages with times."""
        report: dict[str, Any] = json.loads(_native.copied("cuzk_job_report", self._live()))
        return report

    def cancel(self) -> bool:
        """Asks the job to stop; it ends with :class:`cuzk.Cancelled` soon.

        Tells whether the job was under way: False if it had ended before.
        """
        ended = ctypes.c_int32()
        _native.call("cuzk_job_cancel", self._live(), ctypes.byref(ended))
        return not ended.value

    def close(self) -> None:
        """Cancels the job if it still runs and forgets it. A second call does nothing."""
        handle, self._handle = self._handle, None
        _native.lib.cuzk_job_free(handle)

    def __enter__(self) -> Job:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a job belongs to the process of its engine: hand its result to others instead")

    def _live(self) -> c_void_p:
        if self._handle is None:
            raise ValueError("job is closed")
        return self._handle


def in_slices(timeout: float | None, wait: Callable[[int], None]) -> None:
    """Calls wait with slices in milliseconds until it does not raise Timeout, or ``timeout`` seconds are over."""
    if timeout is not None and math.isnan(timeout):
        raise ValueError("timeout is not a number")
    deadline = None if timeout is None or timeout == math.inf else time.monotonic() + timeout
    while True:
        left = _SLICE_MS if deadline is None else max(0, round(1000 * (deadline - time.monotonic())))
        try:
            return wait(min(left, _SLICE_MS))
        except Timeout:
            if deadline is not None and time.monotonic() >= deadline:
                raise
