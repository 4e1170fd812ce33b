"""``microbench``, ``preload``, ``status`` and ``gen-vanilla``: what needs no proof."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from .. import _native
from .._engine import Engine
from ..cli import command
from ..cli.output import Bar, size
from . import machine
from .progress import shown
from .record import Record, figure
from .report import Report

# What devices can be measured with.
_ON_DEVICES = ["ntt", "msm_g1"]
# What a part does per element, where the rate is worth a figure.
_RATES = {"field": "multiplications", "poseidon": "hashes", "sha256": "hashes"}


def microbench(a: argparse.Namespace) -> dict[str, Any]:
    """Times parts of proving, each at each size."""
    with command.open_engine(a) as engine:
        report = Report(engine, a.compare)
        parts = a.what or (_ON_DEVICES if engine.snapshot().devices else list(_native.MEASURES))
        for what, log2 in shown([(what, n) for what in parts for n in a.log2], "microbench"):
            times = engine.measure(what, log2, a.repeats)
            name = f"{what}_2p{log2}"
            report.add(figure(name + "_ms", [1e3 * t for t in times], "ms"))
            if what in _RATES:
                report.add(figure(f"{name}_{_RATES[what]}", [(1 << log2) / t / 1e6 for t in times], "M/s"))
    return report.result()


def preload(a: argparse.Namespace) -> dict[str, Any]:
    """Times the first load of an engine and later ones after an eviction."""
    name = f"preload_{a.kind}_{a.size.lower()}"
    again: list[float] = []
    with command.open_engine(a) as engine:
        report = Report(engine, a.compare)
        machine.forget_peak()
        with Bar() as bar:
            began = time.monotonic()
            engine.load(a.kind, size(a.size), bar)
            first = time.monotonic() - began
        loaded = engine.snapshot().params
        for _ in shown(range(a.repeats), "preload"):
            engine.evict(a.kind, size(a.size))
            began = time.monotonic()
            engine.load(a.kind, size(a.size))
            again.append(time.monotonic() - began)
    report.add(Record(name + "_first_s", first, "s"))
    report.add(figure(name + "_again_s", again, "s"))
    report.add(Record(name + "_peak_gib", machine.peak_gib(), "GiB"))
    for tier, (count, held) in loaded.items():
        if count:
            report.add(Record(f"{name}_{tier}_gib", held / (1 << 30), "GiB"))
    return report.result()


def status(a: argparse.Namespace) -> dict[str, Any]:
    """Shows what an engine finds on this machine."""
    with command.open_engine(a) as engine:
        if a.kind is not None:
            with Bar() as bar:
                engine.load(a.kind, size(a.size), bar)
        return {"status": engine.status(), "text": _described(engine)}


def _described(engine: Engine) -> str:
    """A snapshot for people."""
    s = engine.snapshot()
    detail = engine.status()
    lines = [f"libcuzk {s.version}, backend {s.backend} ({detail['why']}), {s.threads} threads"]
    for d in s.devices:
        state = "" if d.usable else ", not usable"
        lines.append(f"device {d.name} ({d.uuid}): {_gib(d.used)} of {_gib(d.memory)}{state}")
    lines.append(f"memory: {_gib(s.limit.host)} host, {_gib(s.limit.pinned)} pinned, {_gib(s.limit.device)} on devices")
    used = ", ".join(f"{purpose} {_gib(m.total)}" for purpose, m in s.used.items())
    lines.append(f"used: {used}; {_gib(s.idle_bytes)} can be evicted")
    for p in detail["params"]:
        lines.append(f"parameters {p['name']}: {_gib(p['file_bytes'])}, {p['tier']}")
    return "\n".join(lines)


def _gib(count: int) -> str:
    return f"{count / (1 << 30):.2f} GiB"


def gen_vanilla(a: argparse.Namespace) -> dict[str, Any]:
    """Writes the input of a proof."""
    a.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with command.open_engine(a) as engine, Bar() as bar:
        path = engine.make_fixture(a.kind, size(a.size), a.out, seed=a.seed, sectors=a.sectors, progress=bar)
    seconds = time.monotonic() - began
    files = _named(path.read_bytes()) + [path.name] + (["c1.json"] if a.kind == "porep" else [])
    total = sum((a.out / name).stat().st_size for name in files)
    text = f"{path}: {len(files)} files, {total / (1 << 20):.1f} MiB, in {seconds:.2f} s"
    return {"path": str(path), "files": files, "bytes": total, "seconds": round(seconds, 3), "text": text}


def _named(text: bytes) -> list[str]:
    """The files that a description names."""
    described = json.loads(text)
    return [s["file"] for s in described.get("sectors", [])] + list(described.get("files", []))
