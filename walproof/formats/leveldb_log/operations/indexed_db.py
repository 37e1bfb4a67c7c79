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
#: The first key of a new database.
SCHEMA_VERSION = b"\0\0\0\0\0"
_DOUBLE = struct.Struct("<d")
_MAX_KEY_DEPTH = 200
_GLOBAL = {
    0: "schema version",
    1: "highest database id",
    2: "data version",
    3: "recovery blob journal",
    4: "active blob journal",
    5: "earliest sweep",
    6: "earliest compaction",
}
_DATABASE = {
    0: "origin",
    1: "database name",
    2: "version text",
    3: "highest store id",
    4: "version",
    5: "next blob number",
}
_STORE = {
    0: "store name",
    1: "key path",
    2: "auto increment",
    3: "evictable",
    4: "last version",
    5: "highest index id",
    6: "has key path",
    7: "key generator",
}
_INDEX = {0: "index name", 1: "unique", 2: "key path", 3: "multi-entry"}
_SCOPES, _FREE_DATABASE, _DATABASE_NAME = 50, 100, 201
_STORE_META, _INDEX_META, _FREE_STORE, _FREE_INDEX = 50, 100, 150, 151
_STORE_NAME, _INDEX_NAME = 200, 201
_FLAGS = {"auto increment", "evictable", "has key path", "unique", "multi-entry"}
_VARINTS = {"version", "next blob number"}
_MAX_INTEGER_BYTES = 8
_TEXTS = {"origin", "database name", "store name", "index name", "version text"}
_RECORDS, _EXISTS, _BLOBS, _FIRST_INDEX = 1, 2, 3, 30
_WRAPPED, _IN_BLOB, _SNAPPY = b"\xff\x11", 1, 2
#: Bytes that a value may have after decompression, for each of its bytes before, and at least.
MAX_RATIO, MAX_LEAST_BYTES = 25, 1 << 16


class IndexedDB:
    """A decoder of keys and values that uses the database and store names found in the log."""

    def __init__(self) -> None:
        self._databases: dict[int, tuple[str, str]] = {}
        self._stores: dict[tuple[int, int], str] = {}

    def explain(self, row: Row) -> Row:
        """Return the row with origin, database, store, and its key and value as text."""
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
        kind = key.take(1)[0]
        if kind == _DATABASE_NAME:
            origin, name = _sized_text(key), _sized_text(key)
            _must_end(key)
            row: Row = {"entry": "database name", "origin": origin, "database": name, "key": None}
            if value is not None:
                row["database_id"] = int.from_bytes(value, "little")
                self._databases[row["database_id"]] = origin, name
                row["value"] = row["database_id"]
            return row
        if kind in _GLOBAL:
            _must_end(key)
            return _metadata(_GLOBAL[kind], value)
        if kind == _FREE_DATABASE:
            return {"entry": "free database", "key": None, "database_id": key.varint()}
        if kind == _SCOPES:
            return {"entry": "scopes"}
        raise Undecodable(f"metadata of type {kind}")

    def _of_database(self, key: Cursor, database: int, value: bytes | None) -> Row:
        kind = key.take(1)[0]
        if kind in _DATABASE:
            _must_end(key)
            return _metadata(_DATABASE[kind], value)
        if kind == _STORE_META:
            store, member = key.varint(), key.take(1)[0]
            _must_end(key)
            row = _metadata(_STORE.get(member, f"store metadata {member}"), value)
            if row["entry"] == "store name" and isinstance(row.get("value"), str):
                self._stores[database, store] = row["value"]
            return row | {"store_id": store}
        if kind == _INDEX_META:
            store, index, member = key.varint(), key.varint(), key.take(1)[0]
            _must_end(key)
            row = _metadata(_INDEX.get(member, f"index metadata {member}"), value)
            return row | {"store_id": store, "key": {"index_id": index}}
        if kind == _FREE_STORE:
            return {"entry": "free store", "key": None, "store_id": key.varint()}
        if kind == _FREE_INDEX:
            store, index = key.varint(), key.varint()
            return {"entry": "free index", "store_id": store, "key": {"index_id": index}}
        if kind == _STORE_NAME:
            return _metadata("store of a name", value) | {"key": _sized_text(key)}
        if kind == _INDEX_NAME:
            store = key.varint()
            return _metadata("index of a name", value) | {
                "store_id": store,
                "key": _sized_text(key),
            }
        raise Undecodable(f"metadata of a database of type {kind}")

    def _of_store(self, key: Cursor, index: int, value: bytes | None) -> Row:
        row: Row = {"key": _user_key(key)}
        if index >= _FIRST_INDEX:
            row = {"entry": "index", "key": {"index_id": index, "key": row["key"]}}
            if key.left:
                key.varint()  # a sequence number that is always 0
            if key.left:
                row["key"]["primary_key"] = _user_key(key)
            _must_end(key)
            return row | _version(value)
        _must_end(key)
        if index == _RECORDS:
            return row | {"entry": "record"} | ({} if value is None else _record(value))
        if index == _EXISTS:
            return row | {"entry": "exists"} | _version(value)
        if index == _BLOBS:
            return row | {"entry": "blobs"}
        raise Undecodable(f"index {index}")


def _version(value: bytes | None) -> Row:
    """Return the version of the record that an entry refers to, as the value of a row."""
    return {} if value is None else {"value": {"record_version": Cursor(value).varint()}}


def _metadata(entry: str, value: bytes | None) -> Row:
    """Return a row about the database itself, with a text, a number or a boolean as value."""
    row: Row = {"entry": entry, "key": None}
    if value is None:
        return row
    if entry in _TEXTS:
        row["value"] = _utf_16(value)
    elif entry in _FLAGS:
        row["value"] = any(value)
    elif entry == "key path":
        row["value"] = _key_path(Cursor(value))
    elif entry in _VARINTS:
        row["value"] = Cursor(value).varint()
    elif len(value) <= _MAX_INTEGER_BYTES and not entry.endswith("journal"):
        row["value"] = int.from_bytes(value, "little")
    return row


def _key_path(cursor: Cursor) -> Any:
    """Return the key path in a value, a list of paths, or None."""
    head, kind = cursor.take(2), cursor.take(1)[0]
    if head != b"\0\0" or kind > 2:
        raise Undecodable(f"at 0: expected a key path, found {cursor.data[:8].hex(' ')}")
    if kind == 2:
        return [_sized_text(cursor) for _ in range(min(cursor.varint(), cursor.left + 1))]
    return _sized_text(cursor) if kind else None


def _record(value: bytes) -> Row:
    """Return the value of a record as JSON, or the reason why it is not decoded."""
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
    """Decompress Snappy. Raises ``Undecodable``, also for a size that the data cannot reach."""
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
    """Return an application key: text, a number, a date, bytes, or a list of keys."""
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
    """Return a text with a length prefix, which counts two-byte units."""
    data = cursor.take(2 * cursor.varint())
    text = _utf_16(data)
    if not isinstance(text, str):
        raise Undecodable(f"invalid UTF-16: {data[:16].hex(' ')}")
    return text


def _utf_16(data: bytes) -> str | bytes:
    try:
        return data.decode("utf-16-be")
    except UnicodeDecodeError:
        return data


def _must_end(key: Cursor) -> None:
    if key.left:
        raise Undecodable(f"at {key.at}: {key.left} bytes after the key")
