"""An engine with all that serves it, and whether it is ready: what every transport and every deployment has."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from pathlib import Path

from .._engine import Engine
from .._error import CuzkError
from . import circuits
from .calls import Calls
from .config import Config
from .jobs import Jobs
from .memory import Room
from .view import View

log = logging.getLogger("cuzk.service")

_AGAIN = 30.0  # seconds until a failed preload is tried again
_DEFAULT_PARAMS = Path("/var/tmp/filecoin-proof-parameters")


def open_engine(c: Config) -> Engine:
    """The engine that a configuration describes; raises CuzkError."""
    return Engine(
        c.params, backend=c.backend, threads=c.threads, memory_budget=c.memory_budget, devices=c.devices,
        device_library=c.device_library, device_memory_limit=c.device_memory_limit, device_slots=c.device_slots,
        max_batch_size=c.max_batch_size, max_batch_wait=c.max_batch_wait, check_digest=c.check_digest,
        check_subgroup=c.check_subgroup,
    )  # fmt: skip


class Host:
    """An engine and its service. To be made within the event loop that uses it."""

    def __init__(self, engine: Engine, config: Config) -> None:
        self.engine = engine
        self.config = config
        self.room = Room(config.receive_memory, config.max_message, config.spool_limit)
        self.jobs = Jobs(
            engine, self.room, grace=config.grace, remember=config.remember, spool_dir=config.spool_dir,
            witness_only=config.witness_only,
        )  # fmt: skip
        self.calls = Calls(engine, self.jobs, self.room, receive_timeout=config.receive_timeout)
        self.view = View(self.calls, self.why_not_ready)
        self.beat = time.monotonic()  # of the event loop, every second
        self._to_load = {name: "is not loaded yet" for name in config.preload}
        self._has_params = False
        self._looked = 0.0

    def why_not_ready(self) -> str:
        """Why new work is not wanted; "" if it is."""
        if self.jobs.draining:
            return "the service shuts down"
        if self._to_load:
            return "; ".join(f"{name} {why}" for name, why in self._to_load.items())
        if self.config.witness_only or self.config.preload:
            return ""
        if not self._has_params and time.monotonic() > self._looked + 1:
            self._looked = time.monotonic()
            self._has_params = any(self.params_dir.glob("v*.params"))
        return "" if self._has_params else f"no parameter files in {self.params_dir}"

    @property
    def params_dir(self) -> Path:
        """The folder that the engine takes."""
        return Path(self.config.params or os.environ.get("FIL_PROOFS_PARAMETER_CACHE") or _DEFAULT_PARAMS)

    async def keep_beating(self) -> None:
        """Notes every second that the event loop runs."""
        while True:
            self.beat = time.monotonic()
            await asyncio.sleep(1)

    async def preload(self) -> None:
        """Loads what the configuration names, again until it is there."""
        loop = asyncio.get_running_loop()
        while self._to_load and not self.jobs.draining:
            for name in list(self._to_load):
                circuit = circuits.circuit(name)
                began = time.monotonic()
                try:
                    await loop.run_in_executor(None, self.engine.load, circuit.kind, circuit.sector_size)
                except CuzkError as e:
                    self._to_load[name] = f"could not be loaded: {e}"
                    log.error(
                        "preload failed, it is tried again in %g s: %s",
                        _AGAIN,
                        e,
                        extra={"circuit": name, "code": e.name},
                    )
                    continue
                del self._to_load[name]
                log.info("preloaded in %.1f s", time.monotonic() - began, extra={"circuit": name})
            if self._to_load:
                await asyncio.sleep(_AGAIN)

    def close(self) -> None:
        """Ends the threads of the service; the engine is its opener's."""
        self.calls.close()
        self.jobs.close()
