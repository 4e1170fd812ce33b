"""The command line of ``python -m cuzk bench``."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _native
from .._engine import Engine
from .._job import JobOptions
from ..cli import command
from ..cli.output import UsageError, size
from . import engines, plot, proving, stress, trace, workload
from .report import Report
from .workload import Workload

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

Run = Callable[[argparse.Namespace], dict[str, Any]]


def add(bench: argparse.ArgumentParser) -> None:
    """Declares all commands."""
    verbs = bench.add_subparsers(required=True, metavar="COMMAND")
    for name, what, run in (
        ("single", "prove one after the other: the time of a proof and of its stages", single),
        ("solve-only", "make witnesses alone, without parameters", solve_only),
    ):
        p = _proving(verbs, name, what, run)
        p.add_argument("--repeats", type=_count, default=5, help="measured proofs; default: 5")
        p.add_argument("--warmup", type=_count, default=1, help="proofs before them; the first is a figure of its own")
    p = _proving(verbs, "batch", "prove many at once: throughput, and what memory buys", batch)
    p.add_argument("--jobs", type=_count, default=8, help="proofs at a time; default: 8")
    p.add_argument("--repeats", type=_count, default=1, help="batches; default: 1")
    p.add_argument("--warmup", type=int, default=1, help="proofs before them; default: 1")
    group = p.add_mutually_exclusive_group()
    group.add_argument(
        "--memory",
        type=_sizes,
        metavar="SIZES",
        help="budgets to compare, such as 1GiB,2GiB,4GiB, each in an engine of its own",
    )
    group.add_argument("--device-memory", type=_sizes, metavar="SIZES", help="the same for limits of a GPU's memory")
    _add_stress(verbs)
    _add_small(verbs)


def _add_stress(verbs: Subparsers) -> None:
    p = _command(verbs, "stress", "mixed kinds at random moments", stressed)
    p.add_argument(
        "--mix", type=_mix, default=_mix("winning_post:2KiB=3,window_post:2KiB=1"), metavar="KIND:SIZE=WEIGHT,…",
        help="what comes how often; default: winning_post:2KiB=3,window_post:2KiB=1",
    )  # fmt: skip
    p.add_argument("--rate", type=_positive, default=0.5, help="jobs per second on average; default: 0.5")
    p.add_argument("--duration", type=_positive, default=30.0, help="seconds in which jobs come; default: 30")
    p.add_argument("--priorities", choices=["auto", "mixed"], default="auto", help="by kind, or at random")
    p.add_argument("--cancel", type=float, default=0.0, metavar="PERCENT", help="jobs that are cancelled soon")
    p.add_argument("--seed", type=int, default=1, help="of all that is random; default: 1")


def _add_small(verbs: Subparsers) -> None:
    p = _command(verbs, "microbench", "time single parts of proving", engines.microbench)
    p.add_argument(
        "--what", type=_parts, help=f"default: {','.join(_native.MEASURES)}; on GPUs ntt,msm_g1, the only ones there"
    )
    p.add_argument("--log2", type=_numbers, default=[14, 16], metavar="N,…", help="sizes 2^N; default: 14,16")
    p.add_argument("--repeats", type=_count, default=5)
    p = _command(verbs, "preload", "load parameters, cold and again, and let go of them", engines.preload)
    _add_kind(p)
    p.add_argument("--repeats", type=_count, default=3)
    p = verbs.add_parser("status", help="what an engine finds: backend, devices, limits, and parameters with --kind")
    command.add_engine(p)
    p.add_argument("--kind", choices=workload.KINDS, help="load the parameters of this kind first")
    p.add_argument("--size", type=_size_name, default="2KiB")
    p.set_defaults(run=engines.status)
    p = verbs.add_parser("draw", help="draw a saved timeline: of cuzk_engine_trace, or of the device bench")
    p.add_argument("--trace", required=True, type=Path, help="file in the Chrome trace format")
    p.add_argument("--plot", required=True, type=Path, metavar="FILE", help="picture to draw, .png or .svg")
    p.add_argument("--title", default="")
    command.add_json(p)
    p.set_defaults(run=draw)
    p = verbs.add_parser("gen-vanilla", help="write the input of a proof over sectors that were never sealed")
    _add_kind(p)
    p.add_argument("--seed", type=_count, default=1, help="equal seeds give equal files; default: 1")
    p.add_argument("--sectors", type=int, default=0, help="of a WindowPoSt; default: one")
    p.add_argument("--out", required=True, type=Path, help="folder for the files; made if missing")
    command.add_engine(p)
    p.set_defaults(run=engines.gen_vanilla)


def _command(verbs: Subparsers, name: str, what: str, run: Run) -> argparse.ArgumentParser:
    """A command that measures."""
    p = verbs.add_parser(name, help=what)
    command.add_engine(p)
    p.add_argument(
        "--compare", type=Path, metavar="FILE", help="saved JSON lines: this bench's, or bellperson's of make bench"
    )
    p.add_argument("--plot", type=Path, metavar="FILE", help="picture to draw, .png or .svg")
    p.set_defaults(run=run)
    return p


def _proving(verbs: Subparsers, name: str, what: str, run: Run) -> argparse.ArgumentParser:
    """A command that measures one kind of proof."""
    p = _command(verbs, name, what, run)
    _add_kind(p)
    p.add_argument(
        "--vanilla", type=Path, metavar="DIR", help="input that gen-vanilla wrote; default: made on the spot"
    )
    p.add_argument("--sectors", type=int, default=0, help="of a WindowPoSt; default: one")
    p.add_argument("--priority", choices=list(_native.PRIORITIES), default="auto")
    return p


def _add_kind(p: argparse.ArgumentParser) -> None:
    p.add_argument("--kind", choices=workload.KINDS, default="winning_post", help="default: winning_post")
    p.add_argument("--size", type=_size_name, default="2KiB", help="sector size; default: 2KiB")


def single(a: argparse.Namespace) -> dict[str, Any]:
    """Measures proofs one by one."""
    return _one_by_one(a, JobOptions(priority=a.priority))


def solve_only(a: argparse.Namespace) -> dict[str, Any]:
    """Measures witnesses one by one."""
    return _one_by_one(a, JobOptions(priority=a.priority, witness_only=True))


def _one_by_one(a: argparse.Namespace, options: JobOptions) -> dict[str, Any]:
    _check_plot(a)
    with command.open_engine(a) as engine, _input(a, engine) as work:
        report = Report(engine, a.compare)
        runs = proving.single(engine, work, report, a.warmup, a.repeats, options)
        if a.plot is not None:
            _draw(a.plot, f"{a.kind}, {a.size}, one after the other", engine, {r.job: a.kind for r in runs})
    return report.result()


def batch(a: argparse.Namespace) -> dict[str, Any]:
    """Measures batches, with each of the memory limits that are asked for."""
    _check_plot(a)
    option = "device_memory_limit" if a.device_memory else "memory_budget"
    limits = a.memory or a.device_memory
    by_limit: dict[int, list[proving.Batch]] = {}
    picture = plot.Figure(f"{a.jobs} × {a.kind}, {a.size}, at once")
    report: Report | None = None
    for limit in limits or [0]:
        with command.open_engine(a, **({option: limit} if limit else {})) as engine, _input(a, engine) as work:
            report = report or Report(engine, a.compare)
            options = JobOptions(priority=a.priority)
            for _ in range(a.warmup):
                proving.once(engine, work, options)
            batches = [proving.batch(engine, work, a.jobs, options) for _ in range(a.repeats)]
            by_limit[limit] = batches
            name = f"batch_{work.name}" + (f"_{limit / (1 << 30):g}gib" if limit else "")
            spans = trace.spans(engine.trace())
            proving.report_batches(report, name, batches, spans)
            last = trace.of_jobs(spans, batches[-1].jobs)
    if limits:
        picture.memory(by_limit, "memory of a GPU" if a.device_memory else "memory budget")
    picture.waterfall(last, {job: a.kind for job in batches[-1].jobs})
    picture.tracks(last)
    if a.plot is not None:
        picture.save(a.plot)
    assert report is not None  # there is a limit, if only 0
    return report.result()


def stressed(a: argparse.Namespace) -> dict[str, Any]:
    """Measures a busy engine."""
    _check_plot(a)
    with command.open_engine(a) as engine, _folder() as folder:
        report = Report(engine, a.compare)
        shares = [stress.Share(workload.make(engine, kind, size_name, folder), w) for kind, size_name, w in a.mix]
        for share in shares:
            proving.once(engine, share.work, None)
        plan = stress.Plan(shares, a.rate, a.duration, a.priorities == "mixed", a.cancel, a.seed)
        outcome = stress.Stress(engine, plan).run()
        stress.report_outcome(report, outcome)
        if a.plot is not None:
            picture = plot.Figure(f"{outcome.submitted} jobs in {outcome.seconds:.0f} s")
            names = {r["id"]: f"{r['kind']}, {r['priority']}," for r in outcome.reports}
            spans = trace.of_jobs(trace.spans(engine.trace()), names)
            picture.load(outcome.samples)
            picture.waterfall(spans, names)
            picture.tracks(spans)
            picture.save(a.plot)
    return report.result()


def draw(a: argparse.Namespace) -> dict[str, Any]:
    """Draws a saved timeline."""
    _check_plot(a)
    try:
        spans = trace.of_all(trace.spans(a.trace.read_text()))
    except ValueError as e:
        raise UsageError(f"{a.trace}: {e}") from e
    picture = plot.Figure(a.title or a.trace.name)
    if any(s.job for s in spans):
        picture.waterfall(spans, {})
    picture.tracks(spans)
    picture.save(a.plot)
    return {"plot": str(a.plot), "spans": len(spans), "text": f"{a.plot}: {len(spans)} events"}


def _draw(path: Path, title: str, engine: Engine, jobs: dict[int, str]) -> None:
    """Draws what happened to some jobs, which have names."""
    spans = trace.of_jobs(trace.spans(engine.trace()), jobs)
    picture = plot.Figure(title)
    picture.waterfall(spans, jobs)
    picture.tracks(spans)
    picture.save(path)


@contextmanager
def _input(a: argparse.Namespace, engine: Engine) -> Iterator[Workload]:
    """The input that the command line asks for."""
    if a.vanilla is not None:
        yield workload.read(a.vanilla, a.kind, a.size)
        return
    with _folder() as folder:
        yield workload.make(engine, a.kind, a.size, folder, sectors=a.sectors)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cuzk-bench-") as folder:
        yield Path(folder)


def _check_plot(a: argparse.Namespace) -> None:
    """Refuses a picture that cannot be drawn before any work is done."""
    if a.plot is None:
        return
    plot.require()
    if not a.plot.parent.is_dir():
        raise UsageError(f"{a.plot.parent}: no such folder")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: want a number from 1")
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r}: want a positive number")
    return value


def _numbers(text: str) -> list[int]:
    return [_count(part) for part in text.split(",")]


def _size_name(text: str) -> str:
    size(text)
    return text


def _sizes(text: str) -> list[int]:
    return [size(part) for part in text.split(",")]


def _parts(text: str) -> list[str]:
    parts = text.split(",")
    if unknown := [p for p in parts if p not in _native.MEASURES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r}: want some of {', '.join(_native.MEASURES)}")
    return parts


def _mix(text: str) -> list[tuple[str, str, float]]:
    out = []
    for part in text.split(","):
        what, _, weight = part.partition("=")
        kind, _, size_name = what.partition(":")
        if kind not in workload.KINDS:
            raise argparse.ArgumentTypeError(
                f"{part!r}: want KIND:SIZE=WEIGHT with a KIND of {', '.join(workload.KINDS)}"
            )
        size(size_name)
        out.append((kind, size_name, _positive(weight or "1")))
    return out
