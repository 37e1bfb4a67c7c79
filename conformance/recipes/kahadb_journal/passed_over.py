"""Headers that a search skips, and whose claimed ends are unsettled (KDB-051)."""

import struct

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import END, HEADER, KahaDBLog, numbered, whole_batch

FOUR = [0, 1, 2, 3]
ALL = range(5)
SIXTH = whole_batch(numbered(6))
SEVENTH = whole_batch(numbered(7))
GARBAGE = b"x" * 9


def _claim(size: int) -> bytes:
    """Return a control record with a wrong checksum, and four bytes that are not a record."""
    return HEADER + struct.pack(">iq", size, 7) + b"four"


def _from(log: KahaDBLog, at: int, new: bytes) -> None:
    log.truncate(at)
    log.extend(new)


@END.damaged(five_batches, "KDB-051", "KDB-046")
def header_passed_over_that_ends_with_the_file(log: KahaDBLog) -> None:
    """A search skips a header that claims the rest of the file. `end` is null, because an append
    would mark the claimed end."""
    _from(log, 180, GARBAGE + _claim(4 + len(SIXTH)) + SIXTH)
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-046")
def header_passed_over_that_ends_after_the_file(log: KahaDBLog) -> None:
    """A search skips a header that claims more than the rest of the file. `end` is null, because
    appends may reach the claimed end."""
    new = GARBAGE + _claim(4 + len(SIXTH) + 45) + SIXTH
    _from(log, 180, new)
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-046")
def header_passed_over_that_ends_two_batches_on(log: KahaDBLog) -> None:
    """A search skips a header that claims the two batches after it. No batch ends after the claimed
    end, so `end` is null."""
    new = GARBAGE + _claim(4 + len(SIXTH + SEVENTH)) + SIXTH + SEVENTH
    _from(log, 180, new)
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6), numbered(7)], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-046")
def header_passed_over_that_ends_inside_a_batch(log: KahaDBLog) -> None:
    """A search skips a header that claims 20 bytes of the next batch. This batch ends after the
    claimed end, so `end` is known."""
    _from(log, 180, GARBAGE + _claim(4 + 20) + SIXTH)
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=266)


@END.damaged(five_batches, "KDB-051", "KDB-035")
def header_passed_over_with_a_negative_size(log: KahaDBLog) -> None:
    """A search skips a header of size -1, which has no claimed end. The next batch is settled, so
    `end` is known."""
    log.hangs_upstream()
    _from(log, 180, GARBAGE + _claim(-1) + SIXTH)
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=266)


@END.damaged(five_batches, "KDB-051", "KDB-035")
def size_past_the_file_and_a_batch_after_garbage(log: KahaDBLog) -> None:
    """A batch without a chain claims more than the rest of the file, and a valid batch follows.
    `end` is null, because appends may reach the claimed end."""
    _from(
        log,
        180,
        _claim(4 + len(SIXTH) + 45) + SIXTH,
    )
    log.expect("damaged", "bad-size", survivors=[*FOUR, numbered(6)], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-039")
def header_passed_over_after_an_early_eof_record(log: KahaDBLog) -> None:
    """After an early EOF record, a search skips a header that claims the rest of the file. `end` is
    null."""
    log.extend(GARBAGE + _claim(4 + len(SIXTH)) + SIXTH)
    log.expect("damaged", "early-eof", survivors=[*ALL, numbered(6)], end=None)
