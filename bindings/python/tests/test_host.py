"""What the process around the library does to it: signals, forks, exceptions in callbacks, use after close."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from test_kinds import post

import cuzk

PROVER = cuzk.prover_id(1001)

# Waits for a proof and says when an interrupt has left the wait, three times;
# then whether the jobs were cancelled and the engine still proves.
INTERRUPTED = """
import cuzk, signal, sys, time
from test_kinds import post
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a job of a shell's background
winning, _ = post("2k-v1_1", "winning_post")
window, info = post("2k-v1_1", "window_post")
with cuzk.Engine(sys.argv[1]) as engine:
    engine.load("winning_post", 2048)
    for _ in range(3):
        print("waiting", flush=True)
        try:
            engine.prove_post(winning)
        except KeyboardInterrupt:
            print(time.monotonic(), flush=True)
    until = time.monotonic() + 30
    while engine.snapshot().jobs["cancelled"] < 3 and time.monotonic() < until:
        time.sleep(0.01)
    print(engine.snapshot().jobs["cancelled"], engine.verify_post(info, engine.prove_post(window)), flush=True)
"""


def test_ctrl_c_leaves_a_blocking_call_at_once(params_dir: Path) -> None:
    """Within 200 ms, where the machine lets it; the job is cancelled and the engine goes on."""
    command = [sys.executable, "-c", INTERRUPTED, str(params_dir)]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    took = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here) as p:
        assert p.stdout is not None
        for _ in range(3):
            assert p.stdout.readline() == "waiting\n"
            time.sleep(0.3)
            sent = time.monotonic()
            p.send_signal(signal.SIGINT)
            took.append(float(p.stdout.readline()) - sent)
        assert p.stdout.readline() == "3 True\n"
        assert p.wait(60) == 0
    assert min(took) < 0.2 and max(took) < 2, took  # others may keep the machine from one of them


def test_fork_is_refused(engine: cuzk.Engine) -> None:
    child = os.fork()
    if child == 0:
        try:
            engine.prove_porep(b"{}", 1, PROVER)
        except cuzk.Forked:
            os._exit(0)
        os._exit(1)
    _, result = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(result) == 0


def _try_everything(folder: str) -> list[str]:
    """What each call says in a process that must not make it."""
    said = []
    for call in (lambda: cuzk.Engine(folder), lambda: cuzk.post_challenges(10, bytes(32), [1])):
        try:
            call()
            said.append("nothing")
        except cuzk.CuzkError as e:
            said.append(str(e))
    return said


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_multiprocessing_fork_is_refused(vk_dir: Path) -> None:
    """The error says what to do instead, and reaches the parent."""
    cuzk.Engine(vk_dir).close()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        for said in pool.apply(_try_everything, (str(vk_dir),)):
            assert "forked" in said and "spawn" in said
        with pytest.raises(cuzk.Forked, match="spawn instead of fork"):
            pool.apply(cuzk.Engine, (str(vk_dir),))


def _in_spawned(vk_dir: str) -> str:
    with cuzk.Engine(vk_dir) as engine:
        try:
            engine.prove_porep(b"", 1, PROVER)
        except cuzk.InputSyntax as e:
            return e.name
    return "nothing"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_spawn_works(method: str, vk_dir: Path) -> None:
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(_in_spawned, (str(vk_dir),)) == "input_syntax"


def test_handles_stay_in_their_process(engine: cuzk.Engine) -> None:
    with pytest.raises(TypeError, match="open one in each"):
        pickle.dumps(engine)
    with engine.submit_porep(b"{}", 1, PROVER) as job, pytest.raises(TypeError, match="result"):
        pickle.dumps(job)


def test_callback_that_raises(params_dir: Path) -> None:
    """Its exception arrives here, the job is cancelled, and the engine goes on."""
    winning, _ = post("2k-v1_1", "winning_post")
    window, info = post("2k-v1_1", "window_post")

    def stop(_: cuzk.Progress) -> None:
        raise RuntimeError("from the callback")

    with cuzk.Engine(params_dir) as engine:
        with pytest.raises(RuntimeError, match="from the callback"):
            engine.prove_post(winning, progress=stop)
        until = time.monotonic() + 30
        while engine.snapshot().jobs["running"] and time.monotonic() < until:
            time.sleep(0.01)
        assert engine.snapshot().jobs["cancelled"] == 1
        assert engine.verify_post(info, engine.prove_post(window))


def _outcome(call: object) -> threading.Thread:
    """Runs a call on a thread; what it raised is in the thread's ``error``."""

    def run() -> None:
        try:
            call()  # type: ignore[operator]
        except Exception as e:
            thread.error = e  # type: ignore[attr-defined]

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_close_while_others_wait(params_dir: Path) -> None:
    """Whoever waits is woken with an error of the package, and nothing hangs."""
    winning, _ = post("2k-v1_1", "winning_post")
    engine = cuzk.Engine(params_dir)
    jobs = [engine.submit_post(winning) for _ in range(2)]
    waiters = [_outcome(job.wait) for job in jobs] + [_outcome(lambda: engine.prove_post(winning))]
    time.sleep(0.3)
    engine.close()
    for waiter in waiters:
        waiter.join(timeout=30)
        assert not waiter.is_alive()
        error = waiter.error  # type: ignore[attr-defined]
        assert isinstance(error, (cuzk.Closed, cuzk.Cancelled, cuzk.Handle)), error
    for job in jobs:
        job.close()
    with pytest.raises(ValueError, match="closed"):
        engine.snapshot()


def test_close_of_a_job_that_is_waited_for(params_dir: Path) -> None:
    winning, _ = post("2k-v1_1", "winning_post")
    with cuzk.Engine(params_dir) as engine:
        job = engine.submit_post(winning)
        waiter = _outcome(job.wait)
        time.sleep(0.3)
        job.close()
        waiter.join(timeout=30)
        assert not waiter.is_alive()
        error = waiter.error  # type: ignore[attr-defined]
        assert isinstance(error, (cuzk.Cancelled, cuzk.Handle, ValueError)), error


def test_two_engines_and_many_openings(vk_dir: Path) -> None:
    for _ in range(100):
        cuzk.Engine(vk_dir).close()
    with cuzk.Engine(vk_dir) as one, cuzk.Engine(vk_dir) as other:
        one.close()
        assert other.snapshot().jobs["running"] == 0
