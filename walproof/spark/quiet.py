"""What Spark's JVM prints, kept from the terminal of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


class DidNotStart(RuntimeError):
    """Spark did not start; ``said`` is what it printed, and the cause is the exception's."""

    def __init__(self, said: str) -> None:
        super().__init__(f"Spark did not start\n{said}".rstrip())
        self.said = said


@contextmanager
def jvm_says_to(log: IO[bytes]) -> Iterator[None]:
    """Send what a JVM prints that is started now to ``log``, as long as it lives.

    It prints a dozen lines at every start, which would break a progress bar. Raises
    :class:`DidNotStart` with them when the JVM does not start.
    """
    sys.stderr.flush()
    ours = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        yield
    except Exception as error:
        if type(error).__name__ == "JavaMissing":
            raise
        log.seek(0)
        raise DidNotStart(log.read().decode(errors="replace").strip()) from error
    finally:
        os.dup2(ours, 2)
        os.close(ours)
