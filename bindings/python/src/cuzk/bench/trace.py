"""The engine's timeline, read from its Chrome trace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Span:
    """Something that took time, in seconds from the first event on."""

    track: str
    name: str
    job: int
    partition: int  # -1: the job as a whole
    start: float
    end: float


def spans(text: str) -> list[Span]:
    """All complete events of a trace by start, as the engine or the device bench wrote it.

    Text of another form raises ValueError.
    """
    try:
        trace = json.loads(text)
        events = trace if isinstance(trace, list) else trace["traceEvents"]
        tracks = {e["tid"]: str(e["args"]["name"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        return sorted((_span(e, tracks) for e in events if e["ph"] == "X"), key=lambda s: s.start)
    except (KeyError, TypeError, AttributeError) as e:
        raise ValueError(f"not a Chrome trace: {e!r}") from e


def _span(event: dict[str, Any], tracks: dict[Any, str]) -> Span:
    track = tracks.get(event["tid"]) or _named(str(event["pid"]), str(event["tid"]), event["name"])
    about = event.get("args", {})
    start, length = event["ts"] / 1e6, event["dur"] / 1e6
    return Span(track, event["name"], int(about.get("job", 0)), int(about.get("partition", -1)), start, start + length)


def _named(process: str, thread: str, name: str) -> str:
    """The track of an event of the device bench, whose host has one for each partition."""
    return name if thread.startswith("partition ") else f"{process} {thread}"


def of_jobs(all_spans: Iterable[Span], jobs: Iterable[int]) -> list[Span]:
    """The events of some jobs, with times from the first of them on."""
    wanted = set(jobs)
    return of_all([s for s in all_spans if s.job in wanted])


def of_all(chosen: Sequence[Span]) -> list[Span]:
    """The events with times from the first of them on."""
    zero = min((s.start for s in chosen), default=0.0)
    return [Span(s.track, s.name, s.job, s.partition, s.start - zero, s.end - zero) for s in chosen]


def waits(span: Span) -> bool:
    """Whether a span is a wait, for memory and parameters too, and no work."""
    return span.name in ("wait", "load") or span.track.endswith(" queue")


def works(span: Span) -> bool:
    """Whether a span is work that no other span shows in more detail, nor waiting."""
    return not waits(span) and not span.track.endswith((" slots", " parts"))


def finest(all_spans: Sequence[Span]) -> list[Span]:
    """Work in the greatest detail there is: the parts of a proof instead of the whole."""
    tracks = {s.track for s in all_spans}
    return [
        s for s in all_spans if not waits(s) and not s.track.endswith(" slots") and s.track + " parts" not in tracks
    ]


def overlap(all_spans: Iterable[Span]) -> float:
    """The sum of all work over the time in which some was done: 1 when nothing overlaps, 0 without work."""
    work = [s for s in all_spans if works(s)]
    busy = covered(work)
    return sum(s.end - s.start for s in work) / busy if busy else 0.0


def covered(work: Iterable[Span]) -> float:
    """The time in which at least one span ran."""
    total, until = 0.0, float("-inf")
    for s in sorted(work, key=lambda s: s.start):
        total += max(0.0, s.end - max(s.start, until))
        until = max(until, s.end)
    return total


def idle(all_spans: Iterable[Span], track: str) -> float:
    """The share of time in which a track did nothing although something waited in its queue."""
    chosen = list(all_spans)
    busy = [s for s in chosen if s.track == track]
    both = busy + [s for s in chosen if s.track == track + " queue"]
    wall = covered(both)
    return (wall - covered(busy)) / wall if wall else 0.0
