"""Measures what the service costs: JSON lines, one for each figure.

    build/venv/bin/python tests/service/measure.py [--quick]

Starts a server that solves without proving (`--witness-only`), so that the figures are of the service and not of the
prover. Inputs are those of 32 GiB sectors, made here.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cuzk
from cuzk import wire
from cuzk.bench import workload
from cuzk.bench.record import percentile
from cuzk.client import Client, ProofFailed, submission


def put(name: str, value: float, unit: str, **more: Any) -> None:
    """Prints a figure."""
    print(json.dumps({"name": name, "value": round(value, 4), "unit": unit, **more}), flush=True)


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self.address = f"unix://{folder}/s"
        command = [
            sys.executable,
            "-m",
            "cuzk",
            "serve",
            "--listen",
            self.address,
            "--witness-only",
            "--log-level",
            "warning",
        ]
        self.process = subprocess.Popen([*command, *flags])
        with Client(self.address) as client:
            while True:
                try:
                    client.status()
                    return
                except Exception:
                    time.sleep(0.1)

    def memory(self, field: str) -> float:
        """A field of /proc/PID/status in MB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024 / 1e6
        raise KeyError(field)

    def forget_peak(self) -> None:
        """Lets VmHWM begin anew."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def close(self) -> None:
        """Ends it."""
        self.process.terminate()
        self.process.wait()


def cost_per_winning(engine: cuzk.Engine, server: Server, request: Any, given: cuzk.PoStRequest, rounds: int) -> None:
    """The same WinningPoSt solved by an engine here and over the socket, in turn."""
    direct, served = [], []
    options = cuzk.JobOptions(witness_only=True)
    with Client(server.address) as client:
        for i in range(rounds + 5):
            began = time.perf_counter()
            with engine.submit_post(given, options=options) as job:
                job.wait()
            between = time.perf_counter()
            request.request_id = f"cost-{i}"
            client.prove(request)
            ended = time.perf_counter()
            if i >= 5:
                direct.append(1000 * (between - began))
                served.append(1000 * (ended - between))
    put("winning_post_direct_ms", statistics.median(direct), "ms", count=rounds, best=round(min(direct), 3))
    put("winning_post_served_ms", statistics.median(served), "ms", count=rounds, best=round(min(served), 3))
    put("service_per_winning_post_ms", statistics.median(s - d for s, d in zip(served, direct, strict=True)), "ms")
    put("service_per_winning_post_best_ms", min(served) - min(direct), "ms")


def large_request(server: Server, size: int) -> None:
    """A request as large as a C1: from its first byte to the job, and memory. What is in it is refused at once."""
    request = wire.SubmitProofRequest(proof_kind=wire.POREP, vanilla_proof=b"x" * size, sector_number=1, miner_id=1000)
    seconds, peaks = [], []
    with Client(server.address) as client:
        client.status()
        for i in range(5):
            time.sleep(0.5)
            request.request_id = f"large-{i}"
            server.forget_peak()
            before = server.memory("VmRSS")
            began = time.perf_counter()
            job = client.submit(request)
            seconds.append(time.perf_counter() - began)
            with contextlib.suppress(ProofFailed):
                client.wait(job)
            peaks.append((server.memory("VmHWM") - before) * 1e6 / size)
    put("c1_50mb_to_submitted_s", statistics.median(seconds), "s", best=round(min(seconds), 4))
    put("c1_50mb_memory_times_size", statistics.median(peaks), "ratio", most=round(max(peaks), 3))


def many_large(server: Server, count: int, size: int) -> None:
    """Many such requests at once on a budget for four."""
    with Client(server.address) as client:
        request = wire.SubmitProofRequest(
            proof_kind=wire.POREP, vanilla_proof=b"x" * size, sector_number=1, miner_id=1000
        )
        server.forget_peak()
        before = server.memory("VmRSS")
        began = time.perf_counter()

        def one(i: int) -> str:
            mine = wire.SubmitProofRequest()
            mine.CopyFrom(request)
            mine.request_id = f"many-{i}"
            with Client(server.address) as own:
                try:
                    own.prove(mine)
                except ProofFailed:
                    return "answered"
                return "?"

        with ThreadPoolExecutor(count) as pool:
            answers = list(pool.map(one, range(count)))
        put("ten_c1_at_once_s", time.perf_counter() - began, "s", answered=answers.count("answered"))
        put("ten_c1_at_once_peak_mb", server.memory("VmHWM") - before, "MB", client_connections=count)
        client.status()


def many_small(server: Server, clients: int, each: int, request: Any) -> None:
    """So many clients with so many small proofs each: none lost, memory flat."""
    latencies: list[float] = []
    errors: list[str] = []
    lock = threading.Lock()
    resident = [server.memory("VmRSS")]

    def one(c: int) -> None:
        mine = wire.SubmitProofRequest()
        mine.CopyFrom(request)
        with Client(server.address) as client:
            for i in range(each):
                mine.request_id = f"small-{c}-{i}"
                began = time.perf_counter()
                try:
                    client.prove(mine, timeout=600)
                except Exception as e:
                    errors.append(str(e))
                with lock:
                    latencies.append(time.perf_counter() - began)
                    if len(latencies) % (clients * each // 10) == 0:
                        resident.append(server.memory("VmRSS"))

    began = time.perf_counter()
    threads = [threading.Thread(target=one, args=(c,)) for c in range(clients)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    seconds = time.perf_counter() - began
    put("small_proofs", len(latencies) - len(errors), "proofs", lost=len(errors), errors=sorted(set(errors))[:3])
    put("small_proofs_per_second", len(latencies) / seconds, "1/s")
    for p in (50, 99):
        put(f"small_proofs_p{p}_ms", 1000 * percentile(latencies, p), "ms")
    put("small_proofs_resident_mb", resident[-1], "MB", over_time=[round(r) for r in resident])


def main() -> None:
    """Measures."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--quick", action="store_true", help="fewer repeats")
    quick = p.parse_args().quick
    with tempfile.TemporaryDirectory(prefix="cz") as name, cuzk.Engine(backend="cpu") as engine:
        folder = Path(name)
        given = workload.make(engine, "winning_post", "32GiB", folder).input
        small = workload.make(engine, "winning_post", "2KiB", folder).input
        assert isinstance(given, cuzk.PoStRequest) and isinstance(small, cuzk.PoStRequest)
        put("winning_post_request_kb", len(submission(given).SerializeToString()) / 1e3, "kB")
        server = Server(folder)
        try:
            cost_per_winning(engine, server, submission(given), given, 20 if quick else 100)
            large_request(server, 50_000_000)
            many_small(server, 64, 10 if quick else 100, submission(small))
        finally:
            server.close()
        server = Server(folder, "--max-message", "64MiB", "--receive-memory", "384MiB")
        try:
            many_large(server, 10, 50_000_000)
        finally:
            server.close()


if __name__ == "__main__":
    main()
