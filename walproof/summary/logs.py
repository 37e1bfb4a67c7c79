"""Find the log at a path and determine its format."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reference_impl.formats import UnknownFormat, named
from walproof.lake.recognition import is_blank, named_like, recognise_log
from walproof.summary.model import size_of
from walproof.systems.text_conversion import is_converted

_HEAD_BYTES = 1 << 20


@dataclass(frozen=True)
class FoundOne:
    """A log with its path, format and context, or the reason why it is unreadable.

    ``by`` describes how the format was determined: by ``content``, by ``name`` alone, or ``told``
    by the user. ``is_blank`` is true if the log is empty or all zeros. ``is_packed`` is true if it
    must be unpacked first.
    """

    path: Path
    format: str | None
    size: int
    context: dict[str, Any] = field(default_factory=dict)
    fault: str | None = None
    by: str = "content"
    is_blank: bool = False
    is_packed: bool = False


def find_log(path: Path, format_id: str | None) -> FoundOne:
    """Return the log at ``path``.

    Raises :class:`UnknownFormat` with a description of the file, and ``OSError``.
    """
    size = size_of(path)
    if format_id is not None:
        return FoundOne(path, named(format_id).id, size, by="told", is_blank=is_blank(path))
    try:
        result = recognise_log(path)
        return FoundOne(path, result, size, by=_by(path, result), is_blank=is_blank(path))
    except UnknownFormat as error:
        raise UnknownFormat(looks_like(path, str(error))) from None


def _by(path: Path, format_id: str) -> str:
    """Return ``content`` if the bytes alone determine the format, else ``name``."""
    if path.is_dir():
        return "content"
    with tempfile.TemporaryDirectory(prefix="walproof-") as folder:
        nameless = Path(folder, "unnamed")
        nameless.symlink_to(path.resolve())
        return "content" if named(format_id).recognise(nameless) else "name"


def looks_like(path: Path, error: str) -> str:
    """Return why a file is not a log, with hints from its name and its bytes."""
    message = [error]
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head and not head.strip(b"\0"):
        more = "or more " if len(head) == _HEAD_BYTES else ""
        message.append(f"the file begins with {len(head)} {more}zeros")
    if b"\0" in head and is_converted(path):
        message.append("each LF follows a CR: a text conversion may have damaged the log")
    if names := named_like(path.name):
        message.append(f"the name is that of a {' or '.join(names)}, the content is not")
    return "; ".join(message)
