"""``python -m cuzk.wire.generate [--check]``: writes ``_descriptor.py`` from proving.proto, or checks it.

Needs grpcio-tools, which carries protoc, and the source tree.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

_PROTO = "cuzk/v1/proving.proto"
_TARGET = Path(__file__).with_name("_descriptor.py")
_HEAD = '''# Code generated from include/cuzk/v1/proving.proto by python -m cuzk.wire.generate; DO NOT EDIT.
"""The serialized FileDescriptorProto of the protocol, which every version of protobuf reads."""

FILE = bytes.fromhex(
'''


def render(include: Path) -> str:
    """The module's text for the proto file below a folder; RuntimeError if protoc refuses it."""
    from google.protobuf import descriptor_pb2
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        if protoc.main(["protoc", f"-I{include}", f"--descriptor_set_out={out}", _PROTO]) != 0:
            raise RuntimeError(f"protoc refuses {include / _PROTO}")
        (file,) = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    text = file.SerializeToString(deterministic=True).hex()
    lines = [f'    "{text[i : i + 100]}"\n' for i in range(0, len(text), 100)]
    return _HEAD + "".join(lines) + ")\n"


def main(arguments: list[str]) -> int:
    """Writes the module; with ``--check`` only compares."""
    text = render(Path(__file__).resolve().parents[5] / "include")
    if arguments == ["--check"]:
        return 0 if _TARGET.read_text() == text else 1
    _TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
