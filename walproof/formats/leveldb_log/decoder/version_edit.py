"""Decode version edits, the records of a database's MANIFEST.

Upstream authority: google/leveldb 1.23 ``db/version_edit.cc`` (``VersionEdit::DecodeFrom``). Tags
from 10 on: facebook/rocksdb 1dfa729 ``db/version_edit.cc``, ``db/blob/blob_file_*.cc`` and
``db/wal_edit.cc``. Tags 104 to 108, and Pebble's meaning of tags 10 and 11: cockroachdb/pebble
``internal/manifest/version_edit.go``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from walproof.decode.fault import Cursor, Incomplete, Undecodable, text
from walproof.decode.signed import signed
from walproof.quantity import counted, number
from walproof.quoted import quoted
from walproof.schema import Struct

KEY: Struct = {"user_key": "binary", "sequence": "int64", "type": "string"}
FIELD: Struct = {"tag": "int64", "name": "string", "number": "int64", "data": "binary"}
NEW_FILE: Struct = {
    "level": "int64",
    "number": "int64",
    "size": "int64",
    "smallest": KEY,
    "largest": KEY,
    "path_id": "int64",
    "smallest_sequence": "int64",
    "largest_sequence": "int64",
    "fields": [FIELD],
}
BLOB_FILE: Struct = {
    "number": "int64",
    "blobs": "int64",
    "bytes": "int64",
    "checksum_method": "binary",
    "checksum": "binary",
}
TYPE: Struct = {
    "comparator": "string",
    "log_number": "int64",
    "prev_log_number": "int64",
    "next_file_number": "int64",
    "last_sequence": "int64",
    "compact_pointers": [{"level": "int64", "key": KEY}],
    "deleted_files": [{"level": "int64", "number": "int64"}],
    "new_files": [NEW_FILE],
    "min_log_number_to_keep": "int64",
    "column_family": "int64",
    "column_family_added": "string",
    "column_family_dropped": "bool",
    "max_column_family": "int64",
    "edits_left_in_group": "int64",
    "db_id": "string",
    "new_blob_files": [BLOB_FILE],
    "blob_garbage": [BLOB_FILE],
    "new_logs": [{"number": "int64", "size": "int64"}],
    "logs_deleted_before": "int64",
    "fields": [FIELD],
}

_TRAILER = struct.Struct("<Q")
_FIXED = struct.Struct("<Q")
_KEY_TYPES: Mapping[int, str] = {
    0x00: "delete",
    0x01: "put",
    0x02: "merge",
    0x07: "single_delete",
    0x0F: "delete_range",
    0x11: "blob_index",
    0x14: "delete_with_timestamp",
    0x16: "entity",
    0x18: "timed_put",
}
#: Flag in the byte before the bounds of a Pebble table with range keys.
_HAS_POINT_KEYS = 1
_IGNORABLE = 1 << 13
_NOT_IGNORABLE = 1 << 6
#: Custom fields of a new file: the name, and the encoding of a number or None for other data.
CUSTOM_FIELDS: Mapping[int, tuple[str, str | None]] = {
    2: ("need_compaction", "byte"),
    3: ("min_log_number_to_keep", "fixed64"),
    4: ("oldest_blob_file_number", "varint"),
    5: ("oldest_ancestor_time", "varint"),
    6: ("file_creation_time", "varint"),
    7: ("file_checksum", None),
    8: ("file_checksum_function", None),
    9: ("temperature", "byte"),
    10: ("min_timestamp", None),
    11: ("max_timestamp", None),
    12: ("unique_id", None),
    13: ("epoch_number", "varint"),
    14: ("compensated_range_deletion_size", "varint"),
    15: ("tail_size", "varint"),
    16: ("user_defined_timestamps_persisted", "byte"),
    17: ("file_open_metadata", None),
    _NOT_IGNORABLE + 1: ("path_id", "byte"),
    _NOT_IGNORABLE + 3: ("synthetic_prefix", None),
    _NOT_IGNORABLE + 4: ("synthetic_suffix", None),
}

#: Pebble's fields of a new file that have no length prefix.
_VIRTUAL, _BLOB_REFERENCES, _SIZED_BLOB_REFERENCES = 66, 69, 70

Edit = dict[str, Any]
_Read = Callable[[Cursor], Any]


def decode(payload: bytes, is_pebble: bool = False, is_cut: bool = False) -> Edit:
    """Return the fields of an edit by their names in :data:`TYPE`. Raises ``Undecodable``.

    ``fields`` holds the optional fields of RocksDB and the fields specific to Pebble. If
    ``is_pebble`` is true, the tags 10 and 11 have Pebble's meaning. If ``is_cut`` is true, the
    payload is truncated, and the result contains only the complete fields.
    """
    cursor, edit = Cursor(payload), Edit()
    try:
        _read_into(edit, cursor, is_pebble)
    except Incomplete:
        if not is_cut:
            raise
    return edit


def _read_into(edit: Edit, cursor: Cursor, is_pebble: bool) -> None:
    while cursor.left:
        at, tag = cursor.at, cursor.varint(5)
        cursor.count_values()
        of_pebble = _OF_PEBBLE.get(tag) or (_PEBBLE_INSTEAD.get(tag) if is_pebble else None)
        if of_pebble is not None:
            name, parts = of_pebble
            numbers = [read(cursor) for read in parts]
            field = {"tag": tag, "name": name, "number": next(filter(_is_number, numbers), None)}
            edit.setdefault("fields", []).append(field)
        elif tag in _SINGLE:
            name, read = _SINGLE[tag]
            edit[name] = read(cursor)
        elif tag in _REPEATED:
            name, read = _REPEATED[tag]
            edit.setdefault(name, []).append(read(cursor))
        elif tag & _IGNORABLE:
            edit.setdefault("fields", []).append(_ignorable(tag, cursor))
        else:
            raise Undecodable(f"at {at}: unknown tag {tag}")


def _u32(cursor: Cursor) -> int:
    return cursor.varint(5)


def _u64(cursor: Cursor) -> int:
    return signed(cursor.varint())


def _skipped(cursor: Cursor) -> None:
    cursor.varint()


def _bytes(cursor: Cursor) -> bytes:
    return cursor.sized(5)


def _is_number(value: Any) -> bool:
    return isinstance(value, int)


def _name(cursor: Cursor) -> str:
    return text(cursor.sized(5))


def _true(cursor: Cursor) -> bool:
    return True


def _key(cursor: Cursor) -> dict[str, Any]:
    at, key = cursor.at, cursor.sized(5)
    if len(key) < _TRAILER.size:
        raise Undecodable(f"at {at}: an internal key of {len(key)} bytes")
    (trailer,) = _TRAILER.unpack(key[-_TRAILER.size :])
    kind = _KEY_TYPES.get(trailer & 0xFF, str(trailer & 0xFF))
    return {"user_key": key[: -_TRAILER.size], "sequence": trailer >> 8, "type": kind}


def _compact_pointer(cursor: Cursor) -> Edit:
    return {"level": _u32(cursor), "key": _key(cursor)}


def _deleted_file(cursor: Cursor) -> Edit:
    return {"level": _u32(cursor), "number": _u64(cursor)}


def _new_file(layout: int, cursor: Cursor) -> Edit:
    """Return a table; layout 1 is LevelDB's, 2 to 4 are RocksDB's, and 5 is Pebble's."""
    table: Edit = {"level": _u32(cursor), "number": _u64(cursor)}
    if layout == 3:
        table["path_id"] = _u32(cursor)
    table["size"] = _u64(cursor)
    bounds = [] if layout == 5 else [(_key(cursor), _key(cursor))]
    if layout == 5:  # optional point keys, then optional range keys
        if cursor.take(1)[0] & _HAS_POINT_KEYS:
            bounds.append((_key(cursor), _key(cursor)))
        bounds.append((_key(cursor), _key(cursor)))
    table |= {"smallest": bounds[0][0], "largest": bounds[0][1]}
    if layout > 1:
        table |= {"smallest_sequence": _u64(cursor), "largest_sequence": _u64(cursor)}
    if layout >= 4:
        table["fields"] = _custom_fields(cursor)
    return table


def _custom_fields(cursor: Cursor) -> list[Edit]:
    fields: list[Edit] = []
    while True:
        at, tag = cursor.at, cursor.varint(5)
        cursor.count_values()
        if tag == 1:
            return fields
        if tag == _VIRTUAL:
            fields.append({"tag": tag, "name": "backing_table", "number": _u64(cursor)})
            continue
        if tag in (_BLOB_REFERENCES, _SIZED_BLOB_REFERENCES):
            depth, count = _u64(cursor), _u64(cursor)
            for _ in range(count * (2 if tag == _BLOB_REFERENCES else 3)):
                _u64(cursor)
            fields.append({"tag": tag, "name": "blob_reference_depth", "number": depth})
            continue
        name, form = CUSTOM_FIELDS.get(tag, (None, None))
        if name is None and tag & _NOT_IGNORABLE:
            raise Undecodable(f"at {at}: unknown field {tag} of a new file")
        data = cursor.sized(5)
        field: Edit = {"tag": tag, "name": name}
        field |= {"data": data} if form is None else {"number": _number(form, data, at)}
        fields.append(field)


def _number(form: str, data: bytes, at: int) -> int:
    if form == "varint":
        return _u64(Cursor(data))
    if len(data) != (1 if form == "byte" else _FIXED.size):
        raise Undecodable(f"at {at}: {len(data)} bytes in a field of the form {form}")
    return data[0] if form == "byte" else signed(_FIXED.unpack(data)[0])


def _blob_file(is_garbage: bool, cursor: Cursor) -> Edit:
    blob_file: Edit = {"number": _u64(cursor), "blobs": _u64(cursor), "bytes": _u64(cursor)}
    if not is_garbage:
        blob_file |= {"checksum_method": cursor.sized(5), "checksum": cursor.sized(5)}
    while tag := cursor.varint(5):
        if tag & _NOT_IGNORABLE:
            raise Undecodable(f"at {cursor.at}: unknown field {tag} of a blob file")
        cursor.sized(5)
    return blob_file


def _log(cursor: Cursor) -> Edit:
    log: Edit = {"number": _u64(cursor)}
    while (tag := cursor.varint(5)) != 1:
        if tag != 2:
            raise Undecodable(f"at {cursor.at}: unknown field {tag} of a log")
        log["size"] = _u64(cursor)
    return log


def _inside(read: _Read, cursor: Cursor) -> Any:
    """Read a field with a length prefix."""
    return read(Cursor(cursor.sized(5)))


def _ignorable(tag: int, cursor: Cursor) -> Edit:
    return {"tag": tag, "name": _IGNORABLE_NAMES.get(tag), "data": cursor.sized(5)}


_SINGLE: Mapping[int, tuple[str, _Read]] = {
    1: ("comparator", _name),
    2: ("log_number", _u64),
    3: ("next_file_number", _u64),
    4: ("last_sequence", _u64),
    9: ("prev_log_number", _u64),
    10: ("min_log_number_to_keep", _u64),
    200: ("column_family", _u32),
    201: ("column_family_added", _name),
    202: ("column_family_dropped", _true),
    203: ("max_column_family", _u32),
    300: ("edits_left_in_group", _u32),
    _IGNORABLE + 1: ("db_id", _name),
    _IGNORABLE + 5: ("logs_deleted_before", _u64),
    _IGNORABLE + 8: ("logs_deleted_before", partial(_inside, _u64)),
}
_REPEATED: Mapping[int, tuple[str, _Read]] = {
    5: ("compact_pointers", _compact_pointer),
    6: ("deleted_files", _deleted_file),
    7: ("new_files", partial(_new_file, 1)),
    100: ("new_files", partial(_new_file, 2)),
    102: ("new_files", partial(_new_file, 3)),
    103: ("new_files", partial(_new_file, 4)),
    104: ("new_files", partial(_new_file, 5)),
    400: ("new_blob_files", partial(_blob_file, False)),
    401: ("blob_garbage", partial(_blob_file, True)),
    _IGNORABLE + 2: ("new_blob_files", partial(_blob_file, False)),
    _IGNORABLE + 3: ("blob_garbage", partial(_blob_file, True)),
    _IGNORABLE + 4: ("new_logs", _log),
    _IGNORABLE + 7: ("new_logs", partial(_inside, _log)),
}
#: Tags specific to Pebble, each with a name and the values after the tag. The first number that is
#: not skipped is a file number.
_OF_PEBBLE: Mapping[int, tuple[str, Sequence[_Read]]] = {
    105: ("new_backing_table", (_u64, _u64)),
    106: ("deleted_backing_table", (_u64,)),
    107: ("new_blob_file", (_skipped, _u64, _u64, _u64, _u64)),
    108: ("deleted_blob_file", (_skipped, _u64)),
}
_PEBBLE_INSTEAD: Mapping[int, tuple[str, Sequence[_Read]]] = {
    10: ("excise_bounds", (_bytes, _bytes, _skipped, _u64)),
    11: ("table_marked_for_compaction", (_skipped, _u64)),
}
_IGNORABLE_NAMES: Mapping[int, str] = {
    _IGNORABLE + 6: "full_history_ts_low",
    _IGNORABLE + 9: "persist_user_defined_timestamps",
    _IGNORABLE + 10: "subcompaction_progress",
    _IGNORABLE + 11: "last_compacted_manifest_file_size",
}


def phrase(edit: Mapping[str, Any]) -> str:
    """Describe an edit: first the tables, then the other fields."""
    added, deleted = edit["new_files"] or [], edit["deleted_files"] or []
    changes = [_added(file) for file in added[:1]] + _more("adds", added)
    changes += [
        f"deletes table {file['number']:06d} at level {file['level']}" for file in deleted[:1]
    ]
    changes += _more("deletes", deleted)
    for name, value in edit.items():
        if value is None or name in ("new_files", "deleted_files"):
            continue
        shown = f" {quoted(value.encode())}" if isinstance(value, str) else ""
        shown = f" {value}" if type(value) is int else shown
        changes.append(f"{name.replace('_', ' ')}{shown}")
    return ", ".join(changes) or "empty edit"


def _added(file: Mapping[str, Any]) -> str:
    # LevelDB has named its tables .ldb since 1.14. RocksDB and Pebble name them .sst, and store the
    # range of sequence numbers of a new table.
    suffix = "ldb" if file["smallest_sequence"] is None else "sst"
    keys = f"{quoted(file['smallest']['user_key'])} to {quoted(file['largest']['user_key'])}"
    size = counted(file["size"], "byte")
    return f"adds table {file['number']:06d}.{suffix} at level {file['level']} ({size}, {keys})"


def _more(verb: str, files: list[Any]) -> list[str]:
    return [f"{verb} {number(len(files) - 1)} more"] if len(files) > 1 else []
