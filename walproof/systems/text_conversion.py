"""Detect and undo text conversion, in which every line feed became CR LF."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reference_impl.answer import Record
from walproof.systems.model import Finding
from walproof.systems.reading import read_log

_CHUNK_BYTES = 1 << 20


@contextmanager
def before_conversion(
    format_id: str, log: Path, context: Mapping[str, Any]
) -> Iterator[tuple[Path, int] | None]:
    """Undo the text conversion of a single-file log in a scratch file of the same name.

    Yields the scratch file and its number of records. Yields None if the log was not converted, or
    if the scratch file has no additional records. Raises ``OSError``.
    """
    if not log.is_file() or not is_converted(log):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="walproof-") as folder:
        path = Path(folder, log.resolve().name)
        with log.open("rb") as old, path.open("xb") as new:
            for piece in _pieces(old):
                new.write(piece.replace(b"\r\n", b"\n"))
        count = _count(format_id, path, context)
        yield (path, count) if count > _count(format_id, log, context) else None


def is_converted(log: Path) -> bool:
    """Return whether every line feed in a file follows a carriage return. Raises ``OSError``."""
    count = 0
    with log.open("rb") as file:
        for piece in _pieces(file):
            line_feeds = piece.count(b"\n")
            if piece.count(b"\r\n") != line_feeds:
                return False
            count += line_feeds
    return count > 0


def conversion_finding(format_id: str, log: Path, name: str | None) -> Iterator[Finding]:
    """Yield a finding if a log is damaged because it was converted. Raises ``OSError``."""
    with before_conversion(format_id, log, {}) as undone:
        if undone is not None:
            text = (
                "each LF has become CR LF by a text conversion. Before the conversion, the log had"
                f" {undone[1]:,} records: `walproof recover FILE --out NEW` undoes it"
            )
            yield Finding(text, name)


def _pieces(file: Any) -> Iterator[bytes]:
    """Yield the content of a file; no piece ends between a carriage return and a line feed."""
    left = b""
    while chunk := file.read(_CHUNK_BYTES):
        piece = left + chunk
        left = b"\r" if piece.endswith(b"\r") else b""
        yield piece[: len(piece) - len(left)]
    yield left


def _count(format_id: str, log: Path, context: Mapping[str, Any]) -> int:
    return sum(isinstance(event, Record) for event in read_log(format_id, log, "recover", context))
