"""Frames that repeat a commit frame and are not its padding, or not provably."""

from conformance.recipes.sqlite_wal.forged_links import put_checksum
from conformance.recipes.sqlite_wal.headers import two_transactions
from conformance.recipes.sqlite_wal.layout import two_large_transactions
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, image
from conformance.recipes.sqlite_wal.padding import (
    repeated_commit_frame_in_a_larger_transaction,
    two_repetitions,
    two_repetitions_and_a_transaction,
)
from reference_impl.sqlite_wal.layout import advance, covered


@BOOK.damaged(repeated_commit_frame_in_a_larger_transaction, "padding", "SQW-014", "SQW-036")
def larger_transaction_after_a_wrong_checksum(log: SqliteLog) -> None:
    """After a wrong checksum, a transaction of two frames ends like the commit before it."""
    log.flip("frames[0].header.checksum_1", 3)
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.valid("padding", "SQW-014")
def two_frames_and_a_repetition(log: SqliteLog) -> None:
    """A transaction of two frames whose commit frame is repeated, and another transaction."""
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.add_frames((2, 2, image(2, "bravo.")))
    log.commit((1, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=32 + 4 * 536)


@BOOK.damaged(two_frames_and_a_repetition, "padding", "SQW-014", "SQW-039")
def repetition_of_a_partial_transaction(log: SqliteLog) -> None:
    """The first of two images is broken, and the repetition of the second is returned."""
    log.flip("frames[0].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[image(2, "bravo."), 1], end=None)


@BOOK.damaged(two_repetitions, "padding", "SQW-031", "SQW-041")
def broken_repetition_and_a_frame(log: SqliteLog) -> None:
    """Three frames with wrong checksums: a commit frame, its repetition and another frame."""
    for number in (1, 2, 3):
        log.flip(f"frames[{number}].header.checksum_1", 3 * number)
    log.flip("frames[3].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


@BOOK.damaged(two_repetitions, "padding", "SQW-015", "SQW-030", "SQW-034")
def unwritten_padding_before_an_uncommitted_frame(log: SqliteLog) -> None:
    """The last padding was never written, and a frame without a commit follows its value."""
    log.spill((3, "charlie."))
    log.did("add a frame without a commit")
    log.zero("frames[3]")
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-036")
def unwritten_padding_before_other_salts(log: SqliteLog) -> None:
    """The last padding was never written, and the transaction after it has other salts."""
    log.zero("frames[3]")
    log.flip("frames[4].header.salt_1", 3)
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-038")
def padding_before_earlier_padding(log: SqliteLog) -> None:
    """A copy of the second padding stands before the first: the next transaction follows it."""
    log.insert(log.at(3), log.slot(4), "a copy of slot 4")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-038")
def broken_padding_twice(log: SqliteLog) -> None:
    """A copy of broken padding stands before it, and zeros after it: the padding still counts."""
    log.flip("frames[3].page", 100)
    log.insert(log.at(5), bytes(536), "a slot of zeros")
    log.insert(log.at(3), log.slot(4), "a copy of slot 4")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_large_transactions, "padding", "SQW-015", "SQW-036")
def checksum_of_a_repetition_without_a_mark(log: SqliteLog) -> None:
    """Slot 2 stores the checksum of a repetition of slot 1, which is no commit frame."""
    assert log.header is not None
    state = advance(log.checksum_of(1), covered(log.slot(1)), log.header.order)
    put_checksum(log, 2, state, "the checksum of a repetition of slot 1")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(two_transactions, "lost-header", "SQW-016", "SQW-027", "SQW-031")
def copy_of_the_first_frame_at_the_end(log: SqliteLog) -> None:
    """Header and first image are lost, and a copy of that frame ends the log: no padding."""
    log.zero("header")
    log.flip("frames[0].page", 5)
    log.extend(log.slot(1), "a copy of slot 1")
    log.expect("damaged", "header-checksum", survivors=[1], end=None)
