"""What one input may cost a reader: processor time and memory, measured in its own process."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time

PROCESSOR_SECONDS = 2.0
"""For one reader and one input, of at most :data:`~lab.fuzz.mutator.LARGEST` bytes or so."""

FACTOR, FREE = 16, 64 << 20
"""Memory: so many bytes for each byte of the input, and so many for nothing."""


class Meter:
    """Measures what happens between :meth:`begin` and now. On Linux, peaks are forgotten anew."""

    def __init__(self) -> None:
        self._clear: int | None = None
        with contextlib.suppress(OSError):
            self._clear = os.open("/proc/self/clear_refs", os.O_WRONLY | os.O_CLOEXEC)
        self._before = 0
        self._started = 0.0

    def begin(self) -> None:
        """From here on it is measured."""
        if self._clear is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._clear, b"5", 0)
        self._before = _peak()
        self._started = time.process_time()

    @property
    def seconds(self) -> float:
        """Processor time since the beginning."""
        return time.process_time() - self._started

    @property
    def memory(self) -> int:
        """Bytes by which the process has grown, at its peak since the beginning."""
        return max(0, _peak() - self._before)

    def close(self) -> None:
        """Let go of what it reads."""
        if self._clear is not None:
            os.close(self._clear)
            self._clear = None


def allowed(size: int) -> int:
    """Bytes of memory that a reader may take for an input of so many bytes."""
    return FACTOR * size + FREE


def _peak() -> int:
    """Bytes that the process held at most since the peak was forgotten."""
    if sys.platform != "darwin":  # there it is bytes, elsewhere KiB
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
