"""The registered proofs: every name has the network's number."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import SECTORS, golden_json

from cuzk.registered import POST_PROOFS, SEAL_PROOFS, UPDATE_PROOFS, post_kind, post_proof, seal_proof, update_proof


@pytest.mark.parametrize(("table", "count"), [(SEAL_PROOFS, 20), (POST_PROOFS, 15), (UPDATE_PROOFS, 5)])
def test_numbers_are_dense(table: dict[str, int], count: int) -> None:
    assert sorted(table.values()) == list(range(count))


def test_names() -> None:
    assert seal_proof("StackedDrg64GiBV1_2_Feat_NonInteractivePoRep") == 19
    assert seal_proof("8") == seal_proof(8) == SEAL_PROOFS["StackedDrg32GiBV1_1"]
    assert post_proof("StackedDrgWinning2KiBV1") == 0
    assert post_proof("StackedDrgWindow32GiBV1") == 8
    # One proof, two names: the Rust API counts its own versions.
    assert post_proof("StackedDrgWindow32GiBV1_1") == post_proof("StackedDrgWindow32GiBV1_2") == 13
    assert update_proof("StackedDrg512MiBV1") == 2
    assert [post_kind(n) for n in (0, 4, 5, 9, 10, 14)] == ["winning_post"] * 2 + ["window_post"] * 4


def test_golden_names_are_known() -> None:
    for path in SECTORS.glob("*/*.json"):
        value = golden_json(f"{path.parent.name}/{path.name}")
        for field, number in (("seal", seal_proof), ("post", post_proof), ("update", update_proof)):
            if name := value.get(f"registered_{field}_proof"):
                assert number(name) >= 0


@pytest.mark.parametrize("number", [seal_proof, post_proof, update_proof])
@pytest.mark.parametrize("bad", ["", "20", -1, "StackedDrg32GiB", "StackedDrgWinning32GiBV1_1", "StackedDrg3KiBV1"])
def test_refusals(number: Callable[[str | int], int], bad: str | int) -> None:
    with pytest.raises(ValueError, match="registered proof"):
        number(bad)
