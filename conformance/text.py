"""Make external text (names, values, program output) safe for a terminal or a report."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

_JSON_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f"
    "\ufeff\ud800-\udfff\ufff0-\uffff]"
)


def one_line(text: str) -> str:
    r"""Return ``text`` on one line. Escape invisible characters (``\n``, ``\x1b``, ``\u202e``)."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def printable(text: str) -> str:
    """Return multi-line text with invisible characters escaped, except newlines and tabs."""
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return "".join(
        character if character.isprintable() or character in "\n\t" else ascii(character)[1:-1]
        for character in text
    )


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON with visible characters unescaped.

    Raises ``ValueError`` for values that JSON does not have, such as NaN.
    """
    return spelled_out(_encoder(indent).encode(value))


@cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, indent=indent, allow_nan=False)


def spelled_out(text: str) -> str:
    """Return JSON with invisible characters as ``\\u202e``."""
    return _JSON_UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
