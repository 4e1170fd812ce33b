"""The declarations against the header, and the exceptions against the codes."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

import cuzk
from cuzk import _native, _structs
from cuzk._codes import BY_CODE

HEADER = (ROOT / "include" / "cuzk.h").read_text()


def test_functions_are_the_headers() -> None:
    code = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)
    assert sorted(_native.PROTOTYPES) == sorted(re.findall(r"\b(cuzk_\w+)\(", code))


@pytest.mark.parametrize(
    ("name", "struct"),
    [
        ("cuzk_options", _structs.Options),
        ("cuzk_job_options", _structs.JobOptions),
        ("cuzk_bytes", _structs.Bytes),
        ("cuzk_porep_request", _structs.PoRepRequest),
        ("cuzk_porep_info", _structs.PoRepInfo),
        ("cuzk_post_request", _structs.PoStRequest),
        ("cuzk_post_sector", _structs.PoStSector),
        ("cuzk_post_info", _structs.PoStInfo),
        ("cuzk_update_request", _structs.UpdateRequest),
        ("cuzk_update_info", _structs.UpdateInfo),
        ("cuzk_aggregate_sector", _structs.AggregateSector),
        ("cuzk_aggregate_request", _structs.AggregateRequest),
        ("cuzk_aggregate_info", _structs.AggregateInfo),
        ("cuzk_aggregate_claim", _structs.AggregateClaim),
        ("cuzk_params_options", _structs.ParamsOptions),
        ("cuzk_progress", _structs.Progress),
        ("cuzk_fixture_options", _structs.FixtureOptions),
        ("cuzk_measure_request", _structs.MeasureRequest),
        ("cuzk_queue", _structs.Queue),
        ("cuzk_memory", _structs.Memory),
        ("cuzk_device", _structs.Device),
        ("cuzk_snapshot", _structs.Snapshot),
    ],
)
def test_structs_are_the_headers(name: str, struct: type[ctypes.Structure], tmp_path: Path) -> None:
    """Sizes and offsets, as the C compiler sees them."""
    fields = [field[0] for field in struct._fields_]
    lines = [f'printf("%zu\\n", sizeof({name}));']
    lines += [f'printf("%zu %zu\\n", offsetof({name}, {f}), sizeof((({name} *)0)->{f}));' for f in fields]
    source = tmp_path / "layout.c"
    source.write_text("#include <stdio.h>\n#include <cuzk.h>\nint main(void) {" + "\n".join(lines) + "return 0; }")
    program = tmp_path / "layout"
    subprocess.run(["cc", "-I", ROOT / "include", source, "-o", program], check=True)
    want = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
    have = [str(ctypes.sizeof(struct))]
    have += [f"{getattr(struct, f).offset} {getattr(struct, f).size}" for f in fields]
    assert have == want


def test_every_struct_is_compared() -> None:
    plain = re.findall(r"^}} (cuzk_\w+);".replace("}}", "}"), HEADER, flags=re.MULTILINE)
    assert len(plain) == sum(1 for s in vars(_structs).values() if isinstance(s, type(ctypes.Structure)))


def test_every_code_has_its_exception() -> None:
    for code in cuzk.Code:
        name = _native.lib.cuzk_status_name(code).decode()
        assert name == code.name.lower()
        if code is not cuzk.Code.OK:
            assert issubclass(BY_CODE[code], cuzk.CuzkError)
            assert getattr(cuzk, BY_CODE[code].__name__) is BY_CODE[code]
    assert issubclass(cuzk.SrsMissing, cuzk.FileError)


def test_versions_agree() -> None:
    assert _native.lib.cuzk_version().decode() == cuzk.__version__
    assert f"#define CUZK_ABI_VERSION {_native.ABI_VERSION}\n" in HEADER
