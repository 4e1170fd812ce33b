"""The command line as people and scripts use it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDEN, SECTOR


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "cuzk", *arguments], capture_output=True, text=True)


def as_json(p: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(p.stdout)
    return value


@pytest.fixture
def proof_file(tmp_path: Path, golden_proof: bytes) -> Path:
    path = tmp_path / "proof"
    path.write_bytes(golden_proof)
    return path


VERIFY = ("verify", "porep", "--sector", SECTOR / "sector-0.json")


def test_verify(vk_dir: Path, proof_file: Path) -> None:
    p = run(*VERIFY, "--proof", proof_file, "--params", vk_dir)
    assert (p.returncode, p.stdout, p.stderr) == (0, "valid\n", "")
    p = run(*VERIFY, "--proof", proof_file, "--params", vk_dir, "--json")
    assert p.returncode == 0 and as_json(p)["valid"] is True


def test_verify_exit_status_is_0_only_if_valid(vk_dir: Path, proof_file: Path) -> None:
    p = run(*VERIFY, "--proof", proof_file, "--params", vk_dir, "--sector-number", "102", "--json")
    assert p.returncode == 1 and as_json(p)["valid"] is False and as_json(p)["ok"] is False
    proof_file.write_bytes(b"no proof")
    p = run(*VERIFY, "--proof", proof_file, "--params", vk_dir)
    assert p.returncode == 1 and "proof_malformed" in p.stderr and p.stdout == ""


def test_verify_wants_every_input(vk_dir: Path, proof_file: Path, tmp_path: Path) -> None:
    p = run("verify", "porep", "--proof", proof_file, "--params", vk_dir, "--json")
    assert p.returncode == 2 and "comm_r" in as_json(p)["error"]["message"]
    broken = tmp_path / "sector.json"
    broken.write_text("[]")
    p = run("verify", "porep", "--proof", proof_file, "--sector", broken)
    assert p.returncode == 2 and "not a sector file" in p.stderr
    broken.write_text((SECTOR / "sector-0.json").read_text().replace('"sector_number": 101', '"sector_number": "101"'))
    p = run("verify", "porep", "--proof", proof_file, "--sector", broken)
    assert p.returncode == 2 and "Traceback" not in p.stderr


def test_verify_without_sector_file(vk_dir: Path, proof_file: Path, sector: dict[str, Any]) -> None:
    options = ["--registered-proof", "StackedDrg2KiBV1_1", "--sector-number", "101", "--miner-id", "1001"]
    for name in ("comm_r", "comm_d", "ticket", "seed"):
        options += ["--" + name.replace("_", "-"), sector[name]]
    assert run("verify", "porep", "--proof", proof_file, "--params", vk_dir, *options).returncode == 0
    options[1] = "StackedDrg3KiBV1"
    p = run("verify", "porep", "--proof", proof_file, "--params", vk_dir, *options)
    assert p.returncode == 2 and "StackedDrg3KiBV1" in p.stderr


def test_failures_write_nothing(vk_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    c1 = SECTOR / "c1-0.json"
    prove = ("prove", "porep", "--sector-number", "101", "--miner-id", "1001", "--out", out, "--json")
    p = run(*prove, "--c1", c1, "--params", vk_dir)
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "srs_missing"
    p = run(*prove, "--c1", tmp_path / "missing", "--params", vk_dir)
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "os"
    p = run(*prove, "--c1", GOLDEN / "README.md", "--params", vk_dir)
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "input_syntax"
    p = run(*prove, "--c1", c1, "--params", vk_dir, "--miner-id", "7")
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "input_mismatch"
    p = run(*prove, "--c1", c1, "--params", vk_dir, "--out", tmp_path / "no" / "out")
    assert p.returncode == 2
    assert not [f for f in tmp_path.iterdir() if f.suffix != ".vk"]


@pytest.mark.parametrize("bad", ["2KB", "2", "KiB", "-1KiB", "2kib", "1.5KiB", "3KiB", "2TiB"])
def test_params_make_refuses_sizes(bad: str, tmp_path: Path) -> None:
    p = run("params", "make", "--kind", "porep", f"--size={bad}", "--out", tmp_path)
    assert p.returncode in (1, 2) and p.stderr
    assert not list(tmp_path.iterdir())


def test_prove_then_verify(params_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "proof"
    p = run(
        "prove", "porep", "--c1", SECTOR / "c1-0.json", "--sector-number", "101", "--miner-id", "1001",
        "--params", params_dir, "--out", out, "--json",
    )  # fmt: skip
    assert p.returncode == 0, p.stderr
    result = as_json(p)
    assert result["proof"] == out.read_bytes().hex() and len(out.read_bytes()) == 192
    assert {"parse", "check", "solve", "prove", "verify"} <= {s["name"] for s in result["stages"]}
    assert run(*VERIFY, "--proof", out, "--params", params_dir).returncode == 0
