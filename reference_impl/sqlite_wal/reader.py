"""The reader of SQLite write-ahead logs, described by spec/sqlite-wal.md.

Upstream authority: sqlite/sqlite ``src/wal.c``, ``walIndexRecover`` and ``walDecodeFrame``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, Event, Lost, Record, Verdict
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    MAGIC,
    NO_SALTS,
    SALTS,
    VERSION,
    FrameHeader,
    Slots,
    advance,
    covered,
)
from reference_impl.sqlite_wal.opening import (
    NoHeader,
    Opening,
    Refused,
    looks_unfinished,
    open_log,
    rebuild,
)
from reference_impl.sqlite_wal.survey import Survey, Transaction, is_repetition


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Read a log file like :func:`read_file`. ``context`` is ignored. Raises ``OSError``."""
    with path.open("rb") as file:
        yield from read_file(file, path.stat().st_size, profile)


def recognise(path: Path) -> bool:
    """Return whether a file is a SQLite write-ahead log. Raises ``OSError``.

    A log begins with the magic number, or its header can be rebuilt from the first frame. If the
    file is too short or begins with zeros, the result depends on its name.
    """
    if path.is_dir():
        return False
    with path.open("rb") as file:
        head = file.read(HEADER_SIZE)
        if int.from_bytes(head[:4], "big") & ~1 == MAGIC:
            return True
        is_named = path.name.endswith("-wal")
        # It takes milliseconds to rebuild a header, too long to try it on every file in a large
        # folder.
        may_be_one = is_named or head[4:8] == VERSION.to_bytes(4, "big")
        if may_be_one and rebuild(file, path.stat().st_size):
            return True
    return is_named and looks_unfinished(head)


def read_file(file: BinaryIO, size: int, profile: str = "recover") -> Iterator[Event]:
    """Yield the records and lost ranges of a file of ``size`` bytes, then the end.

    ``file`` is seekable. Raises ``OSError``, and ``ValueError`` for an unknown profile.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    if not size:
        yield End("intact", None, 0)  # SQW-001
        return
    try:
        opening = open_log(file, size)
    except Refused as refused:
        yield End("refused", refused.reason, None)
        return
    except NoHeader:
        yield Lost(0, size, "torn-header", torn=True)
        yield End("torn", "torn-header", 0)
        return
    yield from Scan(file, size, opening).events(profile == "strict")


class Scan:
    """Reads the committed frames as SQLite does, then surveys the slots after them."""

    def __init__(self, file: BinaryIO, size: int, opening: Opening) -> None:
        self.slots = Slots(file, size, opening.page_size)
        self.opening = opening
        self.committed = 0
        self.committed_value = opening.checksum
        self.first_bad = 1
        self.last_commit: bytes | None = None

    @property
    def end(self) -> int:
        """Return the end of the last committed frame, where SQLite appends (SQW-042)."""
        return self.slots.at(self.committed + 1)

    def events(self, is_strict: bool) -> Iterator[Event]:
        """Yield the records and lost ranges, then the end (SQW-046)."""
        if self.opening.is_damaged:
            if is_strict:
                yield from self._strict(0, "header-checksum")
                return
            yield Lost(0, HEADER_SIZE, "header-checksum")
        yield from self.committed_records()
        tail = _Tail(self)
        if tail.reason and is_strict:
            yield from self._strict(self.end, tail.reason)
            return
        yield from tail.events()
        reason = "header-checksum" if self.opening.is_damaged else tail.reason
        verdict: Verdict = "damaged" if reason else "torn" if tail.torn else "intact"
        yield End(verdict, reason or tail.torn, None if reason else self.end)

    def _strict(self, start: int, reason: str) -> Iterator[Event]:
        """Report everything from ``start`` on as lost, for ``strict`` (SQW-043)."""
        yield Lost(start, self.slots.size, reason)
        yield End("damaged", reason, None)

    def committed_records(self) -> Iterator[Record]:
        """Yield the transactions that SQLite recovers (SQW-010 to SQW-014)."""
        value = self.opening.checksum
        if value is None:
            return
        images: list[bytes] = []
        pages: list[int] = []
        for number in range(1, self.slots.count + 1):
            slot = self.slots.data(number)
            frame = FrameHeader.of(slot)
            value = advance(value, covered(slot), self.opening.order)
            if frame.salts != self.opening.salts or not frame.page or frame.checksum != value:
                return
            self.first_bad = number + 1
            images.append(slot[FRAME_HEADER_SIZE:])
            pages.append(frame.page)
            if frame.db_pages:
                if len(pages) > 1 or not is_repetition(self.last_commit, slot):  # SQW-014
                    first = self.committed + 1
                    yield self.record(first, b"".join(images), pages, frame.db_pages)
                self.committed, self.last_commit = number, slot
                self.committed_value = value
                images, pages = [], []

    def survey(self) -> Survey:
        """Return a survey of the slots after the committed frames."""
        return Survey(self.slots, self.opening, self.committed, self.committed_value)

    def record(
        self, first: int, payload: bytes, pages: list[int], db_pages: int, **more: Any
    ) -> Record:
        """Return the record of the transaction that begins in slot ``first`` (SQW-012)."""
        size = len(pages) * self.slots.slot_size
        fields = {"frame": first, "pages": pages, "db_pages": db_pages, **more}
        return Record(self.slots.at(first), size, payload, fields)


class _Tail:
    """The slots after the committed frames."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.slots = scan.slots
        self.opening = scan.opening
        #: The reason code of the first damage.
        self.reason: str | None = None
        #: The reason code of an unfinished write.
        self.torn: str | None = None
        self.transactions: list[Transaction] = []
        self._classify()

    def _classify(self) -> None:
        """Find the last slot of this generation, and the reason codes (SQW-030 to SQW-034)."""
        committed, count = self.scan.committed, self.slots.count
        self.survey = self.scan.survey()
        own = [n for n in self.survey.found if self.survey.is_of_generation(n)]
        marks = [n for n in own if self.survey.is_commit(n)]
        self.last_own = own[-1] if own else committed
        self.last_mark = marks[-1] if marks else committed
        self.last_unfinished = self.last_own
        while self.last_unfinished < count and self._awaits_checksum(self.last_unfinished + 1):
            self.last_unfinished += 1
        # If the last slot is incomplete and begins with zeros, it counts as awaiting its checksum
        # (SQW-032).
        follows, piece = count == self.last_unfinished, self.slots.piece()
        self.ends_in_zeros = follows and bool(piece) and not any(piece[:16])
        self.is_cut = self._is_cut(piece, follows)
        found = self.survey.transactions()
        mark = next((n for n in marks if not self.survey.is_padding(n)), None)
        if mark and (self.survey.found[mark].transaction or self._goes_on_after(mark)):
            self.transactions = found
            self.reason = self.survey.code(self.scan.first_bad)
        if self.is_cut:
            self.torn = "torn-frame"
        elif marks and not self.reason:
            self.torn = "bad-tail"
        elif self.last_unfinished > self.last_mark or self.ends_in_zeros:
            self.torn = "uncommitted"

    def _awaits_checksum(self, number: int) -> bool:
        """Return whether a slot was reserved but has no checksum yet (SQW-032)."""
        return self.slots.header(number).salts == NO_SALTS

    def _is_cut(self, piece: bytes, follows: bool) -> bool:
        """Return whether the file ends inside a frame of this generation (SQW-033).

        ``follows`` is true if nothing separates the piece from the slots of this generation.
        """
        salts = piece[SALTS]
        if len(salts) == 8:
            is_waiting = follows and salts == NO_SALTS and any(piece[:4])
            return (salts == self.opening.salts and any(piece[:16])) or is_waiting
        return follows and any(piece)

    def _goes_on_after(self, mark: int) -> bool:
        """Return whether anything but repetitions of the commit frame follows it (SQW-016)."""
        commit, after = self.slots.data(mark), range(mark + 1, self.last_own + 1)
        if not self.is_cut and all(is_repetition(commit, self.slots.data(n)) for n in after):
            return False
        end = self.slots.piece() if self.is_cut else self.slots.data(self.last_own)
        if len(end) < FRAME_HEADER_SIZE:
            return True
        last = self.slots.count + 1 if self.is_cut else self.last_own
        return not self.survey.ends_in_repetition(mark, last, FrameHeader.of(end).checksum)

    def events(self) -> Iterator[Event]:
        """Yield the records after the damage, and the lost ranges."""
        unfinished_from = self.scan.committed + 1
        if self.reason:
            unfinished_from = self.last_mark + 1
            for transaction in self.transactions:
                if not transaction.is_padding:
                    yield self._record(transaction)
            yield from self.survey.lost(self.last_mark)
        if self.torn:
            start = self.slots.at(unfinished_from)
            is_open = self.is_cut or self.ends_in_zeros
            stop = self.slots.size if is_open else self.slots.at(self.last_unfinished + 1)
            yield Lost(start, stop, self.torn, torn=True)

    def _record(self, transaction: Transaction) -> Record:
        numbers = range(transaction.first, transaction.last + 1)
        slots = [self.slots.data(number) for number in numbers]
        pages = [FrameHeader.of(slot).page for slot in slots]
        payload = b"".join(slot[FRAME_HEADER_SIZE:] for slot in slots)
        more = {"after_loss": True} if transaction.is_after_loss else {}
        db_pages = FrameHeader.of(slots[-1]).db_pages
        return self.scan.record(transaction.first, payload, pages, db_pages, **more)
