"""``serve`` on the command line."""

from __future__ import annotations

import argparse
import logging
from typing import Any

from ..service import config, log
from .output import UsageError


def add(p: argparse.ArgumentParser) -> None:
    """Declares the command."""
    p.description = (
        "Serves cuzk.v1.ProvingEngine, the protocol of Curio's [Cuzk] setting. Every setting is a flag, a variable "
        "(CUZK_LISTEN for --listen) and a key of the TOML file (listen); a flag counts most, the file least."
    )
    p.add_argument("--check", action="store_true", help="check the configuration, open everything it names, and exit")
    config.add_flags(p)
    p.add_argument("--json", action="store_true", help="print the result of --check as JSON")
    p.set_defaults(run=run)


def run(a: argparse.Namespace) -> dict[str, Any]:
    """Serves until a signal comes, or checks."""
    try:
        import grpc  # noqa: F401
        import grpc_health.v1.health_pb2  # noqa: F401
        import grpc_reflection.v1alpha.reflection_pb2  # noqa: F401
    except ImportError as e:
        raise UsageError(f"{e}: serve needs pip install 'cuzk[serve]'") from e
    from ..serve import listen
    from ..serve import run as life

    settings = config.load(a)
    try:
        if a.check:
            return {"listen": list(settings.listen), "text": life.check(settings)}
        log.set_up(settings.log_level, settings.log_format)
        life.serve(settings)
    except listen.ListenError as e:
        if not a.check:
            logging.getLogger("cuzk.serve").error("%s", e)
        raise UsageError(str(e)) from e
    return {"text": ""}
