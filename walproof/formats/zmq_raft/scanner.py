"""The bulk scanner for zmq-raft logs; ``reference_impl.zmq_raft`` is authoritative.

A compiled kernel reads the entries of an index file up to the first fault. The executable
specification reads the rest of the file, and all other files and directories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.zmq_raft.index_file import (
    ENTRY,
    MAX_DATA,
    MAX_TERM,
    Layout,
    index_in,
    read_layout,
)
from reference_impl.zmq_raft.layout import Refusal
from reference_impl.zmq_raft.reader import kind_of
from walproof.formats import plugin_for
from walproof.scanners import arrays
from walproof.scanners.byte_source import ByteSource, LocalSource
from walproof.scanners.kernels import copy, hexadecimal, kernel, load64
from walproof.scanners.model import WHOLE, Event, Part, ReadableLog, Wanted
from walproof.scanners.reference import ReferenceScanner
from walproof.scanners.walk import (
    AT,
    BASE,
    CUT,
    ENDED,
    FULL_UP,
    NEED,
    NOT_PLAIN,
    ROWS,
    USED_UP,
    RecordWalk,
)

FORMAT = "zmq-raft"
#: A request id, a type and a term precede the payload of an entry (ZMR-030).
ENTRY_HEAD = ENTRY.size
#: The state also contains the number of the next entry and the term of the last one, at these
#: indices.
NUMBER, TERM = range(5, 7)


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a log. Raises ``OSError``, for example if a file shrinks."""
    reference = ReferenceScanner(FORMAT)
    if log.is_folder() or kind_of(path := log.readable, log.context) != "index":
        yield from reference.scan(log, wanted, part)
        return
    with closing(LocalSource(path)) as source:
        walk = _entries_of(source, log, wanted)

        def specified(count: int) -> Iterable[ReferenceEvent]:
            if walk is not None and walk.why == ENDED:
                is_full = len(walk.bounds) > walk.capacity
                return [End("intact", None, None if is_full else int(walk.bounds[-1]))]  # ZMR-101
            return islice(reference.format.read(path, "recover", log.context), count, None)

        runs = () if walk is None else walk.runs(int(walk.bounds[0]))
        yield from reference.hand_over(runs, specified, wanted)


def _entries_of(source: ByteSource, log: ReadableLog, wanted: Wanted) -> _EntryWalk | None:
    """Return a pass over an index file, or None if an offset in its table is not reliable."""
    given = log.context.get("first_index")
    named = index_in(log.path.name) if given is None else int(given)
    with log.readable.open("rb") as file:
        try:
            layout = read_layout(file, source.size, named)
        except Refusal:
            return None
    # If the header or the table is damaged, ``layout`` is a lost range.
    if not isinstance(layout, Layout) or layout.data is None or layout.wrong is not None:
        return None
    bounds = arrays.pooled(len(layout.offsets) + 1, np.int64)
    bounds[0], bounds[1:] = 0, layout.offsets
    is_reliable = bounds[-1] <= min(source.size - layout.data, MAX_DATA)
    if not is_reliable or not (bounds[1:] > bounds[:-1]).all():  # ZMR-046
        return None
    walk = _EntryWalk(source, source.size, wanted)
    walk.bounds, walk.first, walk.capacity = bounds + layout.data, layout.first, layout.capacity
    walk.state[TERM] = 1
    walk.head = 0 if str(log.context.get("entries")) == "raw" else ENTRY_HEAD  # ZMR-032
    return walk


class _EntryWalk(RecordWalk):
    """A pass of the kernel over one index file."""

    states = 7
    dtypes = (np.uint64, np.int32, (np.uint8, 12))
    #: The start of the first entry, followed by the ends of all entries.
    bounds: NDArray[np.int64]
    #: Index of the first entry.
    first: int
    capacity: int
    #: The number of bytes before the payload of an entry.
    head: int

    def run_kernel(self) -> int:
        return walk(  # type: ignore[no-any-return]
            self.window.array, self.bounds, self.head, self.wanted.cap, self.state, self.at,
            self.sizes, self.ends, self.cut, self.payload, *self.columns,
        )  # fmt: skip

    def fields(self, count: int) -> Mapping[str, pa.Array]:
        first = self.first + int(self.state[NUMBER]) - count
        indices = np.arange(count, dtype=np.uint64) + np.uint64(first % (1 << 64))
        fields = {"index": arrays.numbers(indices)}
        if self.head:
            terms, types, ids = (column[:count] for column in self.columns)
            fields["term"], fields["entry_type"] = arrays.numbers(terms), arrays.numbers(types)
            fields["request_id"] = hexadecimal(ids)
        absent = {c.name: c.type for c in plugin_for(FORMAT).columns if c.name not in fields}
        return fields | {name: arrays.repeated(None, absent[name], count) for name in absent}


@kernel
def walk(
    data: Any,
    bounds: Any,
    head: Any,
    cap: Any,
    state: Any,
    at: Any,
    sizes: Any,
    ends: Any,
    cut: Any,
    payload: Any,
    terms: Any,
    types: Any,
    ids: Any,
) -> Any:
    """Read entries, and stop at an entry if it or the next one has a fault.

    Entry n occupies ``[bounds[n], bounds[n + 1])`` and begins with a header of ``head`` bytes. The
    payload of row n is copied to ``payload[ends[n]:ends[n + 1]]``. If ``cap`` is negative, no
    payloads are copied.
    """
    base, upto, last = state[BASE], state[BASE] + len(data), len(bounds) - 2
    rows, number, term = state[ROWS], state[NUMBER], np.uint64(state[TERM])
    outcome = FULL_UP
    while rows < len(at):
        if number > last:
            outcome = ENDED
            break
        outcome = NOT_PLAIN
        start, end = bounds[number], bounds[number + 1]
        needed = end + head if number < last else end
        if end - start < head or (number < last and bounds[number + 2] < needed):  # ZMR-048
            break
        if start < base or needed > upto:
            outcome, state[NEED] = USED_UP, needed - start
            break
        i = start - base
        if head:
            before, term = term, load64(data, i + 12) >> np.uint64(8)
            if term < before or term > np.uint64(MAX_TERM):  # ZMR-049
                break
            following = load64(data, end - base + 12) >> np.uint64(8) if number < last else term
            if following < term or following > np.uint64(MAX_TERM):  # ZMR-050
                break
            terms[rows], types[rows] = term, data[i + 12]
            for k in range(12):
                ids[rows, k] = data[i + k]
        length = max(0, min(end - start - head, cap))
        if ends[rows] + length > len(payload):
            outcome = FULL_UP
            break
        copy(payload, ends[rows], data, i + head, length)
        ends[rows + 1] = ends[rows] + length
        at[rows], sizes[rows], cut[rows] = start, end - start, length < end - start - head
        state[CUT] += cut[rows]
        state[TERM] = term
        number, rows = number + 1, rows + 1
        outcome = FULL_UP
    state[AT], state[ROWS], state[NUMBER] = bounds[number], rows, number
    return outcome
