"""Bounds the bytes of requests that the service holds: those being received, and those that wait for the engine.

gRPC tells the size of a message only when it has all of it. So a call first asks for leave to receive, which is counted
as the largest message; afterwards the message is counted as what it is, until the engine has copied it. A message that
finds no room in memory then goes to a file without a name, and nobody waits at the door behind it.
"""

from __future__ import annotations

import asyncio
import mmap
import tempfile
from collections import deque
from pathlib import Path
from typing import IO

# What gRPC's Python layer holds at once while it makes one message of its parts: parts, a growing copy, a final copy.
# It does so for one message at a time.
_COPIES = 3


class Room:
    """Bytes of requests in memory and in files, and who waits for leave to receive.

    Belongs to an event loop. At least one call may always receive, in the order of arrival.
    """

    def __init__(self, limit: int, largest: int, spool_limit: int) -> None:
        self.limit = limit
        self.largest = largest
        self.spool_limit = spool_limit
        self.receiving = 0
        self.held = 0
        self.spooled = 0
        self.most = 0  # receivers at once, ever
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def waiting(self) -> int:
        """Calls that wait for leave to receive."""
        return len(self._waiting)

    @property
    def receivers(self) -> int:
        """How many may receive at once when nothing is held."""
        return max(1, self.limit // self.largest - (_COPIES - 1))

    async def receive(self) -> None:
        """Waits for leave to receive a message; :meth:`received` gives it back."""
        if not self._waiting and self._fits():
            self._admit()
            return
        leave: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(leave)
        try:
            await leave
        except asyncio.CancelledError:
            if leave.done() and not leave.cancelled():
                self.received()
            else:
                self._waiting.remove(leave)
            raise

    def received(self) -> None:
        """The message is with the engine, held, in a file, or never came."""
        self.receiving -= 1
        self._next()

    def hold(self, count: int, *, always: bool = False) -> bool:
        """Counts a message that stays in memory, if it leaves room to receive another, or in any case."""
        if not always and self.held + count > self.limit - _COPIES * self.largest:
            return False
        self.held += count
        return True

    def let_go(self, count: int) -> None:
        """A message that was held is not any more."""
        self.held -= count
        self._next()

    def _fits(self) -> bool:
        return not self.receiving or self.held + (self.receiving + _COPIES) * self.largest <= self.limit

    def _admit(self) -> None:
        self.receiving += 1
        self.most = max(self.most, self.receiving)

    def _next(self) -> None:
        while self._waiting and self._fits():
            self._admit()
            self._waiting.popleft().set_result(None)


class Spool:
    """Some byte strings in a file without a name, which goes with the process."""

    def __init__(self, pieces: list[bytes], folder: Path | None) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="cuzk-")  # noqa: SIM115 - held until close
        self._lengths = [len(p) for p in pieces]
        try:
            for piece in pieces:
                self._file.write(piece)
            self._file.flush()
        except BaseException:
            self._file.close()
            raise

    def read(self) -> list[bytes]:
        """The byte strings."""
        at, pieces = 0, []
        if not sum(self._lengths):
            return [b"" for _ in self._lengths]
        with mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for length in self._lengths:
                pieces.append(data[at : at + length])
                at += length
        return pieces

    def close(self) -> None:
        """Gives the space back."""
        self._file.close()
