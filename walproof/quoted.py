"""Bytes as a short quoted text."""

from __future__ import annotations

#: Maximum characters of a value in a phrase.
MAX_CHARACTERS = 40


def quoted(data: bytes, max_characters: int = MAX_CHARACTERS) -> str:
    """Return UTF-8 text in quotes, other bytes in hexadecimal; long values with their length."""
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
