"""The gRPC server: transport of :class:`~cuzk.service.calls.Calls`."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from .. import wire
from ..service.calls import CallError
from ..service.config import Config
from ..service.host import Host
from .listen import Address, ListenError, SocketFile

log = logging.getLogger("cuzk.serve")


class Server:
    """Listens and answers. Belongs to one event loop."""

    def __init__(self, host: Host) -> None:
        config = host.config
        self._host = host
        self._files: list[SocketFile] = []
        self._server = grpc.aio.server(options=_options(config))
        self._server.add_generic_rpc_handlers((_handlers(host),))
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (wire.SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server, pool=_Pools())
        self._why: str | None = None
        self.ports: list[int] = []

    async def start(self, addresses: list[Address]) -> None:
        """Binds and starts; raises ListenError before anything is answered if an address cannot be had."""
        config = self._host.config
        credentials = _credentials(config)
        try:
            for address in addresses:
                self._bind(address, config, credentials)
        except BaseException:
            self._release()
            raise
        await self._server.start()

    def _bind(self, address: Address, config: Config, credentials: Any) -> None:
        if address.path is not None:
            self._files.append(SocketFile(address.path))
            before = os.umask(0o777 & ~config.socket_mode)
            try:
                self._server.add_insecure_port(address.grpc)
            except RuntimeError as e:
                raise ListenError(f"{address.text}: {e}") from e
            finally:
                os.umask(before)
            os.chmod(address.path, config.socket_mode)
            return
        if credentials is None and not config.insecure_listen and not address.loopback:
            raise ListenError(
                f"{address.text}: who reaches this address could use the service; set tls_cert, tls_key and "
                "tls_client_ca, or allow it with --insecure-listen"
            )
        try:
            if credentials is None:
                self.ports.append(self._server.add_insecure_port(address.grpc))
            else:
                self.ports.append(self._server.add_secure_port(address.grpc, credentials))
        except RuntimeError as e:
            raise ListenError(f"{address.text}: cannot be bound, another program may listen there: {e}") from e

    async def show_health(self) -> None:
        """Tells health checks whether the service is ready, for ever."""
        while True:
            await self.set_health()
            await asyncio.sleep(0.5)

    async def set_health(self) -> None:
        """Tells health checks whether the service is ready."""
        why = self._host.why_not_ready()
        if self._why != why:
            self._why = why
            log.info("ready" if not why else "not ready: %s", *([why] if why else []))
            status = health_pb2.HealthCheckResponse
            for name in ("", wire.SERVICE):
                await self._health.set(name, status.NOT_SERVING if why else status.SERVING)

    async def stop(self, grace: float) -> None:
        """Stops listening and gives calls so many seconds to end."""
        await self._server.stop(grace)
        self._release()

    def _release(self) -> None:
        for file in self._files:
            file.close()
        self._files.clear()


def _options(config: Config) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", config.max_message),
        ("grpc.max_send_message_length", -1),
        ("grpc.so_reuseport", 0),  # or two servers would share a port without knowing
        ("grpc.keepalive_time_ms", 60_000),  # calls are silent for minutes: notice peers that died
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),  # of clients
        ("grpc.server_handshake_timeout_ms", 20_000),
    ]


def _handlers(host: Host) -> grpc.GenericRpcHandler:
    """The methods. Requests with vanilla proofs are read as a stream of one message, which is the same on the wire:
    so the call waits until there is memory for the message, and the message can be let go of before the call ends."""
    calls = host.calls
    handlers: dict[str, grpc.RpcMethodHandler] = {}
    for name, work in (("Prove", calls.prove), ("SubmitProof", calls.submit)):
        handlers[name] = grpc.stream_unary_rpc_method_handler(
            _streamed(name, work), None, wire.METHODS[name][1].SerializeToString
        )
    plain: dict[str, Callable[[Any], Awaitable[Any]]] = {
        "AwaitProof": calls.await_proof, "CancelProof": calls.cancel, "GetStatus": calls.status,
        "PreloadSRS": calls.preload, "EvictSRS": calls.evict, "GetMetrics": _metrics(host),
    }  # fmt: skip
    for name, answer in plain.items():
        handlers[name] = grpc.unary_unary_rpc_method_handler(
            _unary(name, answer), None, wire.METHODS[name][1].SerializeToString
        )
    return grpc.method_handlers_generic_handler(wire.SERVICE, handlers)


def _metrics(host: Host) -> Callable[[Any], Awaitable[Any]]:
    async def metrics(request: Any) -> Any:
        text = await asyncio.get_running_loop().run_in_executor(None, host.view.metrics)
        return wire.GetMetricsResponse(prometheus_text=text)

    return metrics


def _streamed(name: str, work: Callable[[Callable[[], Awaitable[bytes | None]]], Awaitable[Any]]) -> Any:
    async def handler(messages: Any, context: Any) -> Any:
        async def read() -> bytes | None:
            message = await context.read()
            return message if isinstance(message, bytes) else None

        return await _answered(name, context, lambda: work(read))

    return handler


def _unary(name: str, work: Callable[[Any], Awaitable[Any]]) -> Any:
    request_class = wire.METHODS[name][0]

    async def handler(message: bytes, context: Any) -> Any:
        async def decoded() -> Any:
            try:
                request = request_class.FromString(message)
            except Exception as e:  # DecodeError, whose place differs between versions
                raise CallError("INVALID_ARGUMENT", f"the request is no {request_class.DESCRIPTOR.name}: {e}") from e
            return await work(request)

        return await _answered(name, context, decoded)

    return handler


async def _answered(name: str, context: Any, work: Callable[[], Awaitable[Any]]) -> Any:
    """Answers a call, or ends it with the status of its error."""
    try:
        return await work()
    except CallError as e:
        level = logging.INFO if e.code in ("NOT_FOUND", "CANCELLED", "UNAVAILABLE") else logging.WARNING
        log.log(level, "%s: %s", e.code, e.message, extra={"call": name, "peer": context.peer()})
        await context.abort(grpc.StatusCode[e.code], e.message)
    except (asyncio.CancelledError, grpc.RpcError, grpc.aio.AbortError, grpc.aio.UsageError):
        raise
    except Exception as e:
        log.exception("a fault of this service", extra={"call": name, "peer": context.peer()})
        await context.abort(grpc.StatusCode.INTERNAL, f"a fault of the service, please report it: {e!r}")


def _credentials(config: Config) -> Any:
    """TLS with client certificates, or None."""
    if config.tls_cert is None:
        return None
    key, cert, authority = (_read(p) for p in (config.tls_key, config.tls_cert, config.tls_client_ca))
    return grpc.ssl_server_credentials([(key, cert)], authority, require_client_auth=True)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as e:
        raise ListenError(f"{path}: {e.strerror}") from e


class _Pools:
    """Our descriptors and those of gRPC's own services, as reflection asks for them."""

    def __getattr__(self, name: str) -> Any:
        def find(*arguments: Any) -> Any:
            try:
                return getattr(wire.POOL, name)(*arguments)
            except KeyError:
                return getattr(descriptor_pool.Default(), name)(*arguments)

        return find
