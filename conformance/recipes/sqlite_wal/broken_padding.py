"""Padding that is damaged, unwritten or cut. Damaged padding alone loses no transaction."""

from conformance.recipes.sqlite_wal.log import PADDING, SqliteLog
from conformance.recipes.sqlite_wal.padding import (
    three_frames_and_two_repetitions,
    two_repetitions_and_a_transaction,
)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-015", "SQW-036")
def bit_in_padding_and_in_the_next_checksum(log: SqliteLog) -> None:
    """Bits flip in the last padding frame's image and in the checksum of the next transaction.
    Another transaction follows."""
    log.commit((3, "delta."), db_pages=3)
    log.flip("frames[3].page", 100)
    log.flip("frames[4].header.checksum_1", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-015", "SQW-038", "SQW-041")
def transactions_swapped_after_broken_padding(log: SqliteLog) -> None:
    """A bit of the last padding frame's image flips, and the two transactions after the padding are
    swapped."""
    log.commit((3, "delta."), db_pages=3)
    log.flip("frames[3].page", 100)
    fifth, sixth = log.slot(5), log.slot(6)
    log.replace(5, sixth)
    log.replace(6, fifth)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@PADDING.damaged(three_frames_and_two_repetitions, "SQW-016", "SQW-031", "SQW-033", kind="corrupt")
def bit_in_the_first_image_and_cut_padding(log: SqliteLog) -> None:
    """A bit in the only transaction flips, and the file ends inside its first padding frame. The
    transaction and its padding are one unfinished write."""
    log.flip("frames[0].page", 100)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


@PADDING.damaged(three_frames_and_two_repetitions, "SQW-016", "SQW-031")
def padding_cut_in_its_header(log: SqliteLog) -> None:
    """A bit in the only transaction flips, and the file ends inside the checksum of its first
    padding frame. The cut frame does not show a repetition."""
    log.flip("frames[0].page", 100)
    log.truncate(log.at(4) + 23)
    log.expect("damaged", "frame-checksum", end=None)


@PADDING.damaged(three_frames_and_two_repetitions, "SQW-016", "SQW-031", "SQW-033", kind="corrupt")
def unwritten_padding_before_cut_padding(log: SqliteLog) -> None:
    """A bit in the only transaction flips, the first padding frame is zeroed, and the file ends
    inside the second padding frame."""
    log.flip("frames[0].page", 100)
    log.zero("frames[3]")
    log.truncate_in("frames[4].page", 100)
    log.expect("torn", "torn-frame", end=32)


@PADDING.damaged(three_frames_and_two_repetitions, "SQW-016", "SQW-031", "SQW-033", kind="corrupt")
def broken_commit_frame_and_cut_padding(log: SqliteLog) -> None:
    """A bit of the commit frame's image flips, and the file ends inside the first padding frame.
    The stored checksums still show the repetition."""
    log.flip("frames[2].page", 8 * 50)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


@PADDING.damaged(three_frames_and_two_repetitions, "SQW-016", "SQW-031", "SQW-033", kind="corrupt")
def broken_commit_frame_after_the_end_of_cut_padding(log: SqliteLog) -> None:
    """A bit of the commit frame's image flips, at a byte that the cut padding frame lacks."""
    log.flip("frames[2].page", 8 * 200)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


@PADDING.damaged(three_frames_and_two_repetitions, "SQW-016", "SQW-031", "SQW-034", kind="corrupt")
def broken_commit_frame_and_last_padding(log: SqliteLog) -> None:
    """Bits flip in the images of the commit frame and of the last padding frame."""
    log.flip("frames[2].page", 100)
    log.flip("frames[4].page", 200)
    log.expect("torn", "bad-tail", end=32)


@PADDING.damaged(three_frames_and_two_repetitions, "SQW-016", "SQW-031", "SQW-033", kind="corrupt")
def checksum_before_a_commit_frame_and_cut_padding(log: SqliteLog) -> None:
    """Bits flip in the first image and in the checksum before the commit frame, and the padding is
    cut. The bytes of the commit frame show the repetition."""
    log.flip("frames[0].page", 100)
    log.flip("frames[1].header.checksum_1", 4)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


PADDING.table("""
bit_in_the_padding_before_a_transaction: two_repetitions_and_a_transaction SQW-015 SQW-041
    A bit of the last padding frame's image flips. The frame still stores the padded value, so no
    transaction is lost.
    damage: flip bit 100 of frames[3].page
    expect: damaged frame-checksum, survivors 0-2, end none
unwritten_first_padding: two_repetitions_and_a_transaction SQW-015
    The first of two padding frames is zeroed. The padded value proves the second frame.
    damage: zero frames[2]
    expect: damaged frame-salt, survivors 0-2, end none
unwritten_padding: two_repetitions_and_a_transaction SQW-015 SQW-039
    Both padding frames are zeroed. The padded value proves the next transaction.
    damage: zero frames[2]
    damage: zero frames[3]
    expect: damaged frame-salt, survivors 0-2, end none
broken_header_and_image_of_padding: two_repetitions_and_a_transaction SQW-015
    The first of two padding frames is zeroed, and a bit of the second padding frame's image flips.
    damage: zero frames[2]
    damage: flip bit 100 of frames[3].page
    expect: damaged frame-salt, survivors 0-2, end none
page_zero_in_padding: two_repetitions_and_a_transaction SQW-015 SQW-041
    The page number of the first of two padding frames is zeroed.
    damage: zero frames[2].header.page_number
    expect: damaged page-zero, survivors 0-2, end none
size_zero_in_the_last_padding: two_repetitions_and_a_transaction SQW-015 SQW-041 corrupt
    The database size of the last padding frame is zeroed, and a bit of the last image flips.
    damage: zero frames[3].header.db_pages
    damage: flip bit 100 of frames[4].page
    expect: torn bad-tail, survivors 0 1, end 1640
bit_in_padding_and_in_the_last_image: two_repetitions_and_a_transaction SQW-015 SQW-031 corrupt
    Bits flip in the last padding frame's image and in the last image. Broken padding is not a lost
    transaction, so the tail is torn.
    damage: flip bit 100 of frames[3].page
    damage: flip bit 100 of frames[4].page
    expect: torn bad-tail, survivors 0 1, end 1640
bit_in_padding_and_a_cut_transaction: two_repetitions_and_a_transaction SQW-015 SQW-031 corrupt
    A bit of the last padding frame's image flips, and the file ends inside the next transaction.
    damage: flip bit 100 of frames[3].page
    damage: truncate 100 bytes into frames[4].page
    expect: torn torn-frame, survivors 0 1, end 1640
commit_frame_lost_before_padding: two_repetitions_and_a_transaction SQW-014 SQW-015 SQW-039
    A bit of a commit frame's image flips. The first padding frame is then a record with
    `after_loss`.
    damage: flip bit 100 of frames[1].page
    expect: damaged frame-checksum, survivors 0-2, end none
padding_after_a_loss_is_broken: two_repetitions_and_a_transaction SQW-015 SQW-039
    Bits flip in the first image and in a padding frame after the second transaction. Only the first
    transaction is lost.
    damage: flip bit 100 of frames[0].page
    damage: flip bit 100 of frames[2].page
    expect: damaged frame-checksum, survivors 1 2, end none
bit_in_the_last_padding_but_one: two_repetitions SQW-015 SQW-034 corrupt
    A bit flips in the first of two padding frames at the end of the log. No transaction is lost.
    damage: flip bit 100 of frames[2].page
    expect: torn bad-tail, survivors 0 1, end 1104
bit_in_padding_and_cut_padding: two_repetitions SQW-015 SQW-033 corrupt
    A bit of a padding frame's image flips, and the file ends inside the next padding frame.
    damage: flip bit 100 of frames[2].page
    damage: truncate 100 bytes into frames[3].page
    expect: torn torn-frame, survivors 0 1, end 1104
padding_cut_after_its_header: three_frames_and_two_repetitions SQW-016 SQW-031 SQW-033 corrupt
    A bit in the only transaction flips, and the file ends after the header of its first padding
    frame.
    damage: flip bit 100 of frames[0].page
    damage: truncate 0 bytes into frames[3].page
    expect: torn torn-frame, no survivors, end 32
broken_commit_frame_and_padding: three_frames_and_two_repetitions SQW-016 SQW-031 SQW-034 corrupt
    Bits flip in the images of the commit frame and of the first padding frame.
    damage: flip bit 100 of frames[2].page
    damage: flip bit 200 of frames[3].page
    expect: torn bad-tail, no survivors, end 32
broken_commit_frame_after_a_broken_checksum: three_frames_and_two_repetitions SQW-016 SQW-031
    Bits flip in the commit frame's image and in the checksum before it, and the padding is cut. No
    repetition can be shown, so the log is damaged.
    damage: flip bit 4 of frames[1].header.checksum_1
    damage: flip bit 100 of frames[2].page
    damage: truncate 100 bytes into frames[3].page
    expect: damaged frame-checksum, no survivors, end none
cut_frame_of_the_same_page: five_transactions SQW-016 SQW-031
    A bit of an image flips, and the file ends inside the next frame of the same page. The images
    differ, so the cut frame is not padding.
    damage: flip bit 400 of frames[5].page
    damage: truncate 100 bytes into frames[6].page
    expect: damaged frame-checksum, survivors 0-2, end none
""")
