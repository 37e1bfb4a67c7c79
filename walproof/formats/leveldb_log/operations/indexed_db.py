"""Decode the keys and values of Chromium's IndexedDB.

Upstream authority: chromium ``content/browser/indexed_db/indexed_db_leveldb_coding.cc`` and ``.h``
(keys, metadata), ``blink/renderer/modules/indexeddb/idb_value_wrapping.cc`` (compressed values and
values in blobs).
"""

from __future__ import annotations

import struct
from typing import Any

from walproof.decode.fault import Cursor, Undecodable
from walproof.decode.operations import Row
from walproof.extras import advice
from walproof.formats.leveldb_log.operations import v8_value

COMPARATOR = "idb_cmp1"
_DOUBLE = struct.Struct("<d")
_MAX_KEY_DEPTH = 200
#: Type bytes in the keys whose entries name a database or a store.
_DATABASE_NAME, _STORE_META, _STORE_NAME = 201, 50, 0
_RECORDS, _EXISTS, _BLOBS, _FIRST_INDEX = 1, 2, 3, 30
_WRAPPED, _IN_BLOB, _SNAPPY = b"\xff\x11", 1, 2
#: A decompressed value may have MAX_RATIO bytes for each compressed byte, or MAX_LEAST_BYTES bytes
#: if that is more.
MAX_RATIO, MAX_LEAST_BYTES = 25, 1 << 16


class IndexedDB:
    """A decoder of keys and values that uses the database and store names found in the log."""

    def __init__(self) -> None:
        self._databases: dict[int, tuple[str, str]] = {}
        self._stores: dict[tuple[int, int], str] = {}

    def explain(self, row: Row) -> Row:
        """Return the row with its origin, database and store, and with key and value as text."""
        key = row.get("key")
        if not isinstance(key, bytes):
            return row
        try:
            return row | self._explained(Cursor(key), row.get("value"))
        except Undecodable as fault:
            return row | {"fault": f"invalid IndexedDB key: {fault}"}

    def _explained(self, key: Cursor, value: bytes | None) -> Row:
        head = key.take(1)[0]
        sizes = (head >> 5) + 1, (head >> 2 & 7) + 1, (head & 3) + 1
        database, store, index = (int.from_bytes(key.take(size), "little") for size in sizes)
        if not database:
            return self._of_all(key, value)
        row: Row = {"database_id": database}
        if not store:
            row |= self._of_database(key, database, value)
        else:
            row |= {"store_id": store, **self._of_store(key, index, value)}
        if database in self._databases:
            row["origin"], row["database"] = self._databases[database]
        if (database, row.get("store_id", 0)) in self._stores:
            row["store"] = self._stores[database, row["store_id"]]
        return row

    def _of_all(self, key: Cursor, value: bytes | None) -> Row:
        if key.take(1)[0] != _DATABASE_NAME:
            return {"entry": "metadata"}
        origin, name = _sized_text(key), _sized_text(key)
        _must_end(key)
        row: Row = {"entry": "database name", "origin": origin, "database": name, "key": None}
        if value is not None:
            row["value"] = row["database_id"] = int.from_bytes(value, "little")
            self._databases[row["database_id"]] = origin, name
        return row

    def _of_database(self, key: Cursor, database: int, value: bytes | None) -> Row:
        if key.take(1)[0] != _STORE_META:
            return {"entry": "metadata"}
        store = key.varint()
        if key.take(1)[0] != _STORE_NAME or value is None:
            return {"entry": "metadata", "store_id": store}
        name = self._stores[database, store] = _utf_16(value)
        return {"entry": "store name", "key": None, "value": name, "store_id": store}

    def _of_store(self, key: Cursor, index: int, value: bytes | None) -> Row:
        row: Row = {"key": _user_key(key)}
        if index >= _FIRST_INDEX:
            row = {"entry": "index", "key": {"index_id": index, "key": row["key"]}}
            if key.left:
                key.varint()  # a sequence number that is always 0
            if key.left:
                row["key"]["primary_key"] = _user_key(key)
            _must_end(key)
            return row
        _must_end(key)
        if index == _RECORDS:
            return row | {"entry": "record"} | ({} if value is None else _record(value))
        if index == _EXISTS:
            return row | {"entry": "exists"}
        if index == _BLOBS:
            return row | {"entry": "blobs"}
        raise Undecodable(f"index {index}")


def _record(value: bytes) -> Row:
    cursor = Cursor(value)
    try:
        cursor.varint()  # the version of the record
        data = cursor.take(cursor.left)
        if data.startswith(_WRAPPED) and len(data) > len(_WRAPPED):
            how = data[len(_WRAPPED)]
            if how == _IN_BLOB:
                raise Undecodable("the value is stored in a blob file")
            if how == _SNAPPY:
                data = decompress(data[len(_WRAPPED) + 1 :])
        decoded = v8_value.decode(data)
        return {"value": {"null": True} if decoded is None else decoded}
    except Undecodable as fault:
        return {"fault": f"value: {fault}"}


def decompress(data: bytes) -> bytes:
    """Decompress Snappy data. Raises ``Undecodable``, also if the claimed size is too large."""
    size = Cursor(data).varint(5)
    if size > max(MAX_LEAST_BYTES, MAX_RATIO * len(data)):
        raise Undecodable(f"Snappy: {size:,} bytes claimed by {len(data):,} bytes")
    try:
        import pyarrow as pa

        return bytes(pa.Codec("snappy").decompress(data, size, asbytes=True))
    except ModuleNotFoundError as missing:
        raise Undecodable(f"Snappy: {advice(missing)}") from None
    except (OSError, ValueError) as error:
        raise Undecodable(f"Snappy: {error}") from None


def _user_key(cursor: Cursor, depth: int = 0) -> Any:
    kind = cursor.take(1)[0]
    cursor.count_values()
    if kind == 0:
        return None
    if kind == 1:
        return _sized_text(cursor)
    if kind in (2, 3):
        number = v8_value.number(_DOUBLE.unpack(cursor.take(8))[0])
        return {"date": number} if kind == 2 else number
    if kind == 4 and depth < _MAX_KEY_DEPTH:
        count = cursor.varint()
        if count > cursor.left:
            raise Undecodable(f"at {cursor.at}: {count} keys in {cursor.left} bytes")
        return [_user_key(cursor, depth + 1) for _ in range(count)]
    if kind == 5:
        return {"minimum": True}
    if kind == 6:
        return {"hex": cursor.sized().hex()}
    raise Undecodable(f"at {cursor.at - 1}: a key of type {kind}")


def _sized_text(cursor: Cursor) -> str:
    """Read a text after its length, which counts units of two bytes."""
    return _utf_16(cursor.take(2 * cursor.varint()))


def _utf_16(data: bytes) -> str:
    try:
        return data.decode("utf-16-be")
    except UnicodeDecodeError:
        raise Undecodable(f"invalid UTF-16: {data[:16].hex(' ')}") from None


def _must_end(key: Cursor) -> None:
    if key.left:
        raise Undecodable(f"at {key.at}: {key.left} bytes after the key")
