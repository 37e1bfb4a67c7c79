"""Wrong: read logs correctly, but also try to access resources outside the sandbox.

The signals list the targets in ``WALPROOF_REACH`` that could be accessed.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from breakable_reader import Reader, answer, hello

from conformance.adapterkit import Request, serve


def got_hold_of(targets: Mapping[str, Any]) -> list[str]:
    """Return the targets that the program could access."""
    tries = {
        "changed the file": lambda: Path(targets["file"]).write_text("changed"),
        "read the answer": lambda: Path(targets["answer"]).read_bytes(),
        "reached the port": lambda: socket.create_connection(("127.0.0.1", targets["port"]), 1),
        "signalled the process": lambda: os.kill(targets["process"], 0),
        "has the token": lambda: os.environ["SECRET_TOKEN"],
    }
    results = []
    for what, attempt in tries.items():
        try:
            attempt()
        except (OSError, KeyError):
            continue
        results.append(what)
    return results


def read(path: Path, request: Request) -> dict[str, Any]:
    """Return the expected answer and the targets that the program could access."""
    result = answer(Reader(path.read_bytes()))
    result["signals"] += got_hold_of(json.loads(os.environ["WALPROOF_REACH"]))
    return result


if __name__ == "__main__":
    serve(hello("reaches_out"), read)
