"""Measures proofs through the whole engine: a large one alone and back to back,
small urgent ones alone and beside it.

    CUZK_LIBRARY=libcuzk.so PYTHONPATH=bindings/python/src python3 tests/bench/engine.py \
        --params DIR --out DIR [--job porep:32GiB] [--beside winning_post:32GiB] …

DIR holds .params and .vk under their published names. Inputs are sparse sectors
made on the spot; the engine verifies every proof. Figures are JSON lines in
OUT/results.jsonl, as core/cmd/device-bench writes them, and the engine's
timeline is saved beside them.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from cuzk import Engine
from cuzk.bench import machine, record, workload
from cuzk.cli.output import size


class Figures:
    """Writes one JSON line for each figure."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._to = (args.out / "results.jsonl").open("a")
        self._label = args.label
        self._stamp = {
            "cpu": record.cpu_model(),
            "cpus": os.cpu_count(),
            "device": args.device,
            "driver": args.driver,
            "commit": args.commit,
        }

    def add(self, name: str, value: float, unit: str) -> None:
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        line = json.dumps(
            {"name": f"engine_{name}{self._label}", "value": value, "unit": unit, **self._stamp, "date": date},
            separators=(",", ":"),
        )
        print(line, flush=True)
        self._to.write(line + "\n")
        self._to.flush()


def seconds(engine: Engine, work: workload.Workload) -> float:
    """Proves once."""
    began = time.monotonic()
    with work.submit(engine) as job:
        job.wait()
    return time.monotonic() - began


def together(engine: Engine, work: workload.Workload, jobs: int) -> float:
    """Submits jobs at once and returns the time until all have ended."""
    began = time.monotonic()
    running = [work.submit(engine) for _ in range(jobs)]
    for job in running:
        with job:
            job.wait()
    return time.monotonic() - began


def beside(
    engine: Engine, large: workload.Workload, small: workload.Workload, pause: float
) -> tuple[float, list[float]]:
    """Proves large once, and small again and again as long as that takes."""
    latencies = []
    with large.submit(engine) as job:
        while job.report()["state"] in ("queued", "running"):
            latencies.append(seconds(engine, small))
            time.sleep(pause)
        job.wait()
        return job.report()["wall_ms"] / 1000, latencies


def measure(engine: Engine, args: argparse.Namespace, figures: Figures, folder: Path) -> None:
    large = workload.make(engine, *args.job, folder)
    began = time.monotonic()
    engine.load(args.job[0], size(args.job[1]))
    figures.add(f"{large.name}_load_s", time.monotonic() - began, "s")
    figures.add(f"{large.name}_first_s", seconds(engine, large), "s")
    machine.forget_peak()
    figures.add(f"{large.name}_latency_s", statistics.median(seconds(engine, large) for _ in range(args.repeat)), "s")
    if args.together > 1:
        figures.add(f"{large.name}_of_{args.together}_s", together(engine, large, args.together) / args.together, "s")
    if args.beside:
        small = workload.make(engine, *args.beside, folder)
        figures.add(f"{small.name}_first_s", seconds(engine, small), "s")
        alone = [seconds(engine, small) for _ in range(20)]
        figures.add(f"{small.name}_latency_ms", 1e3 * statistics.median(alone), "ms")
        wall, latencies = beside(engine, large, small, args.pause)
        waits = sorted(1e3 * x for x in latencies)
        figures.add(f"{small.name}_beside_{large.kind}_median_ms", statistics.median(waits), "ms")
        figures.add(f"{small.name}_beside_{large.kind}_most_ms", waits[-1], "ms")
        figures.add(f"{small.name}_beside_{large.kind}_proofs", len(waits), "proofs")
        figures.add(f"{large.name}_beside_{small.kind}_latency_s", wall, "s")
    figures.add(f"{large.name}_peak_gib", machine.peak_gib(), "GiB")


def kind_and_size(text: str) -> tuple[str, str]:
    kind, _, name = text.partition(":")
    return kind, name


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--params", required=True)
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--job", type=kind_and_size, default=("porep", "32GiB"))
    p.add_argument("--beside", type=kind_and_size, help="a small proof, KIND:SIZE")
    p.add_argument("--pause", type=float, default=0.2, help="seconds between small proofs")
    p.add_argument("--repeat", type=int, default=2, help="proofs alone")
    p.add_argument("--together", type=int, default=2, help="jobs submitted at once")
    p.add_argument("--backend", default="cuda")
    p.add_argument("--device-library", default="")
    p.add_argument(
        "--devices", type=lambda text: text.split(","), default=(), help="indices or UUIDs, with commas between"
    )
    p.add_argument("--device-memory-limit", type=size, default=0)
    p.add_argument("--memory", type=size, default=0, help="of the host")
    p.add_argument("--label", default="")
    p.add_argument("--commit", default="")
    p.add_argument("--device", default="")
    p.add_argument("--driver", default="")
    args = p.parse_args()
    engine = Engine(
        params_dir=args.params, backend=args.backend, device_library=args.device_library, devices=args.devices,
        device_memory_limit=args.device_memory_limit, memory_budget=args.memory,
    )  # fmt: skip
    with engine, tempfile.TemporaryDirectory() as folder:
        print("#", json.dumps(engine.status().get("backend", "")), flush=True)
        try:
            measure(engine, args, Figures(args), Path(folder))
        finally:
            (args.out / f"engine{args.label}-trace.json").write_text(engine.trace())


if __name__ == "__main__":
    main()
