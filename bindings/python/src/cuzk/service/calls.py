"""The eight calls of ``cuzk.v1.ProvingEngine``, answered by an engine.

A call is a coroutine from the request to the message that answers it; what fails raises :class:`CallError` with the
name of a gRPC status. How requests arrive and answers leave is the caller's.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import wire
from .._codes import Busy, SrsMissing
from .._engine import Engine
from .._error import CuzkError
from ..wire import decode
from . import circuits, mapping
from .jobs import Draining, Execution, Full, Jobs
from .memory import Room

log = logging.getLogger("cuzk.calls")

Read = Callable[[], Awaitable[bytes | None]]

_SMALL = 1 << 20  # bytes: decoded faster than a thread is asked to
_PATIENCE = 10.0  # seconds that a message may take while others wait for leave to receive
_LOOK = 0.5
_TIERS = {"device": wire.HOT, "pinned": wire.HOT, "mapped": wire.WARM, "disk": wire.COLD}
_STATUS = {"done": wire.COMPLETED, "failed": wire.FAILED, "cancelled": wire.CANCELLED}


class CallError(Exception):
    """A call that fails: the name of a gRPC status code, and what is wrong."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Calls:
    """The calls. Belongs to one event loop."""

    def __init__(self, engine: Engine, jobs: Jobs, room: Room, *, receive_timeout: float = 60.0) -> None:
        self.engine = engine
        self.jobs = jobs
        self.room = room
        self._receive_timeout = receive_timeout
        self._since = time.monotonic()
        self._decoder = ThreadPoolExecutor(1, "cuzk-decode")  # one at a time: each holds two copies of a request
        self._slow = ThreadPoolExecutor(8, "cuzk-load")  # loads and evictions

    async def prove(self, read: Read) -> Any:
        """Prove: submits and waits."""
        execution = await self._started(read, decode.prove_request, detached=False)
        await self.jobs.wait(execution)
        return wire.ProveResponse(result=answer(execution))

    async def submit(self, read: Read) -> Any:
        """SubmitProof."""
        execution = await self._started(read, decode.submit_request, detached=True)
        return wire.SubmitProofResponse(job_id=execution.id, queue_position=self.jobs.position(execution))

    async def await_proof(self, request: Any) -> Any:
        """AwaitProof."""
        execution = self._known(request.job_id)
        ended = await self.jobs.wait(execution, request.timeout_ms / 1000 if request.timeout_ms else None)
        if not ended:
            return wire.AwaitProofResponse(job_id=execution.id, status=wire.TIMEOUT, error_message="the job still runs")
        return answer(execution)

    async def cancel(self, request: Any) -> Any:
        """CancelProof."""
        execution = self._known(request.job_id)
        return wire.CancelProofResponse(was_running=self.jobs.cancel(execution, "a client asked to cancel it"))

    async def status(self, request: Any) -> Any:
        """GetStatus."""
        snapshot, detail = self.engine.snapshot(), self.engine.status()
        alive = self.jobs.alive()
        running = [e for e in alive if e.state == "running"]
        alone = running[0] if len(snapshot.devices) == 1 and len(running) == 1 else None
        answered = wire.GetStatusResponse(
            total_proofs_completed=sum(n for (_, state), n in self.jobs.counts.items() if state == "done"),
            total_proofs_failed=sum(n for (_, state), n in self.jobs.counts.items() if state == "failed"),
            uptime_seconds=int(time.monotonic() - self._since),
            pinned_memory_bytes=sum(m.pinned for m in snapshot.used.values()),
            pinned_memory_limit_bytes=snapshot.limit.pinned,
        )
        for i, device in enumerate(snapshot.devices):
            answered.gpus.add(
                ordinal=i, name=device.name, vram_total_bytes=device.memory,
                vram_free_bytes=max(0, device.memory - device.used) if device.usable else 0,
                current_job_id=alone.id if alone else "",
                current_proof_kind=circuits.WIRE_NAMES[alone.task.kind] if alone else "",
            )  # fmt: skip
        for p in detail["params"]:
            answered.loaded_srs.add(
                circuit_id=circuits.of_file(p["name"]), tier=_TIERS.get(p["tier"], wire.COLD),
                size_bytes=p["file_bytes"], ref_count=sum(c["refs"] for c in p["copies"]),
            )  # fmt: skip
        for kind, name in circuits.WIRE_NAMES.items():
            of_kind = [e for e in alive if e.task.kind == kind]
            begun = sum(1 for e in of_kind if has_begun(e))
            answered.queues.add(proof_kind=name, pending=len(of_kind) - begun, in_progress=begun)
        return answered

    async def preload(self, request: Any) -> Any:
        """PreloadSRS."""
        what = self._circuit(request.circuit_id)
        loaded = what.id in self.loaded()
        began = time.monotonic()
        try:
            await asyncio.get_running_loop().run_in_executor(self._slow, self.engine.load, what.kind, what.sector_size)
        except SrsMissing as e:
            raise CallError("NOT_FOUND", str(e)) from e
        except CuzkError as e:
            raise CallError("UNAVAILABLE" if e.retryable else "FAILED_PRECONDITION", str(e)) from e
        seconds = time.monotonic() - began
        log.info("preloaded %s in %.3f s", what.id, seconds, extra={"circuit": what.id})
        return wire.PreloadSrsResponse(already_loaded=loaded, load_time_ms=round(1000 * seconds))

    async def evict(self, request: Any) -> Any:
        """EvictSRS; no circuit means all."""
        what = self._circuit(request.circuit_id) if request.circuit_id else None
        held = self.loaded()
        loaded = what.id in held if what else bool(held)
        arguments = (what.kind, what.sector_size) if what else ()
        try:
            freed = await asyncio.get_running_loop().run_in_executor(self._slow, self.engine.evict, *arguments)
        except Busy as e:
            raise CallError("FAILED_PRECONDITION", str(e)) from e
        except CuzkError as e:
            raise CallError("INTERNAL", str(e)) from e
        log.info(
            "evicted %s: %d bytes", request.circuit_id or "all parameters", freed, extra={"circuit": request.circuit_id}
        )
        return wire.EvictSrsResponse(was_loaded=loaded, freed_bytes=freed)

    def loaded(self) -> set[str]:
        """The circuits whose parameters are in memory."""
        return {
            circuits.of_file(p["name"])
            for p in self.engine.status()["params"]
            if p["tier"] != "disk" and any(not c["loading"] for c in p["copies"])
        }

    def close(self) -> None:
        """Ends the threads."""
        self._decoder.shutdown(wait=False)
        self._slow.shutdown(wait=False)

    async def _started(self, read: Read, parse: Callable[[bytes], Any], *, detached: bool) -> Execution:
        """Receives, decodes and submits a request."""
        await self.room.receive()
        try:
            task = await self._decoded(await self._received(read), parse)
        except BaseException:
            self.room.received()
            raise
        try:
            return await self.jobs.start(task, self.room.received, detached=detached)
        except Draining as e:
            raise CallError("UNAVAILABLE", "the service shuts down: ask another, or this one later") from e
        except Full as e:
            raise CallError("RESOURCE_EXHAUSTED", str(e)) from e

    async def _received(self, read: Read) -> list[bytes]:
        """The request's bytes, in a list so that they can be let go of by whoever decodes them."""
        began = time.monotonic()
        reading = asyncio.ensure_future(read())
        try:
            while not (await asyncio.wait((reading,), timeout=_LOOK))[0]:
                age = time.monotonic() - began
                if age > self._receive_timeout or (age > _PATIENCE and self.room.waiting):
                    raise CallError("DEADLINE_EXCEEDED", f"the request had not arrived as a whole after {age:.0f} s")
        finally:
            if not reading.done():
                reading.cancel()
        message = reading.result()
        if message is None:
            raise CallError("CANCELLED", "the call ended without a request")
        return [message]

    async def _decoded(self, message: list[bytes], parse: Callable[[bytes], Any]) -> mapping.Task:
        def work() -> mapping.Task:
            submit = parse(message.pop())
            if submit is None:
                raise mapping.Refused("the request has no field submit")
            return mapping.task(submit)

        try:
            if len(message[0]) <= _SMALL:
                return work()
            return await asyncio.get_running_loop().run_in_executor(self._decoder, work)
        except (decode.Malformed, mapping.Refused) as e:
            raise CallError("INVALID_ARGUMENT", str(e)) from e

    def _known(self, name: str) -> Execution:
        execution = self.jobs.get(name)
        if execution is None:
            raise CallError("NOT_FOUND", f"job {name!r} is not known: it never was, or ended too long ago")
        return execution

    def _circuit(self, name: str) -> circuits.Circuit:
        try:
            return circuits.circuit(name)
        except ValueError as e:
            raise CallError("INVALID_ARGUMENT", str(e)) from e


def has_begun(execution: Execution) -> bool:
    """Whether the engine works on it, rather than having it in its queue."""
    if execution.job is None:
        return False
    try:
        return bool(execution.job.report()["state"] == "running")
    except (CuzkError, ValueError):  # ended just now
        return True


def answer(execution: Execution) -> Any:
    """The AwaitProofResponse of an execution that has ended."""
    stages = {s["name"]: s["wall_ms"] for s in execution.report.get("stages", ())}

    def total(*names: str) -> int:
        return int(sum(stages.get(name, 0.0) for name in names) + 0.5)

    return wire.AwaitProofResponse(
        job_id=execution.id,
        status=_STATUS[execution.state],
        proof=execution.proof,
        error_message=str(execution.error) if execution.error else "",
        queue_wait_ms=total("queued", "wait", "gather"),
        srs_load_ms=total("load"),
        synthesis_ms=total("solve"),
        gpu_compute_ms=total("prove"),
        total_ms=int(1000 * execution.seconds + 0.5),
    )
