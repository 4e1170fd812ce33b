"""What the tests share: golden data, test parameters, an engine."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cuzk

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"
SECTORS = GOLDEN / "sectors"
SECTOR = SECTORS / "2k-v1_1"
PARAMS = {
    "porep": "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
    "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f",
    "winning_post": "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
    "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e",
    "window_post": "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
    "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0",
    "update": "v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-"
    "fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194",
}


def golden_json(name: str) -> dict[str, Any]:
    """A JSON file below golden/sectors."""
    value: dict[str, Any] = json.loads((SECTORS / name).read_bytes())
    return value


def fixed_proof(name: str) -> bytes:
    """The proof in a golden JSON file, made with fixed randomness."""
    return bytes.fromhex(golden_json(name)["proof"])


@pytest.fixture(autouse=True)
def no_operator_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests do not see what the operator has set."""
    monkeypatch.delenv("FIL_PROOFS_PARAMETER_CACHE", raising=False)


@pytest.fixture(scope="session")
def c1() -> bytes:
    """The golden commit-phase-1 output."""
    return (SECTOR / "c1-0.json").read_bytes()


@pytest.fixture(scope="session")
def sector() -> dict[str, Any]:
    """What the chain knows of the golden sector."""
    return golden_json("2k-v1_1/sector-0.json")


@pytest.fixture(scope="session")
def info(sector: dict[str, Any]) -> cuzk.PoRepInfo:
    """The golden sector as public inputs; its registered proof is StackedDrg2KiBV1_1."""
    commitments = (bytes.fromhex(sector[n]) for n in ("comm_r", "comm_d", "ticket", "seed"))
    return cuzk.PoRepInfo(5, sector["sector_number"], cuzk.prover_id(sector["miner_id"]), *commitments)


@pytest.fixture(scope="session")
def golden_proof() -> bytes:
    """The proof of the golden sector with fixed randomness."""
    return fixed_proof("2k-v1_1/proof-porep-0.json")


@pytest.fixture
def vk_dir(tmp_path: Path) -> Path:
    """A folder with the golden verifying keys and no parameters."""
    for kind, name in PARAMS.items():
        (tmp_path / (name + ".vk")).write_bytes((GOLDEN / "vk" / f"{kind}-2048.vk").read_bytes())
    return tmp_path


@pytest.fixture(scope="session")
def params_dir() -> Path:
    """A folder with 2 KiB parameters of every kind: made when missing, once among processes."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(os.environ.get("CUZK_TEST_PARAMS") or Path(cache) / "cuzk")
    folder.mkdir(parents=True, exist_ok=True)
    for kind, name in PARAMS.items():
        with open(folder / (name + ".lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / (name + ".params")).exists():
                with cuzk.Engine(folder) as engine:
                    engine.make_params(kind, 2048, folder, "golden")
    return folder


@pytest.fixture
def engine(vk_dir: Path) -> Iterator[cuzk.Engine]:
    """An engine that can verify but not prove."""
    with cuzk.Engine(vk_dir) as e:
        yield e
