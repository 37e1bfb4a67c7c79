"""The bulk scanner of LevelDB logs; ``reference_impl.leveldb_log`` is authoritative.

It shares only the names of events with the reference. The log is read in windows, so memory use
does not depend on its size. A record longer than a run is joined separately, and stored up to
``Wanted.max_payload``.

A log can be split at every block boundary, also a damaged one. Blocks are independent of what
precedes them, with two exceptions, which :func:`_before` determines by reading backwards: an open
record, and a log that ended in zeros. A part yields the records and lost ranges that begin in it.
It reads past its end until all of them are complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End, Lost, Verdict
from walproof.formats.leveldb_log.scanner import kernel
from walproof.formats.leveldb_log.scanner.kernel import BLOCK, NONE
from walproof.scan import arrays
from walproof.scan.log import Log, Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.window import passing_window

#: Maximum bytes of payload in a run; a longer record is a run of its own.
MAX_RUN_BYTES = MAX_BYTES + BLOCK
#: A record with this many bytes read when a run is full is joined separately.
MAX_CARRIED_BYTES = 1 << 20
MAX_LOST_RANGES = 1024
#: Initial rows of a run. Larger runs follow once a run fills them: a log may have few long records.
FIRST_ROWS = 2048


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return parts of about ``target_bytes``, in whole blocks. Reads one block. ``OSError``."""
    step = max(1, target_bytes // BLOCK) * BLOCK
    source = log.open()
    try:
        size = source.size
        if size <= max(step, target_bytes) or _is_foreign(
            np.frombuffer(source.read(0, BLOCK), np.uint8)
        ):
            return [WHOLE]
    finally:
        source.close()
    starts = range(0, size, step)
    return [Part(at, at + step if at + step < size else None) for at in starts]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the log or a part, in the order of the reference. ``OSError``."""
    with closing(log.open()) as source:
        yield from _Scan(source, wanted, part).events()


class _Scan:
    """A pass over a part."""

    def __init__(self, source: Source, wanted: Wanted, part: Part) -> None:
        self.window = passing_window(source)
        self.part = part
        self.limit = source.size + BLOCK if part.end is None else part.end
        self.cap = wanted.cap
        self.state = np.zeros(kernel.STATE, np.int64)
        self.state[kernel.TORN_REASON] = NONE
        self.state[kernel.IN_STEP] = 1
        self.state[kernel.OPEN_AT] = self.state[kernel.ZEROS_FROM] = NONE
        self.spilled = bytearray()
        self.rows = min(FIRST_ROWS, MAX_ROWS)
        self.lost = np.empty((MAX_LOST_RANGES + 4, 4), np.int64)
        self.first_damage: str | None = None

    def events(self) -> Iterator[Event]:
        if self.part.start > 0:
            open_at, zeros_from = _before(self.window.source, self.part.start)
            self.state[kernel.OPEN_AT], self.state[kernel.ZEROS_FROM] = open_at, zeros_from
        self._make_room(b"", self.limit - self.part.start)
        base, beyond = self.part.start, BLOCK
        while True:
            wish = self.limit - base
            if wish <= 0:
                wish = beyond = 2 * beyond
            data, filled, last = self.window.blocks(base, wish, BLOCK)
            if base == 0 and _is_foreign(data[: min(filled, BLOCK)]):
                yield End("refused", "foreign-dialect", None)  # LDB-043
                return
            size = base + filled
            self.state[kernel.BASE], self.state[kernel.POSITION] = base, 0
            self.state[kernel.FILLED] = filled
            while (outcome := self._walk(data)) == kernel.FULL_UP:
                yield from self._taken(max(wish, beyond))
            base = size
            if last or outcome == kernel.OVER:
                break
        yield from self._taken(0)
        if outcome != kernel.OVER:
            yield from self._end_of_log(size)

    def _walk(self, data: Any) -> int:
        return kernel.walk(  # type: ignore[no-any-return]
            data, self.limit, self.cap, self.state, self.at, self.size, self.ends, self.cut,
            self.payload, self.lost,
        )  # fmt: skip

    def _make_room(self, carry: bytes | memoryview, rest: int) -> None:
        """Allocate arrays for a run of records.

        ``carry`` is the payload of the first record read so far. ``rest`` is the number of log
        bytes still to read.
        """
        rows = max(1, min(self.rows, rest // kernel.HEADER))
        self.at, self.size = arrays.pooled(rows, np.int64), arrays.pooled(rows, np.int64)
        self.ends, self.cut = arrays.pooled(rows + 1, np.int32), arrays.pooled(rows)
        self.ends[0] = 0
        room = len(carry) + min(rest, MAX_RUN_BYTES) if self.cap >= 0 else 0
        self.payload = arrays.pooled(room)
        self.payload[: len(carry)] = np.frombuffer(carry, np.uint8)
        for counter in (kernel.ROWS, kernel.LOST, kernel.CUT, kernel.JOINED):
            self.state[counter] = 0
        self.state[kernel.PUT] = len(carry)

    def _taken(self, rest: int) -> Iterator[Event]:
        """Yield the results so far, with lost ranges between the records as in the reference."""
        run = _Run(self)
        rows, gaps = int(self.state[kernel.ROWS]), int(self.state[kernel.LOST])
        lost = self.lost[:gaps].tolist()
        first = 0
        if rows == len(self.at):
            self.rows = MAX_ROWS
        carry = self.payload.data[int(self.ends[rows]) : int(self.state[kernel.PUT])]
        if self.state[kernel.SPILLED]:
            self.spilled += carry
            carry = carry[:0]
        else:
            self.spilled = bytearray()
            if len(carry) > MAX_CARRIED_BYTES:
                self.spilled += carry
                self.state[kernel.SPILLED] = 1
                carry = carry[:0]
        self._make_room(carry, rest)
        for start, end, reason, before in lost:
            yield from run.records(first, before)
            first = max(first, before)
            self.first_damage = self.first_damage or kernel.REASONS[reason]
            yield Lost(start, end, kernel.REASONS[reason])
        yield from run.records(first, rows)

    def _end_of_log(self, size: int) -> Iterator[Event]:
        state = self.state.tolist()
        if state[kernel.OPEN_AT] != NONE:  # LDB-035
            state[kernel.TORN_START] = state[kernel.OPEN_AT]
            state[kernel.TORN_END] = state[kernel.OPEN_END]
            state[kernel.TORN_REASON] = kernel.TORN_RECORD
        torn = None
        if state[kernel.TORN_REASON] != NONE:
            start, code = state[kernel.TORN_START], kernel.REASONS[state[kernel.TORN_REASON]]
            torn = Lost(start, state[kernel.TORN_END], code, torn=True)
            if 0 <= start < self.limit:
                yield torn
        if self.part != WHOLE:
            return
        end = size
        if torn is not None:
            end = torn.start
        elif state[kernel.ZEROS_FROM] != NONE:
            end = state[kernel.ZEROS_FROM]
        verdict: Verdict = "damaged" if self.first_damage else "torn" if torn else "intact"
        reason = self.first_damage or (torn.reason if torn else None)
        yield End(verdict, reason, end if state[kernel.IN_STEP] else None)  # LDB-038, LDB-039


class _Run:
    """The arrays of a full run, as columns."""

    def __init__(self, scan: _Scan) -> None:
        self.at, self.size, self.ends, self.cut = scan.at, scan.size, scan.ends, scan.cut
        self.payload, self.wants_payload = scan.payload, scan.cap >= 0
        self.any_cut = bool(scan.state[kernel.CUT])
        self.joined: bytearray | None = None
        if scan.state[kernel.JOINED]:
            self.joined = scan.spilled
            self.joined += scan.payload.data[: int(scan.ends[1])]
            scan.spilled = bytearray()

    def records(self, first: int, after: int) -> Iterator[Records]:
        """Return rows ``first`` to ``after``; a long record is returned separately."""
        if first < after and first == 0 and self.joined is not None:
            ends = np.array([0, len(self.joined)], np.int32)
            yield self._columns(0, 1, ends, self.joined)
            first = 1
        if first < after:
            yield self._columns(first, after, self.ends[first : after + 1], self.payload)

    def _columns(self, first: int, after: int, ends: Any, payload: Any) -> Records:
        array = arrays.binary(ends, payload, pa.binary()) if self.wants_payload else None
        cut = (
            self.cut[first:after].astype(np.bool_) if self.wants_payload and self.any_cut else None
        )
        return Records(
            at=self.at[first:after],
            size=self.size[first:after],
            payload=array,
            truncated=cut if cut is not None and cut.any() else None,
        )


def _before(source: Source, start: int) -> tuple[int, int]:
    """Return the state at a block boundary: open record and zeros, as ``NONE`` or ``BEFORE``."""
    end, count = start, 1
    while end > 0:
        begin = max(0, end - count * BLOCK)
        data = np.frombuffer(source.read(begin, end - begin), np.uint8)
        for at in range(len(data) - BLOCK, -1, -BLOCK):
            left = kernel.left_behind(data, at)
            if left == kernel.ZEROS and begin + at + BLOCK == start:
                return NONE, kernel.BEFORE
            if left != kernel.UNDECIDED:
                # Fragments after zeros do not belong to any record (LDB-027).
                return (kernel.BEFORE if left == kernel.OPENED else NONE), NONE
        end, count = begin, min(2 * count, 64)
    return NONE, NONE


#: Types, header length, and data lengths where they are known.
_DIALECTS: Sequence[tuple[Sequence[int], int, Sequence[int] | None]] = (
    ((5, 6, 7, 8, 11, 131), 11, None),  # RocksDB, Pebble: recyclable
    ((9, 10, 11, 12), 19, None),  # Pebble: WAL sync
    ((9,), 7, (4,)),  # RocksDB: compression type
    ((10,), 7, range(6, BLOCK, 6)),  # RocksDB: sizes of timestamps
    ((130,), 7, (24,)),  # RocksDB: predecessor
)


def _is_foreign(block: NDArray[np.uint8]) -> bool:
    """Return whether the first record is valid in another dialect (LDB-043)."""
    if len(block) < kernel.HEADER:
        return False
    length, type = int(block[4]) | int(block[5]) << 8, int(block[6])
    return any(
        type in types
        and (lengths is None or length in lengths)
        and header + length <= len(block)
        and kernel.checksum_holds(block, 0, header + length)
        for types, header, lengths in _DIALECTS
    )
