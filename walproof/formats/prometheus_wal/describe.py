"""Describe series, samples and other record contents (spec/prometheus-wal.md, "Content").

Upstream: prometheus/prometheus ``tsdb/record/record.go``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

from reference_impl.answer import Record
from walproof.describe import Description, NotDescribed, bytes_to_json, max_items, shorten
from walproof.quantity import counted, number

Item = dict[str, Any]

_SHOWN_CHARACTERS = 80
#: Histograms with custom buckets have this schema number.
_CUSTOM_BUCKETS = -53
#: In a tombstone, these times mean "no limit".
_NO_LIMITS = (-(1 << 63), (1 << 63) - 1)
_METRIC_TYPES = (
    "unknown", "counter", "gauge", "histogram", "gauge histogram", "summary", "info", "stateset",
)  # fmt: skip


class _Cursor:
    """Reads values from a payload. At its end, methods raise :class:`NotDescribed`."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, size: int, what: str) -> bytes:
        """Return the next bytes."""
        if size > len(self.data) - self.at:
            left = counted(len(self.data) - self.at, "byte")
            raise NotDescribed(self.at, f"{what} of {counted(size, 'byte')}", left)
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size: int, signed: bool = False) -> int:
        """Return a big-endian number."""
        return int.from_bytes(self.take(size, "a number"), "big", signed=signed)

    def unsigned(self) -> int:
        """Return a varint."""
        value = shift = 0
        while True:
            byte = self.take(1, "a varint")[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift > 63:
                return value & (1 << 64) - 1

    def signed(self) -> int:
        """Return a zigzag varint."""
        value = self.unsigned()
        return value >> 1 ^ -(value & 1)

    def value(self) -> str:
        """Return a floating-point number as text."""
        return repr(struct.unpack(">d", self.take(8, "a value"))[0])

    def text(self) -> Any:
        """Return a text that is stored after its length."""
        return bytes_to_json(self.take(self.unsigned(), "a text"))

    def pairs(self) -> Item:
        """Return pairs of names and values, such as labels."""
        found = {}
        for _ in range(self.unsigned()):
            name = self.text()
            found[name if isinstance(name, str) else name["hex"]] = self.text()
        return found

    def skip_histogram(self, is_float: bool) -> None:
        """Skip a histogram. Descriptions do not list its buckets."""
        count = self.value if is_float else self.unsigned
        self.take(1, "a hint")
        schema = self.signed()
        self.value()
        count()
        count()
        self.value()
        for _ in range(2):
            for _ in range(self.unsigned()):
                self.signed()
                self.unsigned()
        for _ in range(2):
            if is_float:
                self.take(8 * self.unsigned(), "buckets")
                continue
            for _ in range(self.unsigned()):
                self.signed()
        if schema == _CUSTOM_BUCKETS:
            self.take(8 * self.unsigned(), "limits of buckets")


def describe(record: Record) -> Description:
    """Describe a record. Raises :class:`NotDescribed` for other content."""
    payload = record.payload
    known = _TYPES.get(payload[0])
    if known is None:
        raise NotDescribed(0, "a type from 1 to 14", str(payload[0]))
    name, items = known
    cursor = _Cursor(payload, 1)
    most = max_items(payload)
    listed: list[Item] = []
    count = 0
    # Bytes have random hashes. An attacker can choose numbers that all have the same hash.
    series: set[bytes] = set()
    refs: list[int] = []
    times: list[int] = []
    for item in items(cursor):
        count += 1
        if "ref" in item:
            ref = item["ref"]
            series.add(ref.to_bytes(ref.bit_length() // 8 + 1, "big", signed=True))
            refs = _widened(refs, ref)
        if "time" in item:
            times = _widened(times, item["time"])
        if len(listed) < most:
            listed.append({k: str(v) if type(v) is int else v for k, v in item.items()})
    fields: Item = {"type": name, "count": count, "items": listed}
    return Description(_text(name, count, len(series), refs, times, listed), fields)


def _widened(limits: list[int], value: int) -> list[int]:
    """Return the lowest and the highest number so far. The list is empty before the first one."""
    return [min([*limits[:1], value]), max([*limits[1:], value])]


def _text(
    name: str, count: int, series: int, refs: list[int], times: list[int], listed: list[Item]
) -> str:
    """Summarise the items on one line: their number, series and times, and the first item."""
    parts = [f"{name}: {number(count)}"]
    if refs:
        low, high = refs
        span = str(low) if low == high else f"{low} to {high}"
        parts[0] += f" of {number(series)} series ({span})"
    if times:
        low, high = times
        parts.append(f"time {low}" if low == high else f"time {low} to {high}")
    shown = [key for key in ("labels", "value", "metadata") if listed and key in listed[0]]
    if shown:
        first = listed[0][shown[0]]
        if isinstance(first, dict):
            first = "{" + ", ".join(f"{key}={value}" for key, value in first.items()) + "}"
        parts.append(shorten(str(first), _SHOWN_CHARACTERS) + (", …" if count > 1 else ""))
    return ", ".join(parts)


# -- item types ------------------------------------------------------------------------------------


def _rest(cursor: _Cursor) -> Iterator[None]:
    """Yield None for as long as bytes are left in the payload."""
    while cursor.at < len(cursor.data):
        yield None


def _series(cursor: _Cursor) -> Iterator[Item]:
    for _ in _rest(cursor):
        yield {"ref": cursor.number(8), "labels": cursor.pairs()}


def _tombstones(cursor: _Cursor) -> Iterator[Item]:
    for _ in _rest(cursor):
        ref, limits = cursor.number(8), (cursor.signed(), cursor.signed())
        whole = {"all": True} if limits == _NO_LIMITS else {}
        yield {"ref": ref, "from": limits[0], "to": limits[1], **whole}


def _mmap_markers(cursor: _Cursor) -> Iterator[Item]:
    for _ in _rest(cursor):
        ref, place = cursor.number(8), cursor.number(8)
        yield {"ref": ref, "file": place >> 32, "offset": place & 0xFFFFFFFF}


def _metadata(cursor: _Cursor) -> Iterator[Item]:
    for _ in _rest(cursor):
        ref, kind = cursor.unsigned(), cursor.number(1)
        name = _METRIC_TYPES[kind] if kind < len(_METRIC_TYPES) else str(kind)
        yield {"ref": ref, "metric_type": name, "metadata": cursor.pairs()}


def _min_valid_time(cursor: _Cursor) -> Iterator[Item]:
    yield {"time": cursor.number(8, signed=True)}


def _content(kind: str) -> Callable[[_Cursor], Item]:
    """Return a function that reads the rest of an item, after its reference and time."""

    def read(cursor: _Cursor) -> Item:
        if kind in ("sample", "exemplar"):
            value = {"value": cursor.value()}
            return value if kind == "sample" else {**value, "labels": cursor.pairs()}
        cursor.skip_histogram(kind == "float histogram")
        return {}

    return read


def _deltas(kind: str) -> Callable[[_Cursor], Iterator[Item]]:
    """Return a reader of items that store references and times relative to those of the record."""
    read = _content(kind)

    def items(cursor: _Cursor) -> Iterator[Item]:
        if cursor.at == len(cursor.data):
            return
        ref, time = cursor.number(8), cursor.number(8, signed=True)
        for _ in _rest(cursor):
            item = {"ref": ref + cursor.signed(), "time": time + cursor.signed()}
            yield {**item, **read(cursor)}

    return items


def _deltas_of_version_2(kind: str) -> Callable[[_Cursor], Iterator[Item]]:
    """Return a reader of items with start times."""
    read = _content(kind)

    def items(cursor: _Cursor) -> Iterator[Item]:
        ref = time = start = 0
        for place, _ in enumerate(_rest(cursor)):
            ref += cursor.signed()
            if not place:
                time, start = cursor.signed(), cursor.signed()
                item = {"ref": ref, "time": time, "start_time": start}
            else:
                item = {"ref": ref, "time": time + cursor.signed()}
                marker = cursor.number(1)
                if marker:
                    item["start_time"] = start + (cursor.signed() if marker == 2 else 0)
            yield {**item, **read(cursor)}

    return items


_TYPES: dict[int, tuple[str, Callable[[_Cursor], Iterator[Item]]]] = {
    1: ("series", _series),
    2: ("samples", _deltas("sample")),
    3: ("tombstones", _tombstones),
    4: ("exemplars", _deltas("exemplar")),
    5: ("mmap markers", _mmap_markers),
    6: ("metadata", _metadata),
    7: ("histograms", _deltas("histogram")),
    8: ("float histograms", _deltas("float histogram")),
    9: ("histograms with custom buckets", _deltas("histogram")),
    10: ("float histograms with custom buckets", _deltas("float histogram")),
    11: ("samples with start times", _deltas_of_version_2("sample")),
    12: ("histograms with start times", _deltas_of_version_2("histogram")),
    13: ("float histograms with start times", _deltas_of_version_2("float histogram")),
    14: ("minimum valid time", _min_valid_time),
}
