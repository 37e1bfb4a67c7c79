"""The reader of one data file, which finds records, lost ranges, and where to append."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from reference_impl.answer import Lost, ReasonCode, Record
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
from reference_impl.kahadb_journal.source import Memo, RunningMaximum, Search, Source

EMPTY_SUM = 1  # This is the Adler-32 checksum of empty input.
# Each requirement defines one type of unfinished write at the end of the log.
_UNFINISHED = {"torn-header": "KDB-041", "torn-batch": "KDB-042", "torn-eof": "KDB-043"}


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch as its control record describes it. ``end`` is None if the size is impossible."""

    at: int
    is_header: bool
    size: int
    checksum: int
    end: int | None

    @property
    def is_checked(self) -> bool:
        """Return whether the batch has a checksum, which is any value above zero (KDB-008)."""
        return self.checksum > 0


class Scan:
    """Reads one data file from its start to its end."""

    def __init__(self, source: Source, name: str | None = None) -> None:
        self.source = source
        #: The name of the file. None if the log is a single file.
        self.name = name
        self.size = self.source.size
        #: The offset of the next batch.
        self.at = 0
        self.has_ended = False
        #: The offset at which a writer may continue, set at the end of the pass.
        self.end: int | None = None
        # An append at or before this offset can change the result of a reader (KDB-051).
        self._unsettled = -1
        self._fill = self.source.fill_start()
        # Each key is the start of a chain of records. Its value is the end of the chain, or a
        # negative offset if the chain stops early.
        self._chains = Memo()
        self._plausible_ends = RunningMaximum()
        # Each value is the end of a plausible batch, or the end of the file if fill follows the
        # batch (check 11).
        self._needed_ends = RunningMaximum()
        # The first header that was not checked for these ends, or None if there is no other.
        self._unchecked_header = self.source.find_header(0)
        self._plausible = Search(self.source, self._is_plausible)
        self._resume_offsets = Search(self.source, self._is_place)

    def events(self, is_last: bool) -> Iterator[Record | Lost]:
        """Yield records and lost ranges in file order.

        ``is_last`` must be true if no later file has batches. Only then may the file end in a torn
        write (KDB-049).
        """
        self.is_last = is_last
        while not self.has_ended:
            yield from self.next_batch()

    def next_batch(self) -> Iterator[Record | Lost]:
        """Read the next batch, and yield its records and lost ranges."""
        at = self.at
        if self.is_fill(at):  # KDB-012, KDB-013
            self._end_at(at)
            return
        head = self.source.get(at, CONTROL_SIZE)
        if head.startswith(EOF_RECORD):
            following = self._batch_after_eof(at)
            if following is None:
                self._end_at(at)  # KDB-015
                return
            yield self._lost(at, following, "early-eof")  # KDB-039
            self.at = following
            return
        if torn := self._torn_head(at, head):
            yield torn
            self._end_at(at)
            return
        batch = self._batch(at)
        fault = self._fault(batch)
        if fault == "bad-header" and self._sum_holds(batch, batch.end):
            # The checksum matches, so only the header is lost and the records are valid (KDB-034).
            yield self._bad_header(at, at + len(HEADER))
            fault = None
        if fault is None:
            assert batch.end is not None
            yield from self._records(batch)
            if not batch.is_checked and not self._in_step(batch.end):
                self._unsettle_headers(at + CONTROL_SIZE, batch.end)
            self.at = batch.end
            return
        loss, go_on = self._loss(batch, fault)
        yield loss
        if go_on is not None:
            self.at = go_on
        elif self._is_torn:
            self._end_at(at)
        else:
            self.has_ended = True  # No writer may continue here, so ``end`` stays None.

    def _end_at(self, at: int) -> None:
        self.has_ended = True
        self.end = at if at > self._unsettled else None  # KDB-051

    # Checks at an offset

    def is_fill(self, at: int) -> bool:
        """Return whether only preallocated space follows an offset (KDB-013)."""
        if at < self._fill:
            # A batch may have overwritten the first bytes of an EOF record that was preallocated.
            left = self._fill - at
            return left < len(EOF_RECORD) and EOF_RECORD.endswith(self.source.get(at, left))
        head = self.source.get(at, len(EOF_RECORD))
        # If nothing could be read, the file ends here or was truncated during the pass.
        return not head or head[0] == 0 or head == EOF_RECORD

    def _in_step(self, at: int) -> bool:
        """Return whether an offset is at a batch, an EOF record or the end (KDB-031)."""
        if self.is_fill(at):
            return at <= self.size
        return self._is_marked(at) or self._torn_code(at) is not None

    def _is_marked(self, at: int) -> bool:
        """Return whether a header or an EOF record is at an offset."""
        head = self.source.get(at, len(HEADER))
        return head == HEADER or head.startswith(EOF_RECORD)

    def _batch(self, at: int) -> _Batch:
        head = self.source.get(at, CONTROL_SIZE)
        if len(head) < CONTROL_SIZE:
            # Too few bytes are left in the file for a control record.
            return _Batch(at, False, 0, 0, None)
        header, size, checksum = CONTROL.unpack(head)
        end = at + CONTROL_SIZE + size if 0 <= size <= MAX_BATCH_SIZE else None  # KDB-035
        return _Batch(at, header == HEADER, size, checksum, end)

    # Checks of a batch

    def _fault(self, batch: _Batch) -> str | None:
        """Return the reason code for an invalid batch, or None for a valid one (KDB-030)."""
        if not batch.is_header:
            return "bad-header"  # KDB-034
        if batch.end is None or batch.end > self.size:
            return ReasonCode("bad-size", "KDB-035")
        if batch.size == 0 and batch.checksum <= EMPTY_SUM:
            return None if self._in_step(batch.end) else ReasonCode("bad-size", "KDB-033")
        if batch.is_checked:
            return (
                None if self._sum_holds(batch, batch.end) else "checksum-mismatch"
            )  # KDB-032, KDB-036
        if not self._in_step(batch.end) and self._swallows(batch):
            return ReasonCode("bad-size", "KDB-047")
        return None if self._tiles(batch) else "bad-record"  # KDB-037

    def _sum_holds(self, batch: _Batch, end: int | None) -> bool:
        """Return whether a batch's checksum, as 64 bits, matches the bytes up to ``end``."""
        if not batch.is_checked or end is None or end > self.size:
            return False
        return self.source.adler32(batch.at + CONTROL_SIZE, end) == batch.checksum

    def _tiles(self, batch: _Batch) -> bool:
        """Return whether records fill the batch exactly and none is a control record."""
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
        """Return whether a plausible batch begins inside ``batch`` and ends after it (KDB-047).

        A plausible batch with fill after it also counts, wherever it ends.
        """
        assert batch.end is not None
        while (at := self._unchecked_header) is not None and at < batch.end:
            if self._is_plausible(at):
                end = self._batch(at).end
                assert end is not None
                self._plausible_ends.add(at, end)
                self._needed_ends.add(at, self.size if self.is_fill(end) else end)
            self._unchecked_header = self.source.find_header(at + len(HEADER))
        inside = batch.at + CONTROL_SIZE, batch.end
        if self._needed_ends.within(*inside) <= batch.end:
            return False
        self._unsettle(self._plausible_ends.within(*inside) - 1)
        return True

    def _is_unfinished(self, batch: _Batch) -> bool:
        """Return whether a write into preallocated space left the batch unfinished (KDB-042)."""
        assert batch.end is not None
        return self._fill < batch.end and self.source.get(batch.end, 1) == b"\0"

    def _torn_code(self, at: int) -> str | None:
        """Return the reason code if the content ends inside a header or EOF record at ``at``."""
        left = self._fill - at
        if not 0 < left < len(HEADER):
            return None
        written = self.source.get(at, left)
        if EOF_RECORD.startswith(written):
            return "torn-eof"  # KDB-043
        # The start of the batch's header may have overwritten part of the last EOF record.
        is_over_eof = any(
            written == HEADER[:count] + EOF_RECORD[count:] for count in range(len(EOF_RECORD))
        )
        return "torn-header" if HEADER.startswith(written) or is_over_eof else None  # KDB-041

    def _torn_head(self, at: int, head: bytes) -> Lost | None:
        """Return the lost range of an unfinished control or EOF record at the end, or None."""
        code = self._torn_code(at)
        if code is not None:
            return self._lost(at, self._fill, code, torn=True)
        if head[: len(HEADER)] != HEADER:
            return None
        if len(head) < CONTROL_SIZE:
            return self._lost(at, self.size, "torn-header", torn=True)
        batch = self._batch(at)
        if batch.size == 0 and not batch.is_checked and self._is_unfinished(batch):
            return self._lost(at, at + CONTROL_SIZE, "torn-header", torn=True)
        return None

    # Records of a batch

    def _records(self, batch: _Batch) -> Iterator[Record | Lost]:
        assert batch.end is not None
        at = batch.at + CONTROL_SIZE
        while at < batch.end:
            head = self.source.get(at, RECORD_HEAD)
            size, record_type = _record_head(head)
            if size < RECORD_HEAD or at + size > batch.end:
                # The checksum proves the records before this one, but nothing proves where the next
                # record begins.
                yield self._lost(at, batch.end, "bad-record")  # KDB-037
                return
            if record_type == USER_RECORD:
                payload = self.source.get(at + RECORD_HEAD, size - RECORD_HEAD)
                if len(payload) < size - RECORD_HEAD:  # The file was truncated during the read.
                    yield self._lost(at, batch.end, "torn-batch", torn=True)
                    return
                fields = {"type": record_type, "batch": batch.at, **command(payload)}
                yield Record(at, size, payload, fields, self.name)  # KDB-010
            else:
                yield self._lost(at, at + size, "unknown-type")  # KDB-038
            at += size

    # The next methods find the end of an invalid batch.

    def _loss(self, batch: _Batch, fault: str) -> tuple[Lost, int | None]:
        """Return the lost range of an invalid batch, and the offset at which to continue.

        The offset is None if there is no place to continue.
        """
        at, end = batch.at, batch.end
        self._is_torn = False
        if fault == "bad-header":
            place = self._chain(batch) or self._searched(batch)
            return self._bad_header(at, place or self._end_of_content(at)), place
        if end is not None and self._in_step(end):  # KDB-044, KDB-047
            inner = self._chain(batch)
            if inner is not None and inner < end and self._is_proof(batch, inner):
                if not self._sum_holds(batch, inner):
                    self._unsettle(inner)
                return self._lost(at, inner, fault), inner
            within = self._plausible_before(end, at + 1)
            # Zeros and the end of the file prove little here, because they may belong to another
            # batch.
            if within is not None and inner != end and not self._is_marked(end):
                self._unsettle_search(at, within)
                self._unsettle(self._reach(batch))
                return self._lost(at, within, fault), within
            if self._is_unfinished(batch):
                if within is not None:
                    self._unsettle(at)
                return self._torn_batch(at, end)
            if within is not None and inner != end:
                self._unsettle(end)
            return self._lost(at, end, fault), end
        place = self._chain(batch)
        is_past = end is not None and end > self.size
        if is_past and place is not None and not self._is_proof(batch, place):
            place = None
        if place is not None:
            if end is not None and not self._sum_holds(batch, place):
                self._unsettle(place)
            return self._lost(at, place, fault), place
        place = self._searched(batch)
        if place is None and is_past:
            return self._torn_batch(at, self.size)
        return self._lost(at, place or self._end_of_content(at), fault), place

    def _bad_header(self, start: int, end: int) -> Lost:
        code = "zero-gap" if self.source.is_zero(start, end) else "bad-header"  # KDB-040
        return self._lost(start, end, code)

    def _torn_batch(self, start: int, end: int) -> tuple[Lost, None]:
        self._is_torn = True
        return self._lost(start, end, "torn-batch", torn=True), None  # KDB-042

    def _searched(self, batch: _Batch) -> int | None:
        """Return the offset of the next plausible or proven batch, or None (KDB-046)."""
        following = self._resume_offsets.next(batch.at + 1)
        if following is not None:
            self._unsettle_search(batch.at, following)
            self._unsettle(self._reach(batch))
        return following

    # The next methods track the offset up to which an append can change a reader's result
    # (KDB-051).

    def _unsettle(self, offset: int) -> None:
        self._unsettled = max(self._unsettled, offset)

    def _unsettle_search(self, start: int, place: int) -> None:
        """Note the offsets on which a search from ``start`` to ``place`` depends."""
        self._unsettle_headers(start, place)
        batch = self._batch(place)
        assert batch.end is not None
        if not self._is_confirmed(batch):
            self._unsettle(batch.end)

    def _unsettle_headers(self, start: int, stop: int) -> None:
        at = self.source.find_header(start)
        while at is not None and at < stop:
            end = self._batch(at).end
            if end is not None:
                self._unsettle(end)
            at = self.source.find_header(at + len(HEADER))

    def _end_of_content(self, at: int) -> int:
        """Return the end of a lost range with no batch after it (KDB-046)."""
        return self._fill if self._fill > at else self.size

    def _is_proof(self, batch: _Batch, end: int) -> bool:
        """Return whether a chain to ``end`` is better evidence than the batch's stated size."""
        return self._is_marked(end) or self._sum_holds(batch, end)

    def _chain(self, batch: _Batch) -> int | None:
        """Return the synchronised offset to which the batch's record sizes lead (KDB-045)."""
        at = batch.at + CONTROL_SIZE
        if self.source.get(at, len(HEADER)) == HEADER:
            return at
        led_to = self._walk(at)
        return led_to if led_to > 0 else None

    def _reach(self, batch: _Batch) -> int:
        """Return the offset at which a batch's chain of records ends or stops (KDB-051)."""
        return abs(self._walk(batch.at + CONTROL_SIZE))

    def _walk(self, start: int) -> int:
        """Follow a chain of records to the first synchronised offset after ``start`` (KDB-053).

        If there is none, return the end of the last record as a negative number.
        """
        passed = array("q")
        at = start
        while not (led_to := self._chains.get(at)):
            passed.append(at)
            size, record_type = _record_head(self.source.get(at, RECORD_HEAD))
            if size < RECORD_HEAD or record_type != USER_RECORD:
                led_to = -at
                break
            at += size
            if self._in_step(at):
                led_to = at
                break
        for offset in passed:
            self._chains.note(offset, led_to)
        return led_to

    def _plausible_before(self, limit: int, at: int) -> int | None:
        """Return the offset of the first plausible batch in ``[at, limit)``, or None."""
        offset = self._plausible.next(at)
        return offset if offset is not None and offset < limit else None

    def _is_place(self, at: int) -> bool:
        """Return whether a search for the next batch may end at this header (KDB-046)."""
        batch = self._batch(at)
        if batch.size > 0 and self._sum_holds(batch, batch.end):
            return True
        return self._is_plausible(at)

    def _is_plausible(self, at: int) -> bool:
        """Return whether a batch ends at a header or EOF record, or its content confirms it."""
        batch = self._batch(at)
        end = batch.end
        if end is None or not self._in_step(end):
            return False
        return self._is_marked(end) or self._is_confirmed(batch)

    def _is_confirmed(self, batch: _Batch) -> bool:
        """Return whether a batch's checksum or records confirm its end (KDB-046)."""
        assert batch.end is not None
        if batch.is_checked:
            return self._sum_holds(batch, batch.end)
        return batch.size == 0 or self._chain(batch) == batch.end

    def _batch_after_eof(self, at: int) -> int | None:
        """Return the offset of the batch after an EOF record, or None at the end (KDB-039)."""
        following = at + len(EOF_RECORD)
        if self.source.get(following, len(HEADER)) == HEADER:
            return following
        place = self._plausible.next(following)
        if place is not None:
            self._unsettle_search(at, place)
        return place

    def _lost(self, start: int, end: int, reason: str, torn: bool = False) -> Lost:
        if torn:
            requirement = _UNFINISHED[reason] if self.is_last else "KDB-049"
            reason = ReasonCode(reason, requirement)
        return Lost(start, end, reason, torn and self.is_last, self.name)


def _record_head(head: bytes) -> tuple[int, int]:
    """Return a record's size and type from its header, which may be truncated."""
    return int.from_bytes(head[:4], "big", signed=True), int.from_bytes(head[4:], "big")
