"""Logs with their summaries, and how their format was recognised."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from reference_impl.formats import named
from walproof.lake.recognition import named_like
from walproof.summary.model import Summary
from walproof.summary.unpacked import Unpacked
from walproof.systems.model import SystemLog
from walproof.systems.text_conversion import is_converted

_HEAD_BYTES = 1 << 20


@dataclass(frozen=True)
class Row:
    """A log with its summary; ``part`` describes the log if it belongs to a system.

    ``by`` names the source of the format: the ``content`` of the log, its ``name`` alone, or the
    user (``told``).
    """

    name: str
    size: int
    summary: Summary
    by: str = "content"
    is_blank: bool = False
    part: SystemLog | None = None

    def to_json(self, source: Unpacked) -> dict[str, object]:
        """Return the ``--json`` object of the log."""
        return {
            "log": self.name,
            "size": self.size,
            "recognised_by": self.by,
            **({"unpacked": list(source.how)} if source.how else {}),
            **({"faults": list(source.faults)} if source.faults else {}),
            **self.summary.to_json(),
        }


def recognised_by(path: Path, format_id: str) -> str:
    """Return ``content`` if the bytes alone determine the format, else ``name``."""
    if path.is_dir():
        return "content"
    with tempfile.TemporaryDirectory(prefix="walproof-") as folder:
        nameless = Path(folder, "unnamed")
        nameless.symlink_to(path.resolve())
        return "content" if named(format_id).recognise(nameless) else "name"


def looks_like(path: Path, error: str) -> str:
    """Return the reason why a file is not a log, with hints from its name and its bytes."""
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
