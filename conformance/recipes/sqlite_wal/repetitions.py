"""Frames that repeat a commit frame and are not its padding, or not provably."""

from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, image
from conformance.recipes.sqlite_wal.padding import (
    repeated_commit_frame_in_a_larger_transaction,
    two_repetitions,
)


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
