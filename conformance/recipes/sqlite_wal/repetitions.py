"""Frames that repeat a commit frame but are not its padding, or cannot be proven to be."""

from conformance.recipes.sqlite_wal.forged_links import put_checksum
from conformance.recipes.sqlite_wal.headers import two_transactions
from conformance.recipes.sqlite_wal.layout import two_large_transactions
from conformance.recipes.sqlite_wal.log import LOST_HEADER, PADDING, SqliteLog, image
from conformance.recipes.sqlite_wal.padding import (
    repeated_commit_frame_in_a_larger_transaction,
    two_repetitions,
    two_repetitions_and_a_transaction,
)
from reference_impl.sqlite_wal.layout import advance, covered


@PADDING.damaged(repeated_commit_frame_in_a_larger_transaction, "SQW-014", "SQW-036")
def larger_transaction_after_a_wrong_checksum(log: SqliteLog) -> None:
    """A bit of a commit frame's checksum flips. The next transaction has two frames and ends with a
    frame equal to this commit frame."""
    log.flip("frames[0].header.checksum_1", 3)
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@PADDING.valid("SQW-014")
def two_frames_and_a_repetition(log: SqliteLog) -> None:
    """A transaction of two frames, one padding frame, and a transaction of one frame."""
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.add_frames((2, 2, image(2, "bravo.")))
    log.commit((1, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=32 + 4 * 536)


@PADDING.damaged(two_frames_and_a_repetition, "SQW-014", "SQW-039")
def repetition_of_a_partial_transaction(log: SqliteLog) -> None:
    """A bit of the first image of a two-frame transaction flips. The padding frame is then a record
    with `after_loss`."""
    log.flip("frames[0].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[image(2, "bravo."), 1], end=None)


@PADDING.damaged(two_repetitions, "SQW-031", "SQW-041")
def broken_repetition_and_a_frame(log: SqliteLog) -> None:
    """The checksums of a commit frame, its padding frame and a third frame are damaged. The third
    frame has another image."""
    for number in (1, 2, 3):
        log.flip(f"frames[{number}].header.checksum_1", 3 * number)
    log.flip("frames[3].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


@PADDING.damaged(two_repetitions, "SQW-015", "SQW-030", "SQW-034", kind="corrupt")
def unwritten_padding_before_an_uncommitted_frame(log: SqliteLog) -> None:
    """The last padding frame is zeroed, and an uncommitted frame follows. The padded value proves
    the uncommitted frame."""
    log.spill((3, "charlie."))
    log.zero("frames[3]")
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-015", "SQW-036")
def unwritten_padding_before_other_salts(log: SqliteLog) -> None:
    """The last padding frame is zeroed, and a bit of a salt of the next transaction flips."""
    log.zero("frames[3]")
    log.flip("frames[4].header.salt_1", 3)
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2], end=None)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-015", "SQW-038")
def padding_before_earlier_padding(log: SqliteLog) -> None:
    """A copy of the second padding frame is inserted before the first padding frame. The next
    transaction follows the copy."""
    log.insert(log.at(3), log.slot(4))
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-015", "SQW-038")
def broken_padding_twice(log: SqliteLog) -> None:
    """A copy of a damaged padding frame is inserted before the padding, and a slot of zeros after
    the padding. The original frame is still broken padding."""
    log.flip("frames[3].page", 100)
    log.insert(log.at(5), bytes(536))
    log.insert(log.at(3), log.slot(4))
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@PADDING.damaged(two_large_transactions, "SQW-015", "SQW-036")
def checksum_of_a_repetition_without_a_mark(log: SqliteLog) -> None:
    """Slot 2 stores the checksum of a repetition of slot 1. Slot 1 is not a commit frame, so slot 2
    is not broken padding."""
    assert log.header is not None
    state = advance(log.checksum_of(1), covered(log.slot(1)), log.header.order)
    put_checksum(log, 2, state)
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@LOST_HEADER.damaged(two_transactions, "SQW-016", "SQW-027", "SQW-031")
def copy_of_the_first_frame_at_the_end(log: SqliteLog) -> None:
    """The header is zeroed, a bit of the first image flips, and a copy of the damaged frame ends
    the log. The copy is not padding."""
    log.zero("header")
    log.flip("frames[0].page", 5)
    log.extend(log.slot(1))
    log.expect("damaged", "header-checksum", survivors=[1], end=None)
