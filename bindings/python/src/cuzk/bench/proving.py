"""``single``, ``batch`` and ``solve-only``: one kind of proof, alone or many at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._engine import Engine
from .._job import Job, JobOptions
from . import machine, trace
from .progress import shown
from .record import Record, figure
from .report import Report
from .workload import Workload

# Longer than any proof takes: a safeguard against waiting for ever.
_FOREVER = 24 * 3600.0


@dataclass(frozen=True)
class Run:
    """One proof: its job's number, wall and CPU seconds, and the job's report."""

    job: int
    seconds: float
    cpu: float
    report: dict[str, Any]

    def milliseconds(self, stage: str) -> float:
        """The time of a stage, or of a part of proving summed over partitions; 0 if there was none."""
        for s in (*self.report["stages"], *self.report["parts"]):
            if s["name"] == stage:
                return float(s["wall_ms"])
        return 0.0


def once(engine: Engine, work: Workload, options: JobOptions | None) -> Run:
    """Proves once."""
    meter = machine.Meter()
    with work.submit(engine, options) as job:
        job.wait(timeout=_FOREVER)
        seconds, cpu = meter.seconds(), meter.cpu_seconds()
        report = job.report()
    return Run(report["id"], seconds, cpu, report)


def single(
    engine: Engine, work: Workload, report: Report, warmup: int, repeats: int, options: JobOptions | None
) -> list[Run]:
    """Proves one after the other and reports medians of the whole and of each stage."""
    first = once(engine, work, options)
    for _ in shown(range(warmup - 1), "warm-up"):
        once(engine, work, options)
    machine.forget_peak()
    runs = [once(engine, work, options) for _ in shown(range(repeats), work.name)]
    verb = "solve" if options is not None and options.witness_only else "prove"
    name = f"{verb}_{work.name}"
    report.add(Record(name + "_first_s", first.seconds, "s"))
    kind_and_size = (work.kind, work.size_name) if verb == "prove" else None
    report.add(figure(name + "_s", [r.seconds for r in runs], "s"), kind_and_size)
    report.add(figure(name + "_cpu_s", [r.cpu for r in runs], "s"))
    for stage in _stages(runs):
        report.add(figure(f"{name}_{stage}_ms", [r.milliseconds(stage) for r in runs], "ms"))
    report.add(Record(name + "_peak_gib", machine.peak_gib(), "GiB"))
    return runs


def _stages(runs: Sequence[Run]) -> list[str]:
    """The stages of all runs in the order of their first appearance."""
    names: dict[str, None] = {}
    for r in runs:
        for s in (*r.report["stages"], *r.report["parts"]):
            names[s["name"]] = None
    return list(names)


@dataclass(frozen=True)
class Batch:
    """Jobs that were submitted together: their numbers, the time until the last ended, memory, and latencies."""

    jobs: list[int]
    seconds: float
    peak_gib: float
    latencies: list[float]

    @property
    def per_minute(self) -> float:
        """Proofs per minute."""
        return 60 * len(self.jobs) / self.seconds


def batch(engine: Engine, work: Workload, count: int, options: JobOptions | None) -> Batch:
    """Submits so many jobs at once and waits for all."""
    machine.forget_peak()
    began = time.monotonic()
    jobs: list[Job] = []
    try:
        for _ in range(count):
            jobs.append(work.submit(engine, options))
        for job in shown(jobs, "batch"):
            job.wait(timeout=_FOREVER)
        seconds = time.monotonic() - began
        reports = [job.report() for job in jobs]
    finally:
        for job in jobs:
            job.close()
    return Batch([r["id"] for r in reports], seconds, machine.peak_gib(), [r["wall_ms"] / 1000 for r in reports])


def report_batches(report: Report, name: str, batches: Sequence[Batch], spans: Sequence[trace.Span]) -> None:
    """Reports throughput, latency, memory and how well the last batch filled the machine."""
    report.add(figure(name + "_per_minute", [b.per_minute for b in batches], "proofs/min"))
    report.add(figure(name + "_s", [b.seconds for b in batches], "s"))
    report.add(figure(name + "_latency_s", [x for b in batches for x in b.latencies], "s"))
    report.add(figure(name + "_peak_gib", [b.peak_gib for b in batches], "GiB"))
    last = trace.of_jobs(spans, batches[-1].jobs)
    report.add(Record(name + "_overlap", trace.overlap(last), "ratio"))
    for track in sorted({s.track for s in last if s.track + " queue" in {q.track for q in last}} - {"solve"}):
        label = track.replace(" ", "_")
        report.add(Record(f"{name}_{label}_idle_percent", 100 * trace.idle(last, track), "%"))
