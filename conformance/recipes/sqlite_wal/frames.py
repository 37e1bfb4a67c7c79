"""Damaged page numbers, database sizes, checksums and images in the middle of the log."""

from conformance.recipes.sqlite_wal.layout import (
    big_endian_checksums,
    five_transactions,
    pages_of_1024_bytes,
    twelve_transactions,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog

ALL = [0, 1, 2, 3, 4]


@BOOK.damaged(five_transactions, "frames", "SQW-010", "SQW-031", "SQW-035", "SQW-039", "SQW-041")
def bit_in_an_image(log: SqliteLog) -> None:
    """A bit of an image flips. Its transaction is lost, and later transactions are returned with
    `after_loss`.
    """
    log.shows("bit-in-a-payload")
    log.flip("frames[4].page", 1000)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-035", "SQW-039", "SQW-043")
def bit_in_the_first_image(log: SqliteLog) -> None:
    """A bit of the first image flips. All later transactions are returned with `after_loss`."""
    log.flip("frames[0].page", 0)
    log.expect("damaged", "frame-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-031", "SQW-041")
def bit_in_the_last_image_but_one(log: SqliteLog) -> None:
    """A bit of the second-to-last image flips. One transaction follows."""
    log.flip("frames[5].page", 4095)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-012", "SQW-039", "SQW-041")
def bit_in_the_first_of_three_images(log: SqliteLog) -> None:
    """A bit of the first image of a three-frame transaction flips. The other two frames are lost as
    well.
    """
    log.flip("frames[1].page", 50)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-012", "SQW-039", "SQW-041")
def bit_in_the_middle_of_three_images(log: SqliteLog) -> None:
    """A bit of the middle image of a three-frame transaction flips."""
    log.flip("frames[2].page", 50)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-012", "SQW-039", "SQW-041")
def bit_in_the_last_of_three_images(log: SqliteLog) -> None:
    """A bit of the last image of a three-frame transaction flips. This image is in the commit
    frame.
    """
    log.flip("frames[3].page", 50)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-008", "SQW-041")
def bit_in_a_page_number(log: SqliteLog) -> None:
    """A bit of a page number flips."""
    log.flip("frames[4].header.page_number", 26)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-008", "SQW-040", "SQW-041")
def bit_in_a_database_size(log: SqliteLog) -> None:
    """A bit of a database size flips. The frame is still a commit frame."""
    log.flip("frames[4].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "boundaries", "SQW-040")
def commit_mark_lost_in_the_middle(log: SqliteLog) -> None:
    """A bit flip changes a database size from 4 to 0. The next transaction is lost, because it may
    be the rest of a larger one.
    """
    log.flip("frames[4].header.db_pages", 26)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "boundaries", "SQW-012", "SQW-040")
def commit_mark_gained_in_the_middle(log: SqliteLog) -> None:
    """A bit flip changes the database size in the second of three frames from 0 to 1. The third
    frame is not a transaction.
    """
    log.flip("frames[2].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "boundaries", "SQW-040")
def commit_mark_gained_in_the_first_slot(log: SqliteLog) -> None:
    """A bit of the database size in slot 1 flips. A reader checks the commit mark with the checksum
    of the header.
    """
    log.flip("frames[0].header.db_pages", 7)
    log.expect("damaged", "frame-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(two_large_transactions, "boundaries", "SQW-040", "SQW-041")
def commit_mark_gained_at_the_start(log: SqliteLog) -> None:
    """A bit flip changes the database size in slot 1 from 0 to 1. Slots 2 and 3 are not a
    transaction.
    """
    log.flip("frames[0].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[1], end=None)


@BOOK.damaged(two_large_transactions, "boundaries", "SQW-040", "SQW-041")
def image_and_commit_mark_lost(log: SqliteLog) -> None:
    """The image of a commit frame is overwritten, and its database size is zeroed. No transaction
    can begin after a stored size of 0.
    """
    log.fill("frames[2].page", 0xEE)
    log.zero("frames[2].header.db_pages")
    log.commit((7, "golf."), db_pages=7)
    log.did("add a transaction")
    log.expect("damaged", "frame-checksum", survivors=[2], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-010", "SQW-041")
def page_number_zeroed(log: SqliteLog) -> None:
    """The page number of a frame is zeroed."""
    log.zero("frames[4].header.page_number")
    log.expect("damaged", "page-zero", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-010", "SQW-036", "SQW-041")
def page_zero_with_right_checksums(log: SqliteLog) -> None:
    """A frame has page number 0 and a valid checksum. SQLite stops at this frame, but the next
    frame is proven.
    """
    log.zero("frames[5].header.page_number")
    log.reseal(6)
    log.expect("damaged", "page-zero", survivors=[0, 1, 2, 4], end=None)
    log.bug("litestream 0.5.18 and litefs accept page number 0")


@BOOK.damaged(five_transactions, "frames", "SQW-036", "SQW-041")
def page_zero_with_a_wrong_checksum(log: SqliteLog) -> None:
    """A frame has page number 0 and an invalid checksum. This frame is lost, but the next frame is
    proven.
    """
    log.zero("frames[4].header.page_number")
    log.reseal(5)
    log.flip("frames[4].header.checksum_2", 3)
    log.expect("damaged", "page-zero", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-009", "SQW-036")
def bit_in_a_checksum(log: SqliteLog) -> None:
    """A bit of a checksum flips. The next frame proves the image, so no record is lost."""
    log.shows("bit-in-a-checksum")
    log.flip("frames[4].header.checksum_1", 9)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036")
def bit_in_the_second_half_of_a_checksum(log: SqliteLog) -> None:
    """A bit in the second half of a checksum flips."""
    log.flip("frames[4].header.checksum_2", 31)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036")
def checksum_zeroed(log: SqliteLog) -> None:
    """The checksum of a frame in the middle of the log is zeroed."""
    log.zero("frames[4].header.checksum_1")
    log.zero("frames[4].header.checksum_2")
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036")
def first_checksum_zeroed(log: SqliteLog) -> None:
    """The checksum of frame 1 is zeroed."""
    log.zero("frames[0].header.checksum_1")
    log.zero("frames[0].header.checksum_2")
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-031", "SQW-036")
def checksum_in_the_last_transaction_but_one(log: SqliteLog) -> None:
    """A bit of the checksum of the second-to-last frame flips. The last frame proves the image of
    that frame.
    """
    log.flip("frames[5].header.checksum_1", 1)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036")
def two_checksums_in_a_row(log: SqliteLog) -> None:
    """Bits flip in the checksums of two consecutive frames. The next frame proves both."""
    log.flip("frames[3].header.checksum_1", 1)
    log.flip("frames[4].header.checksum_2", 1)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(two_large_transactions, "checksum", "SQW-031", "SQW-036")
def checksum_inside_the_last_transaction(log: SqliteLog) -> None:
    """A bit of the checksum of a frame inside the last transaction flips. The commit frame proves
    this frame.
    """
    log.flip("frames[4].header.checksum_1", 1)
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(two_large_transactions, "checksum", "SQW-036", "SQW-041")
def checksum_and_then_an_image(log: SqliteLog) -> None:
    """Bits flip in the checksum of a frame and in the image of the next frame. Neither frame is
    proven.
    """
    log.flip("frames[0].header.checksum_1", 1)
    log.flip("frames[1].page", 1)
    log.expect("damaged", "frame-checksum", survivors=[1], end=None)


@BOOK.damaged(big_endian_checksums, "frames", "SQW-006", "SQW-009", "SQW-035")
def bit_in_a_big_endian_image(log: SqliteLog) -> None:
    """A bit of an image flips in a log with big-endian checksums."""
    log.flip("frames[2].page", 300)
    log.expect("damaged", "frame-checksum", survivors=[0, 2], end=None)


@BOOK.damaged(big_endian_checksums, "checksum", "SQW-006", "SQW-036")
def bit_in_a_big_endian_checksum(log: SqliteLog) -> None:
    """A bit of a checksum flips in a log with big-endian checksums."""
    log.flip("frames[2].header.checksum_2", 3)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(big_endian_checksums, "boundaries", "SQW-006", "SQW-040")
def big_endian_commit_mark_gained(log: SqliteLog) -> None:
    """With big-endian checksums, a bit flip changes the database size in slot 1 from 0 to 1. Slot 2
    is not a transaction.
    """
    log.flip("frames[0].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[1, 2], end=None)


@BOOK.damaged(big_endian_checksums, "boundaries", "SQW-034", "SQW-040")
def last_commit_mark_but_one_lost(log: SqliteLog) -> None:
    """The second-to-last database size is zeroed. The last two frames then look like one torn
    transaction.
    """
    log.zero("frames[2].header.db_pages")
    log.expect("torn", "bad-tail", survivors=[0], end=32 + 2 * 536)


@BOOK.damaged(five_transactions, "boundaries", "SQW-009", "SQW-040")
def highest_bit_in_an_image(log: SqliteLog) -> None:
    """The highest bit of a word of an image flips. Only the second half of the computed checksum
    changes.
    """
    log.flip("frames[2].page", 8 * 7 + 7)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(pages_of_1024_bytes, "frames", "SQW-035", "SQW-041")
def bit_in_an_image_of_1024_bytes(log: SqliteLog) -> None:
    """A bit of an image of 1,024 bytes flips."""
    log.flip("frames[2].page", 8000)
    log.expect("damaged", "frame-checksum", survivors=[0, 2], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-031", "SQW-035", "SQW-041")
def two_images(log: SqliteLog) -> None:
    """Bits flip in two images. Two ranges are lost, and the transaction between them is
    returned.
    """
    log.flip("frames[0].page", 10)
    log.flip("frames[4].page", 10)
    log.expect("damaged", "frame-checksum", survivors=[1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-041")
def two_images_in_a_row(log: SqliteLog) -> None:
    """Bits flip in two consecutive images. Both slots have the same code, so one range is lost."""
    log.flip("frames[4].page", 10)
    log.flip("frames[5].page", 10)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-037", "SQW-041")
def image_and_checksum(log: SqliteLog) -> None:
    """Bits flip in the image and in the checksum of one frame. The next frame cannot be proven."""
    log.flip("frames[4].page", 10)
    log.flip("frames[4].header.checksum_1", 10)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(twelve_transactions, "frames", "SQW-035", "SQW-044", kind="limit")
def six_damaged_images(log: SqliteLog) -> None:
    """A bit flips in every second of twelve images. Six ranges are lost, and five transactions are
    returned with `after_loss`.
    """
    for number in range(1, 12, 2):
        log.flip(f"frames[{number}].page", number)
    log.expect("damaged", "frame-checksum", survivors=list(range(0, 11, 2)))


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-032", "SQW-041", kind="corrupt")
def damage_and_uncommitted_frames(log: SqliteLog) -> None:
    """A bit of an image flips, and the log ends with an uncommitted frame."""
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[4].page", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-033", "SQW-041", "SQW-046")
def damage_and_a_cut_frame(log: SqliteLog) -> None:
    """A bit of an image flips, and the file ends inside a frame."""
    log.flip("frames[4].page", 4)
    log.truncate(3700)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-031", "SQW-033")
def damaged_last_transaction_and_a_piece(log: SqliteLog) -> None:
    """A bit of the last committed image flips, and a piece of another frame follows. The log is
    damaged, not torn.
    """
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[6].page", 4)
    log.truncate(3784 + 40)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-031")
def damaged_last_transaction_and_an_uncommitted_frame(log: SqliteLog) -> None:
    """A bit of the last committed image flips, and an uncommitted frame follows. The log is
    damaged, not torn.
    """
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[6].page", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-031", "SQW-036")
def last_checksum_before_an_uncommitted_frame(log: SqliteLog) -> None:
    """A bit of the last commit frame's checksum flips. The uncommitted frame after it proves the
    commit frame.
    """
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[6].header.checksum_1", 4)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036", "SQW-041")
def checksum_and_the_image_of_the_commit_frame(log: SqliteLog) -> None:
    """Bits flip in a frame's checksum and in the image of the commit frame of its transaction. The
    slot with the checksum is lost as a whole.
    """
    log.flip("frames[1].header.checksum_1", 1)
    log.flip("frames[3].page", 1)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(two_large_transactions, "frames", "SQW-030", "SQW-041")
def page_zero_without_a_commit(log: SqliteLog) -> None:
    """The page number of a frame that is not a commit frame is zeroed."""
    log.zero("frames[1].header.page_number")
    log.expect("damaged", "page-zero", survivors=[1], end=None)
