"""Open a found log for scanning: determine its format and context, and provide its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options
from walproof.lake.remote import RemoteLog
from walproof.lake.trees import is_local, tree_of
from walproof.scan.log import Log


@contextmanager
def opened(found: FoundLog, options: Options) -> Iterator[tuple[Log, str]]:
    """Yield a log and its format id. Raises ``UnknownFormat`` and ``OSError``."""
    tree = tree_of(found.path, dict(options.file_system))
    format_id = found.format or tree.detect(found.path)
    context = found.context or options.context(format_id)
    if is_local(found.path):
        yield Log(Path(found.path), context), format_id
        return
    log = RemoteLog(found, context, options)
    try:
        yield log, format_id
    finally:
        log.close()
