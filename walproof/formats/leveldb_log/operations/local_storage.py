"""Decode the keys and values of Chromium's Local Storage to text.

Upstream authority: chromium ``components/services/storage/dom_storage/local_storage_impl.cc``, and
``blink/renderer/modules/storage/cached_storage_area.cc``.
"""

from __future__ import annotations

import re

from walproof.decode.operations import Row

_RECORD = re.compile(rb"_([!-~]+)\0([\0\1].*)", re.DOTALL)
_UTF_16, _LATIN_1 = 0, 1


class LocalStorage:
    """A decoder of Local Storage keys that leaves all other keys unchanged."""

    def explain(self, row: Row) -> Row:
        """Return the row with its origin, and with its key and value as text."""
        key, value = row.get("key"), row.get("value")
        if not isinstance(key, bytes):
            return row
        if match := _RECORD.fullmatch(key):
            name, text = _text(match[2]), _text(value) if value else None
            if name is not None and b"://" in match[1] and (value is None or text is not None):
                more = {"key": name} | ({} if value is None else {"value": text})
                return row | {"origin": match[1].decode(), "entry": "record", **more}
        return row


def _text(data: bytes) -> str | bytes | None:
    """Decode the text after an encoding byte.

    Returns the bytes of a text in invalid UTF-16, and None for an unknown encoding.
    """
    if data[0] == _LATIN_1:
        return data[1:].decode("latin-1")
    if data[0] != _UTF_16:
        return None
    try:
        return data[1:].decode("utf-16-le")
    except UnicodeDecodeError:
        return data[1:]
