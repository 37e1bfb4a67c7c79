"""Commit frames that are repeated until a sector is full."""

from conformance.recipes.sqlite_wal.layout import five_transactions
from conformance.recipes.sqlite_wal.log import PADDING, SqliteLog, image


@PADDING.valid("SQW-014", "SQW-042")
def commit_frame_repeated(log: SqliteLog) -> None:
    """Two transactions of one frame each. One padding frame follows each transaction."""
    log.begin()
    for page, text in ((1, "alpha."), (2, "bravo.")):
        log.commit((page, text), db_pages=2)
        log.add_frames((page, 2, image(page, text)))
    log.expect("intact", survivors=[0, 1], end=2176)


@PADDING.valid("SQW-014")
def commit_frame_repeated_to_a_sector(log: SqliteLog) -> None:
    """Padding fills a sector of 4,096 bytes after a transaction of two frames. Two more
    transactions follow."""
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    while len(log.data) < 4096:
        log.add_frames((2, 2, image(2, "bravo.")))
    log.commit((2, "charlie."), db_pages=2)
    log.commit((3, "delta."), db_pages=3)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 10 * 536)


@PADDING.valid("SQW-014")
def repeated_image_with_another_size(log: SqliteLog) -> None:
    """A frame with the page number and image of the commit frame but another database size is not
    padding."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((1, "alpha."), db_pages=3)
    log.expect("intact", survivors=[0, 1], end=1104)


@PADDING.valid("SQW-014")
def repeated_image_of_another_page(log: SqliteLog) -> None:
    """A frame with the image and database size of the commit frame but another page number is not
    padding."""
    log.begin()
    log.commit((3, "alpha."), db_pages=4)
    log.commit((4, "alpha."), db_pages=4)
    log.expect("intact", survivors=[0, 1], end=1104)


@PADDING.valid("SQW-014")
def repeated_commit_frame_in_a_larger_transaction(log: SqliteLog) -> None:
    """The second frame of a two-frame transaction repeats the previous commit frame, but is not
    padding."""
    log.begin()
    log.commit((2, "alpha."), db_pages=2)
    log.commit((1, "bravo."), (2, "alpha."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=1640)


@PADDING.valid("SQW-014")
def commit_frame_of_an_earlier_transaction_again(log: SqliteLog) -> None:
    """Another transaction separates two equal commit frames, so the second of them is not
    padding."""
    log.begin()
    log.commit((2, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    log.commit((2, "alpha."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2], end=1640)


@PADDING.damaged(commit_frame_of_an_earlier_transaction_again, "SQW-014", "SQW-039")
def transaction_lost_between_equal_commit_frames(log: SqliteLog) -> None:
    """The transaction between two equal commit frames is lost. The second of them is not
    padding."""
    log.flip("frames[1].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 2], end=None)


@PADDING.damaged(commit_frame_repeated, "SQW-014", "SQW-031")
def repetitions_after_an_unwritten_frame(log: SqliteLog) -> None:
    """The last commit frame is zeroed, and its two padding frames are intact. All three are one
    torn transaction."""
    log.add_frames((2, 2, image(2, "bravo.")))
    log.zero("frames[2]")
    log.expect("torn", "bad-tail", survivors=[0], end=1104)


@PADDING.damaged(five_transactions, "SQW-016", "SQW-031", "SQW-034", kind="corrupt")
def broken_commit_and_its_repetitions(log: SqliteLog) -> None:
    """A bit of the last commit frame's image flips, and its two padding frames are intact. All
    three are one torn transaction."""
    repeated = (2, 4, image(2, "golf."))
    log.add_frames(repeated, repeated)
    log.flip("frames[6].page", 5)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@PADDING.valid("SQW-014")
def commit_frame_again_after_two_others(log: SqliteLog) -> None:
    """The last of three transactions has two frames, and its commit frame equals that of the first
    transaction."""
    log.begin()
    log.commit((2, "alpha."), db_pages=2)
    log.commit((3, "bravo."), db_pages=2)
    log.commit((1, "charlie."), (2, "alpha."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 4 * 536)


@PADDING.valid("SQW-014")
def two_repetitions(log: SqliteLog) -> None:
    """Two transactions of one frame each, with two padding frames after the second."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    for _ in range(2):
        log.add_frames((2, 2, image(2, "bravo.")))
    log.expect("intact", survivors=[0, 1], end=32 + 4 * 536)


@PADDING.valid("SQW-014")
def two_repetitions_and_a_transaction(log: SqliteLog) -> None:
    """Three transactions of one frame each, with two padding frames after the second."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    for _ in range(2):
        log.add_frames((2, 2, image(2, "bravo.")))
    log.commit((1, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 5 * 536)


@PADDING.damaged(two_repetitions, "SQW-016", "SQW-031", "SQW-034", kind="corrupt")
def broken_repetitions_with_other_salts(log: SqliteLog) -> None:
    """A commit frame and its two padding frames have damaged checksums, and one padding frame has a
    damaged salt. The padding still repeats the commit frame."""
    log.set("frames[1].header.checksum_1", 0x01010101, "big")
    log.set("frames[1].header.checksum_2", 0x01010101, "big")
    log.flip("frames[2].header.salt_1", 24)
    log.flip("frames[2].header.checksum_1", 24)
    log.flip("frames[3].header.checksum_1", 24)
    log.expect("torn", "bad-tail", survivors=[0], end=568)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-014", "SQW-041")
def padding_before_its_commit_frame(log: SqliteLog) -> None:
    """A commit frame and its first padding frame are swapped. A reader finds padding by links, not
    by slot order."""
    second, third = log.slot(2), log.slot(3)
    log.replace(2, third)
    log.replace(3, second)
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@PADDING.damaged(two_repetitions_and_a_transaction, "SQW-014", "SQW-041")
def padding_swapped(log: SqliteLog) -> None:
    """Two padding frames are swapped. Both slots are listed as lost, although they are padding."""
    third, fourth = log.slot(3), log.slot(4)
    log.replace(3, fourth)
    log.replace(4, third)
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@PADDING.valid("SQW-014")
def three_frames_and_two_repetitions(log: SqliteLog) -> None:
    """One transaction of three frames, followed by two padding frames."""
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), (3, "charlie."), db_pages=3)
    for _ in range(2):
        log.add_frames((3, 3, image(3, "charlie.")))
    log.expect("intact", survivors=[0], end=32 + 5 * 536)


PADDING.table("""
bit_in_the_last_padding: commit_frame_repeated SQW-014 SQW-034 corrupt
    A bit flips in the image of the padding frame that ends the log. No transaction is lost.
    damage: flip bit 100 of frames[3].page
    expect: torn bad-tail, survivors 0 1, end 1640
bit_in_padding: commit_frame_repeated_to_a_sector SQW-015 SQW-041
    A bit flips in the image of a padding frame in the middle of the log. The slot is lost, but no
    transaction is lost.
    damage: flip bit 100 of frames[4].page
    expect: damaged frame-checksum, survivors 0-2, end none
cut_in_padding: commit_frame_repeated_to_a_sector SQW-014
    The file ends inside a padding frame.
    damage: truncate 10 bytes into frames[5].page
    expect: torn torn-frame, survivors 0, end 2712
padding_after_an_unwritten_frame: commit_frame_repeated SQW-014 SQW-031
    The last commit frame is zeroed, and its padding frame is intact. Both are one torn transaction.
    damage: zero frames[2]
    expect: torn bad-tail, survivors 0, end 1104
commit_frame_again_after_a_loss: commit_frame_again_after_two_others SQW-014 SQW-039
    The transaction between two equal commit frames is lost. The second of them ends a two-frame
    transaction, so it is not padding.
    damage: flip bit 5 of frames[1].page
    expect: damaged frame-checksum, survivors 0 2, end none
unwritten_slot_between_repetitions: two_repetitions SQW-016 SQW-031 SQW-041
    The checksum of a commit frame is damaged, and the first of two padding frames is zeroed. A slot
    of zeros does not repeat the commit frame.
    damage: flip bit 24 of frames[1].header.checksum_1
    damage: zero frames[2]
    expect: damaged frame-checksum, survivors 0, end none
bit_in_a_salt_of_padding: two_repetitions_and_a_transaction SQW-014 SQW-036
    A bit of a salt in a padding frame flips. The salts are listed as lost, as in a returned frame.
    damage: flip bit 24 of frames[2].header.salt_1
    expect: damaged frame-salt, survivors 0-2, end none
frame_removed_before_repetitions: three_frames_and_two_repetitions SQW-016 SQW-031 SQW-034 corrupt
    The second frame of the only transaction is removed. The other two frames and two padding frames
    are one torn transaction.
    damage: drop frames[1]
    expect: torn bad-tail, no survivors, end 32
bit_in_a_salt_of_the_last_padding: two_repetitions SQW-031 SQW-034 SQW-036 corrupt
    A bit flips in a salt of the padding frame that ends the log. No transaction is lost.
    damage: flip bit 24 of frames[3].header.salt_1
    expect: torn bad-tail, survivors 0 1, end 1640
""")
