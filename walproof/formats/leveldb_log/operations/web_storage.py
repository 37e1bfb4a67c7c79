r"""Decode the keys and values of Chromium's Local Storage and Session Storage to text.

Upstream authority: chromium ``components/services/storage/dom_storage`` (``local_storage_impl.cc``,
``session_storage_metadata.cc``), and ``blink/renderer/modules/storage/cached_storage_area.cc``.
"""

from __future__ import annotations

import re
from pathlib import Path

from walproof.decode.operations import Row

_RECORD = re.compile(rb"_([!-~]+)\0([\0\1].*)", re.DOTALL)
_META = re.compile(rb"(META|METAACCESS):([!-~]+)")
_NAMESPACE = re.compile(rb"namespace-([0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12})-([!-~]+)")
_MAP = re.compile(rb"map-(\d+)-(.*)", re.DOTALL)
_UTF_16, _LATIN_1 = 0, 1


class WebStorage:
    """A decoder of Local Storage and Session Storage keys that leaves all other keys unchanged."""

    def __init__(self, folder: Path) -> None:
        self._is_session = "Session Storage" in folder.absolute().parts[-2:]
        self._origins: dict[bytes, str] = {}

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
        elif match := _META.fullmatch(key):
            return row | {"origin": match[2].decode(), "entry": "metadata"}
        elif match := _NAMESPACE.fullmatch(key):
            if value is not None:
                self._origins[value] = match[2].decode()
            return row | {"origin": match[2].decode(), "entry": "namespace"}
        elif match := _MAP.fullmatch(key):
            return self._of_session(row, match[1], match[2])
        return row

    def _of_session(self, row: Row, map_id: bytes, name: bytes) -> Row:
        origin = self._origins.get(map_id)
        if origin is None and not self._is_session:
            return row
        text_row = row | {"entry": "record", "key": name}
        if origin is not None:
            text_row["origin"] = origin
        if row.get("value") is not None:
            text_row["value"] = _decoded(row["value"], "utf-16-le")
        return text_row


def _text(data: bytes) -> str | bytes | None:
    """Decode a text after its encoding byte; return its bytes if it is invalid."""
    if data[0] == _LATIN_1:
        return data[1:].decode("latin-1")
    return _decoded(data[1:], "utf-16-le") if data[0] == _UTF_16 else None


def _decoded(data: bytes, encoding: str) -> str | bytes:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return data
