"""Reads pieces in a separate process: a crash there is a result, not the end of the job."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence

from walproof.audit.reading import events
from walproof.audit.unit import Options, Piece

FROM_ATTEMPT = 2
"""A task may fail once because its machine did. When it fails again, find out why."""


def crashes(pieces: Sequence[Piece], options: Options) -> dict[str, str]:
    """The pieces, by key, that end the process that reads them, and how."""
    found: dict[str, str] = {}
    left = list(pieces)
    while left:
        ended = subprocess.run(
            [sys.executable, "-m", __name__],
            input=pickle.dumps((left, options)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=False,
        )
        read = len(ended.stdout)
        if ended.returncode >= 0 or read >= len(left):
            break
        found[left[read].key] = f"the reader was killed by signal {-ended.returncode}"
        left = left[read + 1 :]
    return found


def main() -> None:
    """Read the pieces on standard input, keep nothing, and print a dot for each."""
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
