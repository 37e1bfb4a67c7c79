"""Commit frames that are repeated until a sector is full."""

from conformance.recipes.sqlite_wal.layout import five_transactions
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, image


@BOOK.valid("padding", "SQW-014", "SQW-042")
def commit_frame_repeated(log: SqliteLog) -> None:
    """Two transactions of one frame each. One padding frame follows each transaction."""
    log.begin()
    for page, text in ((1, "alpha."), (2, "bravo.")):
        log.commit((page, text), db_pages=2)
        log.add_frames((page, 2, image(page, text)))
    log.expect("intact", survivors=[0, 1], end=2176)


@BOOK.valid("padding", "SQW-014")
def commit_frame_repeated_to_a_sector(log: SqliteLog) -> None:
    """Padding fills a sector of 4,096 bytes after a transaction of two frames. Two more
    transactions follow.
    """
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    while len(log.data) < 4096:
        log.add_frames((2, 2, image(2, "bravo.")))
    log.commit((2, "charlie."), db_pages=2)
    log.commit((3, "delta."), db_pages=3)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 10 * 536)


@BOOK.valid("padding", "SQW-014")
def repeated_image_with_another_size(log: SqliteLog) -> None:
    """A frame with the page number and image of the commit frame but another database size is not
    padding.
    """
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((1, "alpha."), db_pages=3)
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.valid("padding", "SQW-014")
def repeated_image_of_another_page(log: SqliteLog) -> None:
    """A frame with the image and database size of the commit frame but another page number is not
    padding.
    """
    log.begin()
    log.commit((3, "alpha."), db_pages=4)
    log.commit((4, "alpha."), db_pages=4)
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.valid("padding", "SQW-014")
def repeated_commit_frame_in_a_larger_transaction(log: SqliteLog) -> None:
    """The second frame of a two-frame transaction repeats the previous commit frame, but is not
    padding.
    """
    log.begin()
    log.commit((2, "alpha."), db_pages=2)
    log.commit((1, "bravo."), (2, "alpha."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=1640)


@BOOK.valid("padding", "SQW-014")
def commit_frame_of_an_earlier_transaction_again(log: SqliteLog) -> None:
    """Another transaction separates two equal commit frames, so the second of them is
    not padding.
    """
    log.begin()
    log.commit((2, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    log.commit((2, "alpha."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2], end=1640)


@BOOK.damaged(commit_frame_of_an_earlier_transaction_again, "padding", "SQW-014", "SQW-039")
def transaction_lost_between_equal_commit_frames(log: SqliteLog) -> None:
    """The transaction between two equal commit frames is lost. The second of them is
    not padding.
    """
    log.flip("frames[1].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 2], end=None)


@BOOK.damaged(commit_frame_repeated, "padding", "SQW-014", "SQW-034")
def bit_in_the_last_padding(log: SqliteLog) -> None:
    """A bit flips in the image of the padding frame that ends the log. No transaction is lost."""
    log.flip("frames[3].page", 100)
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)


@BOOK.damaged(commit_frame_repeated_to_a_sector, "padding", "SQW-015", "SQW-041")
def bit_in_padding(log: SqliteLog) -> None:
    """A bit flips in the image of a padding frame in the middle of the log. The slot is lost, but
    no transaction is lost.
    """
    log.flip("frames[4].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(commit_frame_repeated_to_a_sector, "padding", "SQW-014", kind="eof")
def cut_in_padding(log: SqliteLog) -> None:
    """The file ends inside a padding frame."""
    log.truncate_in("frames[5].page", 10)
    log.expect("torn", "torn-frame", survivors=[0], end=32 + 5 * 536)


@BOOK.damaged(commit_frame_repeated, "padding", "SQW-014", "SQW-031", kind="eof")
def padding_after_an_unwritten_frame(log: SqliteLog) -> None:
    """The last commit frame is zeroed, and its padding frame is intact. Both are one torn
    transaction.
    """
    log.zero("frames[2]")
    log.expect("torn", "bad-tail", survivors=[0], end=1104)


@BOOK.damaged(commit_frame_repeated, "padding", "SQW-014", "SQW-031", kind="eof")
def repetitions_after_an_unwritten_frame(log: SqliteLog) -> None:
    """The last commit frame is zeroed, and its two padding frames are intact. All three are one
    torn transaction.
    """
    log.add_frames((2, 2, image(2, "bravo.")))
    log.did("repeat the last frame once more")
    log.zero("frames[2]")
    log.expect("torn", "bad-tail", survivors=[0], end=1104)


@BOOK.damaged(five_transactions, "padding", "SQW-016", "SQW-031", "SQW-034")
def broken_commit_and_its_repetitions(log: SqliteLog) -> None:
    """A bit of the last commit frame's image flips, and its two padding frames are intact. All
    three are one torn transaction.
    """
    repeated = (2, 4, image(2, "golf."))
    log.add_frames(repeated, repeated)
    log.did("repeat the last frame twice")
    log.flip("frames[6].page", 5)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.valid("padding", "SQW-014")
def commit_frame_again_after_two_others(log: SqliteLog) -> None:
    """The last of three transactions has two frames, and its commit frame equals that of the first
    transaction.
    """
    log.begin()
    log.commit((2, "alpha."), db_pages=2)
    log.commit((3, "bravo."), db_pages=2)
    log.commit((1, "charlie."), (2, "alpha."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 4 * 536)


@BOOK.damaged(commit_frame_again_after_two_others, "padding", "SQW-014", "SQW-039")
def commit_frame_again_after_a_loss(log: SqliteLog) -> None:
    """The transaction between two equal commit frames is lost. The second of them ends a two-frame
    transaction, so it is not padding.
    """
    log.flip("frames[1].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 2], end=None)


@BOOK.valid("padding", "SQW-014")
def two_repetitions(log: SqliteLog) -> None:
    """Two transactions of one frame each, with two padding frames after the second."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    for _ in range(2):
        log.add_frames((2, 2, image(2, "bravo.")))
    log.expect("intact", survivors=[0, 1], end=32 + 4 * 536)


@BOOK.valid("padding", "SQW-014")
def two_repetitions_and_a_transaction(log: SqliteLog) -> None:
    """Three transactions of one frame each, with two padding frames after the second."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    for _ in range(2):
        log.add_frames((2, 2, image(2, "bravo.")))
    log.commit((1, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 5 * 536)


@BOOK.damaged(two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-034")
def broken_repetitions_with_other_salts(log: SqliteLog) -> None:
    """A commit frame and its two padding frames have damaged checksums, and one padding frame has a
    damaged salt. The padding still repeats the commit frame.
    """
    log.set("frames[1].header.checksum_1", 0x01010101, "big")
    log.set("frames[1].header.checksum_2", 0x01010101, "big")
    log.flip("frames[2].header.salt_1", 24)
    log.flip("frames[2].header.checksum_1", 24)
    log.flip("frames[3].header.checksum_1", 24)
    log.expect("torn", "bad-tail", survivors=[0], end=568)


@BOOK.damaged(two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-041")
def unwritten_slot_between_repetitions(log: SqliteLog) -> None:
    """The checksum of a commit frame is damaged, and the first of two padding frames is zeroed. A
    slot of zeros does not repeat the commit frame.
    """
    log.flip("frames[1].header.checksum_1", 24)
    log.zero("frames[2]")
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-014", "SQW-041")
def padding_before_its_commit_frame(log: SqliteLog) -> None:
    """A commit frame and its first padding frame are swapped. A reader finds padding by links, not
    by slot order.
    """
    second, third = log.slot(2), log.slot(3)
    log.replace(2, third, "the bytes of slot 3")
    log.replace(3, second, "the bytes of slot 2")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-014", "SQW-041")
def padding_swapped(log: SqliteLog) -> None:
    """Two padding frames are swapped. Both slots are listed as lost, although they are padding."""
    third, fourth = log.slot(3), log.slot(4)
    log.replace(3, fourth, "the bytes of slot 4")
    log.replace(4, third, "the bytes of slot 3")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-014", "SQW-036")
def bit_in_a_salt_of_padding(log: SqliteLog) -> None:
    """A bit of a salt in a padding frame flips. The salts are listed as lost, as in a returned
    frame.
    """
    log.flip("frames[2].header.salt_1", 24)
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2], end=None)


@BOOK.valid("padding", "SQW-014")
def three_frames_and_two_repetitions(log: SqliteLog) -> None:
    """One transaction of three frames, followed by two padding frames."""
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), (3, "charlie."), db_pages=3)
    for _ in range(2):
        log.add_frames((3, 3, image(3, "charlie.")))
    log.expect("intact", survivors=[0], end=32 + 5 * 536)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-034")
def frame_removed_before_repetitions(log: SqliteLog) -> None:
    """The second frame of the only transaction is removed. The other two frames and two padding
    frames are one torn transaction.
    """
    log.drop("frames[1]")
    log.expect("torn", "bad-tail", end=32)


@BOOK.damaged(two_repetitions, "padding", "SQW-031", "SQW-034", "SQW-036")
def bit_in_a_salt_of_the_last_padding(log: SqliteLog) -> None:
    """A bit flips in a salt of the padding frame that ends the log. No transaction is lost."""
    log.flip("frames[3].header.salt_1", 24)
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)
