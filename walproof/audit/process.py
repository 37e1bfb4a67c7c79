"""Reads pieces in a separate process: a crash there is a result, not the end of the job."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.orphans import end_with_parent
from walproof.audit.reading import events
from walproof.audit.unit import Options, Piece

FROM_ATTEMPT = 2
"""A task may fail once because its machine did. When it fails again, find out why."""


@dataclass(frozen=True)
class Crash:
    """What is said of a log on which its reader is killed, and whether that may pass.

    Who is killed for want of memory, or by a disk that fails under a mapped page, may be well the
    next time.
    """

    said: str
    may_pass: bool


_MAY_PASS = (signal.SIGKILL, signal.SIGBUS, signal.SIGTERM)


def crashes(pieces: Sequence[Piece], options: Options) -> dict[str, Crash]:
    """The pieces, by key, that end the process that reads them, and how."""
    found: dict[str, Crash] = {}
    left = list(pieces)
    while left:
        ended = subprocess.run(
            [sys.executable, "-m", __name__, str(os.getpid())],
            input=pickle.dumps((left, options)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=False,
        )
        read = len(ended.stdout)
        if ended.returncode >= 0 or read >= len(left):
            break
        number = -ended.returncode
        said = f"the reader was killed by signal {number}"
        found[left[read].key] = Crash(said, number in _MAY_PASS)
        left = left[read + 1 :]
    return found


def main() -> None:
    """Read the pieces on standard input, keep nothing, and print a dot for each."""
    end_with_parent(int(sys.argv[1]))
    pieces, options = pickle.load(sys.stdin.buffer)
    for piece in pieces:
        try:
            for _ in events(piece, options):
                pass
        except Exception:
            pass  # the caller reads it again and reports this
        os.write(1, b".")


if __name__ == "__main__":
    main()
