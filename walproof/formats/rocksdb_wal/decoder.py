"""Decode the write batches in a log of RocksDB or Pebble.

Upstream authority: facebook/rocksdb 1dfa729 ``db/write_batch.cc``; cockroachdb/pebble 2.1.7
``batch.go``, ``batchrepr/reader.go``, ``internal/rangekey/rangekey.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from walproof.decode.decoder import Row
from walproof.decode.fault import Cursor, Undecodable
from walproof.decode.signed import signed
from walproof.formats.leveldb_log.decoder import write_batch
from walproof.formats.leveldb_log.decoder.write_batch import Tag
from walproof.schema import Struct

SUFFIX: Struct = {"suffix": "binary", "value": "binary"}
OPERATION: Struct = {
    **write_batch.OPERATION,
    # Suffixes of a range key.
    "suffixes": [SUFFIX],
    # Number of an ingested table.
    "table": "int64",
    # Size in bytes of the deleted key and value.
    "deleted_size": "int64",
}
TYPE: Struct = {
    "sequence": "int64",
    "ops": [OPERATION],
    # Reason if operations are missing.
    "ops_fault": "string",
}
COLUMNS = frozenset({"sync_offset"})
NEEDS_PAYLOAD = True

_KEY, _PAIR = ("key",), ("key", "value")
PEBBLE_TAGS: Mapping[int, Tag] = {
    0x00: Tag("delete", _KEY),
    0x01: Tag("put", _PAIR),
    0x02: Tag("merge", _PAIR),
    0x03: Tag("log_data", _KEY, is_counted=False),
    0x07: Tag("single_delete", _KEY),
    0x0F: Tag("delete_range", _PAIR),
    0x13: Tag("range_key_delete", _PAIR),
    0x14: Tag("range_key_unset", _PAIR),
    0x15: Tag("range_key_set", _PAIR),
    0x16: Tag("ingest", _KEY),
    0x17: Tag("delete_sized", _PAIR),
    0x18: Tag("excise", _PAIR),
}
#: RocksDB operations whose tags mean other operations in Pebble.
_AMBIGUOUS = frozenset(
    tag.op
    for number, tag in write_batch.TAGS.items()
    if number in PEBBLE_TAGS and tag.op != PEBBLE_TAGS[number].op
)
#: Operations that Pebble writes only in separate batches. A batch with an excise also has an ingest
#: (``Batch.ingestSST``).
_INGESTS = frozenset(("ingest", "excise"))


def decode_row(row: Row) -> Mapping[str, Any]:
    """Decode the payload of a record. Raises ``Undecodable``."""
    return decode(row.payload, row.is_cut, "sync_offset" in row.fields)


def decode(payload: bytes, is_cut: bool = False, is_pebble: bool = False) -> dict[str, Any]:
    """Decode a write batch to ``sequence`` and ``ops``. Raises ``Undecodable``.

    ``is_pebble`` is true for a batch that Pebble wrote. For the other arguments, see
    :func:`walproof.formats.leveldb_log.decoder.write_batch.decode`.
    """
    if is_pebble:
        return _of_pebble(payload, is_cut)
    try:
        batch = write_batch.decode(payload, is_cut)
    except Undecodable as fault:
        try:
            return _of_pebble(payload, is_cut)
        except Undecodable:
            raise fault from None
    if all(op["op"] not in _AMBIGUOUS for op in batch["ops"]):
        return batch
    try:
        other = _of_pebble(payload, is_cut)
    except Undecodable:
        return batch
    read_as = f"of RocksDB ({_names(batch)}) and one of Pebble ({_names(other)})"
    raise Undecodable(f"both a batch {read_as}")


def _names(batch: Mapping[str, Any]) -> str:
    return ", ".join(dict.fromkeys(op["op"] for op in batch["ops"]))


def _of_pebble(payload: bytes, is_cut: bool) -> dict[str, Any]:
    batch = write_batch.decode(payload, is_cut, PEBBLE_TAGS)
    names = {op["op"] for op in batch["ops"]}
    if names & _INGESTS and (names - _INGESTS or ("ingest" not in names and not is_cut)):
        raise Undecodable(f"{_names(batch)}: tables are ingested by batches of their own")
    room = Cursor(payload)
    for operation in batch["ops"]:
        explain = _EXPLAINED.get(operation["op"])
        is_whole = "value" in operation or operation["op"] == "ingest"
        if explain is not None and is_whole:
            explain(operation, room)
    return batch


def _table(operation: dict[str, Any], room: Cursor) -> None:
    if "key" in operation:
        operation["table"] = signed(_number(operation.pop("key"), "number of a table"))


def _deleted_size(operation: dict[str, Any], room: Cursor) -> None:
    operation["deleted_size"] = signed(_number(operation.pop("value"), "size of the deleted value"))


def _suffixes(operation: dict[str, Any], room: Cursor) -> None:
    """Split the value of a range key into the end of the range and the suffixes."""
    cursor = Cursor(operation["value"])
    end, suffixes = cursor.sized(5), []
    while cursor.left:
        room.count_values()
        suffix = {"suffix": cursor.sized(5)}
        if operation["op"] == "range_key_set":
            suffix["value"] = cursor.sized(5)
        suffixes.append(suffix)
    operation |= {"value": end, "suffixes": suffixes}


_EXPLAINED: Mapping[str, Callable[[dict[str, Any], Cursor], None]] = {
    "ingest": _table,
    "delete_sized": _deleted_size,
    "range_key_set": _suffixes,
    "range_key_unset": _suffixes,
}


def _number(data: bytes, what: str) -> int:
    cursor = Cursor(data)
    number = cursor.varint()
    if cursor.left:
        raise Undecodable(f"{what}: {cursor.left} bytes after it")
    return number


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe the first operation. See :func:`walproof.decode.phrase`."""
    return write_batch.phrase(value["sequence"], value["ops"], value["ops_fault"])
