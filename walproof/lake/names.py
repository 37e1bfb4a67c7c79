"""Represent file names as text that every table, message and checkpoint can store."""

from __future__ import annotations

import os
import re

_BEFORE_A_BYTE = re.compile(r"\\+(?=x[0-9a-f]{2}|[\udc80-\udcff])")


def shown(path: str) -> str:
    r"""Return a path as text, with bytes that are not UTF-8 written as ``\xNN``.

    Backslashes before a literal ``\xNN`` are doubled, so that different names never look the same.
    """
    return printable_message(_BEFORE_A_BYTE.sub(lambda result: result[0] * 2, path))


def printable_message(text: str) -> str:
    r"""Return a message with the non-UTF-8 bytes in file names written as ``\xNN``."""
    return os.fsencode(text).decode("utf-8", "backslashreplace")
