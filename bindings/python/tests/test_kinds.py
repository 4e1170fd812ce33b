"""WinningPoSt, WindowPoSt and sector updates in the engine: golden input, bad input, misuse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import SECTORS, fixed_proof, golden_json

import cuzk
from cuzk.registered import post_proof, update_proof


def post(folder: str, kind: str) -> tuple[cuzk.PoStRequest, cuzk.PoStInfo]:
    """A golden request and what the chain knows of it."""
    v = golden_json(f"{folder}/{kind}.json")
    common = (post_proof(v["registered_post_proof"]), bytes.fromhex(v["randomness"]), bytes.fromhex(v["prover_id"]))
    vanilla = [(SECTORS / folder / s["file"]).read_bytes() for s in v["sectors"]]
    sectors = [cuzk.PoStSector(s["sector_number"], bytes.fromhex(s["comm_r"])) for s in v["sectors"]]
    return cuzk.PoStRequest(*common, vanilla), cuzk.PoStInfo(*common, sectors)


def update(folder: str) -> tuple[cuzk.UpdateRequest, cuzk.UpdateInfo]:
    """A golden request and what the chain knows of it."""
    v = golden_json(f"{folder}/update.json")
    commitments: Any = (bytes.fromhex(v[n]) for n in ("comm_r_old", "comm_r_new", "comm_d_new"))
    info = cuzk.UpdateInfo(update_proof(v["registered_update_proof"]), *commitments)
    vanilla = [(SECTORS / folder / f).read_bytes() for f in v["files"]]
    return cuzk.UpdateRequest(**vars(info), vanilla_proofs=vanilla), info


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("2k-v1_1", "winning_post"),
        ("2k-v1_1", "window_post"),
        ("2k-v1", "window_post"),
        ("2k-window3", "winning_post"),
        ("2k-window3", "window_post"),
    ],
)
def test_verify_post(engine: cuzk.Engine, folder: str, kind: str) -> None:
    _, info = post(folder, kind)
    proof = fixed_proof(f"{folder}/proof-{kind}-0.json")
    assert engine.verify_post(info, proof)
    assert engine.verify_post(replace(info, sectors=info.sectors[::-1]), proof)
    other = bytes([info.randomness[0] ^ 1]) + info.randomness[1:]
    assert not engine.verify_post(replace(info, randomness=other), proof)
    unmasked = info.randomness[:31] + bytes([info.randomness[31] | 0xC0])
    with pytest.raises(cuzk.InputValue, match="randomness"):
        engine.verify_post(replace(info, randomness=unmasked), proof)
    stranger = replace(info.sectors[0], comm_r=bytes([1]) * 32)
    assert not engine.verify_post(replace(info, sectors=[stranger, *info.sectors[1:]]), proof)
    nothing = replace(info.sectors[0], comm_r=bytes(32))
    with pytest.raises(cuzk.InputValue, match="zero"):
        engine.verify_post(replace(info, sectors=[nothing, *info.sectors[1:]]), proof)


def test_verify_one_partition(engine: cuzk.Engine) -> None:
    _, info = post("2k-window3", "window_post")
    proof = fixed_proof("2k-window3/proof-window_post-0.json")
    last = replace(info, sectors=info.sectors[2:], partition=1)
    assert engine.verify_post(last, proof[192:])
    assert not engine.verify_post(last, proof[:192])
    assert not engine.verify_post(info, proof[192:] + proof[:192])
    with pytest.raises(cuzk.InputValue, match="one partition"):
        engine.verify_post(replace(info, partition=0), proof[:192])


def test_verify_update(engine: cuzk.Engine) -> None:
    _, info = update("2k-v1_1")
    proof = fixed_proof("2k-v1_1/proof-update-0.json")
    assert engine.verify_update(info, proof)
    swapped = replace(info, comm_r_old=info.comm_r_new, comm_r_new=info.comm_r_old)
    assert not engine.verify_update(swapped, proof)
    with pytest.raises(cuzk.ProofMalformed):
        engine.verify_update(info, proof + proof)
    with pytest.raises(cuzk.InputValue, match="comm_d_new"):
        engine.verify_update(replace(info, comm_d_new=b"\xff" * 32), proof)


def test_verify_update_vanilla(engine: cuzk.Engine) -> None:
    request, info = update("2k-v1_1")
    assert engine.verify_update_vanilla(info, request.vanilla_proofs)
    swapped = replace(info, comm_r_old=info.comm_r_new, comm_r_new=info.comm_r_old)
    assert not engine.verify_update_vanilla(swapped, request.vanilla_proofs)
    with pytest.raises(cuzk.InputSyntax):
        engine.verify_update_vanilla(info, [request.vanilla_proofs[0][:-1]])
    with pytest.raises(cuzk.InputValue):
        engine.verify_update_vanilla(info, [*request.vanilla_proofs] * 2)


def test_merge() -> None:
    proof = fixed_proof("2k-window3/proof-window_post-0.json")
    window, winning = post_proof("StackedDrgWindow2KiBV1_1"), post_proof("StackedDrgWinning2KiBV1")
    assert cuzk.merge_post(window, [proof[:192], proof[192:]]) == proof
    with pytest.raises(cuzk.ProofMalformed, match=r"\[1\]"):
        cuzk.merge_post(window, [proof[:192], proof[192:-1]])
    with pytest.raises(cuzk.ProofMalformed):
        cuzk.merge_post(window, [bytes(192)])
    with pytest.raises(cuzk.InputValue):
        cuzk.merge_post(window, [])
    with pytest.raises(cuzk.Argument):
        cuzk.merge_post(winning, [proof[:192]])
    with pytest.raises(TypeError, match="want bytes"):
        cuzk.merge_post(window, proof)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("folder", "kind"), [("2k-v1_1", "winning_post"), ("2k-v1", "window_post"), ("2k-window3", "window_post")]
)
def test_challenges(folder: str, kind: str) -> None:
    request, info = post(folder, kind)
    want = [s["challenges"] for s in golden_json(f"{folder}/{kind}.json")["sectors"]]
    numbers = [s.sector_number for s in info.sectors]
    assert cuzk.post_challenges(request.registered_proof, request.randomness, numbers) == want
    with pytest.raises(cuzk.InputValue, match="no sectors"):
        cuzk.post_challenges(request.registered_proof, request.randomness, [])
    with pytest.raises(ValueError, match="sector_number"):
        cuzk.post_challenges(request.registered_proof, request.randomness, [-1])


def test_winner_and_partitions() -> None:
    request, info = post("2k-v1_1", "winning_post")
    ask = (request.registered_proof, request.randomness, request.prover_id)
    assert cuzk.winning_sector(*ask, 1) == 0
    assert cuzk.winning_sector(*ask, 1000) < 1000
    with pytest.raises(cuzk.Argument, match="eligible"):
        cuzk.winning_sector(*ask, 0)
    window = post_proof("StackedDrgWindow32GiBV1_1")
    assert [cuzk.window_partitions(window, n) for n in (0, 1, 2349, 2350)] == [1, 1, 1, 2]
    with pytest.raises(cuzk.Argument, match="kind"):
        cuzk.window_partitions(info.registered_proof, 1)


def test_post_refusals(engine: cuzk.Engine) -> None:
    """What is wrong with a request is told before any parameters are missed."""
    request, _ = post("2k-window3", "window_post")
    vanilla = list(request.vanilla_proofs)
    for bad, error, where in (
        ({"vanilla_proofs": []}, cuzk.InputValue, "sectors"),
        ({"vanilla_proofs": vanilla[::-1]}, cuzk.InputValue, "ascending"),
        ({"vanilla_proofs": [vanilla[0], vanilla[0]]}, cuzk.InputValue, "repetition"),
        ({"vanilla_proofs": [vanilla[0], b""]}, cuzk.InputSyntax, r"sectors\[1\]"),
        ({"vanilla_proofs": [vanilla[0], vanilla[1][:-1]]}, cuzk.InputSyntax, r"sectors\[1\]"),
        ({"vanilla_proofs": [vanilla[0] + b"\0", vanilla[1]]}, cuzk.InputSyntax, r"sectors\[0\]"),
        ({"randomness": bytes(32)}, cuzk.InputMismatch, r"sectors\[0\]"),
        ({"partition": 0}, cuzk.InputValue, "one partition"),
        ({"registered_proof": 15}, cuzk.Argument, "15"),
        ({"registered_proof": 0}, cuzk.InputValue, "want 66"),
    ):
        with pytest.raises(error, match=where):
            engine.prove_post(replace(request, **bad))
    with pytest.raises(cuzk.SrsMissing):
        engine.prove_post(request)


def test_values_that_do_not_fit_c(engine: cuzk.Engine) -> None:
    """ctypes would cut them to size without a word."""
    request, info = post("2k-window3", "window_post")
    for bad, error in (
        ({"registered_proof": 1 << 32}, "registered_proof"),
        ({"partition": 1 << 32}, "partition"),
        ({"partition": -1}, "partition"),
        ({"prover_id": b""}, "prover_id"),
        ({"randomness": bytes(33)}, "randomness"),
    ):
        with pytest.raises(ValueError, match=error):
            engine.prove_post(replace(request, **bad))
        with pytest.raises(ValueError, match=error):
            engine.verify_post(replace(info, **bad), bytes(192))
    with pytest.raises(TypeError, match=r"vanilla_proofs\[0\] is str"):
        engine.submit_post(replace(request, vanilla_proofs=["proof"]))  # type: ignore[list-item]
    with pytest.raises(ValueError, match="sector_number"):
        engine.verify_post(replace(info, sectors=[cuzk.PoStSector(1 << 64, bytes(32))]), bytes(192))


def test_update_refusals(engine: cuzk.Engine) -> None:
    request, _ = update("2k-v1_1")
    (vanilla,) = request.vanilla_proofs
    for bad, error in (
        ({"vanilla_proofs": []}, cuzk.InputValue),
        ({"vanilla_proofs": [vanilla, vanilla]}, cuzk.InputValue),
        ({"vanilla_proofs": [vanilla[:-1]]}, cuzk.InputSyntax),
        ({"comm_r_old": request.comm_r_new, "comm_r_new": request.comm_r_old}, cuzk.InputMismatch),
        ({"registered_proof": 5}, cuzk.Argument),
        ({"registered_proof": 1}, cuzk.InputValue),
    ):
        with pytest.raises(error):
            engine.prove_update(replace(request, **bad))
    with pytest.raises(ValueError, match="comm_d_new"):
        engine.prove_update(replace(request, comm_d_new=bytes(31)))
    with pytest.raises(cuzk.SrsMissing):
        engine.prove_update(request)


def test_closed(vk_dir: Path) -> None:
    request, info = post("2k-v1_1", "winning_post")
    engine = cuzk.Engine(vk_dir)
    engine.close()
    with pytest.raises(ValueError, match="engine is closed"):
        engine.prove_post(request)
    with pytest.raises(ValueError, match="engine is closed"):
        engine.verify_post(info, bytes(192))


def test_prove_window_by_partition_and_merge(params_dir: Path) -> None:
    request, info = post("2k-window3", "window_post")
    vanilla = request.vanilla_proofs
    with cuzk.Engine(params_dir) as engine:
        first = engine.prove_post(replace(request, vanilla_proofs=vanilla[:2], partition=0))
        last = engine.prove_post(replace(request, vanilla_proofs=vanilla[2:], partition=1))
        assert len(first) == len(last) == 192
        assert engine.verify_post(info, cuzk.merge_post(request.registered_proof, [first, last]))


def test_prove_window_whole_in_the_first_version(params_dir: Path) -> None:
    request, info = post("2k-v1", "window_post")
    with cuzk.Engine(params_dir) as engine:
        with engine.submit_post(request) as job:
            proof = job.wait()
            assert job.report()["kind"] == "window_post"
        assert len(proof) == 384 and engine.verify_post(info, proof)
