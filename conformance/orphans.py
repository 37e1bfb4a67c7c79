"""A process that helps another one ends with it, also if that one is killed outright.

A pipe that closes is seen by whoever reads it, and a thread that looks whether the parent is there
runs only when the interpreter lets it: compiled code may hold it for seconds. Linux tells without.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def begin_beside(parent: int, begin: Callable[..., None], *given: Any) -> None:
    """How a process of a pool begins that is to end with its parent: then ``begin(*given)``."""
    end_with_parent(parent)
    begin(*given)


def end_with_parent(parent: int | None = None) -> None:
    """End this process, by SIGKILL, when the thread ends that started it.

    ``parent`` is the process that did, if it is known: if that is gone already, this one ends at
    once. Does nothing where the system cannot. A process that this one starts has to ask for
    itself.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)
