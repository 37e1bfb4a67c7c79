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
def opened(found: FoundLog, options: Options) -> Iterator[OpenLog]:
    """Open a log and close it at the end. Raises ``UnknownFormat`` and ``OSError``."""
    format_id = found.format or format_of(found, options)
    context = found.context or options.context(format_id)
    log = log_of(found, options, context)
    try:
        yield OpenLog(log, format_id, context)
    finally:
        if isinstance(log, RemoteLog):
            log.close()


def format_of(found: FoundLog, options: Options) -> str:
    """Return the format id of a file. Raises ``UnknownFormat`` and ``OSError``."""
    return tree_of(found.path, dict(options.file_system)).detect(found.path)


def in_parts(
    found: FoundLog, options: Options, target_bytes: int
) -> tuple[FoundLog, Sequence[Part]]:
    """Split a log into parts of about the given size; set its format and context if it has
    several.

    Returns ``[WHOLE]`` if the log cannot be split, or would have to be copied first. Raises
    ``UnknownFormat``, ``OSError``, and the errors of the scanner.
    """
    with opened(found, options) as it:
        if not is_local(found.path) and not reads_ranges(it.format):
            return found, [WHOLE]
        parts = scanner(it.format).plan(it.log, target_bytes)
    if len(parts) < 2:
        return found, [WHOLE]
    return replace(found, format=it.format, context=it.context), parts
