"""The network's registered proofs by name."""

from __future__ import annotations

_SIZES = ("2KiB", "8MiB", "512MiB", "32GiB", "64GiB")
_SEAL_VERSIONS = ("V1", "V1_1", "V1_1_Feat_SyntheticPoRep", "V1_2_Feat_NonInteractivePoRep")
_POST_GROUPS = (("Winning", "V1"), ("Window", "V1"), ("Window", "V1_2"))

SEAL_PROOFS: dict[str, int] = {
    f"StackedDrg{size}{version}": 5 * v + s
    for v, version in enumerate(_SEAL_VERSIONS)
    for s, size in enumerate(_SIZES)
}  # fmt: skip

# The names of the Rust API. What it calls Window…V1_2 (its API version is 1.2)
# is Window…V1_1 everywhere else: post_proof takes both.
POST_PROOFS: dict[str, int] = {
    f"StackedDrg{kind}{size}{version}": 5 * g + s
    for g, (kind, version) in enumerate(_POST_GROUPS)
    for s, size in enumerate(_SIZES)
}  # fmt: skip

UPDATE_PROOFS: dict[str, int] = {f"StackedDrg{size}V1": s for s, size in enumerate(_SIZES)}

_WINDOW_ALIASES = {f"StackedDrgWindow{size}V1_1": f"StackedDrgWindow{size}V1_2" for size in _SIZES}


def seal_proof(name: str | int) -> int:
    """The number of a registered seal proof, from its name or its number."""
    return _number(SEAL_PROOFS, name, "StackedDrg32GiBV1_1")


def post_proof(name: str | int) -> int:
    """The number of a registered PoSt proof, from its name or its number."""
    canonical = _WINDOW_ALIASES.get(name, name) if isinstance(name, str) else name
    return _number(POST_PROOFS, canonical, "StackedDrgWindow32GiBV1_1")


def update_proof(name: str | int) -> int:
    """The number of a registered update proof, from its name or its number."""
    return _number(UPDATE_PROOFS, name, "StackedDrg32GiBV1")


def post_kind(registered: int) -> str:
    """The kind, ``winning_post`` or ``window_post``, of a registered PoSt proof."""
    return "winning_post" if registered < 5 else "window_post"


def _number(table: dict[str, int], name: str | int, example: str) -> int:
    if isinstance(name, str) and name in table:
        return table[name]
    try:
        value = int(name)
    except ValueError:
        value = -1
    if value not in table.values():
        raise ValueError(f"registered proof {name!r}: want 0 to {len(table) - 1} or a name such as {example}")
    return value
