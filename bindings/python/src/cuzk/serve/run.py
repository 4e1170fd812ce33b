"""The life of the service's process: open, listen, serve, drain, close."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import signal

from .._engine import Engine
from ..service.config import Config
from ..service.host import Host, open_engine
from . import listen
from .notify import notify, watchdog_seconds
from .server import Server

log = logging.getLogger("cuzk.serve")


class Life:
    """Counts signals: the first drains, the second cancels."""

    def __init__(self) -> None:
        self.drain = asyncio.Event()
        self.cancel = asyncio.Event()

    def signalled(self, name: str) -> None:
        """A signal came."""
        if not self.drain.is_set():
            log.info("%s: no new work is accepted, what is under way goes on; another signal cancels it", name)
            self.drain.set()
        elif not self.cancel.is_set():
            log.warning("%s again: what is under way is cancelled", name)
            self.cancel.set()


def check(config: Config) -> str:
    """Opens everything that the configuration names, closes it, and tells what was found."""
    addresses = [listen.parse(text) for text in config.listen]
    with open_engine(config) as engine:
        snapshot = engine.snapshot()

        async def bind() -> list[str]:
            host = Host(engine, config)
            server = Server(host)
            try:
                await server.start(addresses)
                why = host.why_not_ready() if not config.preload else ""
            finally:
                await server.stop(0)
                host.close()
            return [why] if why else []

        notes = [*config.warnings, *asyncio.run(bind())]
    devices = ", ".join(d.name for d in snapshot.devices if d.usable) or "no devices"
    found = f"ok: backend {snapshot.backend}, {devices}, {snapshot.threads} threads"
    return "\n".join([f"{found}, listens on {', '.join(config.listen)}"] + [f"warning: {note}" for note in notes])


def serve(config: Config) -> None:
    """Serves until a signal comes; raises CuzkError, ListenError and OSError if it cannot."""
    addresses = [listen.parse(text) for text in config.listen]
    for warning in config.warnings:
        log.warning("%s", warning)
    _raise_file_limit()
    with open_engine(config) as engine:
        snapshot = engine.snapshot()
        log.info(
            "libcuzk %s on %s (%s), %d threads, %.1f GiB of host memory", snapshot.version, snapshot.backend,
            ", ".join(d.name for d in snapshot.devices) or "no devices", snapshot.threads,
            snapshot.limit.host / (1 << 30),
        )  # fmt: skip
        if config.backend == "auto" and snapshot.backend == "cpu":
            log.warning("proofs are computed on the CPU, which is slow: %s", engine.status()["why"])
        if config.witness_only:
            log.warning("witness_only: inputs are checked and solved, no proof is made")
        asyncio.run(_serve(engine, config, addresses))
    log.info("closed")


async def _serve(engine: Engine, config: Config, addresses: list[listen.Address]) -> None:
    host = Host(engine, config)
    server, life, loop = Server(host), Life(), asyncio.get_running_loop()
    web = None
    await server.start(addresses)
    try:
        if config.http:
            from ..http import Web

            web = Web(host.view, config.http, config.http_hosts, lambda: host.beat, config.insecure_listen)
            log.info("http://%s", web.address)
    except BaseException:
        await server.stop(0)
        host.close()
        raise
    for name in ("SIGTERM", "SIGINT"):
        loop.add_signal_handler(getattr(signal, name), life.signalled, name)
    log.info(
        "listening on %s", ", ".join(a.text for a in addresses) + (f" (ports {server.ports})" if server.ports else "")
    )
    await server.set_health()
    tasks = [loop.create_task(t) for t in (host.keep_beating(), host.preload(), server.show_health(), _watchdog())]
    notify("READY=1", f"STATUS=listening on {', '.join(config.listen)}")
    await life.drain.wait()
    host.jobs.draining = True
    await server.set_health()
    notify("STOPPING=1", f"EXTEND_TIMEOUT_USEC={int(1e6 * (config.drain_timeout + 60))}", "STATUS=draining")
    await _drain(host, life, config.drain_timeout)
    for task in tasks:
        task.cancel()
    await server.stop(5)
    if web is not None:
        web.close()
    host.close()


async def _drain(host: Host, life: Life, timeout: float) -> None:
    """Waits for the jobs, for so many seconds or until a second signal; then they are cancelled."""
    waits = [asyncio.ensure_future(host.jobs.drain()), asyncio.ensure_future(life.cancel.wait())]
    done, pending = await asyncio.wait(waits, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    if waits[0] in done:
        log.info("drained")
        return
    why = "a second signal came while the service shut down" if done else f"the service had to stop after {timeout:g} s"
    host.jobs.cancel_all(why)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(host.jobs.drain(), 30)


async def _watchdog() -> None:
    """Signs of life for systemd, if it wants them."""
    seconds = watchdog_seconds()
    while seconds:
        notify("WATCHDOG=1")
        await asyncio.sleep(seconds)


def _raise_file_limit() -> None:
    """Each connection is an open file: takes as many as the process may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    log.debug("open files: %d, were %d", hard, soft)
