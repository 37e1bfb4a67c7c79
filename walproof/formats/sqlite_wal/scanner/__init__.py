"""Scan SQLite logs in bulk, with the same results as ``reference_impl.sqlite_wal``.

A log is not split, because each checksum covers all frames before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reference_impl.answer import End, Record
from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE, State
from reference_impl.sqlite_wal.opening import NoHeader, Opening, Refused, open_log
from reference_impl.sqlite_wal.reader import Scan, read_file
from walproof.formats.sqlite_wal.columns import COLUMNS
from walproof.formats.sqlite_wal.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import Log, Source, open_range
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.window import Window

#: Number of bytes that the executable specification reads at a time.
BUFFER_BYTES = 1 << 16

Numbers = NDArray[np.int64]


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part, because a log cannot be split."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the log, in the order of the reference. Raises ``OSError``."""
    with closing(log.open()) as source:
        file: Any = open_range(source, 0, source.size, BUFFER_BYTES)
        reference = ReferenceScanner("sqlite-wal")
        opening = _open(file, source.size)
        if opening is None:
            yield from reference.in_runs(read_file(file, source.size), wanted)
            return
        rest = _Rest(file, source.size, opening)
        committed = _Committed(source, rest, wanted)
        yield from committed.events()
        if committed.ends_in_older_frames():
            yield End("intact", None, rest.end)
        else:
            yield from reference.in_runs(rest.events(is_strict=False), wanted)


def _open(file: Any, size: int) -> Opening | None:
    """Return the header of a log; None if it is damaged or missing."""
    try:
        opening = open_log(file, size) if size else None
    except (NoHeader, Refused):
        return None
    return None if opening is None or opening.is_damaged else opening


class _Rest(Scan):
    """The executable specification after the committed transactions, which the kernel reads."""

    def committed_records(self) -> Iterator[Record]:
        return iter(())


class _Committed:
    """A pass over the committed frames that sets ``rest`` to the state after these frames."""

    def __init__(self, source: Source, rest: _Rest, wanted: Wanted) -> None:
        self.source, self.rest, self.wanted = source, rest, wanted
        self.page_size, self.slot = rest.opening.page_size, rest.slots.slot_size
        self.is_big = rest.opening.order == ">"
        self.salts = np.uint64(int.from_bytes(rest.opening.salts, "little"))
        self.step = max(1, MAX_BYTES // self.slot)
        self.images = Window(source, 0)

    def events(self) -> Iterator[Records]:
        """Yield the committed transactions (SQW-010 to SQW-014)."""
        rest = self.rest
        window = Window(self.source, 0)
        page, size = np.empty(self.step, np.int64), np.empty(self.step, np.int64)
        repeats = np.empty(self.step, np.bool_)
        pages: list[Numbers] = []
        value = rest.opening.checksum
        while (done := rest.first_bad - 1) < rest.slots.count:
            before = 1 if done else 0
            wish = min(self.step, rest.slots.count - done)
            window.hold(rest.slots.at(done + 1 - before), (wish + before) * self.slot)
            count = kernel.follow(
                window.array, before * self.slot, self.slot, self.is_big, _packed(value),
                self.salts, page[:wish], size, repeats,
            )  # fmt: skip
            yield from self._transactions(pages, page[:count], size[:count], repeats, window)
            rest.first_bad += count
            if count < wish:
                return
            value = _stored(window.array, (count + before - 1) * self.slot)

    def _transactions(
        self, pages: list[Numbers], page: Numbers, size: Numbers, repeats: Any, window: Window
    ) -> Iterator[Records]:
        """Yield the transactions that end in these slots.

        ``pages`` holds the page numbers of the transaction that is open before and after the slots.
        """
        rest = self.rest
        ends = np.flatnonzero(size)
        if len(ends) == 0:
            pages.append(page.copy())
            return
        lasts = ends + rest.first_bad
        firsts = np.concatenate([[rest.committed], lasts[:-1]]) + 1
        numbers = np.concatenate([*pages, page[: ends[-1] + 1]])
        is_record = (firsts < lasts) | ~repeats[ends] | (firsts == 1)
        counts = lasts - firsts + 1
        yield from self._records(
            firsts[is_record],
            counts[is_record],
            numbers[np.repeat(is_record, counts)],
            size[ends][is_record],
        )
        rest.committed = int(lasts[-1])
        rest.committed_value = _stored(window.array, rest.slots.at(rest.committed) - window.base)
        pages[:] = [page[ends[-1] + 1 :].copy()]

    def _records(
        self, firsts: Numbers, counts: Numbers, pages: Numbers, db_pages: Numbers
    ) -> Iterator[Records]:
        """Yield transactions in runs; ``pages`` are the page numbers of all transactions."""
        lengths = counts * self.page_size
        copied = np.minimum(lengths, max(self.wanted.cap, 0))
        upto = np.concatenate([[0], np.cumsum(counts)])
        for begin, end in _runs(copied):
            run = slice(begin, end)
            payload, truncated = None, None
            if self.wanted.payload:
                payload = self._payload(firsts[run], copied[run])
                is_cut = copied[run] < lengths[run]
                truncated = is_cut if is_cut.any() else None
            of_run = pages[upto[begin] : upto[end]], upto[begin : end + 1] - upto[begin]
            fields = {
                "frame": arrays.numbers(firsts[run].copy()),
                "pages": _json_lists(*of_run) if self.wanted.wants("pages") else None,
                "db_pages": arrays.numbers(db_pages[run].copy()),
                "after_loss": arrays.repeated(None, pa.bool_(), end - begin),
            }
            fields = {c.name: fields[c.name] for c in COLUMNS if self.wanted.wants(c.name)}
            at = self.rest.slots.at(1) + (firsts[run] - 1) * self.slot
            yield Records(at, counts[run] * self.slot, payload, fields, truncated=truncated)

    def _payload(self, firsts: Numbers, copied: Numbers) -> pa.Array:
        """Return the images of transactions, up to ``copied`` bytes of each."""
        ends = np.concatenate([[0], np.cumsum(copied)])
        room = arrays.pooled(int(ends[-1]))
        images = -(-copied // self.page_size)
        within = np.arange(images.sum()) - np.repeat(np.cumsum(images) - images, images)
        slots = np.repeat(firsts, images) + within
        lengths = np.minimum(np.repeat(copied, images) - within * self.page_size, self.page_size)
        puts = np.repeat(ends[:-1], images) + within * self.page_size
        starts = self.rest.slots.at(1) + (slots - 1) * self.slot + FRAME_HEADER_SIZE
        begin = 0
        while begin < len(slots):
            end = begin + int(np.searchsorted(starts[begin:], starts[begin] + MAX_BYTES))
            length = int(starts[end - 1] + lengths[end - 1] - starts[begin])
            self.images.hold(int(starts[begin]), length)
            kernel.gather(
                self.images.array, self.images.base, starts, lengths, puts, begin, end, room
            )
            begin = end
        return arrays.binary(ends.astype(np.int32), room, pa.binary())

    def ends_in_older_frames(self) -> bool:
        """Return whether all later slots belong to older generations (SQW-030)."""
        rest = self.rest
        number, slots = rest.committed + 1, rest.slots
        if slots.cut < slots.size:
            return False
        commit = np.frombuffer(slots.data(rest.committed) if rest.committed else b"", np.uint8)
        running = repeated = _packed(rest.committed_value)
        window = Window(self.source, 0)
        while number <= slots.count:
            count = min(self.step, slots.count + 1 - number)
            window.hold(slots.at(number), count * self.slot)
            is_older, running, repeated = kernel.are_older(
                window.array, count, self.slot, self.is_big, self.salts, commit,
                np.uint64(running), np.uint64(repeated),
            )  # fmt: skip
            if not is_older:
                return False
            number += count
        return True


def _packed(value: State | None) -> np.uint64:
    """Return a checksum as one number, as the kernels need it."""
    assert value is not None
    return np.uint64(value[0] << 32 | value[1])


def _stored(data: NDArray[np.uint8], at: int) -> State:
    """Return the checksum that the slot at ``at`` stores."""
    first, second = data[at + 16 : at + 24].view(">u4").tolist()
    return first, second


def _runs(copied: Numbers) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows for runs; ``copied`` is the length of each payload in bytes."""
    ends = np.cumsum(copied)
    begin = 0
    while begin < len(copied):
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
