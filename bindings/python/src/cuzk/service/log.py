"""Logs for people or for machines, on standard error."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

# Fields that records of this package carry beside their message, in the order in which they are shown.
FIELDS = ("job", "label", "kind", "priority", "miner", "number", "state", "seconds", "code", "circuit", "peer", "call")


class Text(logging.Formatter):
    """``2026-12-01T03:04:05.678Z INFO message job=… label=…``, one line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={_plain(value)}" for name, value in _fields(record).items())
        return f"{_moment(record)} {record.levelname} {_line(_message(self, record))}{fields}"


class Json(logging.Formatter):
    """One JSON object a line: ``time``, ``level``, ``logger``, ``message`` and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        head = {"time": _moment(record), "level": record.levelname.lower(), "logger": record.name}
        return json.dumps({**head, "message": _message(self, record), **_fields(record)}, default=str)


def set_up(level: str, form: str) -> None:
    """Sends what this package logs to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Json() if form == "json" else Text())
    root = logging.getLogger("cuzk")
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    root.propagate = False
    other = logging.getLogger()  # of the libraries: warnings only
    other.handlers[:] = [handler]
    other.setLevel(logging.WARNING)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name in FIELDS if (value := getattr(record, name, None)) not in (None, "")}


def _message(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    text = record.getMessage()
    return text + "\n" + formatter.formatException(record.exc_info) if record.exc_info else text


def _moment(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"


def _plain(value: object) -> str:
    text = str(value)
    return json.dumps(text) if any(c in text for c in ' "=\\') or not text.isprintable() else text


def _line(text: str) -> str:
    """A text from outside cannot begin a line of its own."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()
