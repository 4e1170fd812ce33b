"""The command line for WinningPoSt, WindowPoSt and sector updates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import SECTORS, fixed_proof, golden_json
from test_cli import as_json, run

WINDOW3 = SECTORS / "2k-window3" / "window_post.json"


@pytest.fixture
def window3_proof(tmp_path: Path) -> Path:
    path = tmp_path / "proof"
    path.write_bytes(fixed_proof("2k-window3/proof-window_post-0.json"))
    return path


@pytest.mark.parametrize("kind", ["winning_post", "window_post", "update"])
def test_verify(kind: str, vk_dir: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    proof.write_bytes(fixed_proof(f"2k-v1_1/proof-{kind}-0.json"))
    command = ("verify", kind, "--request", SECTORS / "2k-v1_1" / f"{kind}.json", "--proof", proof, "--params", vk_dir)
    p = run(*command)
    assert (p.returncode, p.stdout, p.stderr) == (0, "valid\n", "")
    other = SECTORS / "2k-synthetic" / f"{kind}.json"
    p = run("verify", kind, "--request", other, "--proof", proof, "--params", vk_dir, "--json")
    assert p.returncode == 1 and as_json(p)["valid"] is False


def test_verify_needs_no_vanilla_proofs(vk_dir: Path, window3_proof: Path, tmp_path: Path) -> None:
    alone = tmp_path / "request.json"
    shutil.copy(WINDOW3, alone)
    verify = ("verify", "window_post", "--request", alone, "--params", vk_dir)
    assert run(*verify, "--proof", window3_proof).returncode == 0
    p = run("prove", "window_post", "--request", alone, "--out", tmp_path / "out", "--params", vk_dir, "--json")
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "os"
    assert as_json(p)["error"]["detail"].endswith("window_post-0.vanilla")


def test_verify_one_partition(vk_dir: Path, window3_proof: Path, tmp_path: Path) -> None:
    value = golden_json("2k-window3/window_post.json")
    value["sectors"] = value["sectors"][2:]
    request = tmp_path / "request.json"
    request.write_text(json.dumps(value))
    part = tmp_path / "part"
    part.write_bytes(window3_proof.read_bytes()[192:])
    verify = ("verify", "window_post", "--request", request, "--proof", part, "--params", vk_dir)
    assert run(*verify, "--partition", "1").returncode == 0
    assert run(*verify, "--partition", "-1").returncode == 2


def test_merge(window3_proof: Path, tmp_path: Path) -> None:
    parts = [tmp_path / "a", tmp_path / "b"]
    parts[0].write_bytes(window3_proof.read_bytes()[:192])
    parts[1].write_bytes(window3_proof.read_bytes()[192:])
    merge = ("merge", "window_post", "--out", tmp_path / "merged")
    p = run(*merge, "--registered-proof", "StackedDrgWindow2KiBV1_1", *parts, "--json")
    assert p.returncode == 0 and as_json(p)["proof"] == window3_proof.read_bytes().hex()
    assert (tmp_path / "merged").read_bytes() == window3_proof.read_bytes()
    assert run(*merge, "--registered-proof", "StackedDrgWindow3KiBV1", *parts).returncode == 2
    (tmp_path / "merged").unlink()
    p = run(*merge, "--registered-proof", "10", parts[0], WINDOW3, "--json")
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "proof_malformed"
    assert not (tmp_path / "merged").exists()


BAD_REQUESTS: list[tuple[str, dict[str, Any], str]] = [
    ("window_post", {"registered_post_proof": "StackedDrgWinning2KiBV1"}, "is no window_post"),
    ("window_post", {"registered_post_proof": 99}, "registered proof"),
    ("window_post", {"randomness": "00"}, "64 hex digits"),
    ("window_post", {"miner_id": 7}, "same miner"),
    ("window_post", {"sectors": {}}, "sectors is not a list"),
    ("window_post", {"sectors": [{}]}, "no 'file'"),
    ("window_post", {"sectors": [5]}, "not a request file"),
    ("winning_post", {"randomness": 5}, "not a request file"),
    ("update", {"comm_r_old": None}, "not a request file"),
    ("update", {"files": "update-0.vanilla"}, "files is not a list"),
    ("update", {"registered_update_proof": "StackedDrg2KiBV1_1"}, "registered proof"),
]


@pytest.mark.parametrize(("kind", "change", "message"), BAD_REQUESTS)
def test_request_files(kind: str, change: dict[str, Any], message: str, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps({**golden_json(f"2k-window3/{kind}.json"), **change}))
    p = run("prove", kind, "--request", request, "--out", tmp_path / "out", "--json")
    assert p.returncode == 2 and message in as_json(p)["error"]["message"], p.stdout
    assert not (tmp_path / "out").exists()


def test_numbers_out_of_range(vk_dir: Path, window3_proof: Path, tmp_path: Path) -> None:
    verify = ("verify", "window_post", "--proof", window3_proof, "--params", vk_dir, "--json")
    p = run(*verify, "--request", WINDOW3, "--partition", str(1 << 32))
    assert p.returncode == 2 and "partition" in as_json(p)["error"]["message"]
    p = run(*verify, "--request", WINDOW3, "--threads", "-1")
    assert p.returncode == 2 and "threads" in as_json(p)["error"]["message"]
    value = golden_json("2k-window3/window_post.json")
    value["sectors"][0]["sector_number"] = 1 << 64
    request = tmp_path / "request.json"
    request.write_text(json.dumps(value))
    p = run(*verify, "--request", request)
    assert p.returncode == 2 and "sector_number" in as_json(p)["error"]["message"]


def test_request_files_that_are_none(tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    for text in (b"", b"[]", b"{}", b"\xff", b"null"):
        request.write_bytes(text)
        p = run("verify", "update", "--request", request, "--proof", request)
        assert p.returncode == 2 and "not a request file" in p.stderr


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("2k-v1_1", "winning_post"), ("2k-window3", "window_post"), ("2k-v1_1", "update")],
)
def test_prove_then_verify(folder: str, kind: str, params_dir: Path, tmp_path: Path) -> None:
    out, request = tmp_path / "proof", SECTORS / folder / f"{kind}.json"
    p = run("prove", kind, "--request", request, "--params", params_dir, "--out", out, "--json")
    assert p.returncode == 0, p.stderr
    assert as_json(p)["proof"] == out.read_bytes().hex()
    assert {"parse", "check", "solve", "prove", "verify"} <= {s["name"] for s in as_json(p)["stages"]}
    assert run("verify", kind, "--request", request, "--proof", out, "--params", params_dir).returncode == 0
