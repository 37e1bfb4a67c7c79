"""Detect the format of a file or folder, identically in all commands and data sources."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from reference_impl.formats import UnknownFormat, detect
from reference_impl.register import registers
from walproof.formats import plugin_for

_PIECE_BYTES = 1 << 20
#: This pattern matches placeholders in the file names of a register.
_VARIES = re.compile(
    r"(%0?[0-9]*l*[ud]|<[^>]*>|[0-9]{5,}|NAME|SEQNUM_ID|SEQNUM|REALTIME|TIME|RANDOM)"
)


def recognise_log(path: Path) -> str:
    """Return the format id of a file or folder. Raises ``UnknownFormat`` and ``OSError``.

    The content of a file that is empty, or begins with a mebibyte of zeros or nothing but zeros,
    does not determine its format. If the name of such a file fits exactly one format, the name
    decides.
    """
    try:
        result = detect(path).id
    except UnknownFormat:
        for format_id in registers():
            if plugin_for(format_id).discovery.recognises(path):
                return format_id
        if is_blank(path, _PIECE_BYTES) and len(names := named_like(path.name)) == 1:
            return names[0]
        raise
    if is_blank(path, _PIECE_BYTES) and len(names := named_like(path.name)) == 1:
        return names[0]
    return result


def is_blank(path: Path, limit: int | None = None) -> bool:
    """Return whether a file (or its first ``limit`` bytes) is empty or contains only zeros.

    A folder is not blank. Raises ``OSError``.
    """
    if path.is_dir():
        return False
    zeros = bytes(_PIECE_BYTES)
    at = 0
    with path.open("rb", buffering=0) as file:
        while (limit is None or at < limit) and (piece := file.read(_PIECE_BYTES)):
            if piece != zeros[: len(piece)]:
                return False
            at += len(piece)
    return True


def named_like(name: str) -> list[str]:
    """Return the ids of the formats whose file names look like this one."""
    return [
        register.id
        for register in registers().values()
        if any(_pattern(pattern).fullmatch(name) for pattern in register.file_names)
    ]


@functools.cache
def _pattern(name: str) -> re.Pattern[str]:
    """Convert a register's file name, such as ``%06llu.log`` or ``<name>-<id>.log``, to a regex."""
    last = name.rpartition("/")[2]
    return re.compile("".join(map(_piece, _VARIES.split(last))))


def _piece(text: str) -> str:
    if re.fullmatch(r"%.*|<id>|<number>|[0-9]{5,}", text):
        return "[0-9]+"
    return ".+" if _VARIES.fullmatch(text) else re.escape(text)
