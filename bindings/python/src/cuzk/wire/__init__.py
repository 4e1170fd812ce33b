"""The protocol ``cuzk.v1.ProvingEngine``: its messages, method names and numbers.

include/cuzk/v1/proving.proto is the manual. Messages are built when this package is imported, from a serialized
descriptor: modules that protoc generates demand at import a protobuf as new as the one that generated them, a
descriptor is read by every version. They live in a pool of their own, so that a program may have Curio's file of the
same name beside it.

Needs protobuf, of the extra ``cuzk[serve]``.
"""

from __future__ import annotations

import sys
from typing import Any

from google.protobuf import descriptor_pool, message_factory

from . import _descriptor

SERVICE = "cuzk.v1.ProvingEngine"
MAX_MESSAGE = 256 << 20  # bytes: what Curio's client sends and receives at most

POOL = descriptor_pool.DescriptorPool()
POOL.AddSerializedFile(_descriptor.FILE)
_FILE = POOL.FindFileByName("cuzk/v1/proving.proto")


def _message(name: str) -> Any:
    """The class of a message, which pickle finds in this module."""
    made = message_factory.GetMessageClass(POOL.FindMessageTypeByName(f"cuzk.v1.{name}"))
    made.__module__ = __name__
    return made


SubmitProofRequest = _message("SubmitProofRequest")
SubmitProofResponse = _message("SubmitProofResponse")
AwaitProofRequest = _message("AwaitProofRequest")
AwaitProofResponse = _message("AwaitProofResponse")
ProveRequest = _message("ProveRequest")
ProveResponse = _message("ProveResponse")
CancelProofRequest = _message("CancelProofRequest")
CancelProofResponse = _message("CancelProofResponse")
GetStatusRequest = _message("GetStatusRequest")
GetStatusResponse = _message("GetStatusResponse")
GPUStatus = _message("GPUStatus")
SRSStatus = _message("SRSStatus")
QueueStatus = _message("QueueStatus")
PreloadSrsRequest = _message("PreloadSrsRequest")
PreloadSrsResponse = _message("PreloadSrsResponse")
EvictSrsRequest = _message("EvictSrsRequest")
EvictSrsResponse = _message("EvictSrsResponse")
GetMetricsRequest = _message("GetMetricsRequest")
GetMetricsResponse = _message("GetMetricsResponse")

# RPC: (request, response).
METHODS: dict[str, tuple[Any, Any]] = {
    method.name: tuple(
        getattr(sys.modules[__name__], kind.name) for kind in (method.input_type, method.output_type)
    )
    for method in _FILE.services_by_name["ProvingEngine"].methods
}  # fmt: skip

POREP, UPDATE, WINDOW, WINNING = 1, 2, 3, 4  # ProofKind
COMPLETED, FAILED, CANCELLED, TIMEOUT = 1, 2, 3, 4  # AwaitProofResponse.Status
HOT, WARM, COLD = 0, 1, 2  # SRSStatus.Tier


def path(method: str) -> str:
    """The full name of a method as HTTP/2 sends it."""
    return f"/{SERVICE}/{method}"
