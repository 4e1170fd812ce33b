"""``client bench``: a server under load, seen from its callers."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from ..bench.progress import Counter
from ..bench.record import Record, figure, percentile
from . import Client, ProofFailed, ServerError

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Share:
    """A request that is sent again and again, its kind, and how often it comes in relation to the others."""

    kind: str
    request: Any
    weight: float


@dataclass
class Outcome:
    """What became of the calls: seconds and server's milliseconds of those that were answered, errors of the others."""

    seconds: float = 0.0
    latencies: dict[str, list[float]] = field(default_factory=dict)
    inside: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Proofs received."""
        return sum(map(len, self.latencies.values()))


@dataclass(frozen=True)
class Load:
    """So many calls, so many at once; with ``rate`` they begin at random moments, so many a second on average."""

    count: int
    callers: int
    rate: float = 0.0
    timeout: float | None = None
    seed: int = 1


def run(clients: Sequence[Client], shares: Sequence[Share], load: Load) -> Outcome:
    """Puts the load on a server; callers take the clients in turn."""
    outcome, lock, bar = Outcome(), threading.Lock(), Counter("calls", load.count, "calls")
    began = time.monotonic()

    def call(number: int, share: Share, begin: float) -> None:
        time.sleep(max(0.0, began + begin - time.monotonic()))
        request = type(share.request)()
        request.CopyFrom(share.request)
        request.request_id = f"bench-{time.time_ns():x}-{next(_numbers)}"  # or calls would join each other's jobs
        at = time.monotonic()
        try:
            made = clients[number % len(clients)].prove(request, load.timeout)
        except (ServerError, ProofFailed) as e:
            with lock:
                outcome.errors.append(str(e))
        else:
            with lock:
                outcome.latencies.setdefault(share.kind, []).append(time.monotonic() - at)
                outcome.inside.setdefault(share.kind, []).append(made.times["total_ms"] / 1000)
        with lock:
            bar.at(outcome.count + len(outcome.errors), f"{len(outcome.errors)} failed" if outcome.errors else "")

    with ThreadPoolExecutor(load.callers) as pool:
        for ended in [pool.submit(call, *planned) for planned in _plan(shares, load)]:
            ended.result()
    bar.close()
    outcome.seconds = time.monotonic() - began
    return outcome


def _plan(shares: Sequence[Share], load: Load) -> Iterator[tuple[int, Share, float]]:
    """Number, request and beginning of each call."""
    dice, begin = random.Random(load.seed), 0.0
    for number in range(load.count):
        yield number, dice.choices(shares, [s.weight for s in shares])[0], begin
        if load.rate:
            begin += dice.expovariate(load.rate)


def records(outcome: Outcome) -> list[Record]:
    """The figures of a run."""
    out = [
        Record("service_proofs", outcome.count, "proofs"),
        Record("service_failed", len(outcome.errors), "calls"),
        Record("service_per_minute", 60 * outcome.count / outcome.seconds, "proofs/min"),
    ]
    for kind, latencies in sorted(outcome.latencies.items()):
        out.append(figure(f"service_{kind}_latency_s", latencies, "s"))
        out.append(Record(f"service_{kind}_latency_p99_s", percentile(latencies, 99), "s", len(latencies)))
        around = [1000 * (all_of - inside) for all_of, inside in zip(latencies, outcome.inside[kind], strict=True)]
        out.append(figure(f"service_{kind}_outside_job_ms", around, "ms"))
    return out
