"""End a helper process together with its parent, even if the parent is killed."""

from __future__ import annotations

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent(parent: int | None = None) -> None:
    """Kill this process with SIGKILL when the thread that started it ends (Linux only).

    ``parent`` is the id of the parent process. If the parent has already ended, this process ends
    at once.
    """
    # The kernel does this reliably: a process notices a closed pipe only while it reads from the
    # pipe, and compiled code may prevent a thread from running for seconds.
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)
