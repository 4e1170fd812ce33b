"""What the commands share: input files, whole output files, the progress bar."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from tqdm import tqdm

from .._job import Progress

_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 10**3, "MB": 10**6, "GB": 10**9}


class UsageError(Exception):
    """The command line cannot be right."""


def size(text: str) -> int:
    """Parses a size such as 2KiB or 16GB; an unknown unit is an error."""
    digits = text.rstrip("BKMGTi")
    unit = text[len(digits) :] or "B"
    if not digits.isdecimal() or unit not in _UNITS:
        raise argparse.ArgumentTypeError(f"{text!r}: want a size such as 2KiB, 8MiB or 16GB")
    return int(digits) * _UNITS[unit]


def bytes32(text: str) -> bytes:
    """Parses 32 bytes of hex."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != 32:
        raise argparse.ArgumentTypeError(f"{text!r}: want 64 hex digits")
    return value


def number(text: str) -> int:
    """Parses an unsigned 64-bit number."""
    if not text.isdecimal() or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError(f"{text!r}: want a number below 2**64")
    return int(text)


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file beside its place and renames it when it is whole."""
    fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


class Bar:
    """A progress bar on standard error, if that is a terminal: one per stage."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: tqdm[Any] | None = None

    def __call__(self, progress: Progress) -> None:
        """Shows a job's progress."""
        if not sys.stderr.isatty():
            return
        if progress.stage != self._stage:
            self._finish()
            self._stage = progress.stage
            self._bar = tqdm(desc=f"{progress.stage:<8}", total=progress.total or None, leave=True, unit_scale=True)
        if self._bar is not None:
            self._bar.total = progress.total or None
            self._bar.update(progress.done - self._bar.n)

    def _finish(self) -> None:
        if self._bar is not None:
            if self._bar.total:
                self._bar.update(self._bar.total - self._bar.n)
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        if kind is None:
            self._finish()
        elif self._bar is not None:
            self._bar.close()
