"""The protocol's descriptor, and the decoder that copies nothing."""

from __future__ import annotations

import random
import time

import pytest
from conftest import ROOT
from google.protobuf import message

from cuzk import wire
from cuzk.wire import decode, generate

BYTES = ("vanilla_proof", "randomness", "comm_r_old", "comm_r_new", "comm_d_new")
NUMBERS = ("sector_size", "registered_proof", "sector_number", "miner_id", "partition_index", "proof_kind", "priority")


def test_descriptor_is_generated_from_the_proto_file() -> None:
    assert generate.main(["--check"]) == 0
    assert (ROOT / "include" / "cuzk" / "v1" / "proving.proto").exists()


def test_numbers_on_the_wire() -> None:
    fields = {f.name: f.number for f in wire.SubmitProofRequest.DESCRIPTOR.fields}
    assert fields == {
        "request_id": 1, "proof_kind": 2, "sector_size": 3, "registered_proof": 4, "priority": 5, "vanilla_proof": 10,
        "vanilla_proofs": 11, "sector_number": 20, "miner_id": 21, "randomness": 22, "partition_index": 23,
        "comm_r_old": 30, "comm_r_new": 31, "comm_d_new": 32,
    }  # fmt: skip
    answer = {f.name: f.number for f in wire.AwaitProofResponse.DESCRIPTOR.fields}
    assert list(answer.values()) == [1, 2, 3, 4, 10, 11, 12, 13, 14]
    assert set(wire.METHODS) == {
        "SubmitProof", "AwaitProof", "Prove", "CancelProof", "GetStatus", "GetMetrics", "PreloadSRS", "EvictSRS",
    }  # fmt: skip
    assert wire.path("Prove") == "/cuzk.v1.ProvingEngine/Prove"


def same(ours: decode.Submit, theirs: object) -> None:
    for name in (*NUMBERS, "request_id"):
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in BYTES:
        assert bytes(getattr(ours, name)) == getattr(theirs, name), name
    assert [bytes(v) for v in ours.vanilla_proofs] == list(theirs.vanilla_proofs)  # type: ignore[attr-defined]


def some(dice: random.Random) -> object:
    made = wire.SubmitProofRequest()
    for name in NUMBERS:
        if dice.random() < 0.6:
            bits = 31 if name in ("proof_kind", "priority", "partition_index") else 64
            setattr(made, name, dice.getrandbits(dice.randrange(1, bits + 1)))
    for name in BYTES:
        if dice.random() < 0.6:
            setattr(made, name, dice.randbytes(dice.randrange(300)))
    if dice.random() < 0.6:
        made.request_id = "wdpost-1000-0-[1 2 3] ü"
    made.vanilla_proofs.extend(dice.randbytes(dice.randrange(40)) for _ in range(dice.randrange(6)))
    return made


def test_decodes_as_protobuf_does() -> None:
    seed = time.time_ns()
    print("seed", seed)
    dice = random.Random(seed)
    for _ in range(300):
        one, other = some(dice), some(dice)
        text = one.SerializeToString() + other.SerializeToString()  # type: ignore[attr-defined]
        same(decode.submit_request(text), wire.SubmitProofRequest.FromString(text))
        wrapped = b"".join(
            b"\x0a" + varint(len(t)) + t
            for t in (one.SerializeToString(), other.SerializeToString())  # type: ignore[attr-defined]
        )
        submit = decode.prove_request(wrapped)
        assert submit is not None
        same(submit, wire.ProveRequest.FromString(wrapped).submit)


def test_damaged_bytes_are_refused_as_protobuf_refuses_them() -> None:
    seed = time.time_ns()
    print("seed", seed)
    dice = random.Random(seed)
    agreed = 0
    for _ in range(1500):
        text = bytearray(some(dice).SerializeToString())  # type: ignore[attr-defined]
        for _ in range(dice.randrange(1, 4)):
            if text:
                text[dice.randrange(len(text))] = dice.randrange(256)
        text = text[: dice.randrange(len(text) + 1)]
        try:
            ours = decode.submit_request(bytes(text))
        except decode.Malformed:
            with pytest.raises(message.DecodeError):
                wire.SubmitProofRequest.FromString(bytes(text))
            agreed += 1
            continue
        same(ours, wire.SubmitProofRequest.FromString(bytes(text)))
    assert agreed > 50


def varint(n: int) -> bytes:
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def test_unknown_fields_and_groups_are_skipped() -> None:
    known = wire.SubmitProofRequest(request_id="a", miner_id=7).SerializeToString()
    unknown = (
        varint(99 << 3) + b"\x05" + varint(98 << 3 | 2) + b"\x02xx" + varint(97 << 3 | 5) + b"1234"
        + varint(96 << 3 | 1) + b"12345678" + varint(95 << 3 | 3) + varint(1 << 3) + b"\x01" + varint(95 << 3 | 4)
    )  # fmt: skip
    same(decode.submit_request(unknown + known + unknown), wire.SubmitProofRequest.FromString(known))


@pytest.mark.parametrize(
    "text",
    [
        b"\x0a",
        b"\x0a\x05ab",
        b"\x00\x01",
        b"\xff" * 11,
        b"\x0a\x02\xff\xfe",
        varint(9 << 3 | 4),
        varint(9 << 3 | 3) * 101,
        varint(9 << 3 | 3),
        varint(9 << 3 | 6),
        varint(9 << 3 | 7),
        varint(97 << 3 | 5) + b"12",
    ],
)
def test_malformed(text: bytes) -> None:
    with pytest.raises(decode.Malformed):
        decode.submit_request(text)


def test_lists_are_bounded() -> None:
    with pytest.raises(decode.Malformed, match="vanilla_proofs has more than 131072"):
        decode.submit_request(b"\x5a\x00" * (decode.MAX_PIECES + 1))
    with pytest.raises(decode.Malformed, match="more than 262144 fields"):
        decode.submit_request(b"\x18\x01" * (decode.MAX_FIELDS + 1))
    with pytest.raises(decode.Malformed, match="more than 262144 fields"):
        decode.submit_request(varint(9 << 3 | 3) + b"\x18\x01" * (decode.MAX_FIELDS + 1))


def test_bytes_are_views() -> None:
    text = wire.SubmitProofRequest(vanilla_proof=bytes(1 << 20)).SerializeToString()
    assert decode.submit_request(text).vanilla_proof.obj is text


def test_missing_submit_is_none() -> None:
    assert decode.prove_request(b"") is None
    assert decode.prove_request(b"\x12\x00") is None
    assert decode.prove_request(b"\x0a\x00") is not None
