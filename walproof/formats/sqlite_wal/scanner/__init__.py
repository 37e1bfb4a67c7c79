"""Scan SQLite logs in bulk, with the same results as ``reference_impl.sqlite_wal``.

A log is not split, because each checksum covers all frames before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reference_impl.answer import End, Record
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.sqlite_wal.layout import State
from reference_impl.sqlite_wal.opening import NoHeader, Opening, Refused, open_log
from reference_impl.sqlite_wal.reader import Scan, read_file
from reference_impl.sqlite_wal.survey import Survey
from walproof.formats.sqlite_wal.scanner import kernel
from walproof.scanners import arrays
from walproof.scanners.byte_source import LocalSource
from walproof.scanners.model import MAX_BYTES, WHOLE, Event, Part, ReadableLog, Records, Wanted
from walproof.scanners.reference import ReferenceScanner
from walproof.scanners.window import Window

FORMAT = "sqlite-wal"
#: Number of bytes that the executable specification reads at a time.
BUFFER_BYTES = 1 << 16

Numbers = NDArray[np.int64]


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return one part, because a log cannot be split."""
    return [WHOLE]


def scan(log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of the log, in the reference's order. Raises ``OSError``."""
    path = log.readable
    with closing(LocalSource(path)) as source, path.open("rb", BUFFER_BYTES) as file:
        opening = _open(file, source.size)
        if opening is None:
            yield from ReferenceScanner(FORMAT).in_runs(read_file(file, source.size), wanted)
            return
        rest = _Rest(file, source.size, opening)
        frames = _Frames(source, rest, wanted)

        def specified(_: int) -> Iterable[ReferenceEvent]:
            if frames.end_in_older_frames():
                return [End("intact", None, rest.end)]
            return rest.events(is_strict=False)

        yield from ReferenceScanner(FORMAT).hand_over(frames.runs(), specified, wanted)


def _open(file: BinaryIO, size: int) -> Opening | None:
    """Return the header of a log, or None if it is damaged or missing."""
    try:
        opening = open_log(file, size) if size else None
    except (NoHeader, Refused):
        return None
    return None if opening is None or opening.is_damaged else opening


class _Rest(Scan):
    """The executable specification, for what follows the transactions that the kernel reads."""

    def committed_records(self) -> Iterator[Record]:
        return iter(())

    def survey(self) -> Survey:
        return _Survey(self.slots, self.opening, self.committed, self.committed_value)


class _Survey(Survey):
    """The executable specification's survey, with checksums computed by a kernel."""

    def advance(self, state: State, data: bytes) -> State:
        return self._checksum(kernel.advance, state, data)

    def rewind(self, state: State, data: bytes) -> State:
        return self._checksum(kernel.rewind, state, data)

    def _checksum(self, function: Any, state: State, data: bytes) -> State:
        array = np.frombuffer(data, np.uint8)
        value = function(_packed(state), array, 0, len(array), self.opening.order == ">")
        return int(value >> 32), int(value & 0xFFFFFFFF)


class _Frames:
    """A pass over the committed frames. It updates ``rest`` to the state after these frames."""

    def __init__(self, source: LocalSource, rest: _Rest, wanted: Wanted) -> None:
        self.rest, self.wanted, self.slots = rest, wanted, rest.slots
        self.window = Window(source, 0)
        self.is_big = rest.opening.order == ">"
        self.salts = np.uint64(int.from_bytes(rest.opening.salts, "little"))
        self.step = max(1, MAX_BYTES // self.slots.slot_size)

    def runs(self) -> Iterator[Records]:
        """Yield the committed transactions (SQW-010 to SQW-014)."""
        rest, slot, window = self.rest, self.slots.slot_size, self.window
        length = self.step
        while rest.committed < self.slots.count:
            first = rest.committed + 1
            left = self.slots.count - rest.committed
            length = min(length, left)
            before = 1 if rest.committed else 0
            window.hold(self.slots.at(first - before), (length + before) * slot)
            page, size = np.empty(length, np.int64), np.empty(length, np.int64)
            repeats = np.empty(length, np.bool_)
            count = kernel.follow(
                window.array, self.slots.at(first) - window.base, slot, self.is_big,
                _packed(rest.committed_value), self.salts, page, size, repeats,
            )  # fmt: skip
            rest.first_bad = first + count
            # If the window is longer than one step, it contains a single long transaction.
            ends = np.flatnonzero(size[:count])[: 1 if length > self.step else None]
            if len(ends):
                yield from self._run(first, page, size[ends], repeats[ends], ends)
                rest.committed = first + int(ends[-1])
                at = self.slots.at(rest.committed) - window.base + kernel.CHECKSUM
                rest.committed_value = tuple(window.array[at : at + 8].view(">u4").tolist())
                length = self.step
            elif count < length or length == left:
                return
            else:
                length *= 2

    def _run(
        self,
        first: int,
        page: Numbers,
        db_pages: Numbers,
        repeats: NDArray[np.bool_],
        ends: Numbers,
    ) -> Iterator[Records]:
        """Yield the transactions that end in the frames ``first + ends[n]``, except padding."""
        wanted, slot = self.wanted, self.slots.slot_size
        starts = np.concatenate([[0], ends[:-1] + 1])
        counts = ends - starts + 1
        is_record = (counts > 1) | ~repeats | (starts + first == 1)
        pages = page[: ends[-1] + 1][np.repeat(is_record, counts)]
        starts, counts = starts[is_record], counts[is_record]
        payload, lengths = None, counts * self.rest.opening.page_size
        copied = np.minimum(lengths, max(wanted.cap, 0))
        if wanted.payload:
            bounds = np.concatenate([[0], np.cumsum(copied)])
            room = arrays.pooled(int(bounds[-1]))
            at = self.slots.at(first) - self.window.base
            kernel.gather(self.window.array, at + starts * slot, slot, bounds, room)
            payload = arrays.binary(bounds.astype(np.int32), room, pa.binary())
        fields = {
            "frame": arrays.numbers(first + starts),
            "pages": _json_lists(pages, counts) if wanted.wants("pages") else None,
            "db_pages": arrays.numbers(db_pages[is_record]),
            "after_loss": arrays.repeated(None, pa.bool_(), len(starts)),
        }
        if len(starts):
            is_cut = copied < lengths
            yield Records(
                self.slots.at(first) + starts * slot,
                counts * slot,
                payload,
                {name: column for name, column in fields.items() if wanted.wants(name)},
                truncated=is_cut if wanted.payload and is_cut.any() else None,
            )

    def end_in_older_frames(self) -> bool:
        """Return whether all slots after the commit belong to older generations (SQW-030)."""
        rest, slots = self.rest, self.slots
        number = rest.committed + 1
        if slots.cut < slots.size:
            return False
        commit = np.frombuffer(slots.data(rest.committed) if rest.committed else b"", np.uint8)
        running = repeated = _packed(rest.committed_value)
        while number <= slots.count:
            count = min(self.step, slots.count + 1 - number)
            self.window.hold(slots.at(number), count * slots.slot_size)
            is_older, running, repeated = kernel.are_older(
                self.window.array, slots.at(number) - self.window.base, count, slots.slot_size,
                self.is_big, self.salts, commit, np.uint64(running), np.uint64(repeated),
            )  # fmt: skip
            if not is_older:
                return False
            number += count
        return True


def _packed(value: State | None) -> np.uint64:
    """Return a checksum as one number, as kernels need it."""
    assert value is not None
    return np.uint64(value[0] << 32 | value[1])


def _json_lists(numbers: Numbers, counts: Numbers) -> pa.Array:
    """Return lists of numbers as JSON texts. List n has ``counts[n]`` numbers."""
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
    lists = pa.ListArray.from_arrays(offsets, pa.array(numbers).cast(pa.string()))
    return pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")
