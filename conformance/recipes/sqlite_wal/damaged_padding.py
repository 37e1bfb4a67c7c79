"""Padding that is lost, moved or copied, and damage to the frames around it."""

from conformance.recipes.sqlite_wal.layout import one_transaction
from conformance.recipes.sqlite_wal.log import LINKS, LOST_HEADER, PADDING, SqliteLog
from conformance.recipes.sqlite_wal.padding import (
    two_repetitions,
    two_repetitions_and_a_transaction,
)


@PADDING.valid("SQW-014")
def two_repetitions_and_two_transactions(log: SqliteLog) -> None:
    """Four transactions of one frame each, with two padding frames after the second."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    repeated = (2, 2, log.image(2, "bravo."))
    log.add_frames(repeated, repeated)
    log.commit((1, "charlie."), db_pages=2)
    log.commit((2, "delta."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2, 3], end=32 + 6 * 536)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-035", "SQW-036")
def header_of_a_later_frame(log: SqliteLog) -> None:
    """The header of slot 5, with its checksum, overwrites the header of slot 1. Slot 5 does not
    count as a copy."""
    log.splice("frames[0].header", log.slot(5)[:24])
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@PADDING.damaged(two_repetitions, "SQW-035", "SQW-036")
def copy_after_a_wrong_checksum(log: SqliteLog) -> None:
    """The checksum of slot 1 is damaged, and slot 4 is a copy of the intact frame. The transaction
    is returned once."""
    log.splice("frames[3]", log.slot(1))
    log.set("frames[0].header.checksum_2", 1, "big")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-015", "SQW-035")
def copy_of_broken_padding(log: SqliteLog) -> None:
    """The first padding frame's header is zeroed and its image damaged. An intact copy of this
    frame at the end of the log is not returned."""
    log.extend(log.slot(3))
    log.flip("frames[2].page", 100)
    log.zero("frames[2].header")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2], end=None)


@PADDING.damaged(one_transaction, "SQW-014", "SQW-039")
def repeated_image_with_another_size_after_a_loss(log: SqliteLog) -> None:
    """After a loss, a frame has the page number and image of the commit frame, but another database
    size. The frame is not padding."""
    log.commit((5, "bravo."), db_pages=5)
    log.commit((5, "bravo."), db_pages=6)
    log.flip("frames[0].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[1, 2], end=None)


@PADDING.damaged(two_repetitions_and_two_transactions, "SQW-015")
def both_images_of_padding_replaced(log: SqliteLog) -> None:
    """The image of the first padding frame is zeroed, and the image of the second is replaced by
    the next frame's image."""
    log.zero("frames[2].page")
    log.splice("frames[3].page", log.slot(5)[24:])
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@PADDING.damaged(two_repetitions, "SQW-015", "SQW-030")
def page_zero_and_salt_of_padding_at_the_end(log: SqliteLog) -> None:
    """The last padding frame has page number 0 and a damaged salt. The slot is still of this
    generation."""
    log.zero("frames[3].header.page_number")
    log.flip("frames[3].header.salt_1", 3)
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)


@PADDING.damaged(two_repetitions_and_two_transactions, "SQW-036", "SQW-038")
def second_padding_over_the_first_before_a_swap(log: SqliteLog) -> None:
    """A copy of the second padding frame overwrites the first, and the last two frames are
    swapped."""
    fifth, sixth = log.slot(5), log.slot(6)
    log.splice("frames[2]", log.slot(4))
    log.replace(5, sixth)
    log.replace(6, fifth)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@PADDING.damaged(two_repetitions_and_two_transactions, "SQW-015", "SQW-038", "SQW-039")
def broken_padding_in_a_ring(log: SqliteLog) -> None:
    """The header is zeroed, and slots 1 and 4 are swapped. Slot 4 is not broken padding, because
    another frame already has the padded value."""
    first, fourth = log.slot(1), log.slot(4)
    log.replace(1, fourth)
    log.replace(4, first)
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[1, 2, 3], end=None)


@PADDING.damaged(two_repetitions_and_two_transactions, "SQW-015", "SQW-035")
def first_padding_over_the_second(log: SqliteLog) -> None:
    """A copy of the first padding frame overwrites the second. The database size of the first
    padding frame changes, and the file ends inside the last frame."""
    log.splice("frames[3]", log.slot(3))
    log.flip("frames[2].header.db_pages", 24)
    log.truncate_in("frames[5]", 10)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@PADDING.damaged(two_repetitions, "SQW-014", "SQW-039")
def fork_beside_padding(log: SqliteLog) -> None:
    """After a damaged checksum, a transaction and a padding frame follow the same commit frame. The
    chain ends at this commit frame."""
    log.state = log.checksum_of(2)
    log.commit((3, "charlie."), db_pages=3)
    log.flip("frames[0].header.checksum_1", 3)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@LOST_HEADER.damaged(two_repetitions_and_two_transactions, "SQW-016", "SQW-027", "SQW-031")
def first_frame_at_the_end_without_its_checksum(log: SqliteLog) -> None:
    """The header and the checksum of slot 1 are zeroed, a bit of the last image flips, and a copy
    of the damaged slot 1 ends the log."""
    log.zero("header")
    log.zero("frames[0].header.checksum_1")
    log.zero("frames[0].header.checksum_2")
    log.flip("frames[5].page", 100)
    log.extend(log.slot(1))
    log.expect("damaged", "header-checksum", survivors=[1, 2], end=None)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-015", "SQW-035")
def copy_after_unwritten_padding(log: SqliteLog) -> None:
    """Both padding frames are zeroed, and a copy of the next transaction is inserted as slot 2. The
    transaction is returned once, from slot 2."""
    padding, later = log.slot(4), log.slot(5)
    log.zero("frames[2]")
    log.zero("frames[3]")
    log.insert(log.at(2), later)
    log.extend(padding)
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@LINKS.damaged(two_repetitions_and_two_transactions, "SQW-036", "SQW-038")
def moved_frame_and_its_copy_without_a_checksum(log: SqliteLog) -> None:
    """Slots 5 and 6 are swapped, and a copy of the original slot 6 with a damaged checksum follows.
    The copy is not returned."""
    fifth, sixth = log.slot(5), log.slot(6)
    log.commit((1, "echo."), db_pages=2)
    seventh = log.slot(7)
    log.replace(5, sixth)
    log.replace(6, fifth)
    copy = bytearray(sixth)
    copy[16] ^= 1
    log.replace(7, bytes(copy))
    log.extend(seventh)
    log.expect("damaged", "broken-link", survivors=[0, 1, 2, 3, 4], end=None)
