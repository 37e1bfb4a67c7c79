"""Count lost bytes without space that was allocated and never written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reference_impl.answer import Lost
from walproof.formats import plugin_for

_CHUNK_BYTES = 1 << 16


def lost_counter(format_id: str, log: Path) -> Callable[[Lost], int]:
    """Return a function that counts the bytes of a lost range of a log.

    Unwritten space at the end of a file is not counted. The function raises ``OSError``.
    """
    ends: dict[Path, int | None] = {}

    def count(gap: Lost) -> int:
        path = log if gap.file is None else log / gap.file
        if path not in ends:
            ends[path] = plugin_for(format_id).system_folder.written_end(path)
        end = ends[path]
        return gap.end - gap.start if end is None else max(0, min(gap.end, end) - gap.start)

    return count


def last_byte_end(path: Path) -> int:
    """Return the offset after the last nonzero byte of a file; 0 if the file has no such byte."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        while end:
            begin = max(0, end - _CHUNK_BYTES)
            file.seek(begin)
            if piece := file.read(end - begin).rstrip(b"\0"):
                return begin + len(piece)
            end = begin
    return 0
