"""What needs no parameters: fixtures, witnesses, measurements, and a look inside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cuzk
from cuzk.cli import request


def test_fixtures_are_solved(tmp_path: Path) -> None:
    witness_only = cuzk.JobOptions(witness_only=True)
    with cuzk.Engine(tmp_path) as engine:
        sector = json.loads(engine.make_fixture("porep", 2048, tmp_path, seed=3).read_bytes())
        c1 = (tmp_path / "c1.json").read_bytes()
        where = (c1, sector["sector_number"], cuzk.prover_id(sector["miner_id"]))
        assert engine.prove_porep(*where, options=witness_only) == b""
        with pytest.raises(cuzk.SrsMissing):
            engine.prove_porep(*where)
        path = engine.make_fixture("window_post", 2048, tmp_path, sectors=3)
        window = request.post_request(path, "window_post", None)
        assert len(window.vanilla_proofs) == 3
        with engine.submit_post(window, options=witness_only) as job:
            assert job.wait() == b""
            assert "prove" not in [s["name"] for s in job.report()["stages"]]
        with pytest.raises(cuzk.Argument, match="sectors"):
            engine.make_fixture("update", 2048, tmp_path, sectors=3)
        with pytest.raises(ValueError, match="seed"):
            engine.make_fixture("update", 2048, tmp_path, seed=-1)


def test_measure(engine: cuzk.Engine) -> None:
    times = engine.measure("ntt", 10, 3)
    assert len(times) == 3 and all(0 < t < 10 for t in times)
    with pytest.raises(ValueError, match="what"):
        engine.measure("fft", 10)
    with pytest.raises(cuzk.Argument):
        engine.measure("ntt", 29)


def test_snapshot(engine: cuzk.Engine) -> None:
    with pytest.raises(cuzk.SrsMissing):
        engine.load("update", 2048)
    s = engine.snapshot()
    assert (s.version, s.backend, s.devices) == (cuzk.__version__, "cpu", ())
    assert s.jobs == {"queued": 0, "running": 0, "done": 0, "failed": 1, "cancelled": 0}
    assert s.limit.host > 0 and s.input_limit > 0 and s.threads > 0
    assert s.used["partitions"].total == 0 and s.params["mapped"] == (0, 0)
    status = engine.status()
    assert (status["version"], status["backend"], status["devices"]) == (s.version, "cpu", [])
    with engine.submit_measure("ntt", 12, 1 << 16) as job:
        while (s := engine.snapshot()).jobs["running"] == 0 or s.used["other"].host == 0:
            assert s.jobs["failed"] == 1
        job.cancel()
        with pytest.raises(cuzk.Cancelled):
            job.wait(timeout=60)
    assert engine.snapshot().jobs["cancelled"] == 1
