"""Open a log that a search found, after determining its format and context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options
from walproof.lake.remote import RemoteLog
from walproof.lake.trees import is_local, tree_of
from walproof.log import Log


@contextmanager
def opened(found: FoundLog, options: Options) -> Iterator[Log]:
    """Open a found log while the ``with`` block runs. Raises ``UnknownFormat`` and ``OSError``."""
    tree = tree_of(found.path, dict(options.file_system))
    format_id = found.format or tree.detect(found.path)
    context = found.context or options.context(format_id)
    if is_local(found.path):
        log = Log(format_id, Path(found.path), context=context)
    else:
        log = RemoteLog(format_id, found, context, options)
    with log:
        yield log
