"""Damaged page numbers, database sizes, checksums and images in the middle of the log."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    twelve_transactions,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import (
    BOUNDARIES,
    CHECKSUM,
    FRAMES,
    TAIL_AFTER_DAMAGE,
    SqliteLog,
)

ALL = [0, 1, 2, 3, 4]


@FRAMES.damaged(five_transactions, "SQW-010", "SQW-031", "SQW-035", "SQW-039", "SQW-041")
def bit_in_an_image(log: SqliteLog) -> None:
    """A bit of an image flips. Its transaction is lost, and later transactions are returned with
    `after_loss`."""
    log.shows("bit-in-a-payload")
    log.flip("frames[4].page", 1000)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOUNDARIES.damaged(two_large_transactions, "SQW-040", "SQW-041")
def image_and_commit_mark_lost(log: SqliteLog) -> None:
    """The image of a commit frame is overwritten, and its database size is zeroed. No transaction
    can begin after a stored size of 0."""
    log.fill("frames[2].page", 0xEE)
    log.zero("frames[2].header.db_pages")
    log.commit((7, "golf."), db_pages=7)
    log.expect("damaged", "frame-checksum", survivors=[2], end=None)


BOUNDARIES.table("""
commit_mark_lost_in_the_middle: five_transactions SQW-040
    A bit flip changes a database size from 4 to 0. The next transaction is lost, because it may be
    the rest of a larger one.
    damage: flip bit 26 of frames[4].header.db_pages
    expect: damaged frame-checksum, survivors 0 1 4, end none
commit_mark_gained_in_the_middle: five_transactions SQW-012 SQW-040
    A bit flip changes the database size in the second of three frames from 0 to 1. The third frame
    is not a transaction.
    damage: flip bit 24 of frames[2].header.db_pages
    expect: damaged frame-checksum, survivors 0 2-4, end none
commit_mark_gained_in_the_first_slot: five_transactions SQW-040
    A bit of the database size in slot 1 flips. A reader checks the commit mark with the checksum of
    the header.
    damage: flip bit 7 of frames[0].header.db_pages
    expect: damaged frame-checksum, survivors 1-4, end none
commit_mark_gained_at_the_start: two_large_transactions SQW-040 SQW-041
    A bit flip changes the database size in slot 1 from 0 to 1. Slots 2 and 3 are not a transaction.
    damage: flip bit 24 of frames[0].header.db_pages
    expect: damaged frame-checksum, survivors 1, end none
big_endian_commit_mark_gained: big_endian_checksums SQW-006 SQW-040
    With big-endian checksums, a bit flip changes the database size in slot 1 from 0 to 1. Slot 2 is
    not a transaction.
    damage: flip bit 24 of frames[0].header.db_pages
    expect: damaged frame-checksum, survivors 1 2, end none
last_commit_mark_but_one_lost: big_endian_checksums SQW-031 SQW-040 SQW-055
    The second-to-last database size is zeroed. The checksum shows the size, so the last transaction
    is returned.
    damage: zero frames[2].header.db_pages
    expect: damaged frame-checksum, survivors 0 2, end none
highest_bit_in_an_image: five_transactions SQW-009 SQW-040
    The highest bit of a word of an image flips. Only the second half of the computed checksum
    changes.
    damage: flip bit 63 of frames[2].page
    expect: damaged frame-checksum, survivors 0 2-4, end none
""")


@FRAMES.damaged(twelve_transactions, "SQW-035", "SQW-044", kind="limit")
def six_damaged_images(log: SqliteLog) -> None:
    """A bit flips in every second of twelve images. Six ranges are lost, and five transactions are
    returned with `after_loss`."""
    for number in range(1, 12, 2):
        log.flip(f"frames[{number}].page", number)
    log.expect("damaged", "frame-checksum", survivors=list(range(0, 11, 2)))


@TAIL_AFTER_DAMAGE.damaged(five_transactions, "SQW-032", "SQW-041")
def damage_and_uncommitted_frames(log: SqliteLog) -> None:
    """A bit of an image flips, and the log ends with an uncommitted frame."""
    log.spill((5, "hotel."))
    log.flip("frames[4].page", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@TAIL_AFTER_DAMAGE.damaged(five_transactions, "SQW-033", "SQW-041", "SQW-046")
def damage_and_a_cut_frame(log: SqliteLog) -> None:
    """A bit of an image flips, and the file ends inside a frame."""
    log.flip("frames[4].page", 4)
    log.truncate(3700)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3], end=None)


@TAIL_AFTER_DAMAGE.damaged(five_transactions, "SQW-031", "SQW-033")
def damaged_last_transaction_and_a_piece(log: SqliteLog) -> None:
    """A bit of the last committed image flips, and a piece of another frame follows. The log is
    damaged, not torn."""
    log.spill((5, "hotel."))
    log.flip("frames[6].page", 4)
    log.truncate(3784 + 40)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@TAIL_AFTER_DAMAGE.damaged(five_transactions, "SQW-031")
def damaged_last_transaction_and_an_uncommitted_frame(log: SqliteLog) -> None:
    """A bit of the last committed image flips, and an uncommitted frame follows. The log is
    damaged, not torn."""
    log.spill((5, "hotel."))
    log.flip("frames[6].page", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@TAIL_AFTER_DAMAGE.damaged(five_transactions, "SQW-031", "SQW-036")
def last_checksum_before_an_uncommitted_frame(log: SqliteLog) -> None:
    """A bit of the last commit frame's checksum flips. The uncommitted frame after it proves the
    commit frame."""
    log.spill((5, "hotel."))
    log.flip("frames[6].header.checksum_1", 4)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


CHECKSUM.table("""
bit_in_a_checksum: five_transactions SQW-009 SQW-036
    A bit of a checksum flips. The next frame proves the image, so no record is lost.
    shows: bit-in-a-checksum
    damage: flip bit 9 of frames[4].header.checksum_1
    expect: damaged frame-checksum, survivors 0-4, end none
bit_in_the_second_half_of_a_checksum: five_transactions SQW-036
    A bit in the second half of a checksum flips.
    damage: flip bit 31 of frames[4].header.checksum_2
    expect: damaged frame-checksum, survivors 0-4, end none
checksum_zeroed: five_transactions SQW-036
    The checksum of a frame in the middle of the log is zeroed.
    damage: zero frames[4].header.checksum_1
    damage: zero frames[4].header.checksum_2
    expect: damaged frame-checksum, survivors 0-4, end none
first_checksum_zeroed: five_transactions SQW-036
    The checksum of frame 1 is zeroed.
    damage: zero frames[0].header.checksum_1
    damage: zero frames[0].header.checksum_2
    expect: damaged frame-checksum, survivors 0-4, end none
checksum_in_the_last_transaction_but_one: five_transactions SQW-031 SQW-036
    A bit of the checksum of the second-to-last frame flips. The last frame proves the image of that
    frame.
    damage: flip bit 1 of frames[5].header.checksum_1
    expect: damaged frame-checksum, survivors 0-4, end none
two_checksums_in_a_row: five_transactions SQW-036
    Bits flip in the checksums of two consecutive frames. The next frame proves both.
    damage: flip bit 1 of frames[3].header.checksum_1
    damage: flip bit 1 of frames[4].header.checksum_2
    expect: damaged frame-checksum, survivors 0-4, end none
checksum_inside_the_last_transaction: two_large_transactions SQW-031 SQW-036
    A bit of the checksum of a frame inside the last transaction flips. The commit frame proves this
    frame.
    damage: flip bit 1 of frames[4].header.checksum_1
    expect: damaged frame-checksum, survivors 0 1, end none
checksum_and_then_an_image: two_large_transactions SQW-036 SQW-041
    Bits flip in the checksum of a frame and in the image of the next frame. Neither frame is
    proven.
    damage: flip bit 1 of frames[0].header.checksum_1
    damage: flip bit 1 of frames[1].page
    expect: damaged frame-checksum, survivors 1, end none
bit_in_a_big_endian_checksum: big_endian_checksums SQW-006 SQW-036
    A bit of a checksum flips in a log with big-endian checksums.
    damage: flip bit 3 of frames[2].header.checksum_2
    expect: damaged frame-checksum, survivors 0-2, end none
checksum_and_the_image_of_the_commit_frame: five_transactions SQW-036 SQW-041
    Bits flip in a frame's checksum and in the image of the commit frame of its transaction. The
    slot with the checksum is lost as a whole.
    damage: flip bit 1 of frames[1].header.checksum_1
    damage: flip bit 1 of frames[3].page
    expect: damaged frame-checksum, survivors 0 2-4, end none
""")


FRAMES.table("""
bit_in_the_first_image: five_transactions SQW-035 SQW-039 SQW-043
    A bit of the first image flips. All later transactions are returned with `after_loss`.
    damage: flip bit 0 of frames[0].page
    expect: damaged frame-checksum, survivors 1-4, end none
bit_in_the_last_image_but_one: five_transactions SQW-031 SQW-041
    A bit of the second-to-last image flips. One transaction follows.
    damage: flip bit 4095 of frames[5].page
    expect: damaged frame-checksum, survivors 0-2 4, end none
bit_in_the_first_of_three_images: five_transactions SQW-012 SQW-039 SQW-041
    A bit of the first image of a three-frame transaction flips. The other two frames are lost as
    well.
    damage: flip bit 50 of frames[1].page
    expect: damaged frame-checksum, survivors 0 2-4, end none
bit_in_the_middle_of_three_images: five_transactions SQW-012 SQW-039 SQW-041
    A bit of the middle image of a three-frame transaction flips.
    damage: flip bit 50 of frames[2].page
    expect: damaged frame-checksum, survivors 0 2-4, end none
bit_in_the_last_of_three_images: five_transactions SQW-012 SQW-039 SQW-041
    A bit of the last image of a three-frame transaction flips. This image is in the commit frame.
    damage: flip bit 50 of frames[3].page
    expect: damaged frame-checksum, survivors 0 2-4, end none
bit_in_a_page_number: five_transactions SQW-008 SQW-041
    A bit of a page number flips.
    damage: flip bit 26 of frames[4].header.page_number
    expect: damaged frame-checksum, survivors 0 1 3 4, end none
bit_in_a_database_size: five_transactions SQW-008 SQW-040 SQW-041
    A bit of a database size flips. The frame is still a commit frame.
    damage: flip bit 24 of frames[4].header.db_pages
    expect: damaged frame-checksum, survivors 0 1 3 4, end none
page_number_zeroed: five_transactions SQW-010 SQW-041
    The page number of a frame is zeroed.
    damage: zero frames[4].header.page_number
    expect: damaged page-zero, survivors 0 1 3 4, end none
page_zero_with_right_checksums: five_transactions SQW-010 SQW-036 SQW-041
    A frame has page number 0 and a valid checksum. SQLite stops at this frame, but the next frame
    is proven.
    damage: zero frames[5].header.page_number
    reseal_from: 6
    expect: damaged page-zero, survivors 0-2 4, end none
    bug: litestream 0.5.18 and litefs accept page number 0
page_zero_with_a_wrong_checksum: five_transactions SQW-036 SQW-041
    A frame has page number 0 and an invalid checksum. This frame is lost, but the next frame is
    proven.
    damage: zero frames[4].header.page_number
    reseal_from: 5
    damage: flip bit 3 of frames[4].header.checksum_2
    expect: damaged page-zero, survivors 0 1 3 4, end none
bit_in_a_big_endian_image: big_endian_checksums SQW-006 SQW-009 SQW-035
    A bit of an image flips in a log with big-endian checksums.
    damage: flip bit 300 of frames[2].page
    expect: damaged frame-checksum, survivors 0 2, end none
bit_in_an_image_of_1024_bytes: pages_of_1024_bytes SQW-035 SQW-041
    A bit of an image of 1,024 bytes flips.
    damage: flip bit 8000 of frames[2].page
    expect: damaged frame-checksum, survivors 0 2, end none
two_images: five_transactions SQW-031 SQW-035 SQW-041
    Bits flip in two images. Two ranges are lost, and the transaction between them is returned.
    damage: flip bit 10 of frames[0].page
    damage: flip bit 10 of frames[4].page
    expect: damaged frame-checksum, survivors 1 3 4, end none
two_images_in_a_row: five_transactions SQW-041
    Bits flip in two consecutive images. Both slots have the same code, so one range is lost.
    damage: flip bit 10 of frames[4].page
    damage: flip bit 10 of frames[5].page
    expect: damaged frame-checksum, survivors 0 1 4, end none
image_and_checksum: five_transactions SQW-037 SQW-041
    Bits flip in the image and in the checksum of one frame. The next frame cannot be proven.
    damage: flip bit 10 of frames[4].page
    damage: flip bit 10 of frames[4].header.checksum_1
    expect: damaged frame-checksum, survivors 0 1 4, end none
page_zero_without_a_commit: two_large_transactions SQW-030 SQW-041
    The page number of a frame that is not a commit frame is zeroed.
    damage: zero frames[1].header.page_number
    expect: damaged page-zero, survivors 1, end none
""")
