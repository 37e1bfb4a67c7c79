"""Describe write batches, and the version edits in a MANIFEST.

The section "Payloads" in spec/leveldb-log.md defines both (informative, without ids). A log does
not state the type of a payload, so it is detected from the bytes.

For the further operations of RocksDB and Pebble, see ``db/dbformat.h`` and ``db/write_batch.cc`` in
facebook/rocksdb 1dfa729, and ``internal/base/internal.go`` and ``batch.go`` in cockroachdb/pebble
2.1.7. A key includes its user-defined timestamp.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.answer import Record
from walproof.describe import Description, NotDescribed, bytes_to_json, max_items
from walproof.quantity import counted
from walproof.quoted import quoted

_HEADER = struct.Struct("<QI")  # sequence number, number of operations
_SHOWN_ITEMS = 4
#: These parts are numbers. A varint has at most 5 bytes for a 32-bit number and 10 for a 64-bit
#: number.
_NUMBER_BYTES = {"column family": 5, "level": 5, "file": 10, "number": 10, "size": 10}
#: In a text, these words precede a part instead of its name.
_WORDS = {
    "column family": "in column family ",
    "data": "",
    "end": "to ",
    "key": "",
    "name": "",
    "number": "",
    "start": "",
    "value": "= ",
}


@dataclass(frozen=True)
class Layout:
    """The name of an operation or field, and the parts that follow its tag."""

    name: str
    #: The names of the parts. Parts with an empty name are skipped.
    parts: tuple[str, ...]
    #: True if the header of a write batch counts the operation.
    is_counted: bool = True


_KEY, _PAIR, _RANGE = ("key",), ("key", "value"), ("start", "end")
#: The value of these operations is a structure that is not shown.
_OPAQUE = ("key", "")
_BOTH: Mapping[int, Layout] = {
    0x00: Layout("delete", _KEY),
    0x01: Layout("put", _PAIR),
    0x02: Layout("merge", _PAIR),
    0x03: Layout("log data", ("data",), is_counted=False),
    0x07: Layout("single delete", _KEY),
    0x0F: Layout("delete range", _RANGE),
}
_ROCKSDB: Mapping[int, Layout] = {
    **_BOTH,
    0x04: Layout("delete", ("column family", *_KEY)),
    0x05: Layout("put", ("column family", *_PAIR)),
    0x06: Layout("merge", ("column family", *_PAIR)),
    0x08: Layout("single delete", ("column family", *_KEY)),
    0x09: Layout("begin prepare", (), is_counted=False),
    0x0A: Layout("end prepare", ("transaction",), is_counted=False),
    0x0B: Layout("commit", ("transaction",), is_counted=False),
    0x0C: Layout("rollback", ("transaction",), is_counted=False),
    0x0D: Layout("noop", (), is_counted=False),
    0x0E: Layout("delete range", ("column family", *_RANGE)),
    0x10: Layout("put blob index", ("column family", *_OPAQUE)),
    0x11: Layout("put blob index", _OPAQUE),
    0x12: Layout("begin persisted prepare", (), is_counted=False),
    0x13: Layout("begin unprepare", (), is_counted=False),
    0x15: Layout("commit", ("", "transaction"), is_counted=False),
    0x16: Layout("put entity", _OPAQUE),
    0x17: Layout("put entity", ("column family", *_OPAQUE)),
    0x18: Layout("timed put", _OPAQUE),
    0x19: Layout("timed put", ("column family", *_OPAQUE)),
}
_PEBBLE: Mapping[int, Layout] = {
    **_BOTH,
    0x13: Layout("range key delete", _RANGE),
    0x14: Layout("range key unset", ("start", "")),
    0x15: Layout("range key set", ("start", "")),
    0x16: Layout("ingest", ("",)),
    0x17: Layout("delete sized", _OPAQUE),
    0x18: Layout("excise", _RANGE),
}
#: The tags of these RocksDB operations have a different meaning in Pebble.
_AMBIGUOUS = {_ROCKSDB[tag].name for tag in _PEBBLE.keys() & _ROCKSDB.keys() - _BOTH.keys()}
_FIELDS: Mapping[int, Layout] = {
    1: Layout("comparator", ("name",)),
    2: Layout("log number", ("number",)),
    3: Layout("next file number", ("number",)),
    4: Layout("last sequence", ("number",)),
    5: Layout("compaction pointer", ("level", "key")),
    6: Layout("deleted file", ("level", "file")),
    7: Layout("new file", ("level", "file", "size", "smallest", "largest")),
    9: Layout("previous log number", ("number",)),
}


class Items:
    """The operations of a write batch, or the fields of a version edit.

    All items are checked and counted, but only the first :func:`max_items` are listed.
    """

    def __init__(self, payload: bytes, sequence: int | None = None) -> None:
        self.payload = payload
        #: The sequence number of a write batch, or None for a version edit.
        self.sequence = sequence
        self.noun = "field" if sequence is None else "operation"
        self.at = 0 if sequence is None else _HEADER.size
        self.listed: list[dict[str, Any]] = []
        #: The texts of the first items.
        self.shown: list[str] = []
        #: For each item name, the number of items.
        self.counts: Counter[str] = Counter()
        #: The number of items that the header of a write batch counts.
        self.numbered = 0

    def read(self, layouts: Mapping[int, Layout]) -> None:
        """Read the items up to the end of the payload. Raises :class:`NotDescribed`."""
        most = max_items(self.payload)
        while self.at < len(self.payload):
            at = self.at
            # A field has a varint32 as its tag, an operation a single byte.
            tag = self._varint(5) if self.sequence is None else self.payload[at]
            self.at += self.sequence is not None
            layout = layouts.get(tag)
            if layout is None:
                raise NotDescribed(at, f"the tag of a known {self.noun}", str(tag))
            parts = [self._part(name) for name in layout.parts]
            self.counts[layout.name] += 1
            self.numbered += layout.is_counted
            if len(self.listed) < most:
                self.listed.append({self.noun: layout.name, **_to_json(layout, parts)})
            if len(self.shown) < _SHOWN_ITEMS:
                self.shown.append(_text(layout, parts))

    def _part(self, name: str) -> int | bytes:
        if name in _NUMBER_BYTES:
            return self._varint(_NUMBER_BYTES[name])
        at, size = self.at, self._varint(5)
        left = len(self.payload) - self.at
        if size > left:
            raise NotDescribed(at, f"a length of at most {left:,}", f"{size:,}")
        self.at += size
        return self.payload[self.at - size : self.at]

    def _varint(self, most_bytes: int) -> int:
        """Read a varint: 7 bits in each byte, lowest first. Bits above 32 or 64 are dropped."""
        data, value = self.payload[self.at : self.at + most_bytes], 0
        for index, byte in enumerate(data):
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                self.at += index + 1
                return value & ((1 << (32 if most_bytes == 5 else 64)) - 1)
        raise NotDescribed(
            self.at, f"a varint of at most {most_bytes} bytes", data.hex() or "the end"
        )

    def description(self) -> Description:
        """Describe the items. If there are many, the text shows counts and the first item."""
        total = self.counts.total()
        text = ", ".join(self.shown) or f"no {self.noun}s"
        if total > _SHOWN_ITEMS:
            counts = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
            text = f"{counted(total, self.noun)} ({counts}), first {self.shown[0]}"
        fields: dict[str, Any] = {f"{self.noun}s": self.listed}
        if total > len(self.listed):
            fields["not_listed"] = total - len(self.listed)
        if self.sequence is None:
            return Description(f"version edit: {text}", fields)
        return Description(
            f"{text} (sequence {self.sequence})", {"sequence": str(self.sequence), **fields}
        )


def _to_json(layout: Layout, parts: list[int | bytes]) -> dict[str, Any]:
    return {
        name.replace(" ", "_"): bytes_to_json(part)
        if isinstance(part, bytes)
        else (part if _NUMBER_BYTES[name] == 5 else str(part))
        for name, part in zip(layout.parts, parts, strict=True)
        if name
    }


def _text(layout: Layout, parts: list[int | bytes]) -> str:
    words = [layout.name]
    for name, part in zip(layout.parts, parts, strict=True):
        if name:
            shown = quoted(part) if isinstance(part, bytes) else str(part)
            words.append(_WORDS.get(name, f"{name} ") + shown)
    return " ".join(words)


def _read_batch(payload: bytes, operations: Mapping[int, Layout]) -> Items | NotDescribed:
    if len(payload) < _HEADER.size:
        return NotDescribed(0, f"a header of {_HEADER.size} bytes", counted(len(payload), "byte"))
    sequence, count = _HEADER.unpack_from(payload)
    batch = Items(payload, sequence)
    try:
        batch.read(operations)
    except NotDescribed as fault:
        # The traceback refers to the items and would keep them in memory.
        return fault.with_traceback(None)
    if batch.numbered != count:
        return NotDescribed(8, f"the number of operations ({batch.numbered})", str(count))
    return batch


def _read_edit(payload: bytes) -> Items | NotDescribed:
    edit = Items(payload)
    try:
        edit.read(_FIELDS)
    except NotDescribed as fault:
        return fault.with_traceback(None)
    return edit


def read_batches(payload: bytes, is_pebble: bool = False) -> list[Items | NotDescribed]:
    """Return every possible reading of a write batch, or the error of a failed one.

    Five tags have different meanings in RocksDB and Pebble. ``is_pebble`` is true if only Pebble
    can have written the log.
    """
    if is_pebble:
        return [_read_batch(payload, _PEBBLE)]
    batch = _read_batch(payload, _ROCKSDB)
    if isinstance(batch, Items) and not batch.counts.keys() & _AMBIGUOUS:
        return [batch]
    return [batch, _read_batch(payload, _PEBBLE)]


def only_one(readings: Sequence[Items | NotDescribed]) -> Items:
    """Return the only reading that succeeded. Raises :class:`NotDescribed`."""
    items = [reading for reading in readings if isinstance(reading, Items)]
    if len(items) > 1:
        found = " and ".join(f"({', '.join(reading.counts)})" for reading in items)
        raise NotDescribed(0, "a payload with one meaning", f"several: {found}")
    if not items:
        # Report the error of the interpretation that read the most bytes, because it is probably
        # right.
        raise max(
            (reading for reading in readings if isinstance(reading, NotDescribed)),
            key=lambda fault: fault.at,
        )
    return items[0]


def describe(record: Record) -> Description:
    """Describe a write batch or a version edit. Raises :class:`NotDescribed`."""
    payload = record.payload
    return only_one([*read_batches(payload), _read_edit(payload)]).description()
