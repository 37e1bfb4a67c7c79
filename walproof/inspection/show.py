"""Bytes and values as short text: one line, printable, never longer than asked for."""

from __future__ import annotations

from enum import Enum

from rich.cells import cell_len, set_cell_size

from conformance.kaitai.field_map import Field
from conformance.text import one_line
from walproof.inspection.note import Note

_PREVIEW = 512


def hex_text(data: bytes, room: int) -> str:
    """``3a f6 d1 3e``, or the first and last bytes of long data: ``76 76 76 … 76 76``."""
    if 3 * len(data) - 1 <= room:
        return data.hex(" ")
    shown = (room - 1) // 3
    last = min(2, shown - 1)
    return f"{data[: shown - last].hex(' ')} … {data[-last:].hex(' ')}"


def value_text(field: Field, note: Note, room: int = 60) -> str:
    """The value of a field in at most ``room`` columns, without the words of the note."""
    if note.value is not None:
        return note.value
    value = field.value
    if value is None:
        return ""
    if isinstance(value, bytes):
        return bytes_value(value, room)
    if isinstance(value, Enum):
        return f"{value.name} ({value.value})"
    return cut(one_line(str(value)), room)


def bytes_value(data: bytes, room: int = 60) -> str:
    """``5 bytes "alpha"``: the count, and what a person can read of the data."""
    count = counted(len(data), "byte")
    if len(data) == 0:
        return "empty"
    return f"{count}  {preview(data, room - len(count) - 2)}".rstrip()


def preview(data: bytes, room: int) -> str:
    """Data as text in quotes, as a repetition (``"v" × 93``), or as hexdump does: ``|...key.|``."""
    if len(data) > 4 and data.count(data[:1]) == len(data):
        one = f'"{chr(data[0])}"' if 0x20 <= data[0] < 0x7F else f"{data[0]:02x}"
        return cut(f"{one} × {len(data)}", room)
    if room < 4:
        return ""
    text = _text(data[:_PREVIEW], whole=len(data) <= _PREVIEW)
    if text is not None:
        return _between('"', text, room, len(data) > _PREVIEW)
    dots = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data[:_PREVIEW])
    return _between("|", dots, room, len(data) > _PREVIEW)


def counted(number: int, noun: str) -> str:
    """``1 byte``, ``32768 bytes``: written as the offsets beside it are."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def cut(text: str, room: int) -> str:
    """Text in at most ``room`` columns; an ellipsis says that it was cut."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 1).rstrip() + "…" if room > 0 else ""


def _text(data: bytes, whole: bool) -> str | None:
    """The data as text, if it is nothing but printable UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if whole or error.start < len(data) - 3:
            return None
        text = data[: error.start].decode("utf-8")  # the cut went through a character
    return text if text.isprintable() else None


def _between(quote: str, text: str, room: int, more: bool) -> str:
    if not more and cell_len(text) + 2 <= room:
        return f"{quote}{text}{quote}"
    return f"{quote}{set_cell_size(text, room - 3).rstrip()}{quote}…" if room > 3 else ""
