"""Reading one data file: its records, what is lost, and where the next batch goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from reference_impl.answer import Lost, Record
from reference_impl.kahadb_journal.layout import (
    CONTROL,
    CONTROL_SIZE,
    EOF_RECORD,
    HEADER,
    MAX_BATCH_SIZE,
    RECORD,
    RECORD_HEAD,
    USER_RECORD,
    command,
)
from reference_impl.kahadb_journal.source import Memo, Source

EMPTY_SUM = 1  # Adler-32 of nothing
FAILED = -1


@dataclass(frozen=True, slots=True)
class _Batch:
    """The batch that 28 bytes claim to begin; ``end`` is ``None`` for an impossible size."""

    at: int
    is_header: bool
    size: int
    checksum: int
    end: int | None

    @property
    def is_checked(self) -> bool:
        """KDB-008: a zero or negative checksum means that there is none."""
        return self.checksum > 0

    def cut(self, end: int) -> _Batch:
        """The same batch, if it ended here."""
        return _Batch(self.at, self.is_header, end - self.at - CONTROL_SIZE, self.checksum, end)


class Scan:
    """One pass over a data file. When it is over, ``end`` holds where a writer may go on.

    ``name`` is the file's name in a log of several files. ``is_last`` says that no later file has
    batches: only then is an unfinished write at the end not damage (KDB-049).
    """

    def __init__(self, stream: BinaryIO, name: str | None = None, is_last: bool = True) -> None:
        self.source = Source(stream)
        self.name = name
        self.is_last = is_last
        self.size = self.source.size
        self.end: int | None = 0
        self._fill = self.source.fill_start()
        self._chains = Memo()
        self._led_to: list[int] = []
        # No plausible batch begins in [from, to); if one was found, it begins at ``to``.
        self._searched_from = self._searched_to = 0
        self._is_found = False

    def events(self) -> Iterator[Record | Lost]:
        """Records and lost ranges in the order of the file."""
        at = 0
        is_doubtful = False  # whether this place was found only because of what is there
        while not self.is_fill(at):  # KDB-012, KDB-013
            head = self.source.get(at, CONTROL_SIZE)
            if head.startswith(EOF_RECORD):
                following = self._batch_after_eof(at)
                if following is None:
                    break  # KDB-015
                yield self._lost(at, following, "early-eof")  # KDB-039
                at, is_doubtful = following, True
                continue
            if torn := self._torn_head(at, head):
                yield torn
                break
            batch = self._batch(at)
            fault = self._fault(batch)
            if fault is None:
                assert batch.end is not None
                yield from self._records(batch)
                at, is_doubtful = batch.end, False
                continue
            loss, go_on, is_firm = self._loss(batch, fault)
            yield loss
            is_doubtful |= not is_firm
            if go_on is None:
                break
            at = go_on
        self.end = None if is_doubtful else at  # KDB-051

    # What is at an offset

    def is_fill(self, at: int) -> bool:
        """Whether nothing but preallocated space follows (KDB-013)."""
        if at >= self.size:
            return True
        if at < self._fill:
            # A batch may have overwritten the first bytes of a preallocated EOF record.
            left = self._fill - at
            return left < len(EOF_RECORD) and EOF_RECORD.endswith(self.source.peek(at, left))
        head = self.source.peek(at, len(EOF_RECORD))
        return head[0] == 0 or head == EOF_RECORD

    def _in_step(self, at: int) -> bool:
        """Whether a batch, an EOF record or the end of the file is here (KDB-031)."""
        if self.is_fill(at):
            return at <= self.size
        if at >= self._fill:
            return False
        head = self.source.peek(at, len(HEADER))
        if head == HEADER or head.startswith(EOF_RECORD):
            return True
        return at + len(head) == self.size and (
            HEADER.startswith(head) or EOF_RECORD.startswith(head)
        )

    def _is_marked(self, at: int) -> bool:
        """Whether something written on purpose is here: not zeros, not the end of the file."""
        head = self.source.peek(at, len(HEADER))
        return head == HEADER or head.startswith(EOF_RECORD)

    def _batch(self, at: int) -> _Batch:
        head = self.source.peek(at, CONTROL_SIZE)
        if len(head) < CONTROL_SIZE:
            # Too short for a control record, and not the start of one.
            return _Batch(at, False, 0, 0, None)
        header, size, checksum = CONTROL.unpack(head)
        end = at + CONTROL_SIZE + size if 0 <= size <= MAX_BATCH_SIZE else None  # KDB-035
        return _Batch(at, header == HEADER, size, checksum, end)

    # Is it sound?

    def _fault(self, batch: _Batch) -> str | None:
        """Why a batch cannot be used; ``None`` if it is sound (KDB-030)."""
        if not batch.is_header:
            return "bad-header"  # KDB-034
        if batch.end is None or batch.end > self.size:
            return "bad-size"  # KDB-035
        if batch.size == 0 and batch.checksum <= EMPTY_SUM:  # KDB-033
            return None if self._in_step(batch.end) else "bad-size"
        if batch.is_checked:
            return None if self._sum_holds(batch) else "checksum-mismatch"  # KDB-032, KDB-036
        if not self._in_step(batch.end) and self._swallows(batch):
            return "bad-size"  # KDB-047
        return None if self._tiles(batch) else "bad-record"  # KDB-037

    def _sum_holds(self, batch: _Batch) -> bool:
        assert batch.end is not None
        if not batch.is_checked or batch.end > self.size or batch.checksum >> 32:
            return False
        return self.source.adler32(batch.at + CONTROL_SIZE, batch.end) == batch.checksum

    def _tiles(self, batch: _Batch) -> bool:
        """Whether the records fill the batch exactly, with no control record among them."""
        assert batch.end is not None
        at = batch.at + CONTROL_SIZE
        while at < batch.end:
            head = self.source.get(at, len(HEADER))
            size = int.from_bytes(head[:4], "big", signed=True)
            if size < RECORD_HEAD or head == HEADER:
                return False
            at += size
        return at == batch.end

    def _swallows(self, batch: _Batch) -> bool:
        """Whether a plausible batch begins inside an unchecked one that ends out of step."""
        assert batch.end is not None
        inner = self._next_plausible(batch.at + CONTROL_SIZE, batch.end)
        return inner is not None

    def _is_unfinished(self, batch: _Batch) -> bool:
        """Whether a batch in preallocated space was never finished (KDB-042).

        Fill begins inside it, and a zero follows it where the same write would have put an EOF
        record.
        """
        assert batch.end is not None
        return self._fill < batch.end < self.size and self.source.peek(batch.end, 1) == b"\0"

    def _torn_head(self, at: int, head: bytes) -> Lost | None:
        """An unfinished control record or EOF record at the end of the file."""
        written = head[: max(0, self._fill - at)]
        if written and len(written) < len(EOF_RECORD) and EOF_RECORD.startswith(written):
            return self._lost(at, at + len(written), "torn-eof", torn=True)  # KDB-043
        if written and len(written) < len(HEADER) and HEADER.startswith(written):
            return self._lost(at, at + len(written), "torn-header", torn=True)  # KDB-041
        if head[: len(HEADER)] != HEADER:
            return None
        if len(head) < CONTROL_SIZE:
            return self._lost(at, self.size, "torn-header", torn=True)
        batch = self._batch(at)
        if batch.size == 0 and not batch.is_checked and self._is_unfinished(batch):
            return self._lost(at, at + CONTROL_SIZE, "torn-header", torn=True)
        return None

    # What it holds

    def _records(self, batch: _Batch) -> Iterator[Record | Lost]:
        """The records of a sound batch."""
        assert batch.end is not None
        at = batch.at + CONTROL_SIZE
        while at < batch.end:
            head = self.source.get(at, RECORD_HEAD)
            size, kind = _record_head(head)
            if size < RECORD_HEAD or at + size > batch.end:
                # The checksum vouches for the records before it, not for a place to go on.
                yield self._lost(at, batch.end, "bad-record")  # KDB-037
                return
            if kind == USER_RECORD:
                payload = self.source.get(at + RECORD_HEAD, size - RECORD_HEAD)
                fields = {"type": kind, "batch": batch.at, **command(payload)}
                yield Record(at, size, payload, fields, self.name)  # KDB-010
            else:
                yield self._lost(at, at + size, "unknown-type")  # KDB-038
            at += size

    # Where does it end, when it is not?

    def _loss(self, batch: _Batch, fault: str) -> tuple[Lost, int | None, bool]:
        """The lost range of an unsound batch, and where to go on; ``None`` at the end.

        The third part says whether that place would be found without what is there.
        """
        at, end = batch.at, batch.end
        if fault == "bad-header":
            trusted = end if end is not None and self._sum_holds(batch) else None
            chained = trusted or self._chain(batch, self.size)
            following = chained or self._scan(batch)
            stop = following or self._end_of_content(at)
            if self.source.is_zero(at, stop):
                fault = "zero-gap"  # KDB-040
            return self._lost(at, stop, fault), following, (chained or 0) > at + CONTROL_SIZE
        if end is not None and end <= self.size and self._in_step(end):  # KDB-044, KDB-047
            inner = self._chain(batch, end)
            if inner is not None and inner < end and self._is_proof(batch, inner):
                return self._lost(at, inner, fault), inner, self._sum_holds(batch.cut(inner))
            within = None if inner == end else self._next_plausible(at + 1, end)
            if within is not None and not self._is_marked(end):
                # Zeros or the end of the file prove little: they may belong to another batch.
                return self._lost(at, within, fault), within, False
            if self._is_unfinished(batch):
                return self._lost(at, end, "torn-batch", torn=True), None, True  # KDB-042
            return self._lost(at, end, fault), end, within is None
        chained = self._chain(batch, self.size)
        is_firm = chained is not None
        if end is not None and chained is not None:
            is_firm = self._sum_holds(batch.cut(chained))
            if end > self.size and not self._is_proof(batch, chained):
                chained = None
        following = chained or self._scan(batch)
        if following is None and end is not None and end > self.size:
            return self._lost(at, self.size, "torn-batch", torn=True), None, True
        stop = following or self._end_of_content(at)
        is_firm = is_firm and (chained or 0) > at + CONTROL_SIZE
        return self._lost(at, stop, fault), following, is_firm

    def _end_of_content(self, at: int) -> int:
        """Where a loss ends after which nothing is found (KDB-046)."""
        return self._fill if self._fill > at else self.size

    def _is_proof(self, batch: _Batch, end: int) -> bool:
        """Whether a chain that ends here outweighs the size that the batch claims."""
        return self._is_marked(end) or self._sum_holds(batch.cut(end))

    def _chain(self, batch: _Batch, limit: int) -> int | None:
        """The place in step to which the sizes of the records lead (KDB-045), up to ``limit``."""
        at = batch.at + CONTROL_SIZE
        if at < limit and self.source.peek(at, len(HEADER)) == HEADER:
            return at
        following = self._walk(at)
        return following if following is not None and following <= limit else None

    def _walk(self, start: int) -> int | None:
        """The first place in step after ``start`` on the chain of records.

        Every offset on a chain notes where the chain led. A second chain that joins it stops there,
        so all chains together take one walk through the file (KDB-053).
        """
        at, known = start, 0
        while not known:
            known = self._chains.get(at)
            if known:
                break
            size, kind = _record_head(self.source.peek(at, RECORD_HEAD))
            if size < RECORD_HEAD or kind != USER_RECORD:
                known = FAILED
            elif self._in_step(at + size):
                self._led_to.append(at + size)
                known = len(self._led_to)
            else:
                at += size
        stop, at = at, start
        while at <= stop:
            self._chains.note(at, known)
            at += max(RECORD_HEAD, _record_head(self.source.peek(at, RECORD_HEAD))[0])
        return None if known == FAILED else self._led_to[known - 1]

    def _scan(self, batch: _Batch) -> int | None:
        return self._next_plausible(batch.at + 1, self.size)

    def _next_plausible(self, at: int, limit: int) -> int | None:
        """The next control record that begins in ``[at, limit)`` and is plausible (KDB-046).

        No part of the file is searched twice (KDB-053).
        """
        start = at
        if self._searched_from <= at <= self._searched_to:
            if self._is_found or self._searched_to >= limit:
                is_within = self._is_found and self._searched_to < limit
                return self._searched_to if is_within else None
            start = self._searched_to
        else:
            self._searched_from = at
        found = self.source.find_header(start, limit)
        while found is not None and not self._is_plausible(self._batch(found)):
            found = self.source.find_header(found + 1, limit)
        self._is_found = found is not None
        self._searched_to = found if found is not None else max(start, limit)
        return found

    def _is_plausible(self, batch: _Batch) -> bool:
        """Whether a batch leads to something written on purpose, or is itself sound."""
        end = batch.end
        if not batch.is_header or end is None or not self._in_step(end):
            return False
        if self._is_marked(end):
            return True
        if batch.is_checked:
            return self._sum_holds(batch)
        return batch.size == 0 or self._chain(batch, end) == end

    def _batch_after_eof(self, at: int) -> int | None:
        """The batch after an EOF record that is not the end (KDB-039)."""
        following = at + len(EOF_RECORD)
        if self.source.peek(following, len(HEADER)) == HEADER:
            return following
        return self._next_plausible(following, self.size)

    def _lost(self, start: int, end: int, reason: str, torn: bool = False) -> Lost:
        return Lost(start, end, reason, torn and self.is_last, self.name)


def _record_head(head: bytes) -> tuple[int, int]:
    """Size and type of a record; zeros where the file ends before its type."""
    if len(head) < RECORD_HEAD:
        return 0, 0
    size, kind = RECORD.unpack(head)
    return int(size), int(kind)
