"""What all kinds share of ``prove`` and ``verify``: options, the job, its result."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .._engine import Engine
from .._job import Job
from .output import Bar, Output, UsageError, read_file, size, write_output


def add_engine(p: argparse.ArgumentParser) -> None:
    """Declares the options of every command that opens an engine."""
    p.add_argument("--params", type=Path, help="folder of .params and .vk files; default: as the network's tools")
    p.add_argument(
        "--check-digest", action="store_true", help="compare every parameter file with its published digest before use"
    )
    p.add_argument("--backend", choices=["auto", "cpu", "cuda"], default="auto")
    p.add_argument("--threads", type=int, default=0, help="CPU threads; default: all")
    p.add_argument("--memory-budget", type=size, default=0, metavar="SIZE", help="that proving may hold at once")
    p.add_argument(
        "--devices",
        default="",
        metavar="LIST",
        help="GPUs by index or UUID, separated by commas; default: all that can be used",
    )
    p.add_argument("--device-library", type=Path, metavar="FILE", help="libcuzk_cuda.so; default: beside the library")
    p.add_argument(
        "--device-memory-limit",
        type=size,
        default=0,
        metavar="SIZE",
        help="on each GPU, such as 24GiB; default: what is free",
    )
    p.add_argument(
        "--device-slots", type=int, default=0, metavar="N", help="partitions that a GPU takes up at once; default: 3"
    )
    p.add_argument(
        "--max-batch-size",
        type=int,
        default=0,
        metavar="N",
        help="jobs of one circuit that wait for each other; default: 4, 1: none",
    )
    p.add_argument(
        "--max-batch-wait", type=float, default=0.0, metavar="SECONDS", help="how long they wait; default: 10"
    )
    add_json(p)


def open_engine(a: argparse.Namespace, **instead: Any) -> Engine:
    """Opens the engine that the options of :func:`add_engine` describe, but for those in ``instead``."""
    options: dict[str, Any] = {
        name: getattr(a, name)
        for name in ("backend", "threads", "memory_budget", "device_library", "device_memory_limit", "device_slots",
                     "max_batch_size", "max_batch_wait")
    }  # fmt: skip
    options["devices"] = [device for device in a.devices.split(",") if device]
    return Engine(a.params, check_digest=a.check_digest, **(options | instead))


def add_json(p: argparse.ArgumentParser) -> None:
    """Declares ``--json``."""
    p.add_argument("--json", action="store_true", help="print the result as JSON")


def add_out(p: argparse.ArgumentParser) -> None:
    """Declares ``--out``."""
    p.add_argument("--out", required=True, help="file for the proof; a link is followed, a device or pipe written to")


def add_proof(p: argparse.ArgumentParser) -> None:
    """Declares ``--proof``."""
    p.add_argument("--proof", required=True, type=Path, help="file with the proof")


def open_out(a: argparse.Namespace) -> Output:
    """Tries the output file before any work is done."""
    try:
        return Output(a.out)
    except OSError as e:
        raise UsageError(f"--out {os.fspath(a.out)!r}: {e.filename or ''}: {e.strerror or e}") from e


def prove(a: argparse.Namespace, submit: Callable[[Engine], Job]) -> dict[str, Any]:
    """Runs the job that submit starts, writes the proof, returns what to print."""
    with open_out(a) as out:
        began = time.monotonic()
        with open_engine(a) as engine, submit(engine) as job:
            with Bar() as bar:
                proof = job.wait(progress=bar)
            stages = job.report()["stages"]
        seconds = time.monotonic() - began
        write_output(out, proof)
    times = ", ".join(f"{s['name']} {s['wall_ms']:.0f} ms" for s in stages)
    return {
        "proof": proof.hex(),
        "out": str(a.out),
        "seconds": round(seconds, 3),
        "stages": stages,
        "text": f"{a.out}: {len(proof)} bytes in {seconds:.2f} s ({times})",
    }


def verify(a: argparse.Namespace, check: Callable[[Engine, bytes], bool]) -> dict[str, Any]:
    """Runs check on the proof's bytes and returns what to print."""
    proof = read_file(a.proof)
    began = time.monotonic()
    with open_engine(a) as engine:
        valid = check(engine, proof)
    seconds = time.monotonic() - began
    return {"valid": valid, "seconds": round(seconds, 3), "text": "valid" if valid else "not valid"}
