"""``client`` on the command line."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._engine import Engine
from .._job import Progress
from .._statement import prover_id
from ..bench import workload
from ..registered import seal_proof
from . import request as files
from .output import Bar, UsageError, number, size, write_whole

if TYPE_CHECKING:
    from ..client import Client, Input

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_PRIORITIES = ["auto", "low", "normal", "high", "critical"]
_DEFAULT = "unix:///run/cuzk/cuzk.sock"


def add(p: argparse.ArgumentParser) -> None:
    """Declares the command."""
    verbs = p.add_subparsers(required=True, metavar="prove|submit|await|cancel|status|metrics|preload|evict|bench")
    for verb, text in (("prove", "have a proof made and write it"), ("submit", "start a job and print its id")):
        _add_prove(verbs.add_parser(verb, help=text), verb)
    waiting = _verb(verbs, "await", "wait for a job and write its proof", _await)
    waiting.add_argument("job", help="id that submit printed")
    waiting.add_argument("--timeout", type=float, default=0.0, metavar="SECONDS", help="default: for ever")
    waiting.add_argument("--out", required=True, type=Path, help="file for the proof")
    _verb(verbs, "cancel", "stop a job", _cancel).add_argument("job")
    _verb(verbs, "status", "what the server does and holds", _status)
    _verb(verbs, "metrics", "Prometheus text", _metrics)
    _verb(verbs, "preload", "load parameters", _preload).add_argument("circuit", help="such as porep-32g")
    evict = _verb(verbs, "evict", "let go of parameters", _evict)
    evict.add_argument("circuit", nargs="?", default="", help="default: all")
    _add_bench(_verb(verbs, "bench", "measure a server with made-up sectors", _bench))


def _verb(verbs: Subparsers, name: str, text: str, run: Callable[[argparse.Namespace], dict[str, Any]]) -> Any:
    p = verbs.add_parser(name, help=text)
    _add_server(p)
    p.set_defaults(run=run)
    return p


def _add_server(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--server", default=os.environ.get("CUZK_SERVER", _DEFAULT), metavar="ADDRESS",
        help=f"unix:///PATH or HOST:PORT; default: CUZK_SERVER, or {_DEFAULT}",
    )  # fmt: skip
    for name, text in (("ca", "authority of the server"), ("cert", "this client's certificate"), ("key", "its key")):
        p.add_argument(f"--tls-{name}", type=Path, metavar="FILE", help=f"PEM file with the {text}")
    p.add_argument("--json", action="store_true", help="print the result as JSON")


def _add_prove(p: argparse.ArgumentParser, verb: str) -> None:
    kinds = p.add_subparsers(required=True, metavar="KIND")
    for kind in workload.KINDS:
        k = kinds.add_parser(kind)
        if kind == "porep":
            k.add_argument("--c1", required=True, type=Path, help="output of commit phase 1, raw or wrapped")
            k.add_argument("--sector-number", required=True, type=number)
            k.add_argument("--miner-id", required=True, type=number, help="actor id: 1000 for f01000")
            k.add_argument("--registered-proof", help="such as StackedDrg32GiBV1_1; default: as the file says")
        else:
            k.add_argument("--request", required=True, type=Path, metavar="FILE", help="as for python -m cuzk prove")
        if kind == "window_post":
            k.add_argument("--partition", type=number, default=0, help="FILE has the sectors of this partition")
        k.add_argument("--priority", choices=_PRIORITIES, default="auto")
        k.add_argument("--request-id", default="", help="label; the same id and content is the same job")
        k.add_argument("--timeout", type=float, metavar="SECONDS", help="of the call; default: none")
        if verb == "prove":
            k.add_argument("--out", required=True, type=Path, help="file for the proof")
        _add_server(k)
        k.set_defaults(run=_prove if verb == "prove" else _submit, kind=kind)


def _add_bench(p: argparse.ArgumentParser) -> None:
    p.add_argument("--mix", required=True, type=_mix, metavar="KIND:SIZE[=WEIGHT],…", help="such as winning_post:2KiB")
    p.add_argument("--count", type=int, default=10, help="calls in all")
    p.add_argument("--callers", type=int, default=1, help="calls at once")
    p.add_argument("--connections", type=int, default=1)
    p.add_argument("--rate", type=float, default=0.0, help="calls begin at random, so many a second; default: at once")
    p.add_argument("--timeout", type=float, metavar="SECONDS", help="of each call")
    p.add_argument("--sectors", type=int, default=0, help="of a WindowPoSt; default: one")
    p.add_argument("--seed", type=int, default=1)


def _mix(text: str) -> list[tuple[str, str, float]]:
    out = []
    for part in text.split(","):
        what, _, weight = part.partition("=")
        kind, _, size_name = what.partition(":")
        if kind not in workload.KINDS:
            raise argparse.ArgumentTypeError(f"{part!r}: want a kind of {', '.join(workload.KINDS)}")
        size(size_name)
        try:
            out.append((kind, size_name, float(weight or 1)))
        except ValueError as e:
            raise argparse.ArgumentTypeError(f"{part!r}: {e}") from e
    return out


def _connect(a: argparse.Namespace) -> Client:
    try:
        from ..client import Client, Tls
    except ImportError as e:
        raise UsageError(f"{e}: client needs pip install 'cuzk[serve]'") from e
    tls = (a.tls_ca, a.tls_cert, a.tls_key)
    if any(tls) and not all(tls):
        raise UsageError("--tls-ca, --tls-cert and --tls-key go together")
    return Client(a.server, Tls(*tls) if all(tls) else None)


def _asked(a: argparse.Namespace, work: Callable[[Client], dict[str, Any]]) -> dict[str, Any]:
    """Asks the server; what it refuses is an error of this command."""
    with _connect(a) as client:
        from ..client import ProofFailed, ServerError

        try:
            return work(client)
        except ServerError as e:
            raise OSError(f"{a.server}: {e}") from e
        except ProofFailed as e:
            raise OSError(str(e)) from e


def _input(a: argparse.Namespace) -> tuple[Input, int]:
    """What is to be proved, and a PoRep's registered proof."""
    from ..service.mapping import PoRep

    if a.kind == "porep":
        registered = seal_proof(a.registered_proof) if a.registered_proof else 0
        return PoRep(a.c1.read_bytes(), a.sector_number, prover_id(a.miner_id)), registered
    if a.kind == "update":
        return files.update_request(a.request), 0
    return files.post_request(a.request, a.kind, a.partition if a.kind == "window_post" else None), 0


def _submission(a: argparse.Namespace) -> Any:
    from ..client import submission

    given, registered = _input(a)
    return submission(given, request_id=a.request_id, priority=a.priority, registered_proof=registered)


def _prove(a: argparse.Namespace) -> dict[str, Any]:
    if not a.out.parent.is_dir():
        raise UsageError(f"{a.out.parent}: no such folder")

    def work(client: Client) -> dict[str, Any]:
        request, began = _submission(a), time.monotonic()
        with Bar() as bar:
            made = client.prove(request, a.timeout, lambda: bar(_progress(client, a.kind)))
        return _written(a, made.job_id, made.proof, made.times, time.monotonic() - began)

    return _asked(a, work)


def _progress(client: Client, kind: str) -> Progress:
    """What the server says of jobs of this kind: the protocol has nothing about a single one."""
    from ..client import ServerError
    from ..service.circuits import WIRE_NAMES

    try:
        queues = {q.proof_kind: q for q in client.status().queues}
    except ServerError:
        return Progress("wait", 0, 0)
    q = queues.get(WIRE_NAMES[kind])
    return Progress("prove" if q is not None and q.in_progress else "queued", 0, 0)


def _written(a: argparse.Namespace, job: str, proof: bytes, times: dict[str, int], seconds: float) -> dict[str, Any]:
    write_whole(a.out, proof)
    listed = ", ".join(f"{name.removesuffix('_ms')} {ms} ms" for name, ms in times.items() if ms)
    return {
        "job": job, "proof": proof.hex(), "out": str(a.out), "seconds": round(seconds, 3), "times": times,
        "text": f"{a.out}: {len(proof)} bytes in {seconds:.2f} s ({listed})",
    }  # fmt: skip


def _submit(a: argparse.Namespace) -> dict[str, Any]:
    def work(client: Client) -> dict[str, Any]:
        job = client.submit(_submission(a), a.timeout)
        return {"job": job, "text": job}

    return _asked(a, work)


def _await(a: argparse.Namespace) -> dict[str, Any]:
    def work(client: Client) -> dict[str, Any]:
        began = time.monotonic()
        made = client.wait(a.job, a.timeout)
        if made is None:
            raise OSError(f"{a.job} still runs after {a.timeout:g} s")
        return _written(a, made.job_id, made.proof, made.times, time.monotonic() - began)

    return _asked(a, work)


def _cancel(a: argparse.Namespace) -> dict[str, Any]:
    def work(client: Client) -> dict[str, Any]:
        was = client.cancel(a.job)
        return {"was_running": was, "text": "cancelled" if was else "it had ended before"}

    return _asked(a, work)


def _status(a: argparse.Namespace) -> dict[str, Any]:
    def work(client: Client) -> dict[str, Any]:
        from google.protobuf import json_format

        s = client.status()
        tiers = ("hot", "warm", "cold")
        lines = [f"up {s.uptime_seconds} s, {s.total_proofs_completed} proofs, {s.total_proofs_failed} failed"]
        lines += [
            f"device {g.ordinal} {g.name}: {_gib(g.vram_total_bytes - g.vram_free_bytes)} of {_gib(g.vram_total_bytes)}"
            + (f", {g.current_proof_kind} {g.current_job_id}" if g.current_job_id else "")
            for g in s.gpus
        ]
        lines += [f"{q.proof_kind}: {q.in_progress} running, {q.pending} waiting" for q in s.queues]
        lines += [
            f"parameters {p.circuit_id}: {_gib(p.size_bytes)}, {tiers[p.tier]}, used by {p.ref_count}"
            for p in s.loaded_srs
        ]
        return {"status": json_format.MessageToDict(s, preserving_proto_field_name=True), "text": "\n".join(lines)}

    return _asked(a, work)


def _gib(count: int) -> str:
    return f"{count / (1 << 30):.2f} GiB"


def _metrics(a: argparse.Namespace) -> dict[str, Any]:
    return _asked(a, lambda client: {"text": client.metrics().rstrip("\n")})


def _preload(a: argparse.Namespace) -> dict[str, Any]:
    def work(client: Client) -> dict[str, Any]:
        p = client.preload(a.circuit)
        text = f"{a.circuit}: " + ("was there" if p.already_loaded else f"loaded in {p.load_time_ms / 1000:.1f} s")
        return {"already_loaded": p.already_loaded, "seconds": p.load_time_ms / 1000, "text": text}

    return _asked(a, work)


def _evict(a: argparse.Namespace) -> dict[str, Any]:
    def work(client: Client) -> dict[str, Any]:
        e = client.evict(a.circuit)
        what = a.circuit or "all parameters"
        text = f"{what}: {_gib(e.freed_bytes)} freed" if e.was_loaded else f"{what}: nothing was loaded"
        return {"was_loaded": e.was_loaded, "freed": e.freed_bytes, "text": text}

    return _asked(a, work)


def _bench(a: argparse.Namespace) -> dict[str, Any]:
    def work(client: Client) -> dict[str, Any]:
        from ..client import submission
        from ..client.bench import Load, Share, records, run

        shares, clients = [], [client]
        with tempfile.TemporaryDirectory() as folder, Engine(folder, backend="cpu") as engine:
            for kind, size_name, weight in a.mix:
                made = workload.make(engine, kind, size_name, Path(folder), a.seed, a.sectors).input
                shares.append(Share(kind, submission(_of_workload(made)), weight))
        try:
            clients += [_connect(a) for _ in range(a.connections - 1)]
            outcome = run(clients, shares, Load(a.count, a.callers, a.rate, a.timeout, a.seed))
        finally:
            for more in clients[1:]:
                more.close()
        figures = [vars(r) | {"server": a.server} for r in records(outcome)]
        lines = [f"{r['name']:<40} {r['value']:>12.3f} {r['unit']}" for r in figures]
        lines += [f"failed: {e}" for e in sorted(set(outcome.errors))[:10]]
        return {"records": figures, "errors": outcome.errors, "text": "\n".join(lines)}

    return _asked(a, work)


def _of_workload(given: Any) -> Input:
    from ..service.mapping import PoRep

    return PoRep(given.c1, given.sector_number, given.prover_id) if isinstance(given, workload.PoRep) else given
