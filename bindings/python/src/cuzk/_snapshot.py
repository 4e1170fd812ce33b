"""What can be seen of an engine at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from . import _structs as c

BACKENDS = {1: "cpu", 2: "cuda"}
TIERS = ("disk", "mapped", "device")


@dataclass(frozen=True)
class Queue:
    """Pieces of work that wait or run; ``oldest`` is the longest wait in seconds."""

    waiting: int
    running: int
    oldest: float

    @classmethod
    def of(cls, q: c.Queue) -> Queue:
        """The fields of C."""
        return cls(q.waiting[0], q.running, q.oldest_ms / 1000)


@dataclass(frozen=True)
class Memory:
    """Bytes: pageable, page-locked, and of all devices."""

    host: int
    pinned: int
    device: int

    @classmethod
    def of(cls, m: c.Memory) -> Memory:
        """The fields of C."""
        return cls(m.host, m.pinned, m.device)

    @property
    def total(self) -> int:
        """All bytes."""
        return self.host + self.pinned + self.device


@dataclass(frozen=True)
class Device:
    """A device that the engine may use, or had to give up; sizes are bytes."""

    name: str
    uuid: str
    memory: int
    used: int
    usable: bool


@dataclass(frozen=True)
class Snapshot:
    """What an engine does and holds; sizes are bytes.

    ``params`` says for each place (disk, mapped, device) how many copies
    of parameters there are, and their bytes; on disk are those that are nowhere
    else. ``used`` has memory by purpose. Ended jobs count from the opening on.
    """

    version: str
    backend: str
    threads: int
    devices: tuple[Device, ...]
    jobs: dict[str, int]
    solve: Queue
    prove: Queue
    limit: Memory
    used: dict[str, Memory]
    idle_bytes: int
    input_limit: int
    input_used: int
    memory_waiting: int
    params: dict[str, tuple[int, int]]
    lost_events: int

    @classmethod
    def of(cls, s: c.Snapshot) -> Snapshot:
        """The fields of C."""
        states = ("queued", "running", "done", "failed", "cancelled")
        return cls(
            version=s.version.decode(),
            backend=BACKENDS.get(s.backend, "unknown"),
            threads=s.threads,
            devices=tuple(_device(d) for d in s.devices[: s.device_count]),
            jobs={state: getattr(s, f"jobs_{state}") for state in states},
            solve=Queue.of(s.solve),
            prove=Queue.of(s.prove),
            limit=Memory.of(s.limit),
            used={use: Memory.of(getattr(s, f"used_{use}")) for use in ("params", "partitions", "other")},
            idle_bytes=s.idle_bytes,
            input_limit=s.input_limit,
            input_used=s.input_used,
            memory_waiting=s.memory_waiting,
            params={tier: (s.params_count[i], s.params_bytes[i]) for i, tier in enumerate(TIERS)},
            lost_events=s.lost_events,
        )


def _device(d: c.Device) -> Device:
    return Device(d.name.decode(errors="replace"), d.uuid.decode(errors="replace"), d.memory, d.used, d.usable != 0)
