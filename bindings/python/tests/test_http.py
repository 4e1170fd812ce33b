"""The operator's port: answers, refusals, and the page in a browser."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SECTOR
from serving import Served, porep, serving, winning, wrapped
from test_serve import free_port

from cuzk.client import Client, ProofFailed

FORGED = '<img src=x onerror=alert(1)><script>document.title="taken"</script>'


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Client, int]]:
    """A server with the port, and work that is done, failed and under way."""
    port = free_port()
    flags = ("--witness-only", "--http", f"127.0.0.1:{port}", "--http-hosts", "prover.lan")
    with serving(tmp_path_factory.mktemp("params"), *flags) as (served, client):
        client.prove(winning("winpost-1001-done"))
        bad = winning(FORGED)
        bad.sector_size = 32 << 30
        with pytest.raises(ProofFailed):
            client.prove(bad)
        yield served, client, port


def ask(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def test_each_answer(operated: tuple[Served, Client, int]) -> None:
    *_, port = operated
    for path, kind in (
        ("/", "text/html"), ("/metrics", "text/plain"), ("/status", "application/json"),
        ("/timeline", "application/json"), ("/healthz", "text/plain"), ("/readyz", "text/plain"),
    ):  # fmt: skip
        status, headers, body = ask(port, path)
        assert status == 200 and headers["Content-Type"].startswith(kind) and body, path
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
        head = ask(port, path + "?x=1", "HEAD")
        assert head[0] == 200 and head[2] == b""
    assert b"cuzk_ready 1" in ask(port, "/metrics")[2]


def test_status_tells_what_was_done(operated: tuple[Served, Client, int]) -> None:
    *_, port = operated
    status: dict[str, Any] = json.loads(ask(port, "/status")[2])
    (failure,) = status["failures"]
    assert failure["label"] == FORGED and failure["error"]["name"] == "input_mismatch"
    assert {"kind": "winning_post", "state": "done", "count": 1} in status["counts"]
    assert status["ready"] and status["requests"]["receivers"] == 6
    timeline = json.loads(ask(port, "/timeline")[2])
    row = next(r for r in timeline["rows"] if r["label"] == "winpost-1001-done" and r["partition"] == 0)
    assert any(name == "solve" for name, *_ in row["spans"])
    assert all(-300 < start <= end <= 0.5 for r in timeline["rows"] for _, start, end in r["spans"])


def test_nothing_writes_and_nothing_else_is_there(operated: tuple[Served, Client, int]) -> None:
    *_, port = operated
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "WHATEVER"):
        status, headers, _ = ask(port, "/status", method)
        assert status == 405 and headers["Allow"] == "GET, HEAD", method
    for path in ("/nothing", "/../page.html", "/status/", "/%2e%2e/"):
        assert ask(port, path)[0] == 404, path


def test_only_our_names_are_answered(operated: tuple[Served, Client, int]) -> None:
    *_, port = operated
    for host in (
        "localhost",
        f"localhost:{port}",
        "127.0.0.1",
        "[::1]:80",
        "192.168.1.7",
        "prover.lan",
        "PROVER.lan:1",
    ):
        assert ask(port, "/status", Host=host)[0] == 200, host
    for host in ("evil.example", "localhost.evil.example", "", "127.0.0.1.evil.example"):
        assert ask(port, "/status", Host=host)[0] == 421, host


def test_slow_and_idle_connections_disturb_nobody(operated: tuple[Served, Client, int]) -> None:
    *_, port = operated
    with ExitStack() as stack:
        for i in range(40):
            s = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            if i % 2:
                s.sendall(b"GET /status HTT")
        assert ask(port, "/healthz")[0] == 200


def test_not_ready_while_draining_or_without_parameters(tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path, "--http", f"127.0.0.1:{port}"):
        assert ask(port, "/healthz")[0] == 200
        status, _, body = ask(port, "/readyz")
        assert status == 503 and f"no parameter files in {tmp_path}".encode() in body


def test_the_page_takes_nothing_from_elsewhere() -> None:
    page = (Path(__file__).parents[1] / "src" / "cuzk" / "http" / "page.html").read_text()
    for forbidden in ("http://", "https://", "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
        assert forbidden not in page, forbidden


def test_the_page_in_a_browser(operated: tuple[Served, Client, int], tmp_path: Path) -> None:
    """Chromium shows a busy engine; what callers send is text and nothing else."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium: apt-get install chromium")
    _, client, port = operated
    c1 = (SECTOR / "c1-0.json").read_bytes()
    stop = threading.Event()

    def load(caller: int) -> None:
        i = 0
        while not stop.is_set():
            client.prove(porep(f"busy-{caller}-{i}", wrapped(c1 + b" " * (2 << 20))))
            i += 1

    threads = [threading.Thread(target=load, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    try:
        time.sleep(0.5)
        for size, name in (("1280,1400", "wide"), ("390,2400", "phone")):
            flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}"]
            picture = tmp_path / f"{name}.png"
            found = subprocess.run(
                [browser, *flags, f"--user-data-dir={tmp_path}/{name}", "--virtual-time-budget=2500", "--dump-dom",
                 f"--screenshot={picture}", f"http://127.0.0.1:{port}/"],
                capture_output=True, text=True, timeout=120,
            )  # fmt: skip
            dom = found.stdout
            assert picture.stat().st_size > 20_000
            for text in ("ready", "busy-", "PoRep", "input_mismatch", "WinningPoSt", "Inputs of waiting jobs", "solve"):
                assert text in dom, (text, dom[-3000:], found.stderr[-500:])
            assert "&lt;img src=x" in dom and "<img" not in dom and "<title>taken" not in dom.split("<body>")[0]
            assert "What is shown may be old: " not in dom.split("<script>")[0]
    finally:
        stop.set()
        for t in threads:
            t.join()


def test_dashboard_and_alerts_ask_for_metrics_that_there_are(operated: tuple[Served, Client, int]) -> None:
    *_, port = operated
    declared = {line.split()[2] for line in ask(port, "/metrics")[2].decode().splitlines() if line[:6] == "# TYPE"}
    asked: set[str] = set()
    for name in ("grafana.json", "operations.md"):
        text = (ROOT / "docs" / name).read_text()
        asked |= set(re.findall(r"\b(cuzk_\w+?)(?:_bucket|_count|_sum)?(?=[{\[) `=>])", text))
    assert len(asked) > 15 and not asked - declared - {"cuzk_cuda"}, asked - declared
