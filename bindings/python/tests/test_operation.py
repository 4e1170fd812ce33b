"""An engine in operation: what jobs may ask for, what can be seen, what stays in memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_kinds import post

import cuzk


def test_job_options_are_checked(engine: cuzk.Engine) -> None:
    request, _ = post("2k-v1_1", "window_post")
    for bad, what in (
        (cuzk.JobOptions(priority="urgent"), "priority"),
        (cuzk.JobOptions(key="a\0b"), "NUL"),
        (cuzk.JobOptions(deadline=0), "deadline"),
        (cuzk.JobOptions(deadline=float("nan")), "deadline"),
    ):
        with pytest.raises(ValueError, match=what):
            engine.submit_post(request, options=bad)


def test_key(params_dir: Path) -> None:
    """The same request with the same key is the same job; another is a conflict."""
    request, info = post("2k-v1_1", "window_post")
    other, _ = post("2k-window3", "window_post")
    once = cuzk.JobOptions(priority="high", key="window 7")
    with cuzk.Engine(params_dir) as engine:
        with engine.submit_post(request, options=once) as job:
            proof = job.wait()
            report = job.report()
            assert (report["key"], report["priority"]) == ("window 7", "high")
            with engine.submit_post(request, options=once) as again:
                assert again.wait() == proof
                assert again.report()["id"] == report["id"]
            with pytest.raises(cuzk.Conflict):
                engine.submit_post(other, options=once)
        assert engine.verify_post(info, proof)


def test_deadline(engine: cuzk.Engine, tmp_path: Path) -> None:
    with (
        engine.submit_params("porep", 2048, tmp_path, "golden", options=cuzk.JobOptions(deadline=0.05)) as job,
        pytest.raises(cuzk.Deadline),
    ):
        job.wait(timeout=60)


def test_views(params_dir: Path) -> None:
    request, _ = post("2k-v1_1", "window_post")
    with cuzk.Engine(params_dir) as engine:
        assert engine.evict() == 0
        engine.load("window_post", 2048)
        engine.prove_post(request)
        assert isinstance(engine.status(), dict) and engine.status()
        assert "# TYPE" in engine.metrics()
        assert json.loads(engine.trace())
        engine.evict("window_post", 2048)
        with pytest.raises(ValueError, match="kind"):
            engine.load("post", 2048)
        with pytest.raises(ValueError, match="kind"):
            engine.evict("post")
        with pytest.raises(cuzk.CuzkError):
            engine.load("window_post", 2049)


def test_drain(engine: cuzk.Engine, tmp_path: Path) -> None:
    with engine.submit_params("porep", 2048, tmp_path, "golden") as job:
        with pytest.raises(cuzk.Timeout):
            engine.drain(timeout=0.2)
        with pytest.raises(cuzk.Closed):
            engine.submit_params("porep", 2048, tmp_path, "golden")
        job.cancel()
        engine.drain(timeout=60)
        with pytest.raises(cuzk.Cancelled):
            job.wait(timeout=60)


def test_load_needs_parameters(engine: cuzk.Engine) -> None:
    with pytest.raises(cuzk.SrsMissing):
        engine.load("update", 2048)


def test_what_makes_no_sense_is_refused(engine: cuzk.Engine, tmp_path: Path) -> None:
    for devices in ([""], ["0", ""], ""):
        with pytest.raises(ValueError, match="devices"):
            cuzk.Engine(tmp_path, devices=devices)
    with pytest.raises(ValueError, match="key"):
        engine.submit_post(post("2k-v1_1", "window_post")[0], options=cuzk.JobOptions(key=""))
    with pytest.raises(ValueError, match="timeout"):
        engine.drain(float("nan"))
    with pytest.raises(cuzk.NoDevice, match=r"/nonexistent/x.so"):
        cuzk.Engine(tmp_path, device_library="/nonexistent/x.so")
    with cuzk.Engine(tmp_path) as other:
        other.drain(float("inf"))
