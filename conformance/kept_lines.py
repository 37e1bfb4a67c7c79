"""Files of lines that are kept between runs, below ``.build``.

They only spare work: a file that cannot be read has no lines, and one that cannot be written is no
fault. A line that was cut, by a run that was killed, is for the caller to tell.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def read_lines(path: Path) -> list[str]:
    """The lines that are there."""
    try:
        return path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []


def keep_line(path: Path, line: str, largest: int | None = None) -> None:
    """Add a line; a file of more than ``largest`` bytes is begun anew."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        full = largest is not None and path.exists() and path.stat().st_size > largest
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if full else os.O_APPEND)
        descriptor = os.open(path, flags, 0o666)
        try:
            # One write: lines of runs at the same time do not mix.
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)
