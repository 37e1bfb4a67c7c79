"""Foreign text - names, values, what programs say - as it may go to a terminal or a report.

Whatever moves a cursor, changes a colour, turns the direction of reading or cannot be written as
UTF-8 is spelled out. There is no other place that decides what is harmless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_JSON_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f"
    "\ufeff\ud800-\udfff\ufff0-\uffff]"
)


def one_line(text: str) -> str:
    r"""``text`` on one line; all that is not seen is spelled out: ``\n``, ``\x1b``, ``\u202e``."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def printable(text: str) -> str:
    """The same for text of several lines: newlines and tabs stay."""
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return "".join(one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in text)


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON that shows its characters as they are, but for those that are not seen.

    Raises ``ValueError`` for what JSON does not have, such as NaN.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _spelled_out(text)


PIECE = 1 << 14
"""Characters of a piece of JSON, unless one string in it is longer."""


def json_pieces(value: Any, indent: int | None = None) -> Iterator[str]:
    """:func:`json_text` in pieces, so that a large value is nowhere as text."""
    encoder = json.JSONEncoder(ensure_ascii=False, indent=indent, allow_nan=False)
    held: list[str] = []
    size = 0
    for piece in encoder.iterencode(value):  # of a few characters each, as a rule
        if size + len(piece) >= PIECE:
            yield _spelled_out("".join(held))
            held, size = [], 0
        if len(piece) >= PIECE:  # not joined: a long text is not held twice
            piece = _spelled_out(piece)
            yield piece
        else:
            held.append(piece)
            size += len(piece)
    yield _spelled_out("".join(held))


def _spelled_out(text: str) -> str:
    return _JSON_UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
