"""The reader of one data file: its records, its lost ranges, and the offset for the next batch."""

from __future__ import annotations

from array import array
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
    RECORD_HEAD,
    USER_RECORD,
    command,
)
from reference_impl.kahadb_journal.source import Memo, Search, Source

EMPTY_SUM = 1  # Adler-32 of empty input
FAILED = -1


@dataclass(frozen=True, slots=True)
class _Batch:
    """The batch of a 28-byte control record; ``end`` is ``None`` for an impossible size."""

    at: int
    is_header: bool
    size: int
    checksum: int
    end: int | None

    @property
    def is_checked(self) -> bool:
        """Return whether the batch has a checksum, which is a value above zero (KDB-008)."""
        return self.checksum > 0


class Scan:
    """A pass over a data file."""

    def __init__(self, stream: BinaryIO, name: str | None = None) -> None:
        self.source = Source(stream)
        #: The name of the file in a log of several files.
        self.name = name
        self.size = self.source.size
        #: After the pass, the offset at which a writer may continue.
        self.end: int | None = None
        self._fill = self.source.fill_start()
        self._chains = Memo()
        self._plausible = Search(self.source, self._is_plausible)
        self._resume_offsets = Search(self.source, self._is_place)

    def events(self, is_last: bool) -> Iterator[Record | Lost]:
        """Yield records and lost ranges in file order.

        ``is_last`` states that no later file has batches. Only such a file may end in a torn write
        (KDB-049).
        """
        self.is_last = is_last
        at = 0
        # True after an offset that only its own content supports, because no chain of batches leads
        # to the offset. A later batch can settle the doubt.
        is_doubtful = False
        # The largest end offset that a skipped header claims. Only a batch that ends after it can
        # settle the doubt.
        self._beyond = 0
        while not self.is_fill(at):  # KDB-012, KDB-013
            head = self.source.get(at, CONTROL_SIZE)
            if head.startswith(EOF_RECORD):
                following = self._batch_after_eof(at)
                if following is None:
                    break  # KDB-015
                self._pass_over(at, following)
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
                at, is_doubtful = batch.end, is_doubtful and not self._settles(batch)
                continue
            loss, go_on, is_firm = self._loss(batch, fault)
            yield loss
            is_doubtful |= not is_firm
            if go_on is None:
                break
            at = go_on
        self.end = None if is_doubtful else at  # KDB-051

    # Content at an offset.

    def is_fill(self, at: int) -> bool:
        """Return whether the file contains only preallocated space from ``at`` on (KDB-013)."""
        if at >= self.size:
            return True
        if at < self._fill:
            # A batch may have overwritten the first bytes of a preallocated EOF record.
            left = self._fill - at
            return left < len(EOF_RECORD) and EOF_RECORD.endswith(self.source.get(at, left))
        head = self.source.get(at, len(EOF_RECORD))
        return head[0] == 0 or head == EOF_RECORD

    def _in_step(self, at: int) -> bool:
        """Return whether a batch, an EOF record or the end of the file is at ``at`` (KDB-031)."""
        if self.is_fill(at):
            return at <= self.size
        head = self.source.get(at, len(HEADER))
        # A partial header is in step only at the end of the file.
        return head.startswith(EOF_RECORD) or HEADER.startswith(head) or EOF_RECORD.startswith(head)

    def _is_marked(self, at: int) -> bool:
        """Return whether a header or EOF record (not zeros or the end of the file) is at ``at``."""
        head = self.source.get(at, len(HEADER))
        return head == HEADER or head.startswith(EOF_RECORD)

    def _batch(self, at: int) -> _Batch:
        head = self.source.get(at, CONTROL_SIZE)
        if len(head) < CONTROL_SIZE:
            # Too short for a control record, and not the start of one.
            return _Batch(at, False, 0, 0, None)
        header, size, checksum = CONTROL.unpack(head)
        end = at + CONTROL_SIZE + size if 0 <= size <= MAX_BATCH_SIZE else None  # KDB-035
        return _Batch(at, header == HEADER, size, checksum, end)

    # The validity of a batch.

    def _fault(self, batch: _Batch) -> str | None:
        """Return the reason code of an unsound batch, ``None`` for a sound batch (KDB-030)."""
        if not batch.is_header:
            return "bad-header"  # KDB-034
        if batch.end is None or batch.end > self.size:
            return "bad-size"  # KDB-035
        if batch.size == 0 and batch.checksum <= EMPTY_SUM:  # KDB-033
            return None if self._in_step(batch.end) else "bad-size"
        if batch.is_checked:
            return (
                None if self._sum_holds(batch, batch.end) else "checksum-mismatch"
            )  # KDB-032, KDB-036
        if not self._in_step(batch.end) and self._swallows(batch):
            return "bad-size"  # KDB-047
        return None if self._tiles(batch) else "bad-record"  # KDB-037

    def _sum_holds(self, batch: _Batch, end: int) -> bool:
        """Return whether all 64 bits of a batch's checksum match the bytes up to ``end``."""
        if not batch.is_checked or end > self.size:
            return False
        return self.source.adler32(batch.at + CONTROL_SIZE, end) == batch.checksum

    def _tiles(self, batch: _Batch) -> bool:
        """Return whether records fill the batch exactly, with no control record among them."""
        assert batch.end is not None
        at = batch.at + CONTROL_SIZE
        while at < batch.end:
            head = self.source.get(at, len(HEADER))
            size, _ = _record_head(head)
            if size < RECORD_HEAD or head == HEADER:
                return False
            at += size
        return at == batch.end

    def _swallows(self, batch: _Batch) -> bool:
        """Return whether a plausible batch begins inside the data of ``batch``."""
        assert batch.end is not None
        return self._plausible_before(batch.end, batch.at + CONTROL_SIZE) is not None

    def _is_unfinished(self, batch: _Batch) -> bool:
        """Return whether a batch in preallocated space was never finished (KDB-042)."""
        assert batch.end is not None
        return self._fill < batch.end and self.source.get(batch.end, 1) == b"\0"

    def _torn_head(self, at: int, head: bytes) -> Lost | None:
        """Return an unfinished control record or EOF record at the end of the file."""
        written = head[: max(0, self._fill - at)]
        if written and EOF_RECORD.startswith(written):
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

    def _settles(self, batch: _Batch) -> bool:
        """Return whether a valid batch proves that the bytes before it were damaged (KDB-051)."""
        assert batch.end is not None
        if batch.end <= self._beyond:
            return False
        return batch.is_checked or self._are_of_users(batch)

    def _are_of_users(self, batch: _Batch) -> bool:
        """Return whether all records of a valid batch have type 1, so their chain ends with it."""
        assert batch.end is not None
        at = batch.at + CONTROL_SIZE
        while at < batch.end:
            size, record_type = _record_head(self.source.get(at, RECORD_HEAD))
            if record_type != USER_RECORD:
                return False
            at += size
        return True

    # The records of a batch.

    def _records(self, batch: _Batch) -> Iterator[Record | Lost]:
        assert batch.end is not None
        at = batch.at + CONTROL_SIZE
        while at < batch.end:
            head = self.source.get(at, RECORD_HEAD)
            size, record_type = _record_head(head)
            if size < RECORD_HEAD or at + size > batch.end:
                # The checksum covers the earlier records, but does not confirm an offset at which a
                # reader can continue.
                yield self._lost(at, batch.end, "bad-record")  # KDB-037
                return
            if record_type == USER_RECORD:
                payload = self.source.get(at + RECORD_HEAD, size - RECORD_HEAD)
                fields = {"type": record_type, "batch": batch.at, **command(payload)}
                yield Record(at, size, payload, fields, self.name)  # KDB-010
            else:
                yield self._lost(at, at + size, "unknown-type")  # KDB-038
            at += size

    # The end of an unsound batch.

    def _loss(self, batch: _Batch, fault: str) -> tuple[Lost, int | None, bool]:
        """Return the lost range of an invalid batch, and the offset at which to continue.

        The offset is None if the reader cannot continue. The third result is true if the offset
        is certain.
        """
        at, end = batch.at, batch.end
        if fault == "bad-header":
            trusted = end if end is not None and self._sum_holds(batch, end) else None
            chained = trusted or self._chain(batch)
            following = chained or self._searched(at)
            stop = following or self._end_of_content(at)
            if self.source.is_zero(at, stop):
                fault = "zero-gap"  # KDB-040
            is_firm = chained is not None and chained > at + CONTROL_SIZE
            return self._lost(at, stop, fault), following, is_firm
        if end is not None and self._in_step(end):  # KDB-044, KDB-047
            inner = self._chain(batch)
            if inner is not None and inner < end and self._is_proof(batch, inner):
                return self._lost(at, inner, fault), inner, self._sum_holds(batch, inner)
            within = None if inner == end else self._plausible_before(end, at + 1)
            if within is not None and not self._is_marked(end):
                # Zeros or the end of the file are weak evidence: they may belong to another batch.
                self._pass_over(at, within)
                return self._lost(at, within, fault), within, False
            if self._is_unfinished(batch):
                return self._lost(at, end, "torn-batch", torn=True), None, True  # KDB-042
            return self._lost(at, end, fault), end, within is None
        chained = self._chain(batch)
        is_past = end is not None and end > self.size
        if is_past and chained is not None and not self._is_proof(batch, chained):
            chained = None
        following = chained or self._searched(at)
        if following is None and is_past:
            return self._lost(at, self.size, "torn-batch", torn=True), None, True
        stop = following or self._end_of_content(at)
        is_firm = chained is not None and chained > at + CONTROL_SIZE
        if end is not None:
            is_firm = is_firm and self._sum_holds(batch, stop)
        return self._lost(at, stop, fault), following, is_firm

    def _searched(self, at: int) -> int | None:
        """Return the next plausible or proven batch after an unsound one (KDB-046)."""
        following = self._resume_offsets.next(at + 1)
        if following is not None:
            self._pass_over(at, following)
        return following

    def _pass_over(self, start: int, stop: int) -> None:
        """Store the largest end offset that the headers in a skipped range claim (KDB-051)."""
        at = self.source.find_header(start)
        while at is not None and at < stop:
            self._beyond = max(self._beyond, self._batch(at).end or 0)
            at = self.source.find_header(at + len(HEADER))

    def _end_of_content(self, at: int) -> int:
        """Return the end of a lost range that no batch follows (KDB-046)."""
        return self._fill if self._fill > at else self.size

    def _is_proof(self, batch: _Batch, end: int) -> bool:
        """Return whether a chain that ends at ``end`` outweighs the size that the batch claims."""
        return self._is_marked(end) or self._sum_holds(batch, end)

    def _chain(self, batch: _Batch) -> int | None:
        """Return the synchronised offset to which the record sizes lead, or None (KDB-045)."""
        at = batch.at + CONTROL_SIZE
        return at if self.source.get(at, len(HEADER)) == HEADER else self._walk(at)

    def _walk(self, start: int) -> int | None:
        """Follow a chain of records to the first synchronised offset after ``start`` (KDB-053)."""
        passed = array("q")
        at = start
        while not (led_to := self._chains.get(at)):
            passed.append(at)
            size, record_type = _record_head(self.source.get(at, RECORD_HEAD))
            at += size
            if size < RECORD_HEAD or record_type != USER_RECORD:
                led_to = FAILED
                break
            if self._in_step(at):
                led_to = at
                break
        for offset in passed:
            self._chains.note(offset, led_to)
        return None if led_to == FAILED else led_to

    def _plausible_before(self, limit: int, at: int) -> int | None:
        """Return the first plausible batch that begins in ``[at, limit)``."""
        offset = self._plausible.next(at)
        return offset if offset is not None and offset < limit else None

    def _is_place(self, at: int) -> bool:
        """Return whether a search for the next batch ends at this header (KDB-046)."""
        batch = self._batch(at)
        if batch.size > 0 and batch.end is not None and self._sum_holds(batch, batch.end):
            return True
        return self._is_plausible(at)

    def _is_plausible(self, at: int) -> bool:
        """Return whether a batch is valid, or ends at a header or EOF record."""
        batch = self._batch(at)
        end = batch.end
        if end is None or not self._in_step(end):
            return False
        if self._is_marked(end):
            return True
        if batch.is_checked:
            return self._sum_holds(batch, end)
        return batch.size == 0 or self._chain(batch) == end

    def _batch_after_eof(self, at: int) -> int | None:
        """Return the batch after an EOF record, or None if the data ends there (KDB-039)."""
        following = at + len(EOF_RECORD)
        if self.source.get(following, len(HEADER)) == HEADER:
            return following
        return self._plausible.next(following)

    def _lost(self, start: int, end: int, reason: str, torn: bool = False) -> Lost:
        return Lost(start, end, reason, torn and self.is_last, self.name)


def _record_head(head: bytes) -> tuple[int, int]:
    """Return the size and the type of a record from its head, which may be truncated."""
    return int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")
