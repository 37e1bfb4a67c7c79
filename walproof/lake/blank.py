"""Files in which nothing was ever written, or everything was wiped."""

from __future__ import annotations

from pathlib import Path

_PIECE = 1 << 20


def is_blank(path: Path) -> bool:
    """Whether a file holds no byte but 0; the first byte of most others ends the search.

    So is an empty one; a folder is not. Raises ``OSError``.
    """
    if path.is_dir():
        return False
    zeros = bytes(_PIECE)
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            if piece != zeros[: len(piece)]:
                return False
    return True
