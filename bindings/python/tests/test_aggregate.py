"""Aggregates: golden bytes through the API and the command line, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDEN, PARAMS

import cuzk
from cuzk.cli import main
from cuzk.registered import seal_proof

PACK = GOLDEN / "snarkpack"
WANT = (PACK / "cases" / "2k-v1_1-n1-V2.bin").read_bytes()


def golden_sector() -> dict[str, Any]:
    value: dict[str, Any] = json.loads((PACK / "sectors" / "2k-v1_1-0.json").read_bytes())
    return value


def info_of(s: dict[str, Any], version: int = cuzk.SNARK_PACK_V2) -> cuzk.AggregateInfo:
    fields = (bytes.fromhex(s[name]) for name in ("comm_r", "comm_d", "ticket", "seed"))
    sector = cuzk.AggregateSector(s["sector_number"], *fields)
    return cuzk.AggregateInfo(seal_proof(s["registered_seal_proof"]), version, bytes.fromhex(s["prover_id"]), [sector])


@pytest.fixture(scope="module")
def pack_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the golden SRS for two proofs and the verifying key of 2 KiB."""
    folder = tmp_path_factory.mktemp("pack")
    (folder / (PARAMS["porep"] + ".vk")).write_bytes((GOLDEN / "vk" / "porep-2048.vk").read_bytes())
    with cuzk.Engine(folder, backend="cpu") as engine:
        path = engine.make_params("aggregate", 0, folder, "golden", length=4)
    assert path == folder / "v28-fil-inner-product-v1.srs"
    return folder


def test_aggregate(pack_dir: Path) -> None:
    s = golden_sector()
    info, proof = info_of(s), bytes.fromhex(s["proof"])
    with cuzk.Engine(pack_dir, backend="cpu") as engine:
        assert engine.aggregate(cuzk.AggregateRequest(info, [proof])) == WANT
        assert engine.aggregate(cuzk.AggregateRequest(info, [proof], commitments_only=True)) == WANT
        assert engine.verify_aggregate(info, WANT)
        other = info_of(s, cuzk.SNARK_PACK_V1)
        assert not engine.verify_aggregate(other, WANT)
        verdicts = engine.verify_aggregates([(info, WANT), (other, WANT), (info, WANT[:9])])
        assert verdicts == [0, -70, -71]
        assert engine.verify_aggregates([]) == []
        with pytest.raises(cuzk.InputValue, match="0 proofs for 1 sectors"):
            engine.aggregate(cuzk.AggregateRequest(info, []))
        s["sector_number"] += 1
        with pytest.raises(cuzk.ProofInvalid, match=r"proofs\[0\], of sector 102"):
            engine.aggregate(cuzk.AggregateRequest(info_of(s), [proof]))


def test_command_line(pack_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    s = golden_sector()
    (tmp_path / "proof").write_bytes(bytes.fromhex(s["proof"]))
    request = tmp_path / "request.json"
    sector = {name: s[name] for name in ("sector_number", "comm_r", "comm_d", "ticket", "seed")} | {"file": "proof"}
    whole = {
        "registered_seal_proof": s["registered_seal_proof"],
        "aggregate_version": "SnarkPackV2",
        "miner_id": s["miner_id"],
        "sectors": [sector],
    }
    request.write_text(json.dumps(whole))
    out = tmp_path / "aggregate"
    common = ["--request", str(request), "--params", str(pack_dir), "--backend", "cpu"]
    assert main(["prove", "aggregate", *common, "--out", str(out)]) == 0
    assert out.read_bytes() == WANT
    assert main(["verify", "aggregate", *common, "--proof", str(out)]) == 0
    request.write_text(json.dumps(whole | {"aggregate_version": 0}))
    assert main(["verify", "aggregate", *common, "--proof", str(out)]) == 1
    request.write_text(json.dumps(whole | {"aggregate_version": 2}))
    assert main(["verify", "aggregate", *common, "--proof", str(out)]) == 2
    assert main(["params", "make", "--kind", "aggregate", "--size", "2KiB", "--out", str(tmp_path)]) == 2
    capsys.readouterr()
