"""A client of ``cuzk.v1.ProvingEngine``: libcuzk's server, or another that speaks the protocol.

It is the reference for others: what a caller sends for each kind of proof is in :func:`submission`. Needs the extra
``cuzk[serve]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import grpc

from .. import wire
from .._statement import PoStRequest, UpdateRequest
from ..service.mapping import PRIORITIES, PoRep

Input = PoRep | PoStRequest | UpdateRequest


class ServerError(Exception):
    """A call that failed: the name of its gRPC status, and what the server says."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class ProofFailed(Exception):
    """The server answered, without a proof."""


@dataclass(frozen=True)
class Tls:
    """Files of a TLS connection: the authority of servers, and what this client shows."""

    ca: Path
    cert: Path
    key: Path


@dataclass(frozen=True)
class Result:
    """A proof, and what the server says of its making; times are milliseconds."""

    job_id: str
    proof: bytes
    times: dict[str, int]


class Client:
    """A connection, opened with the first call. Any thread may use it. Close it, or use it in ``with``."""

    def __init__(self, address: str, tls: Tls | None = None) -> None:
        """``address`` is unix:///PATH or HOST:PORT, as for the server."""
        target = address if address.startswith(("unix:", "dns:")) else "dns:///" + address.removeprefix("tcp://")
        options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
        if tls is None:
            self._channel = grpc.insecure_channel(target, options=options)
        else:
            credentials = grpc.ssl_channel_credentials(tls.ca.read_bytes(), tls.key.read_bytes(), tls.cert.read_bytes())
            self._channel = grpc.secure_channel(target, credentials, options=options)
        self._methods = {
            name: self._channel.unary_unary(wire.path(name), request.SerializeToString, answer.FromString)
            for name, (request, answer) in wire.METHODS.items()
        }

    def call(self, method: str, request: Any, timeout: float | None = None) -> Any:
        """Calls a method by name; raises ServerError."""
        try:
            return self._methods[method](request, timeout=timeout)
        except grpc.RpcError as e:
            raise _server_error(e) from e

    def prove(self, submit: Any, timeout: float | None = None, tick: Callable[[], object] | None = None) -> Result:
        """Has a proof made of a SubmitProofRequest; raises ServerError and ProofFailed.

        ``tick`` is called every half second meanwhile. Ctrl-C ends the call, and the job after the server's grace time.
        """
        going = self._methods["Prove"].future(wire.ProveRequest(submit=submit), timeout=timeout)
        try:
            while True:
                try:
                    return result(going.result(timeout=0.5).result)
                except grpc.FutureTimeoutError:
                    if tick is not None:
                        tick()
        except grpc.RpcError as e:
            raise _server_error(e) from e
        finally:
            going.cancel()

    def submit(self, submit: Any, timeout: float | None = None) -> str:
        """Starts a job and returns its id."""
        return str(self.call("SubmitProof", submit, timeout).job_id)

    def wait(self, job_id: str, timeout: float = 0.0) -> Result | None:
        """Waits for a job's proof; None if it still runs after ``timeout`` seconds. 0: for ever."""
        answer = self.call("AwaitProof", wire.AwaitProofRequest(job_id=job_id, timeout_ms=round(1000 * timeout)))
        return None if answer.status == wire.TIMEOUT else result(answer)

    def cancel(self, job_id: str) -> bool:
        """Stops a job; False if it had ended."""
        return bool(self.call("CancelProof", wire.CancelProofRequest(job_id=job_id)).was_running)

    def status(self) -> Any:
        """A GetStatusResponse."""
        return self.call("GetStatus", wire.GetStatusRequest())

    def metrics(self) -> str:
        """Prometheus text."""
        return str(self.call("GetMetrics", wire.GetMetricsRequest()).prometheus_text)

    def preload(self, circuit: str) -> Any:
        """A PreloadSrsResponse, once the parameters are there."""
        return self.call("PreloadSRS", wire.PreloadSrsRequest(circuit_id=circuit))

    def evict(self, circuit: str = "") -> Any:
        """An EvictSrsResponse."""
        return self.call("EvictSRS", wire.EvictSrsRequest(circuit_id=circuit))

    def close(self) -> None:
        """Ends the connection and the calls on it."""
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def submission(
    given: Input, *, request_id: str = "", priority: str = "auto", registered_proof: int = 0, sector_size: int = 0
) -> Any:
    """The SubmitProofRequest of an input. A PoRep's registered proof may be 0: then its C1 alone says what it is."""
    request = wire.SubmitProofRequest(
        request_id=request_id, priority=PRIORITIES.index(priority), sector_size=sector_size,
        registered_proof=registered_proof,
    )  # fmt: skip
    match given:
        case PoRep(c1, sector, prover):
            request.proof_kind, request.vanilla_proof = wire.POREP, c1
            request.sector_number, request.miner_id = sector, miner_id(prover)
        case PoStRequest():
            request.proof_kind = wire.WINNING if given.registered_proof < 5 else wire.WINDOW
            request.registered_proof, request.randomness = given.registered_proof, given.randomness
            request.miner_id, request.partition_index = miner_id(given.prover_id), given.partition or 0
            request.vanilla_proofs.extend(given.vanilla_proofs)
        case UpdateRequest():
            request.proof_kind, request.registered_proof = wire.UPDATE, given.registered_proof
            request.comm_r_old, request.comm_r_new = given.comm_r_old, given.comm_r_new
            request.comm_d_new = given.comm_d_new
            request.vanilla_proofs.extend(given.vanilla_proofs)
    return request


def miner_id(prover: bytes) -> int:
    """The actor id in a prover id: unsigned LEB128, then zeros."""
    number = 0
    for i, byte in enumerate(prover[:10]):
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return number
    raise ValueError(f"prover id {prover.hex()} is of no miner")


def result(answer: Any) -> Result:
    """The proof in an AwaitProofResponse; raises ProofFailed."""
    if answer.status != wire.COMPLETED:
        status = {wire.FAILED: "failed", wire.CANCELLED: "cancelled", wire.TIMEOUT: "timeout"}.get(
            answer.status, "unknown"
        )
        raise ProofFailed(f"{status}: {answer.error_message}")
    names = ("queue_wait_ms", "srs_load_ms", "synthesis_ms", "gpu_compute_ms", "total_ms")
    return Result(answer.job_id, answer.proof, {name: getattr(answer, name) for name in names})


def _server_error(e: Any) -> ServerError:
    return ServerError(e.code().name, e.details() or "no details")
