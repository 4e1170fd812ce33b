"""Which requests are the same, who waits for them, and what became of them.

An execution is one proof being made; a request with the label and the content of one that is under way, or done and
remembered, joins it. Everything here belongs to one event loop; only waiting for the engine happens on threads, one
for each execution, because the library's waits block.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import _native
from .._codes import Busy, Cancelled, Closed
from .._engine import Engine
from .._error import CuzkError
from .._job import Job
from .._statement import PoStRequest, UpdateRequest
from .mapping import PoRep, Task
from .memory import Room, Spool

log = logging.getLogger("cuzk.jobs")

_URGENCY = {"critical": 0, "high": 1, "normal": 2, "low": 3}
_SMALL = 4 << 20  # bytes: copied by the engine in less time than a thread takes to start
_RETRY = 0.02  # seconds between looks for room in the engine
# Of the engine's room for inputs, what only critical jobs may take: fifty WinningPoSts, or an eighth of little room.
_RESERVED = 8 << 20


class Draining(Exception):
    """No new work is accepted."""


class Full(Exception):
    """There is no memory and no file space for the request."""


@dataclass
class Execution:
    """One proof being made. ``state`` is waiting (for room in the engine), running, done, failed or cancelled."""

    id: str
    task: Task
    ended: asyncio.Future[None]
    state: str = "waiting"
    since: float = field(default_factory=time.time)
    began: float = field(default_factory=time.monotonic)
    finished: float = 0.0  # monotonic; 0: not yet
    waiters: int = 0
    detached: bool = False  # goes on without waiters
    job: Job | None = None
    number: int = 0  # of the engine's job; 0: none yet
    proof: bytes = b""
    error: CuzkError | None = None
    report: dict[str, Any] = field(default_factory=dict)  # of the engine, once it has ended
    held: int = 0
    spool: Spool | None = None
    left: asyncio.TimerHandle | None = None  # cancels it when nobody has come back by then
    stopped: str = ""  # why it was asked to stop

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.ended.done()

    @property
    def seconds(self) -> float:
        """From its submission to its end, or to now."""
        return (self.finished or time.monotonic()) - self.began


class Jobs:
    """The executions of an engine, those that have ended for ``remember`` seconds.

    An execution that nobody waits for any more is stopped after ``grace`` seconds, so that who tries again finds it.
    """

    def __init__(
        self, engine: Engine, room: Room, *, grace: float, remember: float, spool_dir: Path | None = None,
        witness_only: bool = False, most_remembered: int = 4096,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._room = room
        self._grace = grace
        self._remember = remember
        self._most = most_remembered
        self._spool_dir = spool_dir
        self._witness_only = witness_only
        self._prefix = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._by_id: dict[str, Execution] = {}
        self._by_key: dict[tuple[str, bytes], Execution] = {}
        self._gone: deque[Execution] = deque()  # ended, oldest first
        self._queue: list[tuple[int, int, Execution]] = []  # waiting for room in the engine
        self._intake = ThreadPoolExecutor(1, "cuzk-intake")  # one at a time: each holds a copy of its input
        self._wake = asyncio.Event()
        self._feeder: asyncio.Task[None] | None = None
        self._admissions: set[asyncio.Task[None]] = set()
        self._input_limit = engine.snapshot().input_limit
        self.draining = False
        self.failures: deque[Execution] = deque(maxlen=50)
        self.counts: dict[tuple[str, str], int] = {}  # ended, by kind and state
        self.seconds: dict[str, float] = {}  # of those that were done, by kind
        self.joined = 0
        self.on_end: Callable[[Execution], None] | None = None

    # ---- what calls need

    async def start(self, task: Task, placed: Callable[[], None], *, detached: bool = False) -> Execution:
        """Joins or starts the execution of a task; the task's input is the engine's, or held, when this returns.

        ``placed`` is called once, when the input no longer counts as being received, also if this call is cancelled
        before. Raises Draining and Full. The caller says with :meth:`wait` that it waits, or has it detached.
        """
        same = self._by_key.get(task.key)
        if same is not None:
            placed()
            self.joined += 1
            same.detached |= detached
            self._back(same)
            log.info("request joins a job that is %s", same.state, extra={"job": same.id, "label": task.label})
            return same
        if self.draining:
            placed()
            raise Draining
        name = f"{self._prefix}-{next(self._numbers)}"
        execution = Execution(name, task, asyncio.get_running_loop().create_future(), detached=detached)
        self._by_id[name] = self._by_key[task.key] = execution
        log.info(
            "accepted %s of %d bytes", task.kind, task.size,
            extra={"job": name, "label": task.label, "kind": task.kind, "priority": task.priority, "miner": task.miner,
                   "number": task.number},
        )  # fmt: skip
        if task.mismatch is not None:
            placed()
            self._end(execution, "failed", error=task.mismatch)
            return execution
        execution.waiters += 1  # this call, so that nobody takes it for left
        try:
            admission = asyncio.get_running_loop().create_task(self._admit(execution, placed))
            self._admissions.add(admission)
            admission.add_done_callback(self._admissions.discard)
            await asyncio.shield(admission)
        except BaseException:
            execution.waiters -= 1
            self._maybe_leave(execution)
            raise
        execution.waiters -= 1  # wait, which is next, counts its own
        return execution

    async def wait(self, execution: Execution, timeout: float | None = None) -> bool:
        """Waits for the end; False if the time was over first. When nobody waits any more the grace time begins."""
        self._back(execution)
        execution.waiters += 1
        try:
            await asyncio.wait_for(asyncio.shield(execution.ended), timeout)
            return True
        except asyncio.TimeoutError:
            return False
        finally:
            execution.waiters -= 1
            self._maybe_leave(execution)

    def get(self, name: str) -> Execution | None:
        """The execution of an id."""
        return self._by_id.get(name)

    def cancel(self, execution: Execution, why: str) -> bool:
        """Stops it for all who wait; False if it had ended before."""
        if execution.over:
            return False
        execution.stopped = execution.stopped or why
        self._drop_key(execution)  # who asks for it now wants it made
        log.info("cancel: %s", why, extra={"job": execution.id, "label": execution.task.label})
        if execution.job is not None:
            with contextlib.suppress(CuzkError, ValueError):
                return execution.job.cancel()
        self._end(execution, "cancelled", error=Cancelled(-21, "cancelled", why))
        return True

    def alive(self) -> list[Execution]:
        """Those that have not ended, oldest first."""
        return [e for e in self._by_id.values() if not e.over]

    def remembered(self) -> list[Execution]:
        """Those that have ended lately, newest first."""
        return list(reversed(self._gone))

    async def drain(self) -> None:
        """Accepts nothing new and waits for what is under way; what nobody waits for any more is stopped."""
        self.draining = True
        while alive := self.alive():
            for e in alive:
                if not e.waiters and not e.detached:
                    self.cancel(e, "the service shuts down and nobody waits for the proof")
            if ends := [e.ended for e in self.alive()]:
                await asyncio.wait(ends, timeout=0.5, return_when=asyncio.FIRST_COMPLETED)

    def cancel_all(self, why: str) -> None:
        """Stops everything."""
        self.draining = True
        for e in self.alive():
            self.cancel(e, why)

    def close(self) -> None:
        """Ends the threads; to be called when nothing is alive."""
        if self._feeder is not None:
            self._feeder.cancel()
        self._intake.shutdown(wait=False)

    def position(self, execution: Execution) -> int:
        """How many executions of the same or higher priority were there before it."""
        urgency = _URGENCY[execution.task.priority]
        return sum(
            1 for e in self.alive() if e.began < execution.began and _URGENCY[e.task.priority] <= urgency
        )  # fmt: skip

    # ---- into the engine

    async def _admit(self, execution: Execution, placed: Callable[[], None]) -> None:
        """Gives the input to the engine, or keeps it until the engine has room."""
        try:
            if not self._outranked(execution) and await self._submit(execution):
                return
            if not execution.over:
                await self._keep(execution)
        except Full as e:
            self._end(execution, "failed", error=Busy(-24, "busy", str(e), "", True))
            raise
        except Exception as e:  # a fault of this file must not leave callers waiting
            self._end(execution, "failed", error=CuzkError(-90, "internal", f"submitting: {e!r}"))
            raise
        finally:
            placed()
        if execution.over:
            self._release(execution)
            return
        heapq.heappush(self._queue, (_URGENCY[execution.task.priority], int(execution.id.split("-")[1]), execution))
        self._wake.set()
        if self._feeder is None or self._feeder.done():
            self._feeder = asyncio.get_running_loop().create_task(self._feed())

    def _outranked(self, execution: Execution) -> bool:
        """Whether one that waits comes before it."""
        urgency = _URGENCY[execution.task.priority]
        return any(first <= urgency and not e.over for first, _, e in self._queue)

    async def _feed(self) -> None:
        """Submits what waits, the most urgent first, whenever the engine has room."""
        while self._queue:
            _, _, execution = self._queue[0]
            if execution.over or await self._submit(execution):
                if self._queue and self._queue[0][2] is execution:
                    heapq.heappop(self._queue)
                else:  # a more urgent one came meanwhile
                    self._queue = [q for q in self._queue if q[2] is not execution]
                    heapq.heapify(self._queue)
                self._release(execution)
                continue
            self._wake.clear()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _RETRY)

    async def _submit(self, execution: Execution) -> bool:
        """Tries to hand the input over; False if the engine has no room now."""
        task = execution.task
        if task.priority != "critical" and not self._has_room(task.size):
            return False
        try:
            if task.size <= _SMALL and execution.spool is None:
                job = task.submit(self._engine, self._witness_only)
            else:
                loop = asyncio.get_running_loop()
                job = await loop.run_in_executor(self._intake, self._submit_here, execution)
        except Busy:
            return False
        except CuzkError as e:
            self._end(execution, "failed", error=e)
            return True
        except ValueError as e:  # what the binding says of a bad argument
            self._end(execution, "failed", error=CuzkError(-10, "argument", str(e)))
            return True
        except (OSError, MemoryError) as e:  # reading it from a file
            log.exception("an input cannot be submitted", extra={"job": execution.id, "label": task.label})
            self._end(execution, "failed", error=CuzkError(-55, "file_io", f"the input cannot be submitted: {e!r}"))
            return True
        task.input = None
        if execution.over:  # cancelled meanwhile
            job.close()
            return True
        execution.job, execution.state = job, "running"
        threading.Thread(
            target=self._watch,
            args=(execution, job, asyncio.get_running_loop()),
            name=f"cuzk-{execution.id}",
            daemon=True,
        ).start()
        return True

    def _submit_here(self, execution: Execution) -> Job:
        """Submits on this thread, from the spool if that is where the input is."""
        task = execution.task
        if execution.spool is not None:
            task = replace(task, input=_with_pieces(task.input, execution.spool.read()))
        return task.submit(self._engine, self._witness_only)

    def _has_room(self, count: int) -> bool:
        """Whether a job that is not critical may take so much of the engine's room; alone it always may."""
        used = self._engine.snapshot().input_used
        reserved = min(_RESERVED, self._input_limit // 8)
        return used == 0 or used + count + reserved <= self._input_limit

    async def _keep(self, execution: Execution) -> None:
        """Holds the input in memory, or else in a file; raises Full if there is no place."""
        task, room = execution.task, self._room
        if room.hold(task.size, always=task.priority == "critical"):
            execution.held = task.size
            return
        if room.spooled + task.size > room.spool_limit:
            raise Full(
                f"requests of {room.held} bytes wait in memory and of {room.spooled} in files: there is no place for "
                f"{task.size} more"
            )
        room.spooled += task.size
        try:
            loop = asyncio.get_running_loop()
            execution.spool = await loop.run_in_executor(self._intake, Spool, _pieces(task.input), self._spool_dir)
        except OSError as e:
            room.spooled -= task.size
            raise Full(f"no place in memory, and writing {task.size} bytes to a file failed: {e}") from e
        task.input = _with_pieces(task.input, [])
        log.info("input waits in a file", extra={"job": execution.id, "label": task.label})

    def _release(self, execution: Execution) -> None:
        """Gives the memory or file of a kept input back."""
        if execution.held:
            held, execution.held = execution.held, 0
            self._room.let_go(held)
        if execution.spool is not None:
            execution.spool.close()
            execution.spool = None
            self._room.spooled -= execution.task.size

    # ---- the end

    def _watch(self, execution: Execution, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """Waits for the engine, on a thread of its own."""
        proof, error, report = b"", None, {}
        try:
            try:
                _native.call("cuzk_job_wait", job._live(), -1, _native.PROGRESS_FN(0), None)
                proof = job.result()
            except CuzkError as e:
                error = e
            with contextlib.suppress(CuzkError):
                report = job.report()
        except Exception as e:  # a fault of this file must not leave callers waiting
            error = CuzkError(-90, "internal", f"waiting for the engine: {e!r}")
        state = "done" if error is None else "cancelled" if isinstance(error, (Cancelled, Closed)) else "failed"
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._end, execution, state, proof, error, report)

    def _end(
        self, execution: Execution, state: str, proof: bytes = b"", error: CuzkError | None = None,
        report: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Notes the end and wakes who waits."""
        if execution.over:
            return
        e, task = execution, execution.task
        e.state, e.proof, e.error, e.report = state, proof, error, report or {}
        e.number = e.report.get("id", 0)
        e.finished = time.monotonic()
        task.input = None
        if e.left is not None:
            e.left.cancel()
        if state == "cancelled" and e.stopped:
            e.error = Cancelled(-21, "cancelled", e.stopped)
        if state != "done":  # a retry makes it anew
            self._drop_key(e)
        if e.job is not None:
            e.job.close()
            e.job = None
        self._gone.append(e)
        self.counts[task.kind, state] = self.counts.get((task.kind, state), 0) + 1
        if state == "done":
            self.seconds[task.kind] = self.seconds.get(task.kind, 0.0) + e.seconds
        if state == "failed":
            self.failures.appendleft(e)
        level = logging.WARNING if state == "failed" else logging.INFO
        log.log(
            level, "%s after %.3f s%s", state, e.seconds, f": {e.error}" if e.error else "",
            extra={"job": e.id, "label": task.label, "kind": task.kind, "state": state, "seconds": round(e.seconds, 3),
                   **({"code": e.error.name} if e.error else {})},
        )  # fmt: skip
        e.ended.set_result(None)
        self._wake.set()
        self._forget_old()
        if self.on_end is not None:
            self.on_end(e)

    def _back(self, execution: Execution) -> None:
        """Somebody wants it again."""
        if execution.left is not None:
            execution.left.cancel()
            execution.left = None

    def _maybe_leave(self, execution: Execution) -> None:
        """Begins the grace time if nobody waits."""
        if execution.waiters or execution.detached or execution.over or execution.left is not None:
            return
        why = f"its callers have gone, and nobody came back within {self._grace:g} s"
        execution.left = asyncio.get_running_loop().call_later(self._grace, self.cancel, execution, why)
        log.info("nobody waits for the job any more", extra={"job": execution.id, "label": execution.task.label})

    def _drop_key(self, execution: Execution) -> None:
        """Lets no other request join it."""
        if self._by_key.get(execution.task.key) is execution:
            del self._by_key[execution.task.key]

    def _forget_old(self) -> None:
        now = time.monotonic()
        while self._gone and (len(self._gone) > self._most or self._gone[0].finished + self._remember < now):
            self._forget(self._gone.popleft())

    def _forget(self, execution: Execution) -> None:
        self._by_id.pop(execution.id, None)
        self._drop_key(execution)
        if execution.left is not None:
            execution.left.cancel()
            execution.left = None


def _pieces(given: PoRep | PoStRequest | UpdateRequest | None) -> list[bytes]:
    """The large parts of an input."""
    if given is None:
        return []
    return [given.c1] if isinstance(given, PoRep) else list(given.vanilla_proofs)


def _with_pieces(given: PoRep | PoStRequest | UpdateRequest | None, pieces: list[bytes]) -> Any:
    """The same input with other large parts."""
    if isinstance(given, PoRep):
        return PoRep(pieces[0] if pieces else b"", given.sector_number, given.prover_id)
    return None if given is None else replace(given, vanilla_proofs=pieces)
