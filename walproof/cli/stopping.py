"""Treat SIGTERM and a closed terminal like Ctrl-C, so that commands remove temporary files."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

STOPS = (signal.SIGTERM, signal.SIGHUP)
#: Do not replace these signal handlers. ``nohup`` sets SIG_IGN, and None stands for a handler that
#: was not installed from Python.
KEPT = (signal.SIG_IGN, None)


@contextlib.contextmanager
def as_ctrl_c() -> Iterator[list[signal.Signals]]:
    """Raise ``KeyboardInterrupt`` on signals that end the program. Yield a list of these signals.

    Only the first signal raises an exception: a second one must not interrupt the removal of
    temporary files. Has no effect outside the main thread.
    """
    came: list[signal.Signals] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(signal.Signals(number))
        if len(came) > 1:
            return
        on_ctrl_c = signal.getsignal(signal.SIGINT)  # asyncio installs its own handler
        if callable(on_ctrl_c):
            on_ctrl_c(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    before = {
        each: signal.signal(each, stop) for each in STOPS if signal.getsignal(each) not in KEPT
    }
    try:
        yield came
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Make a command interruptible. Its exit status then identifies the signal."""
    with as_ctrl_c() as came:
        try:
            yield
        except KeyboardInterrupt:
            if came:
                raise SystemExit(128 + came[0]) from None
            raise
