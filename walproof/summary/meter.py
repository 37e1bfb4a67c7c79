"""Measure reading progress in bytes over all files of a log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


class Meter:
    """A meter that passes the number of bytes read from a log to ``progress``."""

    def __init__(self, log: Path, progress: Callable[[int], None]) -> None:
        self._log, self._progress = log, progress
        self._before: dict[str | None, int] = {}
        self._passed = 0

    def at(self, file: str | None, place: int) -> None:
        """Record the end offset of an event in a file (None for a single-file log)."""
        if file not in self._before:
            self._before[file] = self._passed
            self._passed += self._size(file)
        self._progress(self._before[file] + place)

    def _size(self, file: str | None) -> int:
        try:
            return (self._log / file).stat().st_size if file is not None else 0
        except OSError:  # the file is missing
            return 0
