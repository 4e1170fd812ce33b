"""Pictures of a run: who waited and worked when, and what memory buys.

matplotlib draws them; it comes with the extra ``cuzk[bench]``.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import trace
from .trace import Span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .proving import Batch
    from .stress import Sample

# Waits are pale, work is strong; what has no colour here takes one of _MORE.
_COLOURS = {
    "wait": "#d9d9d9", "slot": "#d9d9d9", "load": "#c7b299", "solve": "#4c9f70", "prove": "#3b6fb6",
    "verify": "#e0a030", "eval": "#a1d8c9", "ntt": "#41b6c4", "h": "#6fb1e8", "l": "#8c6bb1", "a": "#c994c7",
    "b_g1": "#d45f5f", "b_g2": "#9c2f2f",
}  # fmt: skip
_MORE = ("#f781bf", "#737373", "#a6761d", "#66a61e", "#1f78b4", "#bcbd22", "#6b4c9a", "#2ca25f")
_MOST_ROWS = 48
_ROUNDING = 2e-6  # of a trace's microseconds
_GIB = 1 << 30


class NoPlots(ValueError):
    """matplotlib is not installed."""


class Figure:
    """A picture of panels one below the other, each drawn by a function."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._panels: list[tuple[float, Any]] = []

    def waterfall(self, spans: Sequence[Span], names: Mapping[int, str]) -> None:
        """A row for each partition of each job, jobs by number: what it waited for and what was done."""
        rows = _rows(spans)
        if rows:
            self._panels.append((1.0 + 0.2 * len(rows), lambda axes: _waterfall(axes, spans, rows, names)))

    def tracks(self, spans: Sequence[Span]) -> None:
        """A row for each kind of worker, prover and device: how well it is filled."""
        tracks = _lanes(trace.finest(spans))
        if tracks:
            inches = sum(0.3 + 0.06 * min(len(lanes) - 1, 10) for lanes in tracks.values())
            self._panels.append((1.0 + inches, lambda axes: _tracks(axes, tracks)))

    def memory(self, batches: Mapping[int, Sequence[Batch]], limit: str = "memory budget") -> None:
        """Throughput against a limit of memory in bytes, and against what the process really held."""
        self._panels.append((3.2, lambda axes: _memory(axes, batches, limit)))

    def load(self, samples: Sequence[Sample]) -> None:
        """Jobs under way and memory over time."""
        self._panels.append((2.6, lambda axes: _load(axes, samples)))

    def save(self, path: Path) -> None:
        """Draws the panels into a file; its suffix says the format."""
        try:
            from matplotlib.figure import Figure as Canvas
        except ImportError as e:
            raise NoPlots("--plot needs matplotlib: pip install 'cuzk[bench]'") from e
        heights = [height for height, _ in self._panels]
        canvas = Canvas(figsize=(10, 0.6 + sum(heights)), dpi=110, layout="constrained")
        canvas.suptitle(self._title, fontsize=11)
        grid = canvas.add_gridspec(len(heights), 1, height_ratios=heights)
        for i, (_, draw) in enumerate(self._panels):
            draw(canvas.add_subplot(grid[i]))
        canvas.savefig(path)


def require() -> None:
    """Raises NoPlots before any work is done."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as e:
        raise NoPlots("--plot needs matplotlib: pip install 'cuzk[bench]'") from e


def _rows(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Job and partition of each row; the job as a whole has one only if nothing else is known of it."""
    keys = {(s.job, s.partition) for s in spans}
    with_parts = {job for job, partition in keys if partition >= 0}
    rows = [k for k in keys if k[1] >= 0 or k[0] not in with_parts]
    return sorted(rows)[:_MOST_ROWS]


def _colours(names: Sequence[str]) -> dict[str, str]:
    """A colour for each name."""
    more = iter(_MORE * (1 + len(names) // len(_MORE)))
    return {name: _COLOURS[name] if name in _COLOURS else next(more) for name in dict.fromkeys(names)}


def _waterfall(axes: Axes, spans: Sequence[Span], rows: Sequence[tuple[int, int]], names: Mapping[int, str]) -> None:
    place = {row: i for i, row in enumerate(rows)}
    first = {job: i for i, (job, _) in reversed(list(enumerate(rows)))}
    last = {job: i for i, (job, _) in enumerate(rows)}
    spans = sorted(spans, key=lambda s: s.track.endswith(" parts"))  # in front of the whole
    colours = _colours([s.name for s in spans])
    for s in spans:
        if s.partition < 0 and s.job in first:  # of the job as a whole: behind all its rows
            low, high = first[s.job] - 0.4, last[s.job] + 0.4
        elif (s.job, s.partition) in place:
            low = place[s.job, s.partition] - 0.4
            high = low + 0.8
        else:
            continue
        axes.broken_barh([(s.start, s.end - s.start)], (low, high - low), facecolors=colours[s.name])
    labels = [f"{names.get(job, 'job')} {job}" + (f" · {part}" if part > 0 else "") for job, part in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    hidden = len({(s.job, s.partition) for s in spans if s.partition >= 0}) - len(rows)
    axes.set_title(
        "Partitions" + (f" (the first {len(rows)}; {hidden} more)" if hidden > 0 else ""), fontsize=9, loc="left"
    )
    _finish(axes, spans, colours)


def _lanes(work: Sequence[Span]) -> dict[str, list[list[Span]]]:
    """Spans by track, those that overlap in lanes of their own."""
    tracks: dict[str, list[list[Span]]] = {track: [] for track in sorted({s.track for s in work})}
    for s in sorted(work, key=lambda s: s.start):
        lanes = tracks[s.track]
        lane = next((lane for lane in lanes if lane[-1].end <= s.start + _ROUNDING), None)
        if lane is None:
            lanes.append([s])
        else:
            lane.append(s)
    return tracks


def _tracks(axes: Axes, tracks: Mapping[str, list[list[Span]]]) -> None:
    work = {track: [s for lane in lanes for s in lane] for track, lanes in tracks.items()}
    end = max(s.end for row in work.values() for s in row)
    colours = _colours([s.name for row in work.values() for s in row])
    for i, lanes in enumerate(tracks.values()):
        height = 0.8 / len(lanes)
        for k, lane in enumerate(lanes):
            for s in lane:
                axes.broken_barh(
                    [(s.start, s.end - s.start)], (i - 0.4 + k * height, height), facecolors=colours[s.name]
                )
    labels = [f"{track} {100 * trace.covered(row) / end:.0f} %" for track, row in work.items()]
    axes.set_yticks(range(len(labels)), labels, fontsize=7)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_title("Who works, and how much of the time", fontsize=9, loc="left")
    _finish(axes, [s for row in work.values() for s in row], colours)


def _finish(axes: Axes, spans: Sequence[Span], colours: Mapping[str, str]) -> None:
    """Grid, axis and legend of a panel over time; what is too short to be seen is not in the legend."""
    from matplotlib.patches import Patch

    axes.set_xlim(left=0)
    axes.set_xlabel("seconds", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    end = max(s.end for s in spans)
    seen = {s.name for s in spans if s.end - s.start > end / 500}
    handles = [Patch(color=colour, label=name) for name, colour in colours.items() if name in seen]
    columns = len(handles) if len(handles) <= 9 else (len(handles) + 1) // 2  # beside the title
    axes.legend(handles=handles, fontsize=7, ncols=columns, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)


def _memory(axes: Axes, batches: Mapping[int, Sequence[Batch]], limit: str) -> None:
    limits = sorted(batches)
    rates = [statistics.median(b.per_minute for b in batches[size]) for size in limits]
    for values, label, style in (
        ([size / _GIB for size in limits], limit, "o-"),
        ([max(b.peak_gib for b in batches[size]) for size in limits], "peak memory of the process", "s"),
    ):
        axes.plot(values, rates, style, label=label, markersize=4)
    axes.set_xlabel("GiB", fontsize=8)
    axes.set_ylabel("proofs per minute", fontsize=8)
    axes.set_ylim(0, 1.1 * max(rates))
    axes.set_xlim(left=0)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    axes.set_title("Throughput against memory", fontsize=9, loc="left")


def _load(axes: Axes, samples: Sequence[Sample]) -> None:
    at = [s.at for s in samples]
    axes.stackplot(
        at, [s.running for s in samples], [s.queued for s in samples], labels=["running", "queued"],
        colors=[_COLOURS["prove"], _COLOURS["wait"]], step="post",
    )  # fmt: skip
    axes.set_ylabel("jobs", fontsize=8)
    axes.set_xlabel("seconds", fontsize=8)
    axes.set_xlim(left=0)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, loc="upper left")
    memory = axes.twinx()
    memory.plot(at, [s.memory / _GIB for s in samples], color="#d45f5f", linewidth=1)
    memory.set_ylabel("GiB reserved", fontsize=8, color="#d45f5f")
    memory.set_ylim(bottom=0)
    memory.tick_params(labelsize=7)
    axes.set_title("Jobs under way, and memory", fontsize=9, loc="left")
