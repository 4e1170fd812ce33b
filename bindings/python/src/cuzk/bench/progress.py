"""Progress bars on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def shown(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, with a bar that counts them."""
    yield from tqdm(items, desc=f"{what:<12}", total=total, leave=False, disable=not sys.stderr.isatty())


class Counter:
    """A bar that is told how far something is."""

    def __init__(self, what: str, total: float, unit: str) -> None:
        self._bar = tqdm(
            desc=f"{what:<12}", total=total, unit=unit, leave=False, disable=not sys.stderr.isatty(),
            bar_format="{l_bar}{bar}| {n:.0f}/{total:.0f} {unit} {postfix}",
        )  # fmt: skip

    def at(self, done: float, note: str = "") -> None:
        """Shows that so much is done."""
        self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Takes the bar away."""
        self._bar.close()
