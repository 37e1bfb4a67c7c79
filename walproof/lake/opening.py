"""Open a found log for scanning: determine its format and context, and provide its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options
from walproof.lake.remote import RemoteLog, log_of
from walproof.lake.trees import is_local, tree_of
from walproof.scan import reads_ranges, scanner
from walproof.scan.log import Log
from walproof.scan.model import WHOLE, Event, Part, Wanted


@dataclass(frozen=True)
class OpenLog:
    """A log, its format id, and the context for its reader."""

    log: Log
    format: str
    context: dict[str, Any]

    def scan(self, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """Yield the events of a part. Raises ``OSError`` and the errors of the scanner."""
        return scanner(self.format).scan(self.log, wanted, part)


@contextmanager
def opened(entry: FoundLog, options: Options) -> Iterator[OpenLog]:
    """Open a log and close it at the end. Raises ``UnknownFormat`` and ``OSError``."""
    format_id = entry.format or format_of(entry, options)
    context = entry.context or options.context(format_id)
    log = log_of(entry, options, context)
    try:
        yield OpenLog(log, format_id, context)
    finally:
        if isinstance(log, RemoteLog):
            log.close()


def format_of(entry: FoundLog, options: Options) -> str:
    """Return the format id of a file. Raises ``UnknownFormat`` and ``OSError``."""
    return tree_of(entry.path, dict(options.file_system)).detect(entry.path)


def in_parts(
    entry: FoundLog, options: Options, target_bytes: int
) -> tuple[FoundLog, Sequence[Part]]:
    """Split a log into parts of about the given size; set its format and context if it has
    several.

    Returns ``[WHOLE]`` if the log cannot be split, or would have to be copied first. Raises
    ``UnknownFormat``, ``OSError``, and the errors of the scanner.
    """
    with opened(entry, options) as log:
        if not is_local(entry.path) and not reads_ranges(log.format):
            return entry, [WHOLE]
        parts = scanner(log.format).plan(log.log, target_bytes)
    if len(parts) < 2:
        return entry, [WHOLE]
    return replace(entry, format=log.format, context=log.context), parts
