"""The service without its transport: mapping, identity, memory, configuration."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SECTOR
from serving import in_gos_order, porep, update, window, winning, wrapped

import cuzk
from cuzk import wire
from cuzk.service import circuits, config, log, mapping
from cuzk.service.calls import CallError, Calls
from cuzk.service.jobs import Full, Jobs
from cuzk.service.memory import Room, Spool
from cuzk.wire import decode


def task(request: Any) -> mapping.Task:
    return mapping.task(decode.submit_request(request.SerializeToString()))


def changed(request: Any, **fields: Any) -> Any:
    made = type(request)()
    made.CopyFrom(request)
    for name, value in fields.items():
        if name == "vanilla_proofs":
            del made.vanilla_proofs[:]
            made.vanilla_proofs.extend(value)
        else:
            setattr(made, name, value)
    return made


# ---- mapping


def test_each_kind_is_mapped() -> None:
    assert [task(r).kind for r in (porep(), update(), window(), winning())] == [
        "porep", "update", "window_post", "winning_post",
    ]  # fmt: skip
    assert [task(r).priority for r in (porep(), update(), window(), winning())] == [
        "normal", "normal", "high", "critical",
    ]  # fmt: skip
    assert [task(changed(r, priority=0)).priority for r in (porep(), window(), winning())] == [
        "normal", "high", "critical",
    ]  # fmt: skip
    assert all(
        task(r).sector_size == 2048 and task(r).mismatch is None for r in (porep(), update(), window(), winning())
    )
    t = task(window(3))
    assert isinstance(t.input, cuzk.PoStRequest) and t.input.partition == 3 and len(t.input.vanilla_proofs) == 2


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (changed(winning(), proof_kind=0), "proof_kind 0"),
        (changed(winning(), proof_kind=9), "proof_kind 9"),
        (changed(winning(), priority=5), "priority 5"),
        (changed(winning(), randomness=bytes(31)), "randomness has 31 bytes: want 32"),
        (changed(winning(), randomness=b""), "randomness has 0 bytes"),
        (changed(winning(), vanilla_proofs=[]), "vanilla_proofs is empty"),
        (changed(winning(), vanilla_proofs=[b"a", b"b"]), "exactly one sector"),
        (changed(porep(), vanilla_proof=b""), "vanilla_proof is empty"),
        (changed(update(), comm_d_new=bytes(33)), "comm_d_new has 33 bytes"),
        (changed(update(), vanilla_proofs=[]), "one for each partition"),
    ],
)
def test_what_is_no_request_is_refused_in_words(request_: Any, words: str) -> None:
    with pytest.raises(mapping.Refused, match=words):
        task(request_)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (changed(winning(), registered_proof=10), "registered_proof 10 is none of a winning_post"),
        (changed(window(), registered_proof=0), "registered_proof 0 is none of a window_post"),
        (changed(update(), registered_proof=7), "registered_proof 7 is none of a update"),
        (changed(porep(), registered_proof=99), "registered_proof 99 is none of a porep"),
        (changed(porep(), registered_proof=8), "registered_proof is StackedDrg32GiBV1_1, vanilla_proof says"),
        (changed(winning(), sector_size=32 << 30), "sector_size is 34359738368"),
        (changed(porep(), sector_size=32 << 30), "sector_size is 34359738368"),
    ],
)
def test_contradictions_are_failures_of_the_proof(request_: Any, words: str) -> None:
    mismatch = task(request_).mismatch
    assert isinstance(mismatch, cuzk.InputMismatch) and words in mismatch.message


def test_sizes_and_registered_proof_may_be_left_out() -> None:
    for request in (porep(), update(), window(), winning()):
        assert task(changed(request, sector_size=0)).mismatch is None
    assert task(changed(porep(), registered_proof=0)).mismatch is None


def test_the_registered_proof_of_a_c1_is_found_wherever_it_is() -> None:
    c1 = (SECTOR / "c1-0.json").read_bytes()
    name = json.loads(c1)["registered_proof"]
    body = {k: v for k, v in json.loads(c1).items() if k != "registered_proof"}
    middle = json.dumps({"a": "x" * 70000, "registered_proof": name, "z": "y" * 300000}).encode()
    last = json.dumps({**body, "registered_proof": name}).encode()
    for text in (c1, in_gos_order(c1), middle, last):
        assert mapping.sealed_with(memoryview(text)) == name
        for extra in range(4):  # every alignment of base64
            assert mapping.sealed_with(memoryview(wrapped(b" " * extra + text))) == name
    for nothing in (b"", b"{}", b'{"Phase1Out":"', b'{"Phase1Out":"%%%%"}', os.urandom(5000)):
        assert mapping.sealed_with(memoryview(nothing)) == ""


def test_identity_is_label_and_content() -> None:
    one = task(window(0)).key
    assert task(window(0)).key == one
    assert task(window(1)).key != one
    assert task(window(0, "other")).key != one
    request = window(0)
    first, second = request.vanilla_proofs
    assert task(changed(request, vanilla_proofs=[first + second[:1], second[1:]])).key != one
    assert task(changed(request, priority=4)).key != one
    assert task(changed(request, priority=0)).key == one  # high is what it would have anyway


def test_circuits_have_the_names_of_the_parameter_files(tmp_path: Path) -> None:
    with cuzk.Engine(tmp_path) as engine:
        for c in circuits.CIRCUITS.values():
            with pytest.raises(cuzk.SrsMissing) as e:
                engine.load(c.kind, c.sector_size)
            assert circuits.of_file(Path(e.value.detail).name) == c.id
    assert circuits.of_file("something") == "something"
    with pytest.raises(ValueError, match="want one of porep-2k"):
        circuits.circuit("porep-1k")


# ---- jobs


def run(work: Callable[[cuzk.Engine, Jobs, Room], Awaitable[None]], *, grace: float = 60, **more: Any) -> None:
    """Runs a test with an engine that only solves."""
    room = Room(more.pop("limit", 3 << 20), more.pop("largest", 1 << 20), more.pop("spool_limit", 1 << 30))

    async def go(engine: cuzk.Engine) -> None:
        jobs = Jobs(engine, room, grace=grace, remember=60, witness_only=True, **more)
        await work(engine, jobs, room)
        await jobs.drain()
        jobs.close()
        assert (room.held, room.spooled) == (0, 0)

    with cuzk.Engine(backend="cpu") as engine:
        asyncio.run(go(engine))


def nothing() -> None:
    """The caller does not count what it receives."""


def test_the_same_request_is_one_execution() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        first = await jobs.start(task(winning()), nothing)
        again = await jobs.start(task(winning()), nothing)
        assert first is again
        both = await asyncio.gather(jobs.wait(first), jobs.wait(again))
        assert all(both) and first.state == "done"
        later = await jobs.start(task(winning()), nothing)
        assert later is first and jobs.joined == 2 and engine.snapshot().jobs["done"] == 1

    run(work)


def test_two_partitions_with_one_request_id_are_two_jobs() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        one, other = await asyncio.gather(*(jobs.start(task(window(i)), nothing) for i in (0, 1)))
        await asyncio.gather(jobs.wait(one), jobs.wait(other))
        assert one is not other and one.id != other.id and {one.state, other.state} == {"done"}
        assert engine.snapshot().jobs["done"] == 2

    run(work)


def test_failures_are_not_remembered_for_a_retry() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        bad = changed(winning(), vanilla_proofs=[b"no vanilla proof"])
        first = await jobs.start(task(bad), nothing)
        await jobs.wait(first)
        assert first.state == "failed" and isinstance(first.error, cuzk.InputError)
        assert jobs.get(first.id) is first and jobs.failures[0] is first
        again = await jobs.start(task(bad), nothing)
        assert again is not first
        await jobs.wait(again)

    run(work)


def slow() -> Any:
    """A request that takes a while to solve."""
    return porep()


def test_callers_that_go_away_end_the_job_after_the_grace_time() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        e = await jobs.start(task(slow()), nothing)
        waiting = asyncio.ensure_future(jobs.wait(e))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([e.ended], timeout=20)
        assert e.state == "cancelled" and "nobody came back within 0.02 s" in e.stopped

    run(work, grace=0.02)


def test_a_retry_within_the_grace_time_joins() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        e = await jobs.start(task(slow()), nothing)
        first = asyncio.ensure_future(jobs.wait(e))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0.01)
        assert not e.over and e.left is not None
        again = await jobs.start(task(slow()), nothing)
        assert again is e and await jobs.wait(again) and e.state == "done" and engine.snapshot().jobs["done"] == 1

    run(work, grace=30)


def test_another_waiter_keeps_the_job() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        e = await jobs.start(task(slow()), nothing)
        one, two = (asyncio.ensure_future(jobs.wait(e)) for _ in range(2))
        await asyncio.sleep(0)
        one.cancel()
        assert await two and e.state == "done"

    run(work, grace=0.001)


def test_a_caller_that_goes_away_while_it_submits_loses_nothing() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        placed: list[int] = []
        starting = asyncio.ensure_future(jobs.start(task(slow()), lambda: placed.append(1)))
        await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait([starting])
        (e,) = jobs.alive()
        await asyncio.wait([e.ended], timeout=20)
        assert placed == [1] and e.state == "cancelled"

    run(work, grace=0.05)


def test_cancel_is_for_all_who_wait() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        e = await jobs.start(task(slow()), nothing)
        waiting = asyncio.ensure_future(jobs.wait(e))
        await asyncio.sleep(0)
        assert jobs.cancel(e, "a test")
        assert await waiting and e.state == "cancelled"
        assert not jobs.cancel(e, "again")

    run(work)


def test_little_room_in_the_engine_makes_requests_wait_in_memory_and_in_files() -> None:
    """The engine takes one input or so at a time; all end, and a WinningPoSt overtakes."""

    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        jobs._input_limit = 9 << 20
        c1 = (SECTOR / "c1-0.json").read_bytes()
        padded = [wrapped(c1 + b" " * (3_000_000 + i)) for i in range(8)]
        started = [await jobs.start(task(porep(f"p{i}", c)), nothing) for i, c in enumerate(padded)]
        assert any(e.spool for e in started) and any(e.held for e in started), [e.state for e in started]
        first = await jobs.start(task(winning()), nothing)
        assert first.state != "waiting"
        await asyncio.gather(*(jobs.wait(e) for e in (*started, first)))
        assert {e.state for e in started} == {"done"} and first.state == "done", [str(e.error) for e in started]
        assert first.finished < max(e.finished for e in started)

    run(work, limit=20 << 20, largest=5 << 20)


def test_no_place_at_all_is_said_and_not_for_a_winning_post() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        jobs._input_limit = 9 << 20
        c1 = (SECTOR / "c1-0.json").read_bytes()
        refused, started = 0, []
        for i in range(6):
            try:
                started.append(await jobs.start(task(porep(f"p{i}", wrapped(c1 + b" " * (4_000_000 + i)))), nothing))
            except Full as e:
                refused += 1
                assert "there is no place for" in str(e)
        first = await jobs.start(task(winning()), nothing)
        await asyncio.gather(*(jobs.wait(e) for e in (*started, first)))
        assert refused and first.state == "done"

    run(work, spool_limit=0)


def test_a_file_that_cannot_be_read_again_fails_its_job_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        jobs._input_limit = 9 << 20
        c1 = (SECTOR / "c1-0.json").read_bytes()

        def broken(self: Spool) -> list[bytes]:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(Spool, "read", broken)
        padded = [wrapped(c1 + b" " * (4_000_000 + i)) for i in range(5)]
        started = [await jobs.start(task(porep(f"p{i}", c)), nothing) for i, c in enumerate(padded)]
        await asyncio.gather(*(jobs.wait(e) for e in started))
        failed = [e for e in started if e.state == "failed"]
        assert failed and all("Input/output error" in str(e.error) for e in failed)
        assert any(e.state == "done" for e in started)

    run(work)


# ---- memory


def test_room_bounds_who_receives() -> None:
    async def work() -> None:
        room = Room(600, 100, 0)
        assert room.receivers == 4
        for _ in range(4):
            await asyncio.wait_for(room.receive(), 1)
        late = [asyncio.ensure_future(room.receive()) for _ in range(3)]
        await asyncio.sleep(0)
        assert room.receiving == 4 and room.waiting == 3
        late[0].cancel()
        await asyncio.sleep(0)
        room.received()
        await asyncio.sleep(0)
        assert late[1].done() and not late[2].done() and room.receiving == 4
        assert room.hold(250) and not room.hold(100) and room.hold(100, always=True)
        room.received()
        await asyncio.sleep(0)
        assert not late[2].done()  # what is held is room that nobody can receive into
        room.let_go(350)
        await asyncio.sleep(0)
        assert late[2].done()
        for _ in range(4):
            room.received()
        assert (room.receiving, room.waiting, room.held) == (0, 0, 0)

    asyncio.run(work())


def test_one_may_always_receive() -> None:
    async def work() -> None:
        room = Room(100, 100, 0)
        room.hold(1000, always=True)
        await asyncio.wait_for(room.receive(), 1)
        assert room.receiving == 1

    asyncio.run(work())


def test_spool_gives_back_what_went_in(tmp_path: Path) -> None:
    for pieces in ([], [b""], [b"a", b"", os.urandom(100_000)]):
        spool = Spool(pieces, tmp_path)
        assert spool.read() == pieces and not list(tmp_path.iterdir())
        spool.close()


def test_a_sender_that_stalls_is_told_so() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        calls = Calls(engine, jobs, room, receive_timeout=0.2)

        async def never() -> bytes | None:
            await asyncio.sleep(3600)
            return None

        with pytest.raises(CallError, match="had not arrived as a whole") as e:
            await calls.prove(never)
        assert e.value.code == "DEADLINE_EXCEEDED" and room.receiving == 0
        calls.close()

    run(work)


def test_calls_that_are_no_requests_leave_nothing_behind() -> None:
    async def work(engine: cuzk.Engine, jobs: Jobs, room: Room) -> None:
        calls = Calls(engine, jobs, room)

        def reading(text: bytes | None) -> Callable[[], Awaitable[bytes | None]]:
            async def read() -> bytes | None:
                return text

            return read

        for text, code, words in (
            (b"", "INVALID_ARGUMENT", "no field submit"), (b"\xff", "INVALID_ARGUMENT", "cut off"),
            (None, "CANCELLED", "without a request"), (b"\x0a\x00", "INVALID_ARGUMENT", "proof_kind 0"),
            (bytes(2 << 20), "INVALID_ARGUMENT", "field number 0"),
        ):  # fmt: skip
            with pytest.raises(CallError, match=words) as e:
                await calls.prove(reading(text))
            assert e.value.code == code and room.receiving == 0 and not jobs.alive()
        answer = await calls.prove(reading(wire.ProveRequest(submit=winning()).SerializeToString()))
        assert answer.result.status == wire.COMPLETED
        calls.close()

    run(work)


# ---- configuration


def load(tmp_path: Path, text: str = "", environ: dict[str, str] | None = None, *flags: str) -> config.Config:
    parser = argparse.ArgumentParser()
    config.add_flags(parser)
    path = tmp_path / "cuzk.toml"
    path.write_text(text)
    return config.load(parser.parse_args(["--config", str(path), *flags]), environ or {})


def test_flag_over_variable_over_file(tmp_path: Path) -> None:
    text = 'threads = 1\ngrace = "3m"\nmemory_budget = "2GiB"\n'
    c = load(tmp_path, text, {"CUZK_THREADS": "2", "CUZK_GRACE": "1.5h"}, "--threads", "3")
    assert (c.threads, c.grace, c.memory_budget, c.remember) == (3, 5400.0, 2 << 30, 600.0)
    assert c.sources["threads"] == "--threads" and c.sources["grace"] == "CUZK_GRACE"


def test_every_key_is_read_from_text(tmp_path: Path) -> None:
    for key in config.KEYS:
        assert load(tmp_path).values[key.name] == key.default
    c = load(
        tmp_path,
        "",
        {"CUZK_INSECURE_LISTEN": "yes", "CUZK_SOCKET_MODE": "0600", "CUZK_PRELOAD": "porep-32g, wpost-32g"},
    )
    assert c.insecure_listen is True and c.socket_mode == 0o600 and c.preload == ("porep-32g", "wpost-32g")
    assert load(tmp_path, "", {}, "--check-digest").check_digest is True


@pytest.mark.parametrize(
    ("text", "environ", "words"),
    [
        ("thread = 1", {}, "thread: no such setting; did you mean threads"),
        ("", {"CUZK_LISTN": "x"}, "CUZK_LISTN: no such setting; did you mean listen"),
        ('threads = "many"', {}, r"threads \(.*cuzk.toml\): 'many': want a whole number"),
        ("threads = true", {}, "threads .*want a whole number"),
        ("", {"CUZK_GRACE": "soon"}, r"grace \(CUZK_GRACE\): 'soon': want seconds"),
        ('backend = "gpu"', {}, "backend .*want one of auto, cpu, cuda"),
        ('preload = ["porep-1k"]', {}, "preload .*want one of porep-2k"),
        ('socket_mode = "rw"', {}, "socket_mode .*octal"),
        ("insecure_listen = 3", {}, "insecure_listen .*true or false"),
        ('memory_budget = "2TiB"', {}, "memory_budget .*want a size"),
        ('tls_cert = "a"', {}, "go together"),
        ("listen = []", {}, "listen: no address"),
        ('receive_memory = "1MiB"', {}, "receive_memory: .*three times max_message"),
        ("= 3", {}, "not TOML"),
        ("[daemon]\nlisten_on = 1", {}, r"daemon.listen_on: no such setting"),
        ("[other]\na = 1", {}, "other: no such setting"),
        ('[memory]\ntotal_budget = "2TiB"', {}, "memory_budget .*want a size"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, environ: dict[str, str], words: str) -> None:
    with pytest.raises(config.ConfigError, match=words):
        load(tmp_path, text, environ)


def test_curios_file_is_understood(tmp_path: Path) -> None:
    text = """
[daemon]
listen = "unix:///run/curio/cuzk.sock"
status_listen = "127.0.0.1:9821"
[memory]
total_budget = "auto"
safety_margin = "5GiB"
[gpus]
devices = [0, 2]
gpu_workers_per_device = 2
[scheduler]
max_batch_wait_ms = 2500
[synthesis]
threads = 4
[srs]
param_cache = "/data/zk/params"
preload = ["porep-32g"]
[pipeline]
enabled = true
[logging]
level = "warn"
"""
    c = load(tmp_path, text)
    assert c.listen == ("unix:///run/curio/cuzk.sock",) and c.http == "127.0.0.1:9821" and c.memory_budget == 0
    assert c.devices == ("0", "2") and c.max_batch_wait == 2.5 and c.threads == 4 and c.log_level == "warning"
    assert c.params == Path("/data/zk/params") and c.preload == ("porep-32g",)
    named = {w.split(": ")[1].split(" means")[0] for w in c.warnings}
    assert named == {"memory.safety_margin", "gpus.gpu_workers_per_device", "pipeline.enabled"}


# ---- logs


def test_logs_stay_on_one_line_and_carry_the_job() -> None:
    record = logging.LogRecord("cuzk.jobs", logging.INFO, "", 0, "done\nERROR forged", None, None)
    record.job, record.label = "abc-1", 'porep-1 "x"\n'
    text = log.Text().format(record)
    assert "\n" not in text and "job=abc-1" in text and r"done\nERROR forged" in text
    assert json.loads(log.Json().format(record))["label"] == 'porep-1 "x"\n'
