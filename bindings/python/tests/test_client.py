"""``python -m cuzk client`` against a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SECTOR
from serving import Served, serving

from cuzk.cli import main
from cuzk.client import Client, miner_id


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("params"), "--witness-only") as (served, _):
        yield _address(served)


def _address(served: Served) -> str:
    arguments: list[str] = served.process.args  # type: ignore[assignment]
    return arguments[arguments.index("--listen") + 1]


def asked(capsys: pytest.CaptureFixture[str], address: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    status = main(["client", *arguments, "--server", address, "--json"])
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


def test_each_kind_is_proved(capsys: pytest.CaptureFixture[str], address: str, tmp_path: Path) -> None:
    out = str(tmp_path / "proof")
    for kind, *flags in (
        ("porep", "--c1", str(SECTOR / "c1-0.json"), "--sector-number", "101", "--miner-id", "1001"),
        ("winning_post", "--request", str(SECTOR / "winning_post.json")),
        ("window_post", "--request", str(SECTOR / "window_post.json")),
        ("update", "--request", str(SECTOR / "update.json")),
    ):
        status, answer = asked(capsys, address, "prove", kind, *flags, "--out", out)
        assert status == 0 and answer["ok"] and answer["times"]["synthesis_ms"] >= 0, kind
    assert Path(out).read_bytes() == b""  # the server only solves


def test_submit_await_cancel(capsys: pytest.CaptureFixture[str], address: str, tmp_path: Path) -> None:
    request = str(SECTOR / "winning_post.json")
    status, answer = asked(capsys, address, "submit", "winning_post", "--request", request, "--request-id", "a")
    assert status == 0
    job = answer["job"]
    assert asked(capsys, address, "await", job, "--out", str(tmp_path / "p"))[0] == 0
    assert asked(capsys, address, "cancel", job)[1]["was_running"] is False
    status, answer = asked(capsys, address, "await", "nothing", "--out", str(tmp_path / "p"))
    assert status == 1 and "NOT_FOUND" in answer["error"]["message"]


def test_what_the_server_shows(capsys: pytest.CaptureFixture[str], address: str) -> None:
    status, answer = asked(capsys, address, "status")
    assert status == 0 and {q["proof_kind"] for q in answer["status"]["queues"]} >= {"porep-c2", "winning-post"}
    assert main(["client", "metrics", "--server", address]) == 0
    assert "cuzk_ready 1" in capsys.readouterr().out
    assert asked(capsys, address, "evict")[1]["was_loaded"] is False
    status, answer = asked(capsys, address, "preload", "porep-32g")
    assert status == 1 and "srs_missing" in answer["error"]["message"]


def test_bench(capsys: pytest.CaptureFixture[str], address: str) -> None:
    flags = ["--mix", "winning_post:2KiB=2,update:2KiB", "--count", "6", "--callers", "3", "--connections", "2"]
    assert main(["client", "bench", *flags, "--server", address, "--json"]) == 0
    figures = {r["name"]: r["value"] for r in map(json.loads, capsys.readouterr().out.splitlines())}
    assert figures["service_proofs"] == 6 and figures["service_failed"] == 0
    assert any(name.endswith("_latency_p99_s") for name in figures)


def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, answer = asked(capsys, f"unix://{tmp_path}/nobody", "status")
    assert status == 1 and "UNAVAILABLE" in answer["error"]["message"]
    assert main(["client", "status", "--tls-ca", "x", "--server", "127.0.0.1:1"]) == 2
    with pytest.raises(SystemExit):
        main(["client", "bench", "--mix", "porep"])
    with Client(f"unix://{tmp_path}/nobody"):
        pass  # opened with the first call
    assert miner_id(bytes([0xE9, 7]) + bytes(30)) == 1001
    with pytest.raises(ValueError, match="of no miner"):
        miner_id(b"\xff" * 32)
