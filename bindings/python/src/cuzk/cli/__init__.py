"""The command line: prove, verify, merge, params make, serve, client, bench.

Results go to standard output, as text or with ``--json`` as one JSON object
(``bench``: one a line for each figure); errors and the progress bar go to standard error. The exit status is 0 after
success (and for ``verify`` only if the proof is valid), 1 after a failure, 2
for a wrong command line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from .._error import CuzkError
from .._version import __version__
from . import aggregate, params, porep, post, update
from .output import LostOutput, UsageError, say


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    from ..bench import commands as bench  # here: it reads request files with this package
    from . import client, serve

    top = argparse.ArgumentParser(prog="python -m cuzk", description="Groth16 proofs for Filecoin sectors.")
    top.add_argument("--version", action="version", version=f"cuzk {__version__}")
    verbs = top.add_subparsers(required=True, metavar="prove|verify|merge|params|bench|serve|client")
    prove = verbs.add_parser("prove", help="turn vanilla proofs into a Groth16 proof")
    verify = verbs.add_parser("verify", help="verify a Groth16 proof")
    provable = prove.add_subparsers(required=True, metavar="KIND")
    verifiable = verify.add_subparsers(required=True, metavar="KIND")
    for kind in (porep, post, update, aggregate):
        kind.add_prove(provable)
        kind.add_verify(verifiable)
    merge = verbs.add_parser("merge", help="make a WindowPoSt of the proofs of its partitions")
    post.add_merge(merge.add_subparsers(required=True, metavar="window_post"))
    parameters = verbs.add_parser("params", help="parameters for tests")
    params.add_make(parameters.add_subparsers(required=True, metavar="make"))
    serve.add(verbs.add_parser("serve", help="serve proofs to Curio and others over gRPC"))
    client.add(verbs.add_parser("client", help="ask such a server"))
    bench.add(verbs.add_parser("bench", help="measure proofs, parts of them, and a busy engine"))
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    arguments = parser().parse_args(argv)
    try:
        result: dict[str, Any] = arguments.run(arguments)
    except (UsageError, ValueError) as e:  # ValueError: what the package's own functions say of a bad argument
        return _fail(arguments.json, 2, {"code": 0, "name": "usage", "message": str(e), "detail": ""})
    except LostOutput as e:
        error = {"code": 0, "name": "os", "message": str(e), "detail": e.error.filename or "", "data": e.data.hex()}
        return _fail(arguments.json, 1, error)
    except OSError as e:
        return _fail(arguments.json, 1, {"code": 0, "name": "os", "message": str(e), "detail": e.filename or ""})
    except CuzkError as e:
        error = {"code": int(e.code), "name": e.name, "message": e.message, "detail": e.detail}
        return _fail(arguments.json, 1, error)
    except KeyboardInterrupt:
        return _fail(arguments.json, 130, {"code": 0, "name": "interrupted", "message": "interrupted", "detail": ""})
    text: str = result.pop("text")
    if arguments.json and "records" in result:
        for record in result["records"]:
            say(json.dumps(record), sys.stdout)
        return 0
    say(json.dumps({"ok": result.get("valid", True), **result}) if arguments.json else text, sys.stdout)
    return 0 if result.get("valid", True) else 1


def _fail(as_json: bool, status: int, error: dict[str, Any]) -> int:
    if as_json:
        say(json.dumps({"ok": False, "error": error}), sys.stdout)
    told = error["name"] in ("os", "panic") or error["detail"] in error["message"]
    where = "" if told else f" ({error['detail']})"
    say(f"cuzk: {error['name']}: {error['message']}{where}", sys.stderr)
    return status
