"""Run an audit that is killed at its n-th file system call.

The arguments are an input directory, an output directory and n. The process ends by SIGKILL, or
with status 0 if it finishes before that call. Each run is a fork, because importing everything
again would take a minute.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

TOUCHES = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink"}


def die_at(count: int, folder: str) -> None:
    """End this process before the ``count``-th access to the output."""
    left = count

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in TOUCHES and folder in f"{arguments[0]}":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def killed_audit(lake: Path, out: Path, at: int) -> bool:
    """Audit in a child that dies at its ``at``-th access; return whether it died."""
    from pyspark_journal.audit import audit
    from tests.walproof.inventory.lakes import options

    from .in_process import InProcess

    child = os.fork()
    if child == 0:
        status = 1
        try:
            die_at(at, out.name)
            audit(options(lake), out, spark=InProcess(), max_task_bytes=64 << 10)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False
