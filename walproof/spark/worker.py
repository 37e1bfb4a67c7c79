"""What a Python worker of Spark does after a task."""

from __future__ import annotations

import gc
import sys


def freeze() -> None:
    """Take what is loaded by now out of the garbage collector's sight, once in a worker.

    PySpark's daemon collects garbage after each task, which costs tens of milliseconds with the
    modules that are loaded by then. Call it after the last late import, hence after a read.
    """
    if not getattr(sys, "_walproof_frozen", False):
        gc.collect()
        gc.freeze()
        sys._walproof_frozen = True  # type: ignore[attr-defined]
