"""Format bytes and values as short, printable, single-line text."""

from __future__ import annotations

import re
from enum import Enum

from rich.cells import cell_len, set_cell_size

from conformance.kaitai.checksums import LogBytes
from conformance.kaitai.field_map import Field
from conformance.text import one_line

_PREVIEW = 512


def hex_text(log: LogBytes, start: int, end: int, room: int) -> str:
    """Return ``3a f6 d1 3e``, or both ends of a long range: ``76 76 76 … 76 76``."""
    if 3 * (end - start) - 1 <= room:
        return log[start:end].hex(" ")
    shown = (room - 1) // 3
    last = min(2, shown - 1)
    return f"{log[start : start + shown - last].hex(' ')} … {log[end - last : end].hex(' ')}"


def value_text(field: Field, room: int = 60) -> str:
    """Return the value of a field in at most ``room`` columns."""
    value = field.value
    if value is None:
        return ""
    if isinstance(value, bytes):
        return bytes_value(value, room)
    if isinstance(value, Enum):
        return f"{value.name} ({value.value})"
    return cut(one_line(str(value)), room)


def bytes_value(data: bytes, room: int = 60) -> str:
    """Return the size and a preview of data: ``5 bytes "alpha"``."""
    count = counted(len(data), "byte")
    if len(data) == 0:
        return "empty"
    return f"{count}  {preview(data, room - len(count) - 2)}".rstrip()


def preview(data: bytes, room: int) -> str:
    """Return data in at most ``room`` columns.

    The result is quoted text, a repetition (``"v" × 93``), or text as in hexdump (``|...key.|``).
    """
    if len(data) > 4 and data.count(data[:1]) == len(data):
        unit = f'"{chr(data[0])}"' if 0x20 <= data[0] < 0x7F else f"{data[0]:02x}"
        return cut(f"{unit} × {len(data)}", room)
    if room < 4:
        return ""
    text = _text(data[:_PREVIEW], is_complete=len(data) <= _PREVIEW)
    if text is not None:
        return _between('"', text, room, len(data) > _PREVIEW)
    dots = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data[:_PREVIEW])
    return _between("|", dots, room, len(data) > _PREVIEW)


def counted(number: int, noun: str) -> str:
    """Return ``1 byte`` or ``32768 bytes``, without thousands separators, like the offsets."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shared_prefix(ids: tuple[str, ...]) -> str:
    """Join requirement ids, with their prefix only once: ``LDB-006 007 008``."""
    return " ".join(id if n == 0 else re.sub(r"^[A-Z]+-", "", id) for n, id in enumerate(ids))


def cut(text: str, room: int) -> str:
    """Return text in at most ``room`` columns. An ellipsis marks truncated text."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 1).rstrip() + "…" if room > 0 else ""


def _text(data: bytes, is_complete: bool) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if is_complete or error.start < len(data) - 3:
            return None
        text = data[: error.start].decode("utf-8")  # the data ends inside a character
    return text if text.isprintable() else None


def _between(quote: str, text: str, room: int, more: bool) -> str:
    if not more and cell_len(text) + 2 <= room:
        return f"{quote}{text}{quote}"
    return f"{quote}{set_cell_size(text, room - 3).rstrip()}{quote}…" if room > 3 else ""
