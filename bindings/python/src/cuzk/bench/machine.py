"""What a process takes of its machine."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class Meter:
    """Wall time, CPU time of all threads, and peak memory since its making."""

    def __init__(self) -> None:
        forget_peak()
        self._cpu = time.process_time()
        self._wall = time.monotonic()

    def seconds(self) -> float:
        """Wall time."""
        return time.monotonic() - self._wall

    def cpu_seconds(self) -> float:
        """CPU time of all threads of this process."""
        return time.process_time() - self._cpu


def forget_peak() -> None:
    """Lets the peak begin anew, where the kernel lets us."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak_gib() -> float:
    """The most memory that the process has held since :func:`forget_peak`, mapped files included; 0: not known."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0.0
    kib = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    return kib / (1 << 20)
