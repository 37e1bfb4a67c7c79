"""End a helper process together with its parent, even if the parent is killed.

Linux can do this for a process. Closing a pipe is noticed only by a process that reads it. A thread
that watches the parent runs only when the interpreter lets it: compiled code may hold the
interpreter for seconds.
"""

from __future__ import annotations

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent(parent: int | None = None) -> None:
    """End this process, by SIGKILL, when the thread that started it ends.

    ``parent`` is the parent process, if known: if it is gone already, this process ends at once.
    Does nothing on other systems than Linux. Child processes must call this themselves.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)
