"""Names of files as text that every table, message and checkpoint can hold."""

from __future__ import annotations

import os
import re

_BEFORE_A_BYTE = re.compile(r"\\+(?=x[0-9a-f]{2}|[\udc80-\udcff])")


def shown(path: str) -> str:
    r"""A path as text: bytes that are not UTF-8 as ``\xNN``.

    A name that says ``\xNN`` itself has its backslashes doubled, so that two names never look
    alike.
    """
    return printable_message(_BEFORE_A_BYTE.sub(lambda result: result[0] * 2, path))


def printable_message(text: str) -> str:
    r"""A message that names files, with bytes of their names that are not UTF-8 as ``\xNN``."""
    return os.fsencode(text).decode("utf-8", "backslashreplace")
