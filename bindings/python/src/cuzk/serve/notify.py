"""Tells systemd what a service of Type=notify does: sd_notify(3), a datagram to the socket in NOTIFY_SOCKET."""

from __future__ import annotations

import contextlib
import os
import socket


def notify(*lines: str) -> bool:
    """Sends lines such as ``READY=1``; False if nobody asked for them."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return False
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as s:
        s.connect("\0" + address[1:] if address.startswith("@") else address)
        s.sendall("\n".join(lines).encode())
        return True
    return False


def watchdog_seconds() -> float:
    """How often systemd wants a sign of life, with room to spare; 0: it does not."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0.0
    try:
        return int(os.environ.get("WATCHDOG_USEC", "0")) / 2e6
    except ValueError:
        return 0.0
