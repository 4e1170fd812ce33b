"""The network's registered proofs by name."""

from __future__ import annotations

_SIZES = ("2KiB", "8MiB", "512MiB", "32GiB", "64GiB")
_SEAL_VERSIONS = ("V1", "V1_1", "V1_1_Feat_SyntheticPoRep", "V1_2_Feat_NonInteractivePoRep")

SEAL_PROOFS: dict[str, int] = {
    f"StackedDrg{size}{version}": 5 * v + s
    for v, version in enumerate(_SEAL_VERSIONS)
    for s, size in enumerate(_SIZES)
}  # fmt: skip


def seal_proof(name: str | int) -> int:
    """The number of a registered seal proof, from its name or its number."""
    if isinstance(name, str) and name in SEAL_PROOFS:
        return SEAL_PROOFS[name]
    try:
        value = int(name)
    except ValueError:
        value = -1
    if value not in SEAL_PROOFS.values():
        raise ValueError(f"registered proof {name!r}: want 0 to 19 or a name such as StackedDrg32GiBV1_1")
    return value
