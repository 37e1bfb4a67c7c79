"""Decode write batches, the records of a database's write-ahead log.

Upstream authority: google/leveldb 1.23 ``db/write_batch.cc``. For RocksDB logs in the plain LevelDB
format: facebook/rocksdb 1dfa729 ``db/write_batch.cc`` (``ReadRecordFromWriteBatch``,
``WriteBatchInternal::Iterate``) and ``db/dbformat.h`` (``ValueType``).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from walproof.decode.fault import Cursor, Incomplete, Undecodable
from walproof.decode.signed import signed
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.schema import Struct

COLUMN: Struct = {"name": "binary", "value": "binary"}
OPERATION: Struct = {
    "op": "string",
    "key": "binary",
    "value": "binary",
    "column_family": "int64",
    "columns": [COLUMN],
    "write_time": "int64",
    "xid": "binary",
    "timestamp": "binary",
}

#: Operations on all keys from ``key`` to ``value`` (exclusive).
RANGES = frozenset(
    ("delete_range", "range_key_set", "range_key_unset", "range_key_delete", "excise")
)
#: Operations that only precede other operations.
_MARKS = ("noop", "begin_prepare")
_HEADER = struct.Struct("<QI")
_TIME = struct.Struct("<Q")


@dataclass(frozen=True)
class Tag:
    """The content after a tag: an optional column family, then ``strings``.

    The count in the header includes only operations whose tag has ``is_counted``.
    """

    op: str
    strings: tuple[str, ...]
    has_family: bool = False
    is_counted: bool = True


_KEY, _PAIR = ("key",), ("key", "value")
TAGS: Mapping[int, Tag] = {
    0x00: Tag("delete", _KEY),
    0x01: Tag("put", _PAIR),
    0x02: Tag("merge", _PAIR),
    0x03: Tag("log_data", _KEY, is_counted=False),
    0x04: Tag("delete", _KEY, has_family=True),
    0x05: Tag("put", _PAIR, has_family=True),
    0x06: Tag("merge", _PAIR, has_family=True),
    0x07: Tag("single_delete", _KEY),
    0x08: Tag("single_delete", _KEY, has_family=True),
    0x09: Tag("begin_prepare", (), is_counted=False),
    0x0A: Tag("end_prepare", ("xid",), is_counted=False),
    0x0B: Tag("commit", ("xid",), is_counted=False),
    0x0C: Tag("rollback", ("xid",), is_counted=False),
    0x0D: Tag("noop", (), is_counted=False),
    0x0E: Tag("delete_range", _PAIR, has_family=True),
    0x0F: Tag("delete_range", _PAIR),
    0x10: Tag("put_blob_index", _PAIR, has_family=True),
    0x11: Tag("put_blob_index", _PAIR),
    0x12: Tag("begin_persisted_prepare", (), is_counted=False),
    0x13: Tag("begin_unprepare", (), is_counted=False),
    0x15: Tag("commit", ("timestamp", "xid"), is_counted=False),
    0x16: Tag("put_entity", _PAIR),
    0x17: Tag("put_entity", _PAIR, has_family=True),
    0x18: Tag("timed_put", _PAIR),
    0x19: Tag("timed_put", _PAIR, has_family=True),
}
#: Operations that use no sequence number.
WITHOUT_NUMBER = frozenset(tag.op for tag in TAGS.values() if not tag.is_counted)


def decode(payload: bytes, is_cut: bool = False, tags: Mapping[int, Tag] = TAGS) -> dict[str, Any]:
    """Return the sequence number of the first operation, and all operations.

    ``tags`` are the operation types that the system supports. Raises ``Undecodable``.

    If ``is_cut`` is true, the payload is truncated. The result then contains the complete
    operations and the complete parts of the next one; ``ops_fault`` describes the missing part.
    """
    cursor = Cursor(payload)
    sequence, count = _HEADER.unpack(cursor.take(_HEADER.size))
    results: list[dict[str, Any]] = []
    numbered = 0
    while cursor.left:
        at, number = cursor.at, cursor.take(1)[0]
        tag = tags.get(number)
        if tag is None:
            raise Undecodable(f"at {at}: unknown operation {number}")
        operation: dict[str, Any] = {"op": tag.op}
        try:
            if tag.has_family:
                operation["column_family"] = cursor.varint(5)
            for name in tag.strings:
                size = cursor.varint(5)
                if is_cut and size > cursor.left:
                    return _cut(
                        payload, count, [*results, operation], f"the {name} of {size:,} bytes"
                    )
                operation[name] = cursor.take(size)
        except Incomplete:
            if is_cut:  # the payload ends inside a number
                return _cut(payload, count, results)
            raise
        if tag.op == "timed_put":
            _split_time(operation, at)
        elif tag.op == "put_entity":
            operation["columns"] = columns(operation["value"])
            cursor.count_values(len(operation["columns"] or ()))
        cursor.count_values()
        results.append(operation)
        numbered += tag.is_counted
    if is_cut and numbered < count:
        return _cut(payload, count, results)
    if numbered != count:
        raise Undecodable(f"expected {count} operations, found {numbered}")
    return {"sequence": signed(sequence), "ops": results}


def _cut(
    payload: bytes, count: int, found: list[dict[str, Any]], missing: str = ""
) -> dict[str, Any]:
    """Return the decoded start of a cut payload; ``missing`` describes the missing string."""
    sequence, _ = _HEADER.unpack_from(payload)
    more = count - sum(op["op"] not in WITHOUT_NUMBER for op in found)
    parts = [missing] * bool(missing) + [counted(more, "more operation")] * (more > 0)
    fault = f"not decoded after {len(payload):,} bytes: {' and '.join(parts)}"
    return {"sequence": signed(sequence), "ops": found, "ops_fault": fault}


def _split_time(operation: dict[str, Any], at: int) -> None:
    """Split the write time, seconds since 1970, from the end of a value."""
    packed = operation["value"]
    if len(packed) < _TIME.size:
        raise Undecodable(f"at {at}: no write time in a value of {len(packed)} bytes")
    operation["value"] = packed[: -_TIME.size]
    operation["write_time"] = signed(_TIME.unpack(packed[-_TIME.size :])[0])


def columns(entity: bytes) -> list[dict[str, bytes]] | None:
    """Return the columns of a wide-column entity.

    Returns None if the version is not 1 or if there are too many columns. Upstream authority:
    facebook/rocksdb ``db/wide/wide_column_serialization.h``.
    """
    cursor = Cursor(entity)
    try:
        if cursor.varint(5) != 1:
            return None
        count = _bounded(cursor, cursor.varint(5))
        cursor.count_values(count)
        index = [(cursor.sized(5), cursor.varint(5)) for _ in range(count)]
        results = [{"name": name, "value": cursor.take(size)} for name, size in index]
    except Undecodable:
        return None
    return results if not cursor.left else None


def _bounded(cursor: Cursor, count: int) -> int:
    if count * 2 > cursor.left:
        raise Undecodable(f"at {cursor.at}: {count} columns in {cursor.left} bytes")
    return count


def phrase(sequence: int, ops: list[Mapping[str, Any]], fault: str | None) -> str:
    """Describe the first operation that changes data; count the others."""
    if fault is not None:
        first = next((_operation(op) for op in ops if op["op"] not in _MARKS), "write batch")
        return f"{first} (sequence {sequence})  ({fault})"
    if not ops:
        return f"no operations (sequence {sequence})"
    shown = next((op for op in ops if op["op"] not in _MARKS), ops[0])
    more = f", and {len(ops) - 1} more" if len(ops) > 1 else ""
    return f"{_operation(shown)} (sequence {sequence}){more}"


def _operation(op: Mapping[str, Any]) -> str:
    line = str(op["op"]).replace("_", " ")
    if op["column_family"] is not None:
        line += f" in column family {op['column_family']}"
    if op["key"] is not None:
        line += f" {quoted(op['key'])}"
    if op.get("table") is not None:
        line += f" {op['table']}"
    if op["xid"] is not None:
        line += f" transaction {quoted(op['xid'])}"
    if op["columns"] is not None:
        shown = ", ".join(f"{quoted(c['name'])}: {quoted(c['value'])}" for c in op["columns"][:3])
        more = ", …" if len(op["columns"]) > 3 else ""
        return f"{line} = {{{shown}{more}}}"
    if op["value"] is not None:
        line += f" {'to' if op['op'] in RANGES else '='} {quoted(op['value'])}"
    return line
