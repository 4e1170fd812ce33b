"""Devices as Python sees them, with the device library's twin that computes on the CPU."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from test_cli import as_json, run

import cuzk

GIB = 1 << 30


@pytest.fixture(scope="module")
def twin() -> Path:
    """libcuzk_cuda.so without CUDA; it has two devices of 16 GiB."""
    subprocess.run(["make", "-s", "-C", ROOT, "-f", "gpu/cuda/host/host.mk"], check=True)
    return ROOT / "build" / "gpu" / "host" / "libcuzk_cuda.so"


def test_snapshot_shows_devices(twin: Path, params_dir: Path) -> None:
    """Parameters go to every device, are counted there, and go again."""
    with cuzk.Engine(params_dir, backend="cuda", device_library=twin, device_memory_limit=4 * GIB) as engine:
        s = engine.snapshot()
        assert s.backend == "cuda" and s.limit.device == 8 * GIB
        assert [(d.name, d.memory, d.used, d.usable) for d in s.devices] == 2 * [("host twin", 4 * GIB, 0, True)]
        assert len({d.uuid for d in s.devices}) == 2
        engine.load("window_post", 2048)
        loaded = engine.snapshot()
        count, held = loaded.params["device"]
        assert count == 2 and held == loaded.used["params"].device > 0
        assert engine.evict() >= held
        s = engine.snapshot()
        assert s.params["device"] == (0, 0) and s.used["params"].device == 0
        assert all(0 <= after.used < before.used for before, after in zip(loaded.devices, s.devices, strict=True))


def test_devices_are_chosen(twin: Path, vk_dir: Path) -> None:
    with cuzk.Engine(vk_dir, devices=["1"], device_library=twin) as engine:
        chosen = engine.snapshot().devices
    with cuzk.Engine(vk_dir, devices=[chosen[0].uuid], device_library=twin) as engine:
        assert engine.snapshot().devices == chosen
    with pytest.raises(cuzk.NoDevice, match='"7"'):
        cuzk.Engine(vk_dir, devices=["7"], device_library=twin)
    with pytest.raises(cuzk.NoDevice):
        cuzk.Engine(vk_dir, backend="cuda", device_library=vk_dir / "missing.so")


def test_bench_on_devices(twin: Path, params_dir: Path) -> None:
    options = ("--backend", "cuda", "--device-library", twin, "--device-memory-limit", "2GiB", "--params", params_dir)
    p = run("bench", "status", "--devices", "0", *options)
    assert p.returncode == 0 and "host twin" in p.stdout and "2.00 GiB" in p.stdout, p.stderr
    p = run("bench", "preload", "--kind", "window_post", "--repeats", "1", *options, "--json")
    assert '"preload_window_post_2kib_device_gib"' in p.stdout, p.stderr
    p = run("bench", "microbench", "--log2", "6", "--repeats", "2", *options, "--json")
    assert '"ntt_2p6_ms"' in p.stdout and '"msm_g1_2p6_ms"' in p.stdout and "sha256" not in p.stdout, p.stderr
    p = run("bench", "microbench", "--log2", "6", "--what", "sha256", *options, "--json")
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "unsupported"
    p = run("bench", "status", "--devices", "7", *options, "--json")
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "no_device"
