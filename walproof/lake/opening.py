"""Open a found log for scanning: determine its format and context, and provide its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options
from walproof.lake.remote import RemoteLog
from walproof.lake.trees import is_local, tree_of
from walproof.scan import reads_ranges, scanner
from walproof.scan.log import Log
from walproof.scan.model import WHOLE, Event, Part, Wanted


@dataclass(frozen=True)
class OpenLog:
    """A log with the context for its reader, and its format id."""

    log: Log
    format: str

    def plan(self, target_bytes: int) -> Sequence[Part]:
        """Return parts of about the given size.

        Raises ``OSError`` and the errors of the scanner.
        """
        if isinstance(self.log, RemoteLog) and not reads_ranges(self.format):
            return [WHOLE]  # it has to be copied first
        return scanner(self.format).plan(self.log, target_bytes)

    def scan(self, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """Yield the events of a part. Raises ``OSError`` and the errors of the scanner."""
        return scanner(self.format).scan(self.log, wanted, part)


@contextmanager
def opened(found: FoundLog, options: Options) -> Iterator[OpenLog]:
    """Open a log and close it at the end. Raises ``UnknownFormat`` and ``OSError``."""
    tree = tree_of(found.path, dict(options.file_system))
    format_id = found.format or tree.detect(found.path)
    context = found.context or options.context(format_id)
    if is_local(found.path):
        yield OpenLog(Log(Path(found.path), context), format_id)
        return
    log = RemoteLog(found, context, options)
    try:
        yield OpenLog(log, format_id)
    finally:
        log.close()
