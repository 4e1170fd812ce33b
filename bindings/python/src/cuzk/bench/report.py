"""What a bench command shows: JSON lines and a table, with comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._engine import Engine
from .record import Record, Saved, stamp

# Figures of which less is worse.
_MORE_IS_BETTER = ("proofs/min", "M/s", "ratio")


class Report:
    """Collects figures of one run."""

    def __init__(self, engine: Engine, compare: Path | None = None) -> None:
        self._stamp = stamp(engine)
        self._saved = None if compare is None else Saved.read(compare)
        self._lines: list[dict[str, Any]] = []
        self._notes: list[str] = []

    def add(self, record: Record, bellperson: tuple[str, str] | None = None) -> None:
        """Adds a figure; ``bellperson`` is the kind and size of the proof that took so long."""
        line: dict[str, Any] = {"name": record.name, "value": record.value, "unit": record.unit, "count": record.count}
        if record.low is not None:
            line |= {"low": record.low, "high": record.high}
        if self._saved is not None:
            if (saved := self._saved.get(record.name)) is not None:
                line |= {"saved": saved, "times_better": better(record, saved)}
            if bellperson and (other := self._saved.bellperson(*bellperson)) is not None:
                line |= {"bellperson": other, "times_faster": other / record.value}
        self._lines.append(line | self._stamp)

    def note(self, text: str) -> None:
        """Adds a line to the text that is no figure."""
        self._notes.append(text)

    def result(self) -> dict[str, Any]:
        """What the command line prints."""
        width = max((len(line["name"]) for line in self._lines), default=0)
        rows = [_row(line, width) for line in self._lines]
        return {"records": self._lines, "text": "\n".join(rows + self._notes)}


def better(record: Record, saved: float) -> float:
    """How many times better a figure is than a saved one: above 1 is an improvement."""
    if 0 in (record.value, saved):
        return 1.0 if record.value == saved else 0.0
    ratio = record.value / saved
    return ratio if record.unit in _MORE_IS_BETTER else 1 / ratio


def _row(line: dict[str, Any], width: int) -> str:
    text = f"{line['name']:<{width}}  {number(line['value']):>10} {line['unit']}"
    if line.get("low") is not None:
        text += f"  [{number(line['low'])} … {number(line['high'])}] of {line['count']}"
    if "saved" in line:
        text += f"  saved {number(line['saved'])}: {line['times_better']:.2f} times better"
    if "bellperson" in line:
        text += f"  bellperson {number(line['bellperson'])}: {line['times_faster']:.2f} times faster"
    return text


def number(value: float) -> str:
    """A number with as many digits as matter."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
