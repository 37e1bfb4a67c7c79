"""From a log that was found to one that can be scanned: its format, its context, its bytes."""

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
    """A log, the id of its format, and what its reader is told besides the bytes."""

    log: Log
    format: str
    context: dict[str, Any]

    def scan(self, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """The events of a part. ``OSError``, and what the scanner runs into."""
        return scanner(self.format).scan(self.log, wanted, part)


@contextmanager
def opened(found: FoundLog, options: Options) -> Iterator[OpenLog]:
    """A log, until its bytes are no longer needed. Raises ``UnknownFormat``, ``OSError``."""
    format_id = found.format or format_of(found, options)
    context = found.context or options.context(format_id)
    log = log_of(found, options, context)
    try:
        yield OpenLog(log, format_id, context)
    finally:
        if isinstance(log, RemoteLog):
            log.close()


def format_of(found: FoundLog, options: Options) -> str:
    """Id of the one format that a file shows. Raises ``UnknownFormat``, ``OSError``."""
    return tree_of(found.path, dict(options.file_system)).detect(found.path)


def in_parts(
    found: FoundLog, options: Options, target_bytes: int
) -> tuple[FoundLog, Sequence[Part]]:
    """A log in parts of about so many bytes, with its format and context where there are several.

    ``[WHOLE]`` where it cannot be split, or would first have to be copied. Raises
    ``UnknownFormat``, ``OSError``, and what the scanner runs into.
    """
    with opened(found, options) as it:
        if not is_local(found.path) and not reads_ranges(it.format):
            return found, [WHOLE]
        parts = scanner(it.format).plan(it.log, target_bytes)
    if len(parts) < 2:
        return found, [WHOLE]
    return replace(found, format=it.format, context=it.context), parts
