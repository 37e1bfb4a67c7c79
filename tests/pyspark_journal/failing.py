"""Run audits on a file system that fails at the n-th call (``failing.c``).

Run this program with ``LD_PRELOAD``. Each line on standard input is a case, and the program prints
one line of JSON for it. Each case runs in a fork, because importing everything again would take
minutes.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

from pyspark_journal.audit import audit
from tests.walproof.inventory.lakes import options
from walproof.lake import retry

from .in_process import InProcess


def run(case: dict[str, Any]) -> dict[str, Any]:
    """Audit with a failing call; return the result and the number of such calls."""
    shim = ctypes.CDLL(None)
    shim.fail(
        case["kind"].encode(), case["below"].encode(), ctypes.c_long(case["at"]),
        ctypes.c_long(case["times"]), case["error"],
    )  # fmt: skip
    try:
        outcome = audit(
            options(case["lake"]), Path(case["out"]), spark=InProcess(), max_task_bytes=64 << 10
        )
    except OSError as error:
        return {"error": f"{getattr(error, 'filename', None) or ''} {error}", "calls": shim.calls()}
    finally:
        calls = shim.calls()
        shim.fail(b"", b"", ctypes.c_long(0), ctypes.c_long(0), 0)
    return {"unreadable": outcome.summary["totals"]["unreadable"], "calls": calls}


def main() -> None:
    """Run the cases on standard input."""
    retry.PAUSE_SECONDS = (0.0, 0.0)  # type: ignore[misc]
    warm = json.loads(sys.stdin.readline())
    # Load the kernels once for all cases.
    audit(options(warm["lake"]), Path(warm["out"]), spark=InProcess())
    for line in sys.stdin:
        case = json.loads(line)
        back, to = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.write(to, json.dumps(run(case)).encode())
                status = 0
            finally:
                os._exit(status)
        os.close(to)
        with os.fdopen(back, "rb") as pipe:
            answer = pipe.read()
        _, status = os.waitpid(child, 0)
        print((answer or json.dumps({"status": status}).encode()).decode(), flush=True)


if __name__ == "__main__":
    main()
