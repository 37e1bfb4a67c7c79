"""Headers that a search skips, and whose claimed ends extend the doubt (KDB-051)."""

import struct

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import BOOK, HEADER, KahaDBLog, numbered, whole_batch

FOUR = [0, 1, 2, 3]
ALL = range(5)
SIXTH = whole_batch(numbered(6))
SEVENTH = whole_batch(numbered(7))
GARBAGE = b"x" * 9


def _claim(size: int) -> bytes:
    """Return a control record with a wrong checksum, and four bytes that are not a record."""
    return HEADER + struct.pack(">iq", size, 7) + b"four"


def _from(log: KahaDBLog, at: int, new: bytes, what: str) -> None:
    log.truncate(at)
    log.extend(new, what)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_with_the_file(log: KahaDBLog) -> None:
    """A search skips a header that claims the rest of the file. `end` is null, because an append
    would mark the claimed end.
    """
    _from(log, 180, GARBAGE + _claim(4 + len(SIXTH)) + SIXTH, "garbage, a header, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_after_the_file(log: KahaDBLog) -> None:
    """A search skips a header that claims more than the rest of the file. `end` is null, because
    appends may reach the claimed end.
    """
    new = GARBAGE + _claim(4 + len(SIXTH) + 45) + SIXTH
    _from(log, 180, new, "garbage, a header that claims more than the file, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_two_batches_on(log: KahaDBLog) -> None:
    """A search skips a header that claims the two batches after it. Neither batch ends the doubt,
    so `end` is null.
    """
    new = GARBAGE + _claim(4 + len(SIXTH + SEVENTH)) + SIXTH + SEVENTH
    _from(log, 180, new, "garbage, a header, two batches")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6), numbered(7)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_inside_a_batch(log: KahaDBLog) -> None:
    """A search skips a header that claims 20 bytes of the next batch. This batch ends after the
    claimed end, so `end` is known.
    """
    _from(log, 180, GARBAGE + _claim(4 + 20) + SIXTH, "garbage, a header, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=266)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-035")
def header_passed_over_with_a_negative_size(log: KahaDBLog) -> None:
    """A search skips a header of size -1, which has no claimed end. The next batch ends the doubt,
    so `end` is known.
    """
    log.hangs_upstream()
    _from(log, 180, GARBAGE + _claim(-1) + SIXTH, "garbage, a header of size -1, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=266)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-035")
def size_past_the_file_and_a_batch_after_garbage(log: KahaDBLog) -> None:
    """A batch without a chain claims more than the rest of the file, and a valid batch follows.
    `end` is null, because appends may reach the claimed end.
    """
    _from(
        log,
        180,
        _claim(4 + len(SIXTH) + 45) + SIXTH,
        "a header that claims more than the file, a batch",
    )
    log.expect("damaged", "bad-size", survivors=[*FOUR, numbered(6)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-039")
def header_passed_over_after_an_early_eof_record(log: KahaDBLog) -> None:
    """After an early EOF record, a search skips a header that claims the rest of the file. `end` is
    null.
    """
    log.extend(GARBAGE + _claim(4 + len(SIXTH)) + SIXTH, "garbage, a header, a batch")
    log.expect("damaged", "early-eof", survivors=[*ALL, numbered(6)], end=None)
