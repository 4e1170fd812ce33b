"""The bench: its figures, its pictures, and its commands as people call them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDEN
from test_cli import as_json, run

import cuzk
from cuzk.bench import plot, proving, stress, trace, workload
from cuzk.bench.record import Record, Saved, figure, percentile
from cuzk.bench.report import Report, better
from cuzk.bench.trace import Span

CPU = ("--backend", "cpu", "--json")


def bench(*arguments: str | Path) -> dict[str, dict[str, Any]]:
    """The figures of a command by name."""
    p = run("bench", *arguments, *CPU)
    assert p.returncode == 0, p.stderr
    records = [json.loads(line) for line in p.stdout.splitlines()]
    assert all({"name", "value", "unit", "count", "version", "backend", "cpus", "date"} <= set(r) for r in records)
    return {r["name"]: r for r in records}


def test_figures() -> None:
    assert figure("x", [3.0], "s") == Record("x", 3.0, "s")
    assert figure("x", [4.0, 1.0, 3.0, 2.0, 5.0], "s") == Record("x", 3.0, "s", 5, 2.0, 4.0)
    assert percentile([5.0], 95) == 5
    assert percentile([float(n) for n in range(101)], 95) == 95
    assert percentile([1.0, 2.0], 50) == 1.5
    assert better(Record("x", 2.0, "s"), 4.0) == 2
    assert better(Record("x", 2.0, "proofs/min"), 4.0) == 0.5
    assert better(Record("x", 0.0, "s"), 0.0) == 1


def test_saved_figures(tmp_path: Path) -> None:
    saved = Saved(['{"name": "a", "value": 1}', "", '{"name": "a", "value": 3}', '{"name": "a", "value": 2}'])
    assert saved.get("a") == 2 and saved.get("b") is None
    docs = Saved.read(GOLDEN.parents[1] / "docs" / "bench" / "cpu-2core.jsonl")
    bellperson = docs.bellperson("porep", "2KiB")
    assert bellperson is not None and 60 < bellperson < 80
    assert docs.bellperson("winning_post", "2KiB") is None
    for bad in ("[]", "{", '{"name": 1}', '{"name": "x"}'):
        (tmp_path / "bad").write_text(bad)
        with pytest.raises(ValueError, match="bad: not saved figures"):
            Saved.read(tmp_path / "bad")


def test_report_compares(engine: cuzk.Engine, tmp_path: Path) -> None:
    (tmp_path / "saved").write_text(
        '{"name": "prove_porep_2kib_s", "value": 30}\n'
        '{"name": "porep_2KiB_c2/bellperson/first/wall", "value": 60}\n{"name": "rate", "value": 10}'
    )
    report = Report(engine, tmp_path / "saved")
    report.add(Record("prove_porep_2kib_s", 15.0, "s"), ("porep", "2KiB"))
    report.add(Record("rate", 5.0, "M/s"))
    report.add(figure("other_ms", [1.0, 2.0], "ms"))
    first, second, third = report.result()["records"]
    assert (first["saved"], first["times_better"], first["bellperson"], first["times_faster"]) == (30, 2, 60, 4)
    assert (second["times_better"], third["count"], "saved" in third) == (0.5, 2, False)
    text = report.result()["text"]
    assert "bellperson 60: 4.00 times faster" in text and "saved 30: 2.00 times better" in text


SPANS = [
    Span("solve", "solve", 1, 0, 0.0, 1.0),
    Span("prove queue", "wait", 1, 0, 1.0, 1.5),
    Span("prove", "prove", 1, 0, 1.5, 4.0),
    Span("prove parts", "ntt", 1, 0, 1.5, 2.5),
    Span("prove parts", "h", 1, 0, 2.5, 4.0),
    Span("solve", "solve", 2, 0, 0.5, 2.0),
    Span("prove queue", "wait", 2, 0, 2.0, 5.0),
    Span("prove", "prove", 2, 0, 5.0, 6.0),
    Span("verify", "verify", 2, -1, 6.0, 6.1),
]


def test_times_of_a_trace() -> None:
    assert trace.covered([]) == 0 and trace.overlap([]) == 0 and trace.idle([], "prove") == 0
    assert trace.covered(SPANS[:1] + SPANS[5:6]) == 2
    work = 1 + 2.5 + 1.5 + 1 + 0.1
    assert trace.overlap(SPANS) == pytest.approx(work / (4 + 1.1))
    # From 1 to 6 something was to be proved; nothing was from 1 to 1.5 and from 4 to 5.
    assert trace.idle(SPANS, "prove") == pytest.approx(1.5 / 5)
    assert [s.start for s in trace.of_jobs(SPANS, [2])] == [0, 1.5, 4.5, 5.5]
    assert {s.track for s in trace.finest(SPANS)} == {"solve", "prove parts", "verify"}


def texts(picture: Path) -> str:
    """What an SVG says, which matplotlib keeps in comments beside the shapes."""
    Xml.parse(picture)  # well-formed
    return picture.read_text()


def test_pictures(tmp_path: Path) -> None:
    picture = plot.Figure("two jobs")
    picture.waterfall(SPANS, {1: "porep", 2: "update"})
    picture.tracks(SPANS)
    picture.load([stress.Sample(0.0, 0, 1, 1 << 30), stress.Sample(1.0, 2, 1, 2 << 30)])
    one, other = proving.Batch([1, 2], 10.0, 0.5, [4.0, 6.0]), proving.Batch([3, 4], 5.0, 1.5, [2.0, 3.0])
    picture.memory({1 << 30: [one], 2 << 30: [other]})
    picture.save(tmp_path / "out.svg")
    said = texts(tmp_path / "out.svg")
    for text in (
        "two jobs",
        "porep 1",
        "update 2",
        "prove parts 41 %",
        "ntt",
        "Throughput against memory",
        "GiB reserved",
    ):
        assert f"<!-- {text} -->" in said, text
    picture.save(tmp_path / "out.png")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    many = [Span("prove", "prove", n, 0, float(n), n + 1.0) for n in range(100)]
    crowd = plot.Figure("crowd")
    crowd.waterfall(many, {})
    crowd.save(tmp_path / "crowd.svg")
    assert "the first 48; 52 more" in texts(tmp_path / "crowd.svg")


def test_draws_saved_timelines(tmp_path: Path) -> None:
    h200 = GOLDEN.parents[1] / "docs" / "bench" / "porep-32gib-h200-trace.json"
    picture = tmp_path / "out.svg"
    result = as_json(run("bench", "draw", "--trace", h200, "--plot", picture, "--title", "one H200", "--json"))
    assert result["spans"] > 100
    said = texts(picture)
    assert "<!-- one H200 -->" in said and "device 0 (NVIDIA H200) compute" in said
    for bad in ("{}", "[1]", "none"):
        (tmp_path / "bad.json").write_text(bad)
        p = run("bench", "draw", "--trace", tmp_path / "bad.json", "--plot", picture)
        assert p.returncode == 2 and "Traceback" not in p.stderr and "bad.json" in p.stderr


def test_single(params_dir: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    saved.write_text('{"name": "prove_window_post_2kib_s", "value": 1000}')
    picture = tmp_path / "out.svg"
    figures = bench(
        "single",
        "--kind",
        "window_post",
        "--repeats",
        "2",
        "--params",
        params_dir,
        "--compare",
        saved,
        "--plot",
        picture,
    )
    whole = figures["prove_window_post_2kib_s"]
    assert whole["count"] == 2 and 0 < whole["low"] <= whole["value"] <= whole["high"]
    assert whole["saved"] == 1000 and whole["times_better"] == pytest.approx(1000 / whole["value"])
    for stage in ("parse", "check", "solve", "prove", "verify", "ntt", "h", "b_g2"):
        assert figures[f"prove_window_post_2kib_{stage}_ms"]["value"] > 0, stage
    assert figures["prove_window_post_2kib_peak_gib"]["value"] > 0
    assert "<!-- b_g2 -->" in texts(picture)


def test_batch_with_budgets(params_dir: Path, tmp_path: Path) -> None:
    picture = tmp_path / "out.svg"
    figures = bench(
        "batch", "--kind", "window_post", "--jobs", "2", "--warmup", "0", "--memory", "512MiB,1GiB",
        "--params", params_dir,
        "--plot", picture,
    )  # fmt: skip
    for budget in ("0.5gib", "1gib"):
        assert figures[f"batch_window_post_2kib_{budget}_per_minute"]["value"] > 0
        assert 0.9 < figures[f"batch_window_post_2kib_{budget}_overlap"]["value"] < 3
        assert 0 <= figures[f"batch_window_post_2kib_{budget}_prove_idle_percent"]["value"] < 50
    assert "<!-- Throughput against memory -->" in texts(picture)


def test_stress(params_dir: Path) -> None:
    figures = bench(
        "stress", "--mix", "window_post:2KiB=1", "--rate", "2", "--duration", "2", "--priorities", "mixed",
        "--cancel", "30",
        "--params", params_dir,
    )  # fmt: skip
    ended = [figures[f"stress_{state}"]["value"] for state in ("done", "failed", "cancelled")]
    assert sum(ended) + figures["stress_refused"]["value"] == figures["stress_submitted"]["value"] > 0
    assert figures["stress_failed"]["value"] == 0
    assert figures["stress_window_post_latency_s"]["count"] == figures["stress_done"]["value"] > 0


def test_solve_only_needs_no_parameters(tmp_path: Path) -> None:
    figures = bench("solve-only", "--kind", "update", "--repeats", "2", "--params", tmp_path)
    assert figures["solve_update_2kib_solve_ms"]["value"] > 0
    assert "solve_update_2kib_prove_ms" not in figures


def test_microbench() -> None:
    figures = bench("microbench", "--what", "ntt,sha256", "--log2", "8,10", "--repeats", "3")
    assert set(figures) == {f"{n}_ms" for n in ("ntt_2p8", "ntt_2p10", "sha256_2p8", "sha256_2p10")} | {
        "sha256_2p8_hashes", "sha256_2p10_hashes",
    }  # fmt: skip
    assert figures["ntt_2p10_ms"]["count"] == 3


def test_preload(params_dir: Path) -> None:
    figures = bench("preload", "--kind", "window_post", "--params", params_dir, "--repeats", "2")
    assert figures["preload_window_post_2kib_first_s"]["value"] > 0
    assert figures["preload_window_post_2kib_again_s"]["count"] == 2
    assert figures["preload_window_post_2kib_mapped_gib"]["value"] > 0.01


def test_status(params_dir: Path) -> None:
    p = run("bench", "status", "--params", params_dir, "--kind", "window_post")
    assert p.returncode == 0 and f"libcuzk {cuzk.__version__}" in p.stdout and "mapped" in p.stdout, p.stderr
    status = as_json(run("bench", "status", "--params", params_dir, "--json"))["status"]
    assert status["version"] == cuzk.__version__ and status["threads"] > 0


@pytest.mark.parametrize(("kind", "files"), [("porep", 2), ("winning_post", 2), ("window_post", 4), ("update", 2)])
def test_gen_vanilla(kind: str, files: int, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    sectors = ("--sectors", "3") if kind == "window_post" else ()
    p = run("bench", "gen-vanilla", "--kind", kind, "--out", out, *sectors, *CPU)
    result = as_json(p)
    assert len(result["files"]) == files and {f.name for f in out.iterdir()} == set(result["files"])
    assert result["bytes"] == sum(f.stat().st_size for f in out.iterdir())
    figures = bench("solve-only", "--kind", kind, "--vanilla", out, "--repeats", "1", "--params", tmp_path)
    assert figures[f"solve_{kind}_2kib_s"]["value"] > 0


@pytest.mark.parametrize(
    "bad",
    [
        ("single", "--repeats", "0"),
        ("single", "--size", "2KB"),
        ("single", "--plot", "/nonexistent/out.png"),
        ("single", "--compare", "/dev/null/x"),
        ("batch", "--memory", "2TiB"),
        ("stress", "--rate", "0"),
        ("stress", "--mix", "sealing:2KiB=1"),
        ("stress", "--mix", "porep:2KiB=none"),
        ("microbench", "--what", "fft"),
        ("gen-vanilla",),
        ("everything",),
    ],
)
def test_wrong_command_lines(bad: tuple[str, ...]) -> None:
    p = run("bench", *bad)
    assert p.returncode in (1, 2) and p.stdout == "" and p.stderr and "Traceback" not in p.stderr


def test_missing_parameters_are_an_error(tmp_path: Path) -> None:
    p = run("bench", "single", "--params", tmp_path, *CPU)
    assert p.returncode == 1 and as_json(p)["error"]["name"] == "srs_missing"


def test_vanilla_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "sector-0.json").write_text("[]")
    with pytest.raises(ValueError, match="not a sector file"):
        workload.read(tmp_path, "porep", "2KiB")
