"""End a helper process together with its parent, even if the parent is killed.

On Linux, the kernel can do this. The alternatives are unreliable: only a process that reads a pipe
notices when it closes, and a thread that watches the parent runs only when the interpreter allows
it, which compiled code may prevent for seconds.
"""

from __future__ import annotations

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent(parent: int | None = None) -> None:
    """End this process by SIGKILL when the thread that started it ends.

    ``parent`` is the parent process, if known; if it has already ended, this process ends at once.
    On other systems than Linux, the function does nothing. A child process must call it itself.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)
