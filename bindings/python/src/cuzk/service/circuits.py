"""The circuits by the names that the protocol has for them, such as ``porep-32g``."""

from __future__ import annotations

from dataclasses import dataclass

SIZES = {"2k": 2 << 10, "8m": 8 << 20, "512m": 512 << 20, "32g": 32 << 30, "64g": 64 << 30}
# Of a circuit id: (kind of the engine, name of the kind in queues and metrics, number on the wire).
KINDS = {
    "porep": ("porep", "porep-c2", 1),
    "snap": ("update", "snap-update", 2),
    "wpost": ("window_post", "window-post", 3),
    "winning": ("winning_post", "winning-post", 4),
}
WIRE_NAMES = {kind: wire for kind, wire, _ in KINDS.values()}

# How the names of parameter files end: the start of a SHA-256 that the network's tools made of each circuit.
_DIGESTS = {
    "porep": ("032d3138", "ecd68364", "6babf46c", "82a357d2", "96f1b4a0"),
    "winning": ("3ea05428", "50c7368d", "7d739b8c", "559e581f", "b6209862"),
    "wpost": ("0170db1f", "5294475d", "0cfb4f17", "0377ded6", "2627e400"),
    "snap": ("fb9e095b", "92180959", "61fa69f3", "3b7f44a9", "102e1444"),
}


@dataclass(frozen=True)
class Circuit:
    """A kind of proof for a sector size in bytes."""

    id: str
    kind: str
    sector_size: int


CIRCUITS = {
    f"{prefix}-{size}": Circuit(f"{prefix}-{size}", KINDS[prefix][0], count)
    for prefix in KINDS
    for size, count in SIZES.items()
}  # fmt: skip
_BY_DIGEST = {
    digest: f"{prefix}-{size}"
    for prefix, digests in _DIGESTS.items()
    for size, digest in zip(SIZES, digests, strict=True)
}  # fmt: skip


def circuit(name: str) -> Circuit:
    """The circuit of an id; ValueError lists the ids there are."""
    if name not in CIRCUITS:
        raise ValueError(f"circuit {name!r}: want one of {', '.join(CIRCUITS)}")
    return CIRCUITS[name]


def of_file(name: str) -> str:
    """The id of the circuit that a parameter file is for, by the file's name; the name itself if it is not known."""
    return _BY_DIGEST.get(name.removesuffix(".params").rsplit("-", 1)[-1][:8], name)


def size_name(sector_size: int) -> str:
    """Such as ``32GiB``."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if sector_size >= 1 << power:
            return f"{sector_size / (1 << power):g}{unit}"
    return f"{sector_size}B"
