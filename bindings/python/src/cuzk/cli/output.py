"""What the commands share: input files, whole output files, the progress bar."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, TextIO

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


# What a file system may refuse without harm to what was written.
_UNSUPPORTED = {errno.EINVAL, errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EROFS, errno.EBADF}


class Output:
    """A file that is tried before the work and written after it, as a context.

    A new or regular file is written next to its place and renamed when it is whole; a symbolic link is followed, and a
    device or pipe written to. What is wrong with the target is an ``OSError`` of the constructor.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if not self.path:
            raise FileNotFoundError(errno.ENOENT, "the name of the output is empty", self.path)
        self._target = os.path.realpath(self.path)
        self._temporary: str | None = None
        folder = os.path.dirname(self._target)
        if not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, "no such folder", folder)
        try:
            mode = os.stat(self._target).st_mode
        except FileNotFoundError:
            mode = stat.S_IFREG
        if stat.S_ISDIR(mode) or self.path.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, "the output is a folder", self.path)
        if stat.S_ISREG(mode):
            self._fd = self._beside(folder)
        else:
            self._fd = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
            os.set_blocking(self._fd, True)

    def _beside(self, folder: str) -> int:
        """Opens a temporary file, or the target itself where the folder takes no new ones."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        for attempt in range(100):
            name = os.path.join(folder, f".cuzk-{os.getpid()}-{attempt}.tmp")
            try:
                fd = os.open(name, flags | os.O_EXCL, 0o666)
            except FileExistsError:
                continue
            except PermissionError:
                return os.open(self._target, flags, 0o666)
            self._temporary = name
            self._try_name(folder)
            return fd
        raise FileExistsError(errno.EEXIST, "cannot make a temporary file", folder)

    def _try_name(self, folder: str) -> None:
        """Raises the error of a name that no file can have, such as one that is too long."""
        try:
            os.lstat(os.path.join(folder, os.path.basename(self._target)))
        except FileNotFoundError:
            pass
        except OSError:
            self.discard()
            raise

    def write(self, data: bytes) -> None:
        """Writes all of the data and puts the file in its place."""
        if self._temporary is None and stat.S_ISREG(os.fstat(self._fd).st_mode):
            os.ftruncate(self._fd, 0)
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        if self._temporary is not None:
            _nicety(os.fsync, self._fd)
            os.close(self._fd)
            self._fd = -1
            os.replace(self._temporary, self._target)
            self._temporary = None

    def discard(self) -> None:
        """Leaves the target as it was, unless it was written."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)
        if self._temporary is not None:
            temporary, self._temporary = self._temporary, None
            os.unlink(temporary)

    def __enter__(self) -> Output:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self.discard()


def _nicety(call: Callable[..., Any], *arguments: Any) -> None:
    """Calls what some file systems refuse, which is no failure."""
    try:
        call(*arguments)
    except OSError as e:
        if e.errno not in _UNSUPPORTED:
            raise


class LostOutput(Exception):
    """The work is done, and its file could not be written: the data are in the error instead."""

    def __init__(self, path: str, data: bytes, error: OSError) -> None:
        super().__init__(f"{path}: {error.strerror or error}; the result is whole: {data.hex()}")
        self.data, self.error = data, error


def write_output(out: Output, data: bytes) -> None:
    """Writes finished work. If that fails it is not lost: the error has it."""
    try:
        out.write(data)
    except OSError as e:
        raise LostOutput(out.path, data, e) from e


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file as :class:`Output` does."""
    with Output(path) as out:
        write_output(out, data)


def read_file(path: str | os.PathLike[str], limit: int = 1 << 30) -> bytes:
    """Reads a regular file of at most ``limit`` bytes; a pipe, device or folder is an error at once."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(fd, "rb") as f:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
        if info.st_size > limit:
            raise OSError(errno.EFBIG, f"{info.st_size} bytes, at most {limit} are expected", os.fspath(path))
        return f.read()


def say(text: str, file: TextIO | None) -> None:
    """Prints a line. A stream that is closed, full or absent is no failure of the work."""
    if file is None:
        return
    try:
        print(text, file=file, flush=True)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):  # so that the interpreter's end does not flush it again
            os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())


def _terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # closed
        return False


class Bar:
    """A progress bar on standard error, if that is a terminal: one per stage."""

    def __init__(self) -> None:
        self._stage = ""
        self._shown = _terminal()
        self._bar: tqdm[Any] | None = None

    def __call__(self, progress: Progress) -> None:
        """Shows a job's progress, as long as the terminal takes it."""
        if not self._shown:
            return
        try:
            self._show(progress)
        except (OSError, ValueError):
            self._shown, self._bar = False, None

    def _show(self, progress: Progress) -> None:
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
        with contextlib.suppress(OSError, ValueError):
            if kind is None:
                self._finish()
            elif self._bar is not None:
                self._bar.close()
