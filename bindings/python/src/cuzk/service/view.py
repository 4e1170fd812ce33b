"""What can be seen of a service: status, metrics and the timeline of the last minutes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from .._error import CuzkError
from .._version import __version__
from ..bench import trace
from . import circuits
from .calls import Calls, has_begun
from .jobs import Execution

_FRESH = 0.5  # seconds for which a view is handed out again
_MOST_SPANS = 4000
_SPAN = 300  # seconds of the timeline


class View:
    """Reads a service from any thread; what it returns may be half a second old."""

    def __init__(self, calls: Calls, ready: Callable[[], str]) -> None:
        self._calls = calls
        self._ready = ready
        self._since = time.time()
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, Any]] = {}
        self._zero = 0.0  # time.time() of the timeline's zero

    def status(self) -> dict[str, Any]:
        """All but the timeline, as plain values. Sizes are bytes, times are seconds."""
        status: dict[str, Any] = self._cached("status", self._status)
        return status

    def metrics(self) -> str:
        """The engine's metrics and those of the service in the Prometheus text format, and Curio's daemon's names."""
        return str(self._cached("metrics", self._metrics))

    def timeline(self) -> dict[str, Any]:
        """The work of the last five minutes: ``{"now", "span", "rows": [{"job", "kind", "label", "partition", "spans":
        [[name, start, end], …]}]}``, seconds before now being negative."""
        timeline: dict[str, Any] = self._cached("timeline", self._timeline)
        return timeline

    def ready(self) -> str:
        """Why new work is not wanted; "" if it is."""
        return self._ready()

    def _cached(self, name: str, make: Callable[[], Any]) -> Any:
        with self._lock:
            at, value = self._kept.get(name, (0.0, None))
            if time.monotonic() - at > _FRESH or value is None:
                value = make()
                self._kept[name] = (time.monotonic(), value)
            return value

    def _status(self) -> dict[str, Any]:
        calls, jobs, room = self._calls, self._calls.jobs, self._calls.room
        engine = calls.engine.status()
        params = [{"circuit": circuits.of_file(p["name"]), **p} for p in engine.pop("params")]
        alive = _copy(jobs.alive)
        return {
            "version": __version__,
            "uptime": round(time.time() - self._since, 1),
            "ready": not self._ready(),
            "why_not_ready": self._ready(),
            "draining": jobs.draining,
            "engine": engine,
            "params": params,
            "jobs": [_job(e) for e in alive],
            "ended": [_job(e) for e in _copy(jobs.remembered)[:30]],
            "failures": [_job(e) for e in _copy(lambda: list(jobs.failures))],
            "counts": [{"kind": k, "state": s, "count": n} for (k, s), n in sorted(jobs.counts.copy().items())],
            "requests": {
                "receiving": room.receiving, "waiting_to_receive": room.waiting, "receivers": room.receivers,
                "held": room.held, "limit": room.limit, "spooled": room.spooled, "spool_limit": room.spool_limit,
                "joined": jobs.joined,
            },
        }  # fmt: skip

    def _metrics(self) -> str:
        calls, jobs, room = self._calls, self._calls.jobs, self._calls.room
        counts, seconds = jobs.counts.copy(), jobs.seconds.copy()
        alive = _copy(jobs.alive)
        running = sum(1 for e in alive if has_begun(e))
        snapshot = calls.engine.snapshot()

        def ended(state: str, kind: str | None = None) -> int:
            return sum(n for (k, s), n in counts.items() if s == state and kind in (None, k))

        kinds = circuits.WIRE_NAMES.items()
        out = _Metrics()
        out.add("cuzk_build_info", "gauge", "1.", {_labels(version=__version__, backend=snapshot.backend): 1})
        out.add("cuzk_ready", "gauge", "1 while new work is wanted.", {"": int(not self._ready())})
        out.add("cuzk_uptime_seconds", "gauge", "Since the service started.", {"": round(time.time() - self._since, 3)})
        out.add(
            "cuzk_service_jobs_joined_total", "counter", "Requests that joined a job that was there.", {"": jobs.joined}
        )
        out.add("cuzk_service_receiving", "gauge", "Requests that are being received.", {"": room.receiving})
        out.add(
            "cuzk_service_receive_waiting",
            "gauge",
            "Calls that wait for leave to send their request.",
            {"": room.waiting},
        )
        out.add("cuzk_service_held_bytes", "gauge", "Requests in memory that wait for the engine.", {"": room.held})
        out.add(
            "cuzk_service_spooled_bytes", "gauge", "Requests in files that wait for the engine.", {"": room.spooled}
        )
        oldest = max((e.seconds for e in alive), default=0.0)
        out.add("cuzk_service_oldest_job_seconds", "gauge", "Age of the oldest job under way.", {"": round(oldest, 3)})
        # The names of Curio's daemon.
        out.add("cuzk_proofs_completed_total", "counter", "Proofs made.", {"": ended("done")})
        out.add("cuzk_proofs_failed_total", "counter", "Proofs that failed.", {"": ended("failed")})
        out.add("cuzk_queue_depth", "gauge", "Jobs that wait for their turn.", {"": len(alive) - running})
        out.add("cuzk_running_jobs", "gauge", "Jobs that the engine works on.", {"": running})
        out.add("cuzk_gpu_workers", "gauge", "Usable devices.", {"": sum(1 for d in snapshot.devices if d.usable)})
        by_kind = {kind: _labels(proof_kind=name.replace("-", "_")) for kind, name in kinds}
        out.add(
            "cuzk_proofs_completed",
            "counter",
            "Proofs made, by kind.",
            {by_kind[k]: ended("done", k) for k, _ in kinds},
        )
        out.add(
            "cuzk_proofs_failed",
            "counter",
            "Proofs that failed, by kind.",
            {by_kind[k]: ended("failed", k) for k, _ in kinds},
        )
        out.head("cuzk_proof_duration_seconds", "summary", "From the request to the proof.")
        for kind, _ in kinds:
            out.line("cuzk_proof_duration_seconds_count", by_kind[kind], ended("done", kind))
            out.line("cuzk_proof_duration_seconds_sum", by_kind[kind], round(seconds.get(kind, 0.0), 6))
        text = calls.engine.metrics()
        return (text if not text or text.endswith("\n") else text + "\n") + out.text()

    def _timeline(self) -> dict[str, Any]:
        alive, ended = _copy(self._calls.jobs.alive), _copy(self._calls.jobs.remembered)
        known = {number: e for e in [*alive, *ended] if (number := _number(e))}
        spans = trace.finest(trace.spans(self._calls.engine.trace()))
        self._calibrate(spans, ended)
        now = time.time()
        rows: dict[tuple[float, str, int], list[list[Any]]] = {}  # by beginning of the job, its id, and partition

        def add(e: Execution, partition: int, name: str, start: float, end: float) -> None:
            rows.setdefault((e.began, e.id, partition), []).append([name, round(start, 3), round(end, 3)])

        for s in spans[-_MOST_SPANS:]:
            start, end = s.start + self._zero - now, s.end + self._zero - now
            if end > -_SPAN and (of := known.get(s.job)) is not None:
                add(of, s.partition, s.name, start, end)
        for e in alive:  # the trace has only what is over
            for name, start, end in _under_way(e):
                add(e, -1, name, start, end)
        by_id = {e.id: e for e in [*ended, *alive]}
        listed = [
            {"job": name, "kind": by_id[name].task.kind, "label": by_id[name].task.label, "partition": partition,
             "state": by_id[name].state, "spans": row}
            for (_, name, partition), row in sorted(rows.items())
        ]  # fmt: skip
        return {"now": round(now, 3), "span": _SPAN, "rows": listed}

    def _calibrate(self, spans: list[trace.Span], ended: list[Execution]) -> None:
        """Finds the zero of the timeline: the end of a job is known on both clocks."""
        ends: dict[int, float] = {}
        for s in spans:
            ends[s.job] = max(ends.get(s.job, 0.0), s.end)
        for e in ended:
            if e.number in ends:
                self._zero = e.since + e.seconds - ends[e.number]
                return


def _copy(read: Callable[[], list[Execution]]) -> list[Execution]:
    """A list that the event loop may change meanwhile."""
    for _ in range(100):
        try:
            return read()
        except RuntimeError:  # changed during iteration
            continue
    return []


def _number(e: Execution) -> int:
    """The engine's number of a job."""
    if not e.number and e.job is not None:
        e.number = _report(e).get("id", 0)
    return e.number


def _report(e: Execution) -> dict[str, Any]:
    if e.over or e.job is None:
        return e.report
    try:
        return e.job.report()
    except (CuzkError, ValueError):
        return e.report


def _under_way(e: Execution) -> list[tuple[str, float, float]]:
    """The stages of a job that still runs, as far as its report tells."""
    report = _report(e)
    if report.get("stage") in (None, "", "queued"):
        return [("wait", -e.seconds, 0.0)]
    for s in report.get("stages", ()):
        if s["name"] == report["stage"]:
            return [(s["name"], -s["wall_ms"] / 1000, 0.0)]
    return []


def _job(e: Execution) -> dict[str, Any]:
    """What is shown of an execution."""
    report = _report(e)
    state = e.state
    if state == "running" and report.get("state") == "queued":
        state = "queued"
    return {
        "id": e.id, "label": e.task.label, "kind": e.task.kind, "size": e.task.sector_size, "priority": e.task.priority,
        "miner": e.task.miner, "number": e.task.number, "bytes": e.task.size, "state": state,
        "stage": report.get("stage", ""), "done": report.get("done", 0), "total": report.get("total", 0),
        "since": round(e.since, 3), "seconds": round(e.seconds, 3), "waiters": e.waiters,
        "error": _error(e),
    }  # fmt: skip


def _error(e: Execution) -> dict[str, str] | None:
    return None if e.error is None else {"name": e.error.name, "message": e.error.message, "detail": e.error.detail}


def _labels(**labels: str) -> str:
    quoted = (
        '{}="{}"'.format(k, v.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) for k, v in labels.items()
    )
    return "{" + ",".join(quoted) + "}"


class _Metrics:
    """Lines of the Prometheus text format."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def head(self, name: str, kind: str, help_text: str) -> None:
        self._lines += [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]

    def line(self, name: str, labels: str, value: float) -> None:
        self._lines.append(f"{name}{labels} {value}")

    def add(self, name: str, kind: str, help_text: str, values: dict[str, float]) -> None:
        self.head(name, kind, help_text)
        for labels, value in values.items():
            self.line(name, labels, value)

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"
