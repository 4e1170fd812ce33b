"""Addresses to listen on: what they mean, and that nobody else has them."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_LONGEST_PATH = 107  # bytes of a unix socket's path on Linux


class ListenError(Exception):
    """An address that cannot be listened on; the message names it."""


@dataclass(frozen=True)
class Address:
    """A unix socket's path, or host and port."""

    text: str
    path: Path | None = None
    host: str = ""
    port: int = 0

    @property
    def grpc(self) -> str:
        """As gRPC takes it."""
        if self.path is not None:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.path is not None:
            return True
        try:
            found = {info[4][0] for info in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)}
        except OSError as e:
            raise ListenError(f"{self.text}: {e}") from e
        return all(ipaddress.ip_address(str(a).split("%")[0]).is_loopback for a in found)


def parse(text: str) -> Address:
    """``unix:///PATH``, ``unix:PATH``, ``HOST:PORT`` or ``[IPv6]:PORT``, with a scheme tcp:// or dns:/// or none."""
    if text.startswith("unix:"):
        rest = text.removeprefix("unix:")
        path = rest.removeprefix("//") if rest.startswith("//") else rest
        if not path or path == "/" or (rest.startswith("//") and not path.startswith("/")):
            raise ListenError(f"{text}: want unix:///PATH")
        if len(os.fsencode(path)) > _LONGEST_PATH:
            raise ListenError(f"{text}: the path is longer than {_LONGEST_PATH} bytes")
        return Address(text, Path(path))
    bare = text.removeprefix("tcp://").removeprefix("dns:///")
    host, _, port = bare.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65535 or "/" in host:
        raise ListenError(f"{text}: want unix:///PATH or HOST:PORT; every address is 0.0.0.0:PORT")
    return Address(text, None, host, int(port))


class SocketFile:
    """Holds the path of a unix socket against other servers, by a lock on a file beside it.

    Without it a second server would take a live one's path without a word: gRPC unlinks what lies there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] = open(f"{path}.lock", "a")  # noqa: SIM115 - held until close
        except OSError as e:
            raise ListenError(f"unix://{path}: {e}") from e
        try:
            self._take()
        except BaseException:
            self._lock.close()
            raise

    def _take(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            raise ListenError(f"unix://{self._path}: another server listens there (it holds {self._path}.lock)") from e
        try:
            mode = self._path.lstat().st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(mode):
            raise ListenError(f"unix://{self._path}: there is something that is no socket")
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1)
            try:
                probe.connect(str(self._path))
            except ConnectionRefusedError:
                return  # left by a server that was killed
            except OSError as e:
                raise ListenError(f"unix://{self._path}: {e}") from e
        raise ListenError(f"unix://{self._path}: another program listens there")

    def close(self) -> None:
        """Lets others have the path. The lock's file stays: who removes it may remove another's."""
        self._lock.close()
