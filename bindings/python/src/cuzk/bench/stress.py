"""``stress``: mixed kinds at random moments, as a busy provider sees them."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .._engine import Engine
from .._error import CuzkError
from .._job import Job, JobOptions
from .progress import Counter
from .record import Record, figure, percentile
from .report import Report
from .workload import Workload

PRIORITIES = ("low", "normal", "high", "critical")
_TICK = 0.05  # seconds between looks at the jobs
_SAMPLE = 0.2  # and between samples of the engine


@dataclass(frozen=True)
class Share:
    """A workload and how often it comes in relation to the others."""

    work: Workload
    weight: float


@dataclass(frozen=True)
class Sample:
    """The engine at a moment, seconds from the start."""

    at: float
    queued: int
    running: int
    memory: int


@dataclass
class Outcome:
    """What became of the jobs: reports of those that ended, and samples of the engine on the way."""

    seconds: float = 0.0
    submitted: int = 0
    refused: int = 0
    reports: list[dict[str, Any]] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    def ended(self, state: str) -> list[dict[str, Any]]:
        """The reports of jobs that ended so."""
        return [r for r in self.reports if r["state"] == state]


@dataclass(frozen=True)
class Plan:
    """How many jobs come per second on average, for how long, and what they are."""

    shares: Sequence[Share]
    rate: float
    duration: float
    mixed_priorities: bool = False
    cancel_percent: float = 0.0
    seed: int = 1


class Stress:
    """One run of a plan."""

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self._engine = engine
        self._plan = plan
        self._random = random.Random(plan.seed)
        self._jobs: list[tuple[Job, float]] = []  # and when to cancel it
        self._began = 0.0
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Submits for the plan's duration, then waits for the end of all jobs."""
        self._began = time.monotonic()
        next_at, bar = 0.0, Counter("stress", self._plan.duration, "s")
        try:
            while (now := self._now()) < self._plan.duration or self._jobs:
                if next_at <= now < self._plan.duration:
                    self._submit()
                    next_at += self._random.expovariate(self._plan.rate)
                    continue
                self._look(now)
                bar.at(min(now, self._plan.duration), f"{len(self._jobs)} under way")
                time.sleep(_TICK)
        finally:
            bar.close()
            for job, _ in self._jobs:
                job.close()
        self.outcome.seconds = self._now()
        return self.outcome

    def _now(self) -> float:
        return time.monotonic() - self._began

    def _submit(self) -> None:
        shares = self._plan.shares
        share = self._random.choices(shares, [s.weight for s in shares])[0]
        priority = self._random.choice(PRIORITIES) if self._plan.mixed_priorities else "auto"
        self.outcome.submitted += 1
        try:
            job = share.work.submit(self._engine, JobOptions(priority=priority))
        except CuzkError as e:
            if not e.retryable:
                raise
            self.outcome.refused += 1
            return
        cancelled = self._random.random() * 100 < self._plan.cancel_percent
        self._jobs.append((job, self._now() + 2 * self._random.random() if cancelled else math.inf))

    def _look(self, now: float) -> None:
        """Cancels whose time has come, takes leave of jobs that ended, and samples the engine."""
        left = []
        for job, cancel_at in self._jobs:
            if cancel_at < now:
                job.cancel()
            report = job.report()
            if report["state"] in ("queued", "running"):
                left.append((job, cancel_at))
                continue
            self.outcome.reports.append(report)
            job.close()
        self._jobs = left
        samples = self.outcome.samples
        if samples and now < samples[-1].at + _SAMPLE and left:
            return
        s = self._engine.snapshot()
        memory = sum(m.total for m in s.used.values()) + s.input_used
        samples.append(Sample(now, s.jobs["queued"], s.jobs["running"], memory))


def report_outcome(report: Report, outcome: Outcome) -> None:
    """Reports counts, throughput and latencies for each kind and priority."""
    done = outcome.ended("done")
    report.add(Record("stress_submitted", outcome.submitted, "jobs"))
    report.add(Record("stress_refused", outcome.refused, "jobs"))
    for state in ("done", "failed", "cancelled"):
        report.add(Record(f"stress_{state}", len(outcome.ended(state)), "jobs"))
    report.add(Record("stress_per_minute", 60 * len(done) / outcome.seconds, "proofs/min"))
    peak = max((s.memory for s in outcome.samples), default=0)
    report.add(Record("stress_peak_reserved_gib", peak / (1 << 30), "GiB"))
    for by in ("kind", "priority"):
        for value in sorted({r[by] for r in done}):
            latencies = [r["wall_ms"] / 1000 for r in done if r[by] == value]
            report.add(figure(f"stress_{value}_latency_s", latencies, "s"))
            report.add(Record(f"stress_{value}_latency_p95_s", percentile(latencies, 95), "s", len(latencies)))
    for r in outcome.ended("failed"):
        report.note(f"job {r['id']} ({r['kind']}) failed: {r['error']['name']}: {r['error']['message']}")
