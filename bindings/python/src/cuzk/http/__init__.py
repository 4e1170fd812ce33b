"""The operator's port: metrics, status, health and one page, over HTTP. Nothing here writes.

``http.server`` of the standard library serves it: six fixed answers to GET on an operator's port need no framework, and
nothing has to be installed or kept up to date. What its manual warns of is bounded here: each connection gets one
answer and fifteen seconds, there are at most 64 at once, and names in Host that are not ours are refused, so that a
page from elsewhere cannot read it by rebinding its own name.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import ipaddress
import json
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ..serve import listen
from ..service.view import View

log = logging.getLogger("cuzk.http")

_MOST = 64  # connections at once
_SECONDS = 15.0  # for each
_STUCK = 10.0  # seconds without a beat of the event loop: not alive


class Web:
    """Serves a view until it is closed, on threads of its own."""

    def __init__(
        self, view: View, address: str, hosts: Sequence[str], beat: Callable[[], float], insecure: bool
    ) -> None:  # fmt: skip
        where = listen.parse(address)
        if where.path is not None:
            raise listen.ListenError(f"http: {address}: want HOST:PORT")
        if not where.loopback and not insecure:
            raise listen.ListenError(
                f"http: {address}: who reaches this address sees jobs and errors; allow it with --insecure-listen"
            )
        page = Path(__file__).with_name("page.html").read_bytes()
        known = {h.lower() for h in (*hosts, where.host, "localhost")}
        try:
            self._server = _Server(where, _routes(view, beat, page), known)
        except OSError as e:
            raise listen.ListenError(f"http: {address}: {e.strerror or e}") from e
        host, port = self._server.server_address[:2]
        self.port = int(port)
        self.address = f"[{host!s}]:{port}" if ":" in str(host) else f"{host!s}:{port}"
        threading.Thread(target=self._server.serve_forever, name="cuzk-http", daemon=True).start()

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()


# Status, type and body of an answer, and headers beside the usual ones.
Answer = tuple[HTTPStatus, str, bytes, dict[str, str]]
_TEXT, _JSON = "text/plain; charset=utf-8", "application/json"


def _routes(view: View, beat: Callable[[], float], page: bytes) -> dict[str, Callable[[], Answer]]:
    def text(status: HTTPStatus, line: str) -> Answer:
        return status, _TEXT, (line + "\n").encode(), {}

    def as_json(value: Any) -> Answer:
        return HTTPStatus.OK, _JSON, json.dumps(value, separators=(",", ":")).encode(), {}

    def healthz() -> Answer:
        age = time.monotonic() - beat()
        if age > _STUCK:
            return text(HTTPStatus.SERVICE_UNAVAILABLE, f"the service has not answered for {age:.0f} s")
        return text(HTTPStatus.OK, "ok")

    def readyz() -> Answer:
        why = view.ready()
        return text(HTTPStatus.SERVICE_UNAVAILABLE, why) if why else text(HTTPStatus.OK, "ok")

    def metrics() -> Answer:
        return HTTPStatus.OK, "text/plain; version=0.0.4; charset=utf-8", view.metrics().encode(), {}

    policy = {"Content-Security-Policy": _policy(page)}
    return {
        "/": lambda: (HTTPStatus.OK, "text/html; charset=utf-8", page, policy),
        "/metrics": metrics,
        "/status": lambda: as_json(view.status()),
        "/timeline": lambda: as_json(view.timeline()),
        "/healthz": healthz,
        "/readyz": readyz,
    }


def _policy(page: bytes) -> str:
    """Lets the browser run what is in the page, and nothing else."""
    hashes = {
        tag: " ".join(
            f"'sha256-{base64.b64encode(hashlib.sha256(body).digest()).decode()}'"
            for body in re.findall(rb"<%s>(.*?)</%s>" % (tag, tag), page, re.DOTALL)
        )
        for tag in (b"script", b"style")
    }
    return (
        f"default-src 'none'; script-src {hashes[b'script']}; style-src {hashes[b'style']}; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, where: listen.Address, routes: dict[str, Callable[[], Answer]], hosts: set[str]) -> None:
        self.routes, self.hosts = routes, hosts
        self._places = threading.BoundedSemaphore(_MOST)
        self.address_family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
        super().__init__((where.host, where.port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Starts a thread, if there is a place for one more."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answers within the time that a connection has."""
        end = threading.Timer(_SECONDS, _shut, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are no news."""
        log.debug("connection of %s ended", client_address, exc_info=True)


def _shut(request: socket.socket) -> None:
    with contextlib.suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = _SECONDS

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # whatever else a client invents
            return lambda: self._send(
                (HTTPStatus.METHOD_NOT_ALLOWED, _TEXT, b"only GET and HEAD\n", {"Allow": "GET, HEAD"})
            )
        raise AttributeError(name)

    def _answer(self) -> None:
        if not self._host_is_ours():
            self._send((
                HTTPStatus.MISDIRECTED_REQUEST, _TEXT, b"this host name is not allowed here: see http_hosts\n", {},
            ))  # fmt: skip
            return
        make = self.server.routes.get(self.path.split("?", 1)[0])
        if make is None:
            self._send((HTTPStatus.NOT_FOUND, _TEXT, b"not found\n", {}))
            return
        try:
            answer = make()
        except Exception as e:
            log.exception("a fault of this service at %s", self.path[:80])
            answer = (HTTPStatus.INTERNAL_SERVER_ERROR, _TEXT, f"a fault of the service: {e!r}\n".encode(), {})
        self._send(answer)

    def _host_is_ours(self) -> bool:
        """Whether Host is an address, localhost, or a name that the configuration allows."""
        host = (self.headers.get("Host") or "").strip().lower()
        name = re.sub(r":\d*$", "", host)
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
            return True
        except ValueError:
            return name in self.server.hosts

    def _send(self, answer: Answer) -> None:
        status, kind, body, more = answer
        self.send_response(status)
        for name, value in {
            "Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", "Connection": "close",
            "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", **more,
        }.items():  # fmt: skip
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        return "cuzk"

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)
