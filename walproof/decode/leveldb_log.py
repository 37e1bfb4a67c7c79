"""A LevelDB write batch: what a database puts into a record of its log.

Upstream authority: google/leveldb ``db/write_batch.cc``; RocksDB, whose logs with plain records
are read too, has more operations and column families (``db/dbformat.h``, ``ValueType``).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from walproof.decode.fault import Cursor, Undecodable
from walproof.decode.payloads import decoders_of
from walproof.quoted import quoted
from walproof.scan.model import Records

OPERATION = pa.struct(
    [
        ("op", pa.string()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("column_family", pa.int64()),
    ]
)
TYPE = pa.struct([("sequence", pa.int64()), ("ops", pa.list_(OPERATION))])

_HEADER = struct.Struct("<QI")
# Tag → name, whether a column family comes first, how many strings follow, whether it is counted.
_TAGS: Mapping[int, tuple[str, bool, int, bool]] = {
    0: ("delete", False, 1, True),
    1: ("put", False, 2, True),
    2: ("merge", False, 2, True),
    3: ("log_data", False, 1, False),
    4: ("delete", True, 1, True),
    5: ("put", True, 2, True),
    6: ("merge", True, 2, True),
    7: ("single_delete", False, 1, True),
    8: ("single_delete", True, 1, True),
    13: ("noop", False, 0, False),
    14: ("delete_range", True, 2, True),
    15: ("delete_range", False, 2, True),
}


COLUMNS: frozenset[str] = frozenset()
NEEDS_PAYLOAD = True


def type_of(names: tuple[str, ...]) -> pa.DataType:
    """The struct, the same whatever ``names`` are."""
    return TYPE


def decoders(run: Records, names: tuple[str, ...]) -> Sequence[Callable[[], Mapping[str, Any]]]:
    """What decodes each payload of a run."""
    return decoders_of(run, decode)


def decode(payload: bytes) -> dict[str, Any]:
    """Sequence number of the first operation, and the operations.

    ``value`` of ``delete_range`` is the key after the range. Raises ``Undecodable``.
    """
    cursor = Cursor(payload)
    sequence, count = _HEADER.unpack(cursor.take(_HEADER.size))
    found, counted = [], 0
    while cursor.left:
        at, tag = cursor.at, cursor.take(1)[0]
        if tag not in _TAGS:
            raise Undecodable(f"at {at}: unknown operation {tag}")
        name, has_family, strings, is_counted = _TAGS[tag]
        family = cursor.varint(5) if has_family else None
        key = cursor.sized(5) if strings else None
        value = cursor.sized(5) if strings > 1 else None
        found.append({"op": name, "key": key, "value": value, "column_family": family})
        counted += is_counted
    if counted != count:
        raise Undecodable(f"{count} operations announced, {counted} found")
    return {"sequence": _signed(sequence), "ops": found}


def _signed(value: int) -> int:
    """A u64 in two's complement, as in all columns."""
    return value - 2**64 if value >= 2**63 else value


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """See :func:`walproof.decode.phrase`: the first operation, and how many follow."""
    ops = value["ops"]
    if not ops:
        return f"sequence {value['sequence']}: no operation"
    said = ops[0]["op"].replace("_", " ")
    if ops[0]["key"] is not None:
        said += f" {quoted(ops[0]['key'])}"
    if ops[0]["value"] is not None:
        said += f" {'to' if ops[0]['op'] == 'delete_range' else '='} {quoted(ops[0]['value'])}"
    more = f", and {len(ops) - 1} more" if len(ops) > 1 else ""
    return f"sequence {value['sequence']}: {said}{more}"
