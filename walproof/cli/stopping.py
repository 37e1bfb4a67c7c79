"""SIGTERM and a terminal that is closed do what Ctrl-C does: nothing stays behind."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

STOPS = (signal.SIGTERM, signal.SIGHUP)
KEPT = (signal.SIG_IGN, None)
"""Whoever started us wants it ignored, as ``nohup`` does, or handles it outside of Python."""


@contextlib.contextmanager
def as_ctrl_c() -> Iterator[list[signal.Signals]]:
    """Raise ``KeyboardInterrupt`` where a program would be ended; gives the signals that came.

    Outside of the main thread nothing is changed.
    """
    came: list[signal.Signals] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(signal.Signals(number))
        on_ctrl_c = signal.getsignal(signal.SIGINT)  # a loop of asyncio has its own
        if callable(on_ctrl_c):
            on_ctrl_c(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    before = {each: signal.signal(each, stop) for each in STOPS if signal.getsignal(each) not in KEPT}
    try:
        yield came
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """A command that can be stopped at any time; its exit status tells by which signal."""
    with as_ctrl_c() as came:
        try:
            yield
        except KeyboardInterrupt:
            if came:
                raise SystemExit(128 + came[0]) from None
            raise
