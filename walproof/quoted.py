"""Format bytes and fields as short one-line texts."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from typing import Any

from conformance.text import one_line

#: Maximum number of characters in a quoted value.
MAX_CHARACTERS = 40


def quoted(data: bytes, max_characters: int = MAX_CHARACTERS) -> str:
    """Return UTF-8 text in quotes, or other bytes in hexadecimal.

    A long value includes its length.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text.isprintable() and (text or not data):
        return (
            f'"{text}"'
            if len(text) <= max_characters
            else f'"{text[:max_characters]}…" ({len(data)} bytes)'
        )
    head = data[: max_characters // 2].hex()
    return f"0x{head}" if len(data) <= max_characters // 2 else f"0x{head}… ({len(data)} bytes)"


def entry_text(fields: list[list[Any]]) -> str:
    """Return the fields of a journal entry on one line, message first, without the boot id."""
    shown = [
        f"{name}={cell_text(value, 80)}"
        for name, value in sorted(fields, key=lambda field: field[0] != "MESSAGE")
        if name != "_BOOT_ID"
    ]
    return one_line("  ".join(shown))


def cell_text(value: Any, width: int = 32) -> str:
    """Return the text of a table cell, cut to ``width``. Values other than text become JSON."""
    text = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= width else text[: width - 1] + "…"


def aligned(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> Iterator[str]:
    """Yield rows of cells as lines with aligned columns.

    The columns in ``right`` are right-aligned.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(cells)
        ).rstrip()
