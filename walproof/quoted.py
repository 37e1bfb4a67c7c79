"""Bytes and fields in a line for a person: as text where they are text."""

from __future__ import annotations

import json
from typing import Any

from conformance.text import one_line

MOST = 40
"""Characters of a value in a phrase."""


def quoted(data: bytes, most: int = MOST) -> str:
    """UTF-8 text in quotes; other bytes in hexadecimal; long ones with their length."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text.isprintable() and (text or not data):
        return f'"{text}"' if len(text) <= most else f'"{text[:most]}…" ({len(data)} bytes)'
    head = data[: most // 2].hex()
    return f"0x{head}" if len(data) <= most // 2 else f"0x{head}… ({len(data)} bytes)"


def entry_text(fields: list[list[Any]]) -> str:
    """The fields of a journal entry in a line, its message first; the boot has a column."""
    shown = [
        f"{name}={cell_text(value, 80)}"
        for name, value in sorted(fields, key=lambda field: field[0] != "MESSAGE")
        if name != "_BOOT_ID"
    ]
    return one_line("  ".join(shown))


def cell_text(value: Any, width: int = 32) -> str:
    """A value in a cell of a table: text as it is, other values as JSON, cut to ``width``."""
    text = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= width else text[: width - 1] + "…"
