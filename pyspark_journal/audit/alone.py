"""A piece read by a process of its own: a crash there is an answer, not the end of a job."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

from pyspark_journal.audit.unit import Options, Piece


def crash(piece: Piece, options: Options) -> str | None:
    """How a process that reads the piece comes to its end, if not by itself."""
    ended = subprocess.run(
        [sys.executable, "-m", __name__],
        input=pickle.dumps((piece, options)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    if ended.returncode < 0:
        return f"the reader was killed by signal {-ended.returncode}"
    return None


def main() -> None:
    """Read the piece on standard input to its end, and keep nothing."""
    from pyspark_journal.audit.work import events, format_of

    piece, options = pickle.load(sys.stdin.buffer)
    try:
        format_id = piece.format or format_of(piece.path)
        for _ in events(piece, format_id, options) if format_id else ():
            pass
    except Exception:
        pass  # said again, and better, by the one who asked


if __name__ == "__main__":
    main()
