"""What the tests of the service share: requests, and servers in processes of their own."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import SECTOR, golden_json

from cuzk import wire
from cuzk.client import Client

_WINNING = golden_json("2k-v1_1/winning_post.json")
_WINDOW = golden_json("2k-v1_1/window_post.json")
_UPDATE = golden_json("2k-v1_1/update.json")
_SECTOR = golden_json("2k-v1_1/sector-0.json")


def winning(request_id: str = "winpost-1001-00") -> Any:
    """A WinningPoSt as Curio asks for it."""
    return wire.SubmitProofRequest(
        request_id=request_id, proof_kind=wire.WINNING, priority=4, sector_size=2048, registered_proof=0, miner_id=1001,
        randomness=bytes.fromhex(_WINNING["randomness"]),
        vanilla_proofs=[(SECTOR / "winning_post-0.vanilla").read_bytes()],
    )  # fmt: skip


def window(partition: int = 0, request_id: str = "wdpost-1001-0-[1 2]") -> Any:
    """A partition of a WindowPoSt."""
    files = ("window_post-0.vanilla", "window_post-1.vanilla")
    return wire.SubmitProofRequest(
        request_id=request_id, proof_kind=wire.WINDOW, priority=3, sector_size=2048, registered_proof=10, miner_id=1001,
        randomness=bytes.fromhex(_WINDOW["randomness"]), partition_index=partition,
        vanilla_proofs=[(SECTOR / f).read_bytes() for f in files],
    )  # fmt: skip


def update(request_id: str = "snap-1001-101") -> Any:
    """A snap update."""
    return wire.SubmitProofRequest(
        request_id=request_id, proof_kind=wire.UPDATE, priority=2, registered_proof=0, miner_id=1001, sector_number=101,
        vanilla_proofs=[(SECTOR / f).read_bytes() for f in _UPDATE["files"]],
        **{n: bytes.fromhex(_UPDATE[n]) for n in ("comm_r_old", "comm_r_new", "comm_d_new")},
    )  # fmt: skip


def wrapped(c1: bytes) -> bytes:
    """A commit-phase-1 output as Curio sends it."""
    inner = base64.b64encode(c1)
    return b'{"SectorNum":101,"Phase1Out":"' + inner + b'","SectorSize":2048}'


def in_gos_order(c1: bytes) -> bytes:
    """The same output with fields in another order and numbers as Go prints them."""
    values = json.loads(c1)
    ordered = {name: values[name] for name in sorted(values, reverse=True)}
    return json.dumps(ordered, separators=(",", ":")).encode()


def porep(request_id: str = "porep-1001-101", c1: bytes | None = None) -> Any:
    """A PoRep of the golden sector, whose registered proof is StackedDrg2KiBV1_1."""
    return wire.SubmitProofRequest(
        request_id=request_id, proof_kind=wire.POREP, priority=2, sector_size=2048, registered_proof=5, miner_id=1001,
        sector_number=101, vanilla_proof=wrapped((SECTOR / "c1-0.json").read_bytes()) if c1 is None else c1,
    )  # fmt: skip


class Served:
    """A server in a process of its own."""

    def __init__(self, folder: Path, *flags: str, wait: bool = True) -> None:
        self.log = folder / f"log-{time.monotonic_ns()}"
        command = [sys.executable, "-m", "cuzk", "serve", *flags]
        environ = {k: v for k, v in os.environ.items() if not k.startswith("CUZK_") or k == "CUZK_LIBRARY"}
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, env=environ)
        if wait:
            self.logged("listening on")

    def logged(self, pattern: str, seconds: float = 60) -> re.Match[str]:
        """Waits until the log has a text."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := re.search(pattern, self.log.read_text()):
                return found
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.02)
        raise AssertionError(f"not in the log after {seconds} s: {pattern}\n{self.log.read_text()}")

    def signal(self, number: int = signal.SIGTERM) -> None:
        """Sends a signal."""
        self.process.send_signal(number)

    def ended(self, seconds: float = 30) -> int:
        """Waits for the end of the process."""
        return self.process.wait(seconds)


@contextmanager
def serving(params: Path, *flags: str, listen: str = "") -> Iterator[tuple[Served, Client]]:
    """A server on a unix socket, and a client of it."""
    with tempfile.TemporaryDirectory(prefix="cz") as name:
        folder = Path(name)
        address = listen or f"unix://{folder}/s"
        served = Served(folder, "--listen", address, "--params", str(params), *flags)
        client = Client(address)
        try:
            yield served, client
        finally:
            client.close()
            if served.process.poll() is None:
                served.process.terminate()
                try:
                    served.ended(20)
                except subprocess.TimeoutExpired:
                    served.process.kill()
