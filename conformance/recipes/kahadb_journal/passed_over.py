"""Headers that a search passes over: what is appended later may make places of them."""

import struct

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import BOOK, HEADER, KahaDBLog, numbered, whole_batch

FOUR = [0, 1, 2, 3]
ALL = range(5)
SIXTH = whole_batch(numbered(6))
SEVENTH = whole_batch(numbered(7))
GARBAGE = b"x" * 9


def _claim(size: int) -> bytes:
    """A control record with a wrong checksum and four bytes that are no record."""
    return HEADER + struct.pack(">iq", size, 7) + b"four"


def _from(log: KahaDBLog, at: int, new: bytes, what: str) -> None:
    log.truncate(at)
    log.extend(new, what)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_with_the_file(log: KahaDBLog) -> None:
    """Garbage, a header that claims all of the file, a batch: an append would mark its end."""
    _from(log, 180, GARBAGE + _claim(4 + len(SIXTH)) + SIXTH, "garbage, a header, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_after_the_file(log: KahaDBLog) -> None:
    """The same with a size that leads out of the file: appends may reach there."""
    new = GARBAGE + _claim(4 + len(SIXTH) + 45) + SIXTH
    _from(log, 180, new, "garbage, a header that claims more than there is, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_two_batches_on(log: KahaDBLog) -> None:
    """Two batches after the header, which claims both: neither of them ends the doubt."""
    new = GARBAGE + _claim(4 + len(SIXTH + SEVENTH)) + SIXTH + SEVENTH
    _from(log, 180, new, "garbage, a header, two batches")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6), numbered(7)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def header_passed_over_that_ends_inside_a_batch(log: KahaDBLog) -> None:
    """The header claims half of the batch after it: what is there does not change any more."""
    _from(log, 180, GARBAGE + _claim(4 + 20) + SIXTH, "garbage, a header, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=266)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-035")
def header_passed_over_with_a_negative_size(log: KahaDBLog) -> None:
    """A size of -1 ends nowhere, whatever is appended."""
    log.hangs_upstream()
    _from(log, 180, GARBAGE + _claim(-1) + SIXTH, "garbage, a header of size -1, a batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=266)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-035")
def size_past_the_file_and_a_batch_after_garbage(log: KahaDBLog) -> None:
    """A batch that claims more than there is, no chain, a sound batch: only for now is it short."""
    _from(log, 180, _claim(4 + len(SIXTH) + 45) + SIXTH, "a header that claims too much, a batch")
    log.expect("damaged", "bad-size", survivors=[*FOUR, numbered(6)], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-039")
def header_passed_over_after_an_early_eof_record(log: KahaDBLog) -> None:
    """An EOF record, garbage, a header that claims the rest, a batch: found, and in doubt."""
    log.extend(GARBAGE + _claim(4 + len(SIXTH)) + SIXTH, "garbage, a header, a batch")
    log.expect("damaged", "early-eof", survivors=[*ALL, numbered(6)], end=None)
