"""Scan SQLite logs in bulk, with the same results as ``reference_impl.sqlite_wal``.

The scanner shares only the event classes with the reference. It reads the committed frames in
windows, so memory use does not depend on the size of an intact log. After the first frame that does
not follow its predecessor, the scanner keeps the frame headers in memory as columns. In a damaged
log, it also keeps the links between frames. Page images are read again when a record is returned.

A log cannot be divided into parts, because each checksum covers all frames before it.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reference_impl.answer import End, Lost, Verdict
from walproof.formats.sqlite_wal.columns import COLUMNS
from walproof.formats.sqlite_wal.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import Log, Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.window import Window

HEADER = 32
FRAME_HEADER = 24
MAGICS = (0x377F0682, 0x377F0683)
VERSION = 3007000
PAGE_SIZES = tuple(512 << n for n in range(8))
ROLLBACK_JOURNAL = bytes.fromhex("d9d505f920a163d7")

#: Slots that lie this close together are read at once, with those between them.
MAX_GAP_SLOTS = 8

Numbers = NDArray[np.int64]


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the log, in the order of the reference. Raises ``OSError``."""
    with closing(log.open()) as source:
        size = source.size
        if not size:
            yield End("intact", None, 0)  # SQW-001
            return
        start = _open(source)
        if isinstance(start, str):
            if start == "torn-header":
                yield Lost(0, size, start, torn=True)  # SQW-021
                yield End("torn", start, 0)
            else:
                yield End("refused", start, None)
            return
        yield from _Scan(source, start, wanted).events()


@dataclass(frozen=True)
class _Start:
    """The parameters for reading the frames of a log.

    ``value`` is the checksum of the header, or None if it is unknown. ``salts`` are little-endian.
    """

    page_size: int
    big: bool
    salts: int
    value: int | None
    is_damaged: bool = False


def _open(source: Source) -> _Start | str:
    """Return how to read a log, or the reason why nothing can be read (SQW-020)."""
    head = source.read(0, HEADER)
    if head.startswith(ROLLBACK_JOURNAL):
        return "rollback-journal"
    if len(head) == HEADER:
        magic, version, page_size, value = struct.unpack(">III12xQ", head)
        big = bool(magic & 1)
        if magic in MAGICS and _checksum(head[:24], big) == value:
            if page_size not in PAGE_SIZES:
                return "bad-page-size"
            if version != VERSION:
                return "bad-version"
            return _Start(page_size, big, int.from_bytes(head[16:24], "little"), value)
        if (start := _rebuild(source) or _first_link(source)) is not None:
            return start
    magics = [magic.to_bytes(4, "big") for magic in MAGICS]
    if not any(head) or any(head[:4] == magic[: len(head)] for magic in magics):
        return "torn-header"
    return "bad-magic"


def _rebuild(source: Source) -> _Start | None:
    """Return the header that frame 1 follows (SQW-026)."""
    for page_size, big in itertools.product(PAGE_SIZES, (False, True)):
        frame = source.read(HEADER, FRAME_HEADER + page_size)
        if len(frame) < FRAME_HEADER + page_size or not any(frame[:4]):
            return None
        data = np.frombuffer(frame, np.uint8)
        value = int(kernel.rewind_slot(data, 0, len(frame), big))
        start = struct.pack(">III", MAGICS[big], VERSION, page_size)
        before = _checksum(start[:8], big)
        after = int(kernel.rewind(np.uint64(value), data, 8, 16, big))
        word = int.from_bytes(start[8:], "big" if big else "little")
        if (before >> 32) + (before & 0xFFFFFFFF) + word & 0xFFFFFFFF == after >> 32:
            salts = int.from_bytes(frame[8:16], "little")
            return _Start(page_size, big, salts, value, is_damaged=True)
    return None


def _first_link(source: Source) -> _Start | None:
    """Return the values of the first two slots of which the second follows the first (SQW-027)."""
    window = Window(source, MAX_BYTES)
    either: _Start | None = None
    for page_size in reversed(PAGE_SIZES):
        slot = FRAME_HEADER + page_size
        count = (source.size - HEADER) // slot
        step = max(2, MAX_BYTES // slot)
        for first in range(0, count - 1, step - 1):
            slots = min(step, count - first)
            window.hold(HEADER + first * slot, slots * slot)
            data = window.array[HEADER + first * slot - window.base :]
            link, is_sure = kernel.find_link(data, slots, slot)
            if link < 0:
                continue
            at = link // 2 * slot + 8
            salts = int.from_bytes(data[at : at + 8].tobytes(), "little")
            start = _Start(page_size, bool(link & 1), salts, None, is_damaged=True)
            if is_sure:
                return start
            either = either or start
    return either


class _Scan:
    """A pass over the committed frames, and then over the slots after them.

    ``committed`` is the number of the last committed slot, and ``value`` is the checksum after it.
    ``first_bad`` is the number of the slot at which SQLite stops reading.
    """

    def __init__(self, source: Source, start: _Start, wanted: Wanted) -> None:
        self.source = source
        self.start = start
        self.wanted = wanted
        self.slot = FRAME_HEADER + start.page_size
        self.count = max(0, source.size - HEADER) // self.slot
        self.committed = 0
        self.value = start.value
        self.first_bad = 1
        self.images = Window(source, 0)

    def at(self, number: int) -> int:
        """Return the offset of a slot (SQW-004)."""
        return HEADER + (number - 1) * self.slot

    def events(self) -> Iterator[Event]:
        if self.start.is_damaged:
            yield Lost(0, HEADER, "header-checksum")
        if self.start.value is not None:
            yield from self._follow(self.start.value)
        tail = _Tail(self)
        yield from tail.events()
        reason = "header-checksum" if self.start.is_damaged else tail.reason
        verdict: Verdict = "damaged" if reason else "torn" if tail.torn else "intact"
        yield End(verdict, reason or tail.torn, None if reason else self.at(self.committed + 1))

    def _follow(self, value: int) -> Iterator[Records]:
        """Yield the committed transactions (SQW-010 to SQW-014)."""
        step = max(1, MAX_BYTES // self.slot)
        window = Window(self.source, 0)
        page, size = np.empty(step, np.int64), np.empty(step, np.int64)
        repeats = np.empty(step, np.bool_)
        pages: list[Numbers] = []
        while (done := self.first_bad - 1) < self.count:
            before = 1 if done else 0
            wish = min(step, self.count - done)
            window.hold(self.at(done + 1 - before), (wish + before) * self.slot)
            held = kernel.follow(
                window.array, before * self.slot, self.slot, self.start.big, np.uint64(value),
                np.uint64(self.start.salts), page[:wish], size, repeats,
            )  # fmt: skip
            yield from self._committed(pages, page[:held], size[:held], repeats, window)
            self.first_bad += held
            if held < wish:
                return
            value = _stored(window.array, (held + before - 1) * self.slot)

    def _committed(
        self, pages: list[Numbers], page: Numbers, size: Numbers, repeats: Any, window: Window
    ) -> Iterator[Records]:
        """Yield the transactions that end in some slots; ``pages`` are those of an open one."""
        ends = np.flatnonzero(size)
        if len(ends) == 0:
            pages.append(page.copy())
            return
        lasts = ends + self.first_bad
        firsts = np.concatenate([[self.committed], lasts[:-1]]) + 1
        numbers = np.concatenate([*pages, page[: ends[-1] + 1]])
        is_record = (firsts < lasts) | ~repeats[ends] | (firsts == 1)
        yield from self.records(
            firsts[is_record],
            lasts[is_record],
            numbers[np.repeat(is_record, lasts - firsts + 1)],
            size[ends][is_record],
        )
        self.committed = int(lasts[-1])
        at = self.at(self.committed) - window.base
        self.value = _stored(window.array, at)
        pages[:] = [page[ends[-1] + 1 :].copy()]

    def records(
        self,
        firsts: Numbers,
        lasts: Numbers,
        pages: Numbers,
        db_pages: Numbers,
        is_after_loss: bool = False,
    ) -> Iterator[Records]:
        """Yield transactions in runs; ``pages`` are the page numbers of all of them."""
        counts = lasts - firsts + 1
        lengths = counts * self.start.page_size
        kept = np.minimum(lengths, max(self.wanted.cap, 0))
        upto = np.concatenate([[0], np.cumsum(counts)])
        for begin, end in _runs(kept):
            run = slice(begin, end)
            payload, truncated = None, None
            if self.wanted.payload:
                payload = self._payload(firsts[run], kept[run])
                is_cut = kept[run] < lengths[run]
                truncated = is_cut if is_cut.any() else None
            of_run = pages[upto[begin] : upto[end]], upto[begin : end + 1] - upto[begin]
            fields = {
                "frame": arrays.numbers(firsts[run].copy()),
                "pages": _json_lists(*of_run) if self.wanted.wants("pages") else None,
                "db_pages": arrays.numbers(db_pages[run].copy()),
                "after_loss": arrays.repeated(is_after_loss or None, pa.bool_(), end - begin),
            }
            fields = {c.name: fields[c.name] for c in COLUMNS if self.wanted.wants(c.name)}
            at = HEADER + (firsts[run] - 1) * self.slot
            yield Records(at, counts[run] * self.slot, payload, fields, truncated=truncated)

    def _payload(self, firsts: Numbers, kept: Numbers) -> pa.Array:
        """Return the images of transactions, up to ``kept`` bytes of each."""
        ends = np.concatenate([[0], np.cumsum(kept)])
        room = arrays.pooled(int(ends[-1]))
        size = self.start.page_size
        images = -(-kept // size)
        within = np.arange(images.sum()) - np.repeat(np.cumsum(images) - images, images)
        slots = np.repeat(firsts, images) + within
        lengths = np.minimum(np.repeat(kept, images) - within * size, size)
        puts = np.repeat(ends[:-1], images) + within * size
        starts = HEADER + (slots - 1) * self.slot + FRAME_HEADER
        gaps = np.diff(slots)
        breaks = np.flatnonzero((gaps < 1) | (gaps > MAX_GAP_SLOTS)) + 1
        for begin, end in itertools.pairwise([0, *breaks.tolist(), len(slots)]):
            while begin < end:
                limit = starts[begin] + MAX_BYTES
                after = begin + int(np.searchsorted(starts[begin:end], limit))
                length = int(starts[after - 1] + lengths[after - 1] - starts[begin])
                self.images.hold(int(starts[begin]), length)
                kernel.gather(
                    self.images.array, self.images.base, starts, lengths, puts, begin, after, room
                )
                begin = after
        return arrays.binary(ends.astype(np.int32), room, pa.binary())

    def repeats(self, number: int, other: int) -> bool:
        """Return whether two slots agree in all that the checksum covers (SQW-014)."""
        one, two = (
            np.frombuffer(self.source.read(self.at(n), self.slot), np.uint8)
            for n in (number, other)
        )
        return bool(kernel.is_repetition(one, 0, two, 0, self.slot))


def _checksum(data: bytes, big: bool) -> int:
    """Return the checksum of the first bytes of a log (SQW-007)."""
    return int(kernel.advance(np.uint64(0), np.frombuffer(data, np.uint8), 0, len(data), big))


def _stored(data: NDArray[np.uint8], at: int) -> int:
    """Return the value that the slot at ``at`` stores."""
    return int.from_bytes(data[at + 16 : at + 24].tobytes(), "big")


def _runs(kept: Numbers) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows for runs; ``kept`` is the length of each payload in bytes."""
    ends = np.cumsum(kept)
    begin = 0
    while begin < len(kept):
        before = int(ends[begin - 1]) if begin else 0
        full = int(np.searchsorted(ends, before + MAX_BYTES, side="right"))
        end = max(begin + 1, min(full, begin + MAX_ROWS))
        yield begin, end
        begin = end


def _json_lists(pages: Numbers, offsets: Numbers) -> pa.Array:
    """Return lists of numbers as JSON text; list n is ``pages[offsets[n]:offsets[n + 1]]``."""
    text = pa.array(pages).cast(pa.string())
    lists = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), text)
    return pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")


class _Tail:
    """The slots after the committed frames: their generation, and what was lost of them."""

    def __init__(self, scan: _Scan) -> None:
        self.scan = scan
        self.reason: str | None = None
        self.torn: str | None = None
        self.survey: _Survey | None = None
        self._classify()

    def _classify(self) -> None:
        """Find the end of this generation, and the verdict on it (SQW-030 to SQW-034)."""
        scan, committed = self.scan, self.scan.committed
        self.last_own = self.last_mark = committed
        marks: list[int] = []
        if scan.count > committed:
            self.survey = _Survey(scan)
            own = self.survey.of_generation()
            marks = own[(self.survey.size[own] != 0) | (self.survey.repeats[own] > 0)].tolist()
            self.last_own = int(own[-1]) if len(own) else committed
            self.last_mark = marks[-1] if marks else committed
        self.last_unfinished = self.last_own
        if self.survey:
            after = slice(self.last_own + 1, None)
            waits = (self.survey.salts[after] == 0) & (self.survey.page[after] != 0)
            self.last_unfinished += int(np.logical_and.accumulate(waits).sum())
        self.is_cut = self._is_cut()
        if self.survey and marks:
            first = next((n for n in marks if not self.survey.is_padding(n)), None)
            if first and (self.survey.is_proven(first) or self._goes_on_after(first)):
                self.reason = self.survey.code(scan.first_bad)
        if self.is_cut:
            self.torn = "torn-frame"
        elif marks and not self.reason:
            self.torn = "bad-tail"
        elif self.last_unfinished > (self.last_mark if self.reason else committed):
            self.torn = "uncommitted"

    def _is_cut(self) -> bool:
        """Return whether the file ends inside a frame of this generation (SQW-033)."""
        scan = self.scan
        piece = scan.source.read(scan.at(scan.count + 1), 16)
        follows = scan.count == self.last_unfinished
        if len(piece) < 16:
            return follows and any(piece)
        salts = int.from_bytes(piece[8:], "little")
        return (salts == scan.start.salts and any(piece)) or (
            follows and salts == 0 and any(piece[:4])
        )

    def _goes_on_after(self, mark: int) -> bool:
        """Return whether frames other than repetitions follow a commit frame (SQW-016)."""
        if not self.is_cut and all(
            self.scan.repeats(mark, number) for number in range(mark + 1, self.last_own + 1)
        ):
            return False
        last = self.scan.count + 1 if self.is_cut else self.last_own
        return self.survey is None or not self.survey.ends_in_repetition(mark, last)

    def events(self) -> Iterator[Event]:
        unfinished_from = self.scan.committed + 1
        if self.reason and self.survey:
            yield from self.survey.records()
            yield from self.survey.lost(self.last_mark)
            unfinished_from = self.last_mark + 1
        if self.torn:
            end = self.scan.at(self.last_unfinished + 1)
            yield Lost(
                self.scan.at(unfinished_from),
                self.scan.source.size if self.is_cut else end,
                self.torn,
                torn=True,
            )


class _Slots:
    """The headers of slots as columns: page number, database size, salts, stored value."""

    def __init__(self, scan: _Scan, count: int) -> None:
        headers = np.empty((count, FRAME_HEADER), np.uint8)
        window = Window(scan.source, 0)
        step = max(1, MAX_BYTES // scan.slot)
        for done in range(0, count, step):
            slots = min(step, count - done)
            window.hold(scan.at(1 + done), slots * scan.slot)
            held = window.array[: slots * scan.slot].reshape(slots, scan.slot)
            headers[done : done + slots] = held[:, :FRAME_HEADER]
        words = headers.view(">u4").astype(np.int64)
        self.page, self.size = words[:, 0].copy(), words[:, 1].copy()
        self.salts = headers[:, 8:16].copy().view("<u8").reshape(count)
        self.stored = headers[:, 16:24].copy().view(">u8").reshape(count).astype(np.uint64)

    def is_own(self, salts: int) -> NDArray[np.bool_]:
        """Return which slots have these salts and do not begin with zeros only (SQW-030)."""
        blank = (self.page == 0) & (self.size == 0) & (self.salts == 0)
        is_own: NDArray[np.bool_] = (self.salts == salts) & ~blank
        return is_own


class _Survey:
    """The links between the frames after the committed ones (SQW-035 to SQW-041).

    All columns are indexed by slot number. Number 0 is the header.
    """

    def __init__(self, scan: _Scan) -> None:
        self.scan = scan
        self.last = last = scan.count
        value, salts = scan.start.value, scan.start.salts
        slots = _Slots(scan, last)
        self.salts = np.concatenate([[np.uint64(0)], slots.salts])
        self.page = np.concatenate([[1], slots.page])
        self.size = np.concatenate([[1], slots.size])
        self.stored = np.concatenate([np.array([value or 0], np.uint64), slots.stored])
        self.has_salts = np.concatenate([[False], slots.salts == salts])
        # The header anchors slot 1, if it is known.
        self.is_own = np.concatenate([[value is not None], slots.is_own(salts)])
        self.follows = np.full(last + 1, -1, np.int64)
        self.repeats = np.zeros(last + 1, np.int64)
        self.before = np.zeros(last + 1, np.uint64)
        self.computed = self.stored.copy()
        self.confirmed, self.gained, self.is_copy = np.zeros((3, last + 1), np.bool_)
        self._prove()
        self._find_transactions()

    def _prove(self) -> None:
        scan, begin = self.scan, 1 if self.scan.start.value is None else 0
        keys, firsts, inverse = np.unique(
            self.stored[begin:], return_index=True, return_inverse=True
        )
        numbers = firsts.astype(np.int64) + begin
        self.is_copy[begin:] = numbers[inverse] != np.arange(begin, self.last + 1)
        key = np.concatenate([np.zeros(begin, np.int64), inverse.astype(np.int64)])
        first = scan.committed + 1
        # Of several slots with one value, the first proven one counts (SQW-038).
        proven = np.where(numbers < first, numbers, -1)
        known = int(scan.value is not None)
        value = scan.value or 0
        state = np.array([value, known, first, value, scan.committed], np.uint64)
        commit = np.zeros(scan.slot, np.uint8)
        if scan.committed:
            last_commit = scan.source.read(scan.at(scan.committed), scan.slot)
            commit[:] = np.frombuffer(last_commit, np.uint8)
        step = max(1, MAX_BYTES // scan.slot)
        window = Window(scan.source, 0)
        for number in range(first, self.last + 1, step):
            count = min(step, self.last + 1 - number)
            window.hold(scan.at(number), count * scan.slot)
            kernel.prove(
                window.array, number, count, scan.slot, scan.start.big, self.page, self.size,
                self.stored, self.has_salts, keys, key, proven, state, commit, self.repeats,
                self.follows, self.before, self.computed, self.confirmed, self.gained,
            )  # fmt: skip
        counting = np.where(proven < 0, numbers, proven)
        elsewhere = self.follows < -1
        found = counting[-2 - self.follows[elsewhere]]
        self.follows[elsewhere] = np.where(self.repeats[found], self.repeats[found], found)
        if begin:
            self.gained[1] = False

    def _find_transactions(self) -> None:
        scan = self.scan
        firsts, lasts = np.empty((2, self.last + 1), np.int64)
        count = kernel.transactions(
            scan.committed, self.size, self.follows, self.gained, firsts, lasts
        )
        firsts, lasts = firsts[:count], lasts[:count]
        following = np.full(self.last + 1, -1, np.int64)
        ordered = np.empty(count, np.int64)
        is_end = np.zeros(self.last + 1, np.bool_)
        committed = -1 if scan.start.value is None else scan.committed
        self.chain = kernel.order(
            committed, firsts, lasts, self.follows, following, is_end, ordered
        )
        self.firsts, self.lasts = firsts[ordered], lasts[ordered]
        edges = np.zeros(self.last + 2, np.int64)
        edges[firsts] += 1
        edges[lasts + 1] -= 1
        self.is_in_transaction = np.cumsum(edges)[:-1] > 0
        self.is_whole_padding = self._is_padding()

    def of_generation(self) -> Numbers:
        """Return the slots after the committed frames that are of this generation (SQW-030)."""
        numbers = np.arange(self.scan.committed + 1, self.last + 1)
        return numbers[(self.is_own | (self.follows >= 0) | (self.repeats > 0))[numbers]]

    def is_padding(self, number: int) -> bool:
        """Return whether a slot is padding, whole or broken (SQW-014, SQW-015)."""
        padding = self.lasts[self.is_whole_padding]
        return bool(self.repeats[number] or number in padding)

    def is_proven(self, number: int) -> bool:
        """Return whether a slot is in a proven transaction."""
        return bool(self.is_in_transaction[number])

    def ends_in_repetition(self, mark: int, last: int) -> bool:
        """Return whether slot ``last`` stores the value of repetitions of a commit frame (SQW-016).

        The end of the file may cut this slot.
        """
        scan = self.scan
        commit, end = (scan.source.read(scan.at(n), scan.slot) for n in (mark, last))
        if len(end) < FRAME_HEADER:
            return False
        values = kernel.repeat(
            np.frombuffer(commit, np.uint8), last - mark, scan.start.big, self.stored[mark - 1],
            self.stored[mark],
        )  # fmt: skip
        is_shown = mark > 1 or scan.start.value is not None
        return _stored(np.frombuffer(end, np.uint8), 0) in values[: 1 + is_shown]

    def code(self, number: int) -> str:
        """Return the code of a slot (SQW-041)."""
        return _CODES[self._codes()[number]]

    def _in_place(self) -> NDArray[np.bool_]:
        """Return which frames follow the slot before them."""
        stored, computed = (
            np.concatenate([values[:1], values[:-1]]) for values in (self.stored, self.computed)
        )
        in_place: NDArray[np.bool_] = (self.before == stored) | (self.before == computed)
        if self.scan.start.value is None:
            in_place[:2] = False
        return in_place

    def _codes(self) -> NDArray[np.int64]:
        """Return for each slot the index of its code (SQW-041)."""
        is_proven = self.follows >= 0
        conditions = [
            ~self.is_own,
            self.page == 0,
            self.confirmed & (self.stored != self.computed),
            is_proven & ~self._in_place(),
            is_proven,
            self.is_copy,
            ~np.concatenate([[False], self.is_own[:-1]]),
        ]
        codes = ("frame-salt", "page-zero", "frame-checksum", "broken-link", "partial-transaction",
                 "broken-link", "unanchored")  # fmt: skip
        indices = [_CODES.index(code) for code in codes]
        return np.select(conditions, indices, _CODES.index("frame-checksum"))

    def records(self) -> Iterator[Records]:
        """Yield the proven transactions except padding, the chain first (SQW-039)."""
        keep = ~self.is_whole_padding
        for run, is_after_loss in ((slice(self.chain), False), (slice(self.chain, None), True)):
            firsts, lasts = self.firsts[run][keep[run]], self.lasts[run][keep[run]]
            counts = lasts - firsts + 1
            ends = np.cumsum(counts)
            slots = np.arange(counts.sum()) + np.repeat(firsts - ends + counts, counts)
            yield from self.scan.records(
                firsts, lasts, self.page[slots], self.size[lasts], is_after_loss
            )

    def _is_padding(self) -> NDArray[np.bool_]:
        """Return which transactions repeat the commit before them (SQW-014)."""
        before = self.follows[self.firsts]
        is_lost = ~self.is_in_transaction[before] & (before > self.scan.committed)
        padding: NDArray[np.bool_] = (
            (self.firsts == self.lasts)
            & (before > 0)
            & ~is_lost
            & (self.page[before] == self.page[self.lasts])
            & (self.size[before] == self.size[self.lasts])
        )
        for n in np.flatnonzero(padding):
            padding[n] = self.scan.repeats(int(before[n]), int(self.lasts[n]))
        return padding

    def lost(self, last: int) -> Iterator[Lost]:
        """Yield the lost ranges up to a slot; neighbours with one code are a range (SQW-041)."""
        is_returned = self.is_in_transaction & self._in_place()
        first = self.scan.committed + 1
        codes = np.where(is_returned, -1, self._codes())[first : last + 1]
        edges = np.flatnonzero(np.diff(codes)) + 1
        ranges = [
            Lost(self.scan.at(first + begin), self.scan.at(first + end), _CODES[codes[begin]])
            for begin, end in itertools.pairwise([0, *edges.tolist(), len(codes)])
            if codes[begin] >= 0
        ]
        is_field = (self.confirmed & is_returned)[: last + 1]
        for field, length, code, wrong in (
            (8, 8, "frame-salt", ~self.has_salts),
            (16, 8, "frame-checksum", self.stored != self.computed),
        ):
            for number in np.flatnonzero(is_field & wrong[: last + 1]).tolist():
                at = self.scan.at(number) + field
                ranges.append(Lost(at, at + length, code))
        yield from sorted(ranges, key=lambda lost: lost.start)


_CODES = ("frame-salt", "page-zero", "frame-checksum", "broken-link", "partial-transaction",
          "unanchored")  # fmt: skip
