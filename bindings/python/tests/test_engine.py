"""The engine and its jobs: good input, bad input, misuse."""

from __future__ import annotations

import gzip
import json
import pickle
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SECTORS, golden_json

import cuzk

PROVER = cuzk.prover_id(1001)


def test_prover_id() -> None:
    assert PROVER.hex() == "e907" + "00" * 30
    assert cuzk.prover_id(0) == bytes(32)
    assert cuzk.prover_id(2**64 - 1) == bytes.fromhex("ffffffffffffffffff01").ljust(32, b"\0")
    for bad in (-1, 2**64):
        with pytest.raises(ValueError, match="miner_id"):
            cuzk.prover_id(bad)


def test_verify(engine: cuzk.Engine, info: cuzk.PoRepInfo, golden_proof: bytes) -> None:
    assert engine.verify_porep(info, golden_proof)
    assert not engine.verify_porep(replace(info, sector_number=102), golden_proof)
    assert not engine.verify_porep(replace(info, registered_proof=0), golden_proof)
    assert not engine.verify_porep(replace(info, seed=bytes(31) + b"\1"), golden_proof)
    flipped = bytearray(golden_proof)
    flipped[0] ^= 0x20  # the other root: still a point
    assert not engine.verify_porep(info, bytes(flipped))


def test_verify_refuses(engine: cuzk.Engine, info: cuzk.PoRepInfo, golden_proof: bytes) -> None:
    for proof in (b"", golden_proof[:-1], golden_proof * 2, bytes(192)):
        with pytest.raises(cuzk.ProofMalformed):
            engine.verify_porep(info, proof)
    with pytest.raises(cuzk.InputValue):
        engine.verify_porep(replace(info, comm_r=b"\xff" * 32), golden_proof)
    with pytest.raises(cuzk.CuzkError) as e:
        engine.verify_porep(replace(info, registered_proof=99), golden_proof)
    assert "99" in str(e.value)
    with pytest.raises(cuzk.SrsMissing, match=r"v28-fil-inner-product-v1\.srs"):
        engine.verify_porep(replace(info, registered_proof=15), golden_proof)
    with pytest.raises(ValueError, match="comm_d"):
        engine.verify_porep(replace(info, comm_d=b"short"), golden_proof)


def test_un_aggregated_proofs(engine: cuzk.Engine, info: cuzk.PoRepInfo, golden_proof: bytes) -> None:
    """A non-interactive PoRep has 13 partitions at 2 KiB; its aggregate needs an SRS."""
    ni = replace(info, registered_proof=15, circuit_proofs=True)
    assert not engine.verify_porep(ni, golden_proof * 13)
    with pytest.raises(cuzk.ProofMalformed):
        engine.verify_porep(ni, golden_proof * 12)
    c1 = gzip.decompress((SECTORS / "2k-ni" / "c1.json.gz").read_bytes())
    sector = golden_json("2k-ni/sector-0.json")
    where = (sector["sector_number"], cuzk.prover_id(sector["miner_id"]))
    with pytest.raises(cuzk.SrsMissing, match=r"v28-fil-inner-product-v1\.srs"):
        engine.prove_porep(c1, *where)
    with pytest.raises(cuzk.SrsMissing):
        engine.prove_porep(c1, *where, circuit_proofs=True)
    # Every other proof has one form.
    assert engine.verify_porep(replace(info, circuit_proofs=True), golden_proof)


def test_errors_show_code_and_text(engine: cuzk.Engine, c1: bytes) -> None:
    with pytest.raises(cuzk.InputSyntax) as e:
        engine.prove_porep(b"{}", 101, PROVER)
    assert e.value.code == cuzk.Code.INPUT_SYNTAX
    assert e.value.name == "input_syntax"
    assert e.value.message and not e.value.retryable
    again = pickle.loads(pickle.dumps(e.value))
    assert type(again) is cuzk.InputSyntax and str(again) == str(e.value)
    with pytest.raises(cuzk.InputMismatch):
        engine.prove_porep(c1, 102, PROVER)
    with pytest.raises(cuzk.SrsMissing, match="param"):
        engine.prove_porep(c1, 101, PROVER)


def test_options_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="backend"):
        cuzk.Engine(tmp_path, backend="gpu")
    with pytest.raises(ValueError, match="threads"):
        cuzk.Engine(tmp_path, threads=-1)
    with pytest.raises(ValueError, match="NUL"):
        cuzk.Engine("a\0b")
    with pytest.raises(cuzk.NoDevice):
        cuzk.Engine(tmp_path, backend="cuda")


def test_junk_in_the_environment(monkeypatch: pytest.MonkeyPatch, vk_dir: Path) -> None:
    for junk in ("", "/dev/null"):
        monkeypatch.setenv("FIL_PROOFS_PARAMETER_CACHE", junk)
        with pytest.raises(cuzk.Argument, match="FIL_PROOFS_PARAMETER_CACHE"):
            cuzk.Engine()
    monkeypatch.setenv("FIL_PROOFS_PARAMETER_CACHE", str(vk_dir))
    cuzk.Engine().close()


def test_closed(vk_dir: Path, c1: bytes) -> None:
    engine = cuzk.Engine(vk_dir)
    job = engine.submit_porep(c1, 101, PROVER)
    engine.close()
    engine.close()
    with pytest.raises(ValueError, match="engine is closed"):
        engine.prove_porep(c1, 101, PROVER)
    with pytest.raises(cuzk.CuzkError):
        job.wait()
    job.close()
    job.close()
    with pytest.raises(ValueError, match="job is closed"):
        job.result()


def test_job_timeout_and_cancel(engine: cuzk.Engine, tmp_path: Path) -> None:
    with engine.submit_params("porep", 2048, tmp_path, "golden") as job:
        with pytest.raises(cuzk.Timeout):
            job.wait(timeout=0.01)
        with pytest.raises(cuzk.Busy):
            job.result()
        assert job.report()["state"] in ("queued", "running")
        assert job.cancel()
        with pytest.raises(cuzk.Cancelled):
            job.wait(timeout=60)
        assert not job.cancel(), "it had ended before"
        report = job.report()
        assert report["state"] == "cancelled" and report["error"]["name"] == "cancelled"
    assert not list(tmp_path.glob("*.params*"))


def test_threads(engine: cuzk.Engine, info: cuzk.PoRepInfo, golden_proof: bytes) -> None:
    results: list[bool] = []
    threads = [
        threading.Thread(target=lambda: results.append(engine.verify_porep(info, golden_proof))) for _ in range(8)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [True] * 8


def test_progress(engine: cuzk.Engine, c1: bytes) -> None:
    """Of a witness, which needs no parameters; test_cli.py has the proof."""
    stages: list[str] = []
    witness_only = cuzk.JobOptions(witness_only=True)
    assert engine.prove_porep(c1, 101, PROVER, progress=lambda p: stages.append(p.stage), options=witness_only) == b""
    assert stages and set(stages) <= {"queued", "parse", "check", "compile", "solve"}


def test_cancel_in_a_long_partition(params_dir: Path, c1: bytes) -> None:
    """A job in the midst of its one partition stops within 5 s and gives its memory back."""
    with cuzk.Engine(params_dir) as engine, engine.submit_porep(c1, 101, PROVER) as job:
        while (report := job.report())["stage"] != "prove":
            assert report["state"] not in ("done", "failed", "cancelled"), report
            time.sleep(0.05)
        time.sleep(1)
        stopped = time.monotonic()
        assert job.cancel()
        with pytest.raises(cuzk.Cancelled):
            job.wait(timeout=60)
        while any(use["purpose"] == "partition" for use in engine.status()["memory"]["used"]):
            assert time.monotonic() - stopped < 5
        assert time.monotonic() - stopped < 5


def test_close_wakes_every_waiter(params_dir: Path, c1: bytes) -> None:
    engine = cuzk.Engine(params_dir)
    job = engine.submit_porep(c1, 101, PROVER)
    ends: list[type[Exception]] = []

    def wait() -> None:
        try:
            job.wait()
        except cuzk.CuzkError as e:
            ends.append(type(e))

    waiters = [threading.Thread(target=wait) for _ in range(3)]
    for waiter in waiters:
        waiter.start()
    time.sleep(0.2)
    engine.close()
    for waiter in waiters:
        waiter.join(timeout=60)
    assert ends == [cuzk.Closed] * 3


def test_report_is_json(engine: cuzk.Engine) -> None:
    with engine.submit_porep(b"[]", 1, PROVER) as job:
        with pytest.raises(cuzk.InputSyntax):
            job.wait()
        report = job.report()
    assert report["kind"] == "porep"
    assert [s["name"] for s in report["stages"]] == ["queued", "parse"]
    json.dumps(report)
