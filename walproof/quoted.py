"""Bytes in a line for a person: as text where they are text."""

from __future__ import annotations

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
