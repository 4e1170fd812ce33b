"""The configuration of a service: one TOML file, variables and flags, all with the same names.

A flag counts over a variable (``CUZK_`` and the name in capitals), a variable over the file. What is unknown or of a
wrong type is refused by name. A file of Curio's own daemon is understood as far as its keys mean something here.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cli.output import size
from . import circuits

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class ConfigError(ValueError):
    """The configuration cannot be used; the message names the key and where it was given."""


@dataclass(frozen=True)
class Key:
    """A setting: how its text is read, what holds without it, and what it means."""

    name: str
    read: Callable[[Any], Any]
    default: Any
    help: str
    group: str

    @property
    def flag(self) -> str:
        """Such as ``--memory-budget``."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """Such as ``CUZK_MEMORY_BUDGET``."""
        return "CUZK_" + self.name.upper()


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("want text")
    return value


def _path(value: Any) -> Path | None:
    return Path(_text(value)).expanduser() if _text(value) else None


def _bytes(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    try:
        return size(_text(value)) if value else 0
    except argparse.ArgumentTypeError as e:
        raise ValueError(str(e)) from e


def _count(value: Any) -> int:
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        number = -1
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << 32:
        raise ValueError(f"{value!r}: want a whole number from 0 on")
    return number


def _seconds(value: Any) -> float:
    text = value.strip() if isinstance(value, str) else value
    scale = 1.0
    for suffix, factor in (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)):
        if isinstance(text, str) and text.endswith(suffix):
            text, scale = text[: -len(suffix)], factor
            break
    try:
        seconds = -1.0 if isinstance(text, bool) else float(text) * scale
    except (TypeError, ValueError):
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise ValueError(f"{value!r}: want seconds, such as 90, 2m or 1.5h")
    return seconds


def _bool(value: Any) -> bool:
    known = {True: True, False: False, "true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
    key = value.lower() if isinstance(value, str) else value if isinstance(value, bool) else ""
    if key not in known:
        raise ValueError(f"{value!r}: want true or false")
    return known[key]


def _list(value: Any) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise ValueError(f"{value!r}: want a list, or text with commas")
    return tuple(text for item in items if (text := str(item).strip()))


def _circuits(value: Any) -> tuple[str, ...]:
    return tuple(circuits.circuit(name).id for name in _list(value))


def _mode(value: Any) -> int:
    try:
        mode = value if isinstance(value, int) and not isinstance(value, bool) else int(_text(value), 8)
    except ValueError:
        mode = -1
    if not 0 <= mode <= 0o777:
        raise ValueError(f'{value!r}: want permissions in octal, such as "0660"')
    return mode


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"{value!r}: want one of {', '.join(choices)}")
        return str(value)

    return read


_L, _E, _R, _O = "where it listens", "the engine", "requests", "logs and the operator's page"

KEYS = (
    Key("listen", _list, ("unix:///run/cuzk/cuzk.sock",), "unix:///PATH or HOST:PORT, several with commas", _L),
    Key("socket_mode", _mode, 0o660, "permissions of unix sockets, in octal", _L),
    Key("insecure_listen", _bool, False, "allow plain TCP on addresses other than loopback", _L),
    Key("tls_cert", _path, None, "PEM file with the server's certificate chain; with it TCP addresses speak TLS", _L),
    Key("tls_key", _path, None, "PEM file with its key", _L),
    Key("tls_client_ca", _path, None, "PEM file with the authority whose clients are let in", _L),
    Key("params", _path, None, "folder of .params and .vk files; default: as the network's tools", _E),
    Key("preload", _circuits, (), "circuits to load at start, such as porep-32g,wpost-32g; ready once they are", _E),
    Key("backend", _one_of("auto", "cpu", "cuda"), "auto", "where proofs are computed", _E),
    Key("threads", _count, 0, "CPU threads; 0: all", _E),
    Key("memory_budget", _bytes, 0, "that proving may hold, such as 64GiB; 0: nine tenths of the machine", _E),
    Key("devices", _list, (), "GPUs by index or UUID; default: all that can be used", _E),
    Key("device_library", _path, None, "libcuzk_cuda.so; default: beside the library", _E),
    Key("device_memory_limit", _bytes, 0, "on each GPU, such as 24GiB; 0: what is free", _E),
    Key("device_slots", _count, 0, "partitions that a GPU takes up at once; 0: 3", _E),
    Key("max_batch_size", _count, 0, "jobs of one circuit that wait for each other; 0: 4, 1: none", _E),
    Key("max_batch_wait", _seconds, 0.0, "how long they wait; 0: 10 s", _E),
    Key("check_digest", _bool, False, "check the published digest of each parameter file once", _E),
    Key("check_subgroup", _bool, False, "check that all points of parameters are in the subgroup: slow", _E),
    Key("witness_only", _bool, False, "only check and solve inputs, without parameters: proofs are empty", _E),
    Key("max_message", _bytes, 256 << 20, "bytes of the largest request", _R),
    Key("receive_memory", _bytes, 2 << 30, "for requests that are received or wait for the engine", _R),
    Key("receive_timeout", _seconds, 60.0, "for a request to arrive; 10 s if others wait for memory", _R),
    Key("spool_dir", _path, None, "folder for requests that find no memory; default: the system's temporary one", _R),
    Key("spool_limit", _bytes, 16 << 30, "bytes of such files", _R),
    Key("grace", _seconds, 120.0, "how long a job goes on whose callers have gone", _R),
    Key("remember", _seconds, 600.0, "how long results are kept for callers that ask again", _R),
    Key("drain_timeout", _seconds, 1800.0, "how long jobs may take after SIGTERM", _R),
    Key("http", _text, "", "HOST:PORT for /metrics, /status, /healthz, /readyz and the page; default: none", _O),
    Key("http_hosts", _list, (), "names by which the page may be asked for, beside the address", _O),
    Key("log_level", _one_of("debug", "info", "warning", "error"), "info", "what is logged", _O),
    Key("log_format", _one_of("text", "json"), "text", "how it is logged", _O),
)  # fmt: skip
_BY_NAME = {key.name: key for key in KEYS}

# CUZK_ variables that are not of the service.
_OTHERS = {"CONFIG", "LIBRARY", "LIB_DIR", "STATIC", "SOURCE_DIR", "GO", "SERVER"}

# Keys of Curio's daemon (its table and name) that have a counterpart here, and how a value is changed.
_UPSTREAM: dict[tuple[str, str], tuple[str, Callable[[Any], Any]]] = {
    ("daemon", "listen"): ("listen", lambda v: v),
    ("daemon", "status_listen"): ("http", lambda v: v),
    ("memory", "total_budget"): ("memory_budget", lambda v: 0 if v == "auto" else v),
    ("gpus", "devices"): ("devices", lambda v: v),
    ("scheduler", "max_batch_size"): ("max_batch_size", lambda v: v),
    ("scheduler", "max_batch_wait_ms"): ("max_batch_wait", lambda v: f"{v}ms"),
    ("synthesis", "threads"): ("threads", lambda v: v),
    ("srs", "param_cache"): ("params", lambda v: v),
    ("srs", "preload"): ("preload", lambda v: v),
    ("logging", "level"): ("log_level", lambda v: {"trace": "debug", "warn": "warning"}.get(v, v)),
    ("logging", "format"): ("log_format", lambda v: {"pretty": "text", "compact": "text", "full": "text"}.get(v, v)),
}
# And those that mean nothing here, because the engine decides it.
_UPSTREAM_UNUSED = {
    "memory": {"safety_margin", "eviction_min_idle", "pinned_budget", "working_memory_budget"},
    "gpus": {"gpu_threads", "gpu_workers_per_device"},
    "scheduler": {"sort_by_type"},
    "synthesis": {"partition_workers"},
    "pipeline": {"enabled", "synthesis_lookahead", "synthesis_concurrency", "slot_size", "max_gpu_queue_depth"},
}
_TABLES = {table for table, _ in _UPSTREAM} | set(_UPSTREAM_UNUSED)


@dataclass(frozen=True)
class Config:
    """All settings by name, where each comes from, and what the reader should know."""

    values: Mapping[str, Any]
    sources: Mapping[str, str]
    warnings: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


def add_flags(p: argparse.ArgumentParser) -> None:
    """Declares ``--config`` and a flag for each key."""
    p.add_argument("--config", type=Path, metavar="FILE", help="TOML file; default: CUZK_CONFIG, or none")
    groups: dict[str, Any] = {}
    for key in KEYS:
        group = groups.setdefault(key.group, p.add_argument_group(key.group))
        kind: dict[str, Any] = {"nargs": "?", "const": "true"} if key.read is _bool else {}
        group.add_argument(
            key.flag, dest=f"key_{key.name}", metavar=_metavar(key), help=key.help.replace("%", "%%"), **kind
        )


def _metavar(key: Key) -> str:
    names: dict[Any, str] = {
        _list: "LIST", _circuits: "LIST", _path: "PATH", _bytes: "SIZE", _count: "N", _seconds: "SECONDS",
        _bool: "true|false", _mode: "MODE",
    }  # fmt: skip
    return names.get(key.read, "TEXT")


def load(arguments: argparse.Namespace, environ: Mapping[str, str] | None = None) -> Config:
    """The configuration of a command line; raises ConfigError, and OSError for a file that cannot be read."""
    environ = os.environ if environ is None else environ
    flags = {k.name: v for k in KEYS if (v := getattr(arguments, f"key_{k.name}", None)) is not None}
    path = arguments.config or (Path(environ["CUZK_CONFIG"]) if environ.get("CUZK_CONFIG") else None)
    given, warnings = _file(path) if path else ({}, [])
    sources = {name: str(path) for name in given}
    for name, text in environ.items():
        if not name.startswith("CUZK_"):
            continue
        setting = name.removeprefix("CUZK_").lower()
        if setting in _BY_NAME:
            given[setting], sources[setting] = text, name
        elif setting.upper() not in _OTHERS and not setting.startswith("test_"):
            raise ConfigError(f"{name}: no such setting; {_nearest(setting)}")
    for name, text in flags.items():
        given[name], sources[name] = text, _BY_NAME[name].flag
    values = {}
    for key in KEYS:
        try:
            values[key.name] = key.read(given[key.name]) if key.name in given else key.default
        except ValueError as e:
            raise ConfigError(f"{key.name} ({sources[key.name]}): {e}") from e
    config = Config(values, sources, tuple(warnings))
    _check(config)
    return config


def _check(c: Config) -> None:
    """Refuses settings that contradict each other."""
    tls = [name for name in ("tls_cert", "tls_key", "tls_client_ca") if c.values[name]]
    if tls and len(tls) < 3:
        raise ConfigError(f"{tls[0]}: tls_cert, tls_key and tls_client_ca go together")
    if not c.listen:
        raise ConfigError("listen: no address")
    if not 1 << 10 <= c.max_message <= (2 << 30) - 1:
        raise ConfigError(f"max_message: {c.max_message} is not from 1KiB to 2 GiB")
    if c.receive_memory < 3 * c.max_message:
        raise ConfigError(
            f"receive_memory: {c.receive_memory} is less than three times max_message ({c.max_message}), "
            "which gRPC needs to receive one"
        )


def _file(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The settings of a TOML file, ours or Curio's, by our names, and warnings."""
    try:
        content = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise ConfigError(f"{path}: not TOML: {e}") from e
    given: dict[str, Any] = {}
    warnings: list[str] = []
    for name, value in content.items():
        if isinstance(value, dict) and name in _TABLES:
            _upstream(path, name, value, given, warnings)
        elif name in _BY_NAME:
            given[name] = value
        else:
            raise ConfigError(f"{path}: {name}: no such setting; {_nearest(name)}")
    return given, warnings


def _upstream(path: Path, table: str, values: dict[str, Any], given: dict[str, Any], warnings: list[str]) -> None:
    for name, value in values.items():
        if (table, name) in _UPSTREAM:
            ours, change = _UPSTREAM[table, name]
            given[ours] = change(value)
        elif name in _UPSTREAM_UNUSED.get(table, ()):
            warnings.append(f"{path}: {table}.{name} means nothing here: the engine decides it")
        else:
            raise ConfigError(f"{path}: {table}.{name}: no such setting")


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, _BY_NAME, 1)
    return f"did you mean {near[0]}?" if near else "python -m cuzk serve --help lists them"
