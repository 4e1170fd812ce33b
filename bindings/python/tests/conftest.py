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
SECTOR = GOLDEN / "sectors" / "2k-v1_1"
POREP_PARAMS = (
    "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
    "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f"
)


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
    value: dict[str, Any] = json.loads((SECTOR / "sector-0.json").read_bytes())
    return value


@pytest.fixture(scope="session")
def info(sector: dict[str, Any]) -> cuzk.PoRepInfo:
    """The golden sector as public inputs; its registered proof is StackedDrg2KiBV1_1."""
    commitments = {n: bytes.fromhex(sector[n]) for n in ("comm_r", "comm_d", "ticket", "seed")}
    return cuzk.PoRepInfo(5, sector["sector_number"], cuzk.prover_id(sector["miner_id"]), **commitments)


@pytest.fixture(scope="session")
def golden_proof() -> bytes:
    """The proof of the golden sector with fixed randomness."""
    return bytes.fromhex(json.loads((SECTOR / "proof-porep-0.json").read_bytes())["proof"])


@pytest.fixture
def vk_dir(tmp_path: Path) -> Path:
    """A folder with the golden verifying key and no parameters."""
    (tmp_path / (POREP_PARAMS + ".vk")).write_bytes((GOLDEN / "vk" / "porep-2048.vk").read_bytes())
    return tmp_path


@pytest.fixture(scope="session")
def params_dir() -> Path:
    """A folder with 2 KiB PoRep parameters: made when missing, once among processes."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(os.environ.get("CUZK_TEST_PARAMS") or Path(cache) / "cuzk")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / (POREP_PARAMS + ".lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / (POREP_PARAMS + ".params")).exists():
            with cuzk.Engine(folder) as engine:
                engine.make_params("porep", 2048, folder, "golden")
    return folder


@pytest.fixture
def engine(vk_dir: Path) -> Iterator[cuzk.Engine]:
    """An engine that can verify but not prove."""
    with cuzk.Engine(vk_dir) as e:
        yield e
