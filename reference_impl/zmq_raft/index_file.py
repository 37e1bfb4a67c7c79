"""The reader of index files (``.rlog``), described by spec/zmq-raft.md.

Upstream authority: zmq-raft ``lib/common/indexfile.js``, ``lib/common/log_entry.js``.
"""

from __future__ import annotations

import re
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, tee, zip_longest
from typing import Any, BinaryIO

from reference_impl.answer import Lost, Record
from reference_impl.zmq_raft.layout import (
    VERSION,
    Parts,
    Place,
    Refusal,
    find_marker,
    is_meta,
    read_at,
)

# The fields are RLOG, a length, a version, a capacity and the first index (ZMR-010).
HEADER = struct.Struct("<4sIIIQ")
ENTRY = struct.Struct("<12sB7s")  # The fields are a request id, a type and a term (ZMR-030).
NAME = re.compile(r"[0-9a-f]{14}\.rlog")
MAX_DATA = 0x3FFFFFFF  # ZMR-013
MAX_TERM = 2**53 - 1


@dataclass(slots=True)
class Layout:
    """The layout of an index file with a consistent header."""

    size: int
    capacity: int
    first: int
    #: The offset of the first entry. None if the marker before the entries is missing.
    data: int | None
    #: The offsets, relative to ``data``, at which the committed entries end.
    offsets: array[int]
    #: If the length or capacity proves that the other one is wrong, the lost range for that field
    #: (ZMR-042).
    wrong: Lost | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes between two reliable offsets in the data area, an entry or a lost range."""

    #: The number of the last entry.
    last: int
    start: int
    end: int
    reason: str | None = None
    #: If the first entry is torn, its number.
    torn: int | None = None


def path_of(index: int) -> str:
    """Return the path, in a log directory, of the file that begins with an index (ZMR-015)."""
    name = f"{index:014x}"
    return f"{name[:5]}/{name[5:7]}/{name[7:9]}/{name}.rlog"


def index_in(name: str) -> int | None:
    """Return the first index in a file name, or None for other names (ZMR-015)."""
    return int(name[:14], 16) if NAME.fullmatch(name) else None


def read_layout(file: BinaryIO, size: int, named: int | None) -> Layout | Lost:
    """Read the header and the table, and run the checks of ZMR-040 in order.

    ``named`` is the first index in the file name. Raises :class:`Refusal`.
    """
    head = read_at(file, 0, HEADER.size)
    if head[:4] != b"RLOG"[: len(head)]:
        raise Refusal("bad-token")  # ZMR-041
    if len(head) < HEADER.size:
        return Lost(0, size, "torn-header", torn=True)  # ZMR-044
    _, length, version, capacity, first = HEADER.unpack(head)
    if version != VERSION:
        raise Refusal("unsupported-version")  # ZMR-041
    wrong = None
    if length != 16 + 4 * capacity:
        proven = _proven_capacity(file, length, capacity)
        if proven is None:
            return Lost(0, size, "bad-header")  # ZMR-042
        capacity, wrong = proven
    if named is not None and named != first:
        return Lost(0, size, "index-mismatch")  # ZMR-043
    table = HEADER.size + 4 * capacity
    if size < table:
        if any(read_at(file, HEADER.size, 4)):
            return Lost(HEADER.size, size, "missing-marker")  # ZMR-045
        return Lost(0, size, "torn-header", torn=True)  # ZMR-044
    offsets = _committed(read_at(file, HEADER.size, 4 * capacity))
    data = find_marker(file, b"ITMZ", table)
    if data is None:
        if offsets:
            return Lost(table, size, "missing-marker")  # ZMR-045
        return Lost(0, size, "torn-header", torn=True)  # ZMR-044
    return Layout(size, capacity, first, data, offsets, wrong)


def _proven_capacity(file: BinaryIO, length: int, capacity: int) -> tuple[int, Lost] | None:
    """Return the capacity that the chunks prove, and the field that contradicts it (ZMR-042).

    Returns None unless the chunks prove exactly one capacity.
    """
    candidates = [(capacity, Lost(4, 8, "bad-header"))]
    if length % 4 == 0:
        candidates.append((length // 4 - 4, Lost(12, 16, "bad-header")))
    proven = [each for each in candidates if _is_proven(file, each[0])]
    return proven.pop() if len(proven) == 1 else None


def _is_proven(file: BinaryIO, capacity: int) -> bool:
    """Return whether META and the marker follow a table of this capacity (ZMR-042)."""
    if capacity < 1 or not any(read_at(file, HEADER.size, 4)):
        return False
    table = HEADER.size + 4 * capacity
    return is_meta(file, table) and find_marker(file, b"ITMZ", table) is not None


def _committed(table: bytes) -> array[int]:
    """Return the offsets before the first zero (ZMR-017)."""
    offsets = array("I", table)
    if sys.byteorder == "big":
        offsets.byteswap()  # ZMR-002
    return offsets[: offsets.index(0)] if 0 in offsets else offsets


def spans(layout: Layout) -> Iterator[Span]:
    """Divide the committed part of the data area at reliable offsets (ZMR-046)."""
    assert layout.data is not None
    offsets = layout.offsets
    available = min(layout.size - layout.data, MAX_DATA)
    trusted: list[int] = []
    for number, offset in enumerate(offsets):
        if offset > available:
            continue
        if trusted and offset <= offsets[trusted[-1]]:
            trusted.pop()
        else:
            trusted.append(number)
    last, start = -1, 0
    for number in trusted:
        reason = None if number == last + 1 else "bad-offset"
        yield Span(number, start, offsets[number], reason)
        last, start = number, offsets[number]
    if last + 1 < len(offsets):
        tail = offsets[last + 1 :]
        size = layout.size - layout.data
        # If these offsets increase, they are all beyond the end of the file.
        if _rises(tail) and tail[-1] <= MAX_DATA:
            yield Span(len(offsets) - 1, start, size, "torn-entry", torn=last + 1)  # ZMR-047
        else:
            yield Span(len(offsets) - 1, start, size, "bad-offset")  # ZMR-046


def _rises(offsets: array[int]) -> bool:
    return all(offset < following for offset, following in pairwise(offsets))


def read(file: BinaryIO, size: int, named: int | None, raw: bool) -> Parts:
    """Read the entries of one index file. Raises :class:`Refusal`.

    ``named`` is the first index in the file name. If ``raw`` is true, entries have no header
    (ZMR-032).
    """
    layout = read_layout(file, size, named)
    if isinstance(layout, Lost):
        yield layout
        return Place(0 if layout.torn else None)
    if layout.wrong is not None:
        yield layout.wrong
    yield from in_term_order(entries(file, layout, raw, after=None))
    return Place(resume_at(layout))


def resume_at(layout: Layout) -> int | None:
    """Return the offset for the next entry, or None if it needs a new file (ZMR-101)."""
    assert layout.data is not None
    end, last, sound = 0, -1, layout.wrong is None
    for span in spans(layout):
        if span.reason is None:
            end, last = span.end, span.last
        elif span.reason == "bad-offset":
            sound = False
    full = last + 1 == layout.capacity
    return layout.data + end if sound and not full else None


def entries(
    file: BinaryIO, layout: Layout, raw: bool, after: int | None
) -> Iterator[Record | Lost]:
    """Read the entries of an index file whose layout is known, without comparing terms.

    Entries up to index ``after`` are skipped (ZMR-092).
    """
    assert layout.data is not None
    for span in spans(layout):
        start, end = layout.data + span.start, layout.data + span.end
        index = layout.first + span.last
        if after is not None and index <= after:
            continue  # ZMR-092
        if span.reason is not None:
            yield Lost(start, end, span.reason, torn=span.reason == "torn-entry")
            continue
        data = read_at(file, start, end - start)
        if len(data) < end - start:  # The file was truncated during the pass.
            layout.size = start + len(data)
            yield Lost(start, layout.size, "torn-entry", torn=True)  # ZMR-047
            return
        fields: dict[str, Any] = {"index": str(index)}
        if raw:
            yield Record(start, end - start, data, fields)  # ZMR-032
            continue
        if len(data) < ENTRY.size:
            yield Lost(start, end, "short-entry")  # ZMR-048
            continue
        if data.count(0) == len(data):
            yield Lost(start, end, "zero-entry")  # ZMR-052
            continue
        request, entry_type, term_bytes = ENTRY.unpack_from(data)
        term = int.from_bytes(term_bytes, "little")
        if not 1 <= term <= MAX_TERM:
            yield Lost(start, end, "bad-term")  # ZMR-049
            continue
        fields |= {"term": str(term), "entry_type": entry_type, "request_id": request.hex()}
        yield Record(start, end - start, data[ENTRY.size :], fields)


def in_term_order(
    events: Iterable[Record | Lost], snapshot: int | None = None
) -> Iterator[Record | Lost]:
    """Report entries as lost where terms decrease from one entry to the next (ZMR-050).

    ``snapshot`` is the term of the snapshot before the first entry.
    """
    # The term of the entry that was compared last, and whether that entry is lost.
    term, is_lost = snapshot, False
    # The previous entry, which is not yielded before it is known whether the entry is lost. None
    # for the snapshot.
    held: Record | Lost | None = None
    # The term of the nearest entry that is before the previous one and not lost.
    kept: int | None = None
    ahead, behind = tee(events)
    next(ahead, None)
    for event, following in zip_longest(behind, ahead):
        new, after = _term_of(event), _term_of(following)
        is_low = is_first_wrong = is_second_wrong = False
        if term is not None and new is not None and new < term:
            is_low = is_first_wrong = is_second_wrong = True
            if after is not None and held is not None:
                may_be_first = kept is None or kept <= new
                may_be_second = term <= after
                if may_be_first != may_be_second:
                    is_first_wrong, is_second_wrong = may_be_first, may_be_second
        if held is not None:
            yield _out_of_order(held) if is_first_wrong else held
        if is_low and not is_first_wrong:
            yield _out_of_order(event)
            held = None
            continue
        # The snapshot is never lost.
        if not is_lost and (held is None or not is_low):
            kept = term
        held, term, is_lost = event, new, is_second_wrong
        if is_lost:
            held = _out_of_order(event)
    if held is not None:
        yield held


def _term_of(event: Record | Lost | None) -> int | None:
    """Return the term to compare with neighbouring entries, or None if there is none."""
    if isinstance(event, Record) and "term" in event.fields:
        return int(event.fields["term"])
    return None


def _out_of_order(entry: Record | Lost) -> Lost:
    if isinstance(entry, Lost):
        return entry
    return Lost(entry.at, entry.at + entry.size, "decreasing-term", file=entry.file)
