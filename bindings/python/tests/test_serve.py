"""The server as others meet it: gRPC over sockets, signals, bad input."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from conftest import SECTOR, golden_json
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from serving import Served, in_gos_order, porep, serving, update, window, winning, wrapped

import cuzk
from cuzk import wire
from cuzk.client import Client, ProofFailed, ServerError, submission


@pytest.fixture(scope="module")
def solver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Client]]:
    """A server that solves without proving, for what is about the service alone."""
    folder = tmp_path_factory.mktemp("params")
    with serving(folder, "--witness-only", "--grace", "0", "--max-message", "8MiB", "--receive-memory", "64MiB") as s:
        yield s


def times(result: Any) -> int:
    return int(result.times["total_ms"])


# ---- proofs


def test_a_winning_post_is_proved_and_holds(params_dir: Path) -> None:
    """The one real proof here; that of each kind over Curio's client is in tests/curio."""
    with serving(params_dir) as (_, client):
        made = client.prove(winning(), timeout=120)
        assert len(made.proof) == 192 and made.times["gpu_compute_ms"] > 0
        again = client.prove(winning(), timeout=1)
        assert again == made  # remembered
        status = client.status()
        assert [(q.proof_kind, q.pending, q.in_progress) for q in status.queues if q.proof_kind == "winning-post"] == [
            ("winning-post", 0, 0)
        ]
        (params,) = status.loaded_srs
        assert (params.circuit_id, params.tier, params.size_bytes > 1 << 20) == ("winning-2k", wire.WARM, True)
        assert status.total_proofs_completed == 1
        assert client.preload("winning-2k").already_loaded
        assert client.evict("winning-2k").was_loaded
        assert not client.evict("winning-2k").was_loaded
        loaded = client.preload("winning-2k")
        assert not loaded.already_loaded
    sector = golden_json("2k-v1_1/winning_post.json")
    public = [cuzk.PoStSector(s["sector_number"], bytes.fromhex(s["comm_r"])) for s in sector["sectors"]]
    info = cuzk.PoStInfo(0, bytes.fromhex(sector["randomness"]), cuzk.prover_id(1001), public)
    with cuzk.Engine(params_dir) as engine:
        assert engine.verify_post(info, made.proof)


def test_every_kind_is_taken_and_solved(solver: tuple[Served, Client]) -> None:
    c1 = (SECTOR / "c1-0.json").read_bytes()
    requests = [
        winning("k"),
        window(0, "k"),
        update("k"),
        porep("k"),
        porep("raw", c1),
        porep("go", wrapped(in_gos_order(c1))),
    ]
    for request in requests:
        assert solver[1].prove(request, timeout=60).proof == b""


def test_what_the_client_makes_of_an_input_is_what_is_sent() -> None:
    request = winning("a")
    given = cuzk.PoStRequest(0, request.randomness, cuzk.prover_id(1001), list(request.vanilla_proofs))
    assert submission(given, request_id="a", priority="critical", sector_size=2048) == request


def test_two_partitions_at_once_with_one_request_id(solver: tuple[Served, Client]) -> None:
    before = solver[1].status().total_proofs_completed
    made: dict[int, Any] = {}
    threads = [
        threading.Thread(target=lambda i=i: made.update({i: solver[1].prove(window(i, "twin"))})) for i in (0, 1)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert made[0].job_id != made[1].job_id
    assert solver[1].status().total_proofs_completed == before + 2


def test_the_same_request_twice_is_one_proof(solver: tuple[Served, Client]) -> None:
    before = solver[1].status().total_proofs_completed
    made = [solver[1].prove(porep("same")) for _ in range(2)]
    assert made[0].job_id == made[1].job_id
    assert solver[1].status().total_proofs_completed == before + 1


def test_failures_are_answers(solver: tuple[Served, Client]) -> None:
    request = winning("swapped")
    request.sector_size = 32 << 30
    with pytest.raises(ProofFailed, match=r"failed: input_mismatch: sector_size is 34359738368"):
        solver[1].prove(request)
    request = porep("wrong sector")
    request.sector_number = 102
    with pytest.raises(ProofFailed, match="failed: input_mismatch: "):
        solver[1].prove(request)
    request = window(0, "cut")
    request.vanilla_proofs[1] = request.vanilla_proofs[1][:-1]
    with pytest.raises(ProofFailed, match="failed: input_"):
        solver[1].prove(request)


# ---- jobs


def test_submit_await_and_cancel(solver: tuple[Served, Client]) -> None:
    _, client = solver
    job = client.submit(winning("later"))
    made = client.wait(job, 30)
    assert made is not None and made.job_id == job
    assert not client.cancel(job)
    c1 = (SECTOR / "c1-0.json").read_bytes() + b" " * (4 << 20)
    for i in range(60):  # the job may be done before it is cancelled
        job = client.submit(porep(f"to be cancelled {i}", c1))
        if client.wait(job, 0.001) is None and client.cancel(job):  # TIMEOUT, and the job goes on
            try:
                client.wait(job, 30)
            except ProofFailed as e:
                assert "cancelled: a client asked to cancel it" in str(e)
                break
    else:
        pytest.fail("no job was cancelled")
    for call in (client.wait, client.cancel):
        with pytest.raises(ServerError, match="NOT_FOUND: job 'nothing' is not known"):
            call("nothing")


def test_a_deadline_ends_the_job_and_the_next_retry_is_served(solver: tuple[Served, Client]) -> None:
    served, client = solver
    c1 = (SECTOR / "c1-0.json").read_bytes() + b" " * (4 << 20)
    for i in range(60):
        request = porep(f"late-{i}", c1)
        try:
            client.prove(request, timeout=0.005 * (i + 1))
            break  # too late for that
        except ServerError as e:
            assert e.code == "DEADLINE_EXCEEDED"
        client.prove(request, timeout=60)
    served.logged("cancel: its callers have gone.*label=late", 5)


def test_circuits_are_named(solver: tuple[Served, Client]) -> None:
    with pytest.raises(ServerError, match="INVALID_ARGUMENT: circuit 'porep-1k': want one of porep-2k"):
        solver[1].preload("porep-1k")
    with pytest.raises(ServerError, match="NOT_FOUND: srs_missing"):
        solver[1].preload("porep-32g")
    with pytest.raises(ServerError, match="INVALID_ARGUMENT"):
        solver[1].evict("x")
    assert not solver[1].evict().was_loaded


def test_metrics_have_both_namings(solver: tuple[Served, Client]) -> None:
    text = solver[1].metrics()
    for name in ("cuzk_proofs_completed_total ", 'cuzk_proofs_completed{proof_kind="porep_c2"}', "cuzk_jobs_total{"):
        assert name in text
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(names) == len(set(names)), "each metric is declared once"


# ---- bad input


def raw(client: Client, method: str, message: bytes, timeout: float = 20) -> Any:
    """Calls with bytes as they are."""
    return client._channel.unary_unary(wire.path(method))(message, timeout=timeout)


def bad(name: str, **fields: Any) -> bytes:
    request = winning(name)
    for field, value in fields.items():
        setattr(request, field, value)
    return bytes(wire.ProveRequest(submit=request).SerializeToString())


@pytest.mark.parametrize(
    ("message", "code", "words"),
    [
        (b"", "INVALID_ARGUMENT", "the request has no field submit"),
        (b"\x0a\x00", "INVALID_ARGUMENT", "proof_kind 0"),
        (bad("kind 9", proof_kind=9), "INVALID_ARGUMENT", "proof_kind 9: want 1"),
        (bad("random", randomness=bytes(31)), "INVALID_ARGUMENT", "randomness has 31 bytes: want 32"),
        (os.urandom(64) + b"\xff", "INVALID_ARGUMENT", ""),
        (b"\x0a\xff\xff\xff\xff\x0f", "INVALID_ARGUMENT", "are left"),
        (b"\x0b" * 5000, "INVALID_ARGUMENT", "nested deeper than 100"),
        (b"\x0a\x80\x80\x10" + b"\x5a\x00" * (1 << 17), "INVALID_ARGUMENT", "proof_kind 0"),
        (b"\x0a\x82\x80\x10" + b"\x5a\x00" * ((1 << 17) + 1), "INVALID_ARGUMENT", "more than 131072 entries"),
        (bytes((8 << 20) + 1), "RESOURCE_EXHAUSTED", "larger than max"),
    ],
)
def test_bad_requests_get_an_answer_in_words(
    solver: tuple[Served, Client], message: bytes, code: str, words: str
) -> None:
    with pytest.raises(grpc.RpcError) as e:
        raw(solver[1], "Prove", message)
    assert e.value.code().name == code and words in e.value.details()
    assert solver[1].status().uptime_seconds >= 0


def test_a_message_of_the_largest_size_is_taken(solver: tuple[Served, Client]) -> None:
    request = wire.ProveRequest(submit=winning("largest"))
    text = request.SerializeToString()
    padding = (8 << 20) - len(text) - 6
    unknown = b"\xc2\x3e" + _varint(padding) + bytes(padding)  # field 1000
    assert len(text + unknown) == 8 << 20
    answer = wire.ProveResponse.FromString(raw(solver[1], "Prove", text + unknown))
    assert answer.result.status == wire.COMPLETED


def _varint(n: int) -> bytes:
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


@pytest.mark.parametrize("method", ["AwaitProof", "CancelProof", "PreloadSRS", "EvictSRS", "GetStatus"])
def test_garbage_in_other_calls(solver: tuple[Served, Client], method: str) -> None:
    with pytest.raises(grpc.RpcError) as e:
        raw(solver[1], method, b"\xff\xff\xff")
    assert e.value.code().name == "INVALID_ARGUMENT" and "the request is no" in e.value.details()


def test_unknown_methods(solver: tuple[Served, Client]) -> None:
    with pytest.raises(grpc.RpcError) as e:
        raw(solver[1], "Nothing", b"")
    assert e.value.code().name == "UNIMPLEMENTED"


def _path(served: Served) -> str:
    arguments: list[str] = served.process.args  # type: ignore[assignment]
    return arguments[arguments.index("--listen") + 1].removeprefix("unix://")


def test_garbage_on_the_socket_and_idle_connections_disturb_nobody(solver: tuple[Served, Client]) -> None:
    served, client = solver
    with contextlib.ExitStack() as stack:
        for i in range(300):
            s = stack.enter_context(socket.socket(socket.AF_UNIX))
            s.connect(_path(served))
            if i % 3 == 0:
                with contextlib.suppress(OSError):
                    s.sendall(os.urandom(200))
            elif i % 3 == 1:
                with contextlib.suppress(OSError):
                    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.prove(winning("beside garbage"), timeout=30).proof == b""


def test_senders_that_stall_disturb_nobody(solver: tuple[Served, Client]) -> None:
    """Calls whose request never comes hold no memory that others need."""
    served, client = solver
    with contextlib.ExitStack() as stack:
        for _ in range(4):  # of the six that may receive at once
            channel = stack.enter_context(grpc.insecure_channel("unix:" + _path(served)))
            never = threading.Event()
            stack.callback(never.set)
            going = channel.stream_unary(wire.path("Prove")).future(_stalled(never))
            stack.callback(going.cancel)
        served_receives(client, 4)
        assert client.prove(winning("beside stalled senders"), timeout=30).proof == b""


def _stalled(never: threading.Event) -> Iterator[bytes]:
    """A request that does not come; gRPC asks for it on another thread."""
    never.wait(60)
    yield from ()


def served_receives(client: Client, count: int) -> None:
    """Waits until so many calls have leave to receive."""
    end = time.monotonic() + 20
    while f"cuzk_service_receiving {count}\n" not in client.metrics():
        assert time.monotonic() < end
        time.sleep(0.1)


# ---- others who ask


def test_health_and_reflection(solver: tuple[Served, Client]) -> None:
    channel = solver[1]._channel
    stub = health_pb2_grpc.HealthStub(channel)
    for name in ("", wire.SERVICE):
        answer = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=5)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    database = ProtoReflectionDescriptorDatabase(channel)
    assert wire.SERVICE in database.get_services()
    file = database.FindFileContainingSymbol(wire.SERVICE)
    assert [m.name for m in file.service[0].method] == list(wire.METHODS)
    assert database.FindFileContainingSymbol("grpc.health.v1.Health").package == "grpc.health.v1"


def test_not_serving_without_parameters(tmp_path: Path) -> None:
    with serving(tmp_path, "--preload", "winning-2k") as (served, client):
        served.logged("not ready: winning-2k could not be loaded: srs_missing")
        stub = health_pb2_grpc.HealthStub(client._channel)
        answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
        assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING
        with pytest.raises(ProofFailed, match="srs_missing"):
            client.prove(winning(), timeout=30)


# ---- addresses


def test_a_second_server_cannot_take_a_live_socket(solver: tuple[Served, Client]) -> None:
    served, client = solver
    second = Served(served.log.parent, "--listen", "unix://" + _path(served), "--witness-only", wait=False)
    assert second.ended() == 2
    assert "another server listens there" in second.log.read_text()
    assert client.status().uptime_seconds >= 0
    assert os.stat(_path(served)).st_mode & 0o777 == 0o660


def test_other_programs_and_files_keep_their_path(tmp_path: Path) -> None:
    other = tmp_path / "other"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(other))
        s.listen()
        second = Served(tmp_path, "--listen", f"unix://{other}", "--witness-only", wait=False)
        assert second.ended() == 2 and "another program listens there" in second.log.read_text()
    file = tmp_path / "file"
    file.write_text("precious")
    second = Served(tmp_path, "--listen", f"unix://{file}", "--witness-only", wait=False)
    assert second.ended() == 2 and "no socket" in second.log.read_text() and file.read_text() == "precious"


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def test_a_second_server_cannot_share_a_port(tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path, "--witness-only", listen=f"127.0.0.1:{port}") as (_, client):
        assert client.prove(winning(), timeout=30).proof == b""
        second = Served(tmp_path, "--listen", f"127.0.0.1:{port}", "--witness-only", wait=False)
        assert second.ended() == 2 and "cannot be bound" in second.log.read_text()


def test_other_addresses_than_loopback_need_leave_or_tls(tmp_path: Path) -> None:
    port = free_port()
    open_to_all = Served(tmp_path, "--listen", f"0.0.0.0:{port}", "--witness-only", wait=False)
    assert open_to_all.ended() == 2 and "--insecure-listen" in open_to_all.log.read_text()
    with serving(tmp_path, "--witness-only", "--insecure-listen", listen=f"0.0.0.0:{port}") as (_, client):
        assert client.status().uptime_seconds >= 0


def _authority(folder: Path) -> None:
    """An authority, a server's certificate and a client's, by openssl."""
    run = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subprocess.run(
        [*run, "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem"], cwd=folder, check=True, capture_output=True
    )
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    for name in ("server", "client"):
        subprocess.run(
            [*run, "-subj", f"/CN={name}", "-addext", names, "-CA", "ca.pem", "-CAkey",
             "ca.key", "-addext", "basicConstraints=CA:FALSE", "-keyout", f"{name}.key", "-out", f"{name}.pem"],
            cwd=folder, check=True, capture_output=True,
        )  # fmt: skip


def test_tls_lets_in_who_has_a_certificate(tmp_path: Path) -> None:
    from cuzk.client import Tls

    try:
        _authority(tmp_path)
    except (OSError, subprocess.CalledProcessError) as e:
        pytest.skip(f"openssl cannot make certificates here: {e}")
    port = free_port()
    flags = ["--tls-cert", "server.pem", "--tls-key", "server.key", "--tls-client-ca", "ca.pem"]
    flags = [f if f.startswith("--") else str(tmp_path / f) for f in flags]
    with serving(tmp_path, "--witness-only", *flags, listen=f"127.0.0.1:{port}") as (_, plain):
        tls = Tls(*(tmp_path / f for f in ("ca.pem", "client.pem", "client.key")))
        with Client(f"localhost:{port}", tls) as client:
            assert client.status().uptime_seconds >= 0
        with pytest.raises(ServerError, match="UNAVAILABLE"):
            plain.call("GetStatus", wire.GetStatusRequest(), timeout=3)


# ---- the life of the process


def test_sigterm_drains(tmp_path: Path) -> None:
    with serving(tmp_path, "--witness-only") as (served, client):
        made: list[Any] = []
        c1 = (SECTOR / "c1-0.json").read_bytes()
        threads = [
            threading.Thread(
                target=lambda i=i: made.append(client.prove(porep(f"d{i}", wrapped(c1 + b" " * i)), timeout=60))
            )
            for i in range(6)
        ]
        for t in threads:
            t.start()
        for i in range(6):
            served.logged(f"label=d{i}")
        served.signal()
        served.logged("SIGTERM: no new work")
        for t in threads:
            t.join()
        assert len(made) == 6 and served.ended() == 0
        assert "drained" in served.log.read_text()
        assert not Path(_path(served)).exists()


def test_new_calls_are_sent_away_while_draining_and_a_second_signal_cancels(tmp_path: Path) -> None:
    with serving(tmp_path, "--witness-only") as (served, client):
        c1 = (SECTOR / "c1-0.json").read_bytes()
        jobs = [client.submit(porep(f"s{i}", wrapped(c1 + b" " * i))) for i in range(30)]
        errors: list[str] = []

        def ask() -> None:
            try:
                client.wait(jobs[-1])
            except (ProofFailed, ServerError) as e:
                errors.append(str(e))

        waiting = threading.Thread(target=ask)
        waiting.start()
        served.signal()
        served.logged("SIGTERM: no new work")
        with pytest.raises(ServerError, match="UNAVAILABLE: the service shuts down"):
            client.prove(winning("new"), timeout=20)
        served.signal(signal.SIGINT)
        waiting.join(30)
        assert served.ended() == 0
        assert errors and "a second signal came" in errors[0], errors


def test_after_kill_9_the_socket_is_taken_again_and_retries_end(tmp_path: Path) -> None:
    """Twenty calls are under way when the server dies; their callers try again, and all are served."""
    address = f"unix://{tmp_path}/s"
    flags = ("--listen", address, "--witness-only", "--params", str(tmp_path))
    first = Served(tmp_path, *flags)
    served: list[int] = []
    errors: list[str] = []
    c1 = (SECTOR / "c1-0.json").read_bytes()

    def caller(i: int) -> None:
        with Client(address) as client:
            for _ in range(200):
                try:
                    client.prove(porep(f"r{i}", wrapped(c1 + b" " * i)), timeout=60)
                    served.append(i)
                    return
                except ServerError as e:
                    errors.append(e.code)
                    time.sleep(0.1)

    threads = [threading.Thread(target=caller, args=(i,)) for i in range(20)]
    for t in threads:
        t.start()
    first.logged("label=r")
    first.signal(signal.SIGKILL)
    first.ended()
    second = Served(tmp_path, *flags)
    for t in threads:
        t.join(120)
    assert sorted(served) == list(range(20)) and errors and set(errors) <= {"UNAVAILABLE", "CANCELLED", "UNKNOWN"}
    second.signal()
    assert second.ended() == 0


def test_check_validates_and_exits(tmp_path: Path) -> None:
    def check(*flags: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cuzk", "serve", "--check", "--listen", f"unix://{tmp_path}/c", *flags]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    good = check("--witness-only")
    assert good.returncode == 0 and good.stdout.startswith("ok: backend cpu"), good
    assert check("--backend", "cuda").returncode == 1
    assert "want one of" in check("--backend", "gpu").stderr
    config = tmp_path / "c.toml"
    config.write_text("thread = 3")
    wrong = check("--config", str(config))
    assert wrong.returncode == 2 and "thread: no such setting; did you mean threads" in wrong.stderr


def test_systemd_is_told(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(str(tmp_path / "notify"))
        s.settimeout(30)
        os.environ["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        try:
            with serving(tmp_path, "--witness-only") as (served, _):
                assert s.recv(4096).startswith(b"READY=1\nSTATUS=listening on unix://")
                served.signal()
                assert s.recv(4096).startswith(b"STOPPING=1\nEXTEND_TIMEOUT_USEC=")
        finally:
            del os.environ["NOTIFY_SOCKET"]


def test_nothing_of_grpc_at_import() -> None:
    code = "import sys, cuzk.cli; cuzk.cli.parser(); print([m for m in sys.modules if m[:4] in ('grpc', 'goog')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.stdout.strip() == "[]", found
