"""Padding that is lost, moved or copied, and damage to the frames around it."""

from conformance.recipes.sqlite_wal.layout import one_transaction
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog
from conformance.recipes.sqlite_wal.padding import (
    two_repetitions,
    two_repetitions_and_a_transaction,
)


@BOOK.valid("padding", "SQW-014")
def two_repetitions_and_two_transactions(log: SqliteLog) -> None:
    """A transaction, one that is repeated twice, and two others."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    repeated = (2, 2, log.image(2, "bravo."))
    log.add_frames(repeated, repeated)
    log.commit((1, "charlie."), db_pages=2)
    log.commit((2, "delta."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2, 3], end=32 + 6 * 536)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-035", "SQW-036")
def header_of_a_later_frame(log: SqliteLog) -> None:
    """Slot 1 has the header of slot 5, and with it the checksum: slot 5 is not a copy."""
    log.splice("frames[0].header", log.slot(5)[:24], "frames[4].header")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions, "padding", "SQW-035", "SQW-036")
def copy_after_a_wrong_checksum(log: SqliteLog) -> None:
    """The checksum of slot 1 is wrong, and slot 4 is a copy of the whole frame: returned once."""
    log.splice("frames[3]", log.slot(1), "frames[0]")
    log.set("frames[0].header.checksum_2", 1, "big")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-035")
def copy_of_broken_padding(log: SqliteLog) -> None:
    """The image of the first padding is broken, and the whole frame stands at the end: a copy."""
    log.extend(log.slot(3), "a copy of slot 3")
    log.flip("frames[2].page", 100)
    log.zero("frames[2].header")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2], end=None)


@BOOK.damaged(one_transaction, "padding", "SQW-014", "SQW-039")
def repeated_image_with_another_size_after_a_loss(log: SqliteLog) -> None:
    """After a loss, the same page and image with another database size is a transaction."""
    log.commit((5, "bravo."), db_pages=5)
    log.commit((5, "bravo."), db_pages=6)
    log.did("add two transactions that differ in the database size")
    log.flip("frames[0].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[1, 2], end=None)


@BOOK.damaged(two_repetitions_and_two_transactions, "padding", "SQW-015")
def both_images_of_padding_replaced(log: SqliteLog) -> None:
    """The image of the first padding is zeros, and that of the second is the next image."""
    log.zero("frames[2].page")
    log.splice("frames[3].page", log.slot(5)[24:], "frames[4].page")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(two_repetitions, "padding", "SQW-015", "SQW-030", kind="eof")
def page_zero_and_salt_of_padding_at_the_end(log: SqliteLog) -> None:
    """The last padding has page number 0 and a broken salt: still of this generation."""
    log.zero("frames[3].header.page_number")
    log.flip("frames[3].header.salt_1", 3)
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)


@BOOK.damaged(two_repetitions_and_two_transactions, "padding", "SQW-036", "SQW-038")
def second_padding_over_the_first_before_a_swap(log: SqliteLog) -> None:
    """The second padding stands in the place of the first, and the last two frames are swapped."""
    fifth, sixth = log.slot(5), log.slot(6)
    log.splice("frames[2]", log.slot(4), "frames[3]")
    log.replace(5, sixth, "the bytes of slot 6")
    log.replace(6, fifth, "the bytes of slot 5")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(two_repetitions_and_two_transactions, "padding", "SQW-015", "SQW-038", "SQW-039")
def broken_padding_in_a_ring(log: SqliteLog) -> None:
    """The header is lost, and slots 1 and 4 are swapped: slot 4 counts as broken padding."""
    first, fourth = log.slot(1), log.slot(4)
    log.replace(1, fourth, "the bytes of slot 4")
    log.replace(4, first, "the bytes of slot 1")
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[1, 2, 3], end=None)


@BOOK.damaged(two_repetitions_and_two_transactions, "padding", "SQW-015", "SQW-035")
def first_padding_over_the_second(log: SqliteLog) -> None:
    """The first padding stands in the second, too, has another size, and the last frame is cut."""
    log.splice("frames[3]", log.slot(3), "frames[2]")
    log.flip("frames[2].header.db_pages", 24)
    log.truncate_in("frames[5]", 10)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions, "padding", "SQW-014", "SQW-039")
def fork_beside_padding(log: SqliteLog) -> None:
    """A transaction and padding follow one commit frame after a wrong checksum: the chain ends."""
    log.state = log.checksum_of(2)
    log.commit((3, "charlie."), db_pages=3)
    log.did("add a transaction that follows slot 2")
    log.flip("frames[0].header.checksum_1", 3)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions_and_two_transactions, "lost-header", "SQW-016", "SQW-027", "SQW-031")
def first_frame_at_the_end_without_its_checksum(log: SqliteLog) -> None:
    """The header, the checksum of slot 1 and the last image are lost; a copy of slot 1 ends it."""
    log.zero("header")
    log.zero("frames[0].header.checksum_1")
    log.zero("frames[0].header.checksum_2")
    log.flip("frames[5].page", 100)
    log.extend(log.slot(1), "a copy of slot 1")
    log.expect("damaged", "header-checksum", survivors=[1, 2], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-035")
def copy_after_unwritten_padding(log: SqliteLog) -> None:
    """The padding was never written, and a copy of the frame after it stands before: a copy."""
    padding, later = log.slot(4), log.slot(5)
    log.zero("frames[2]")
    log.zero("frames[3]")
    log.insert(log.at(2), later, "a copy of slot 5")
    log.extend(padding, "the last padding")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_repetitions_and_two_transactions, "links", "SQW-036", "SQW-038")
def moved_frame_and_its_copy_without_a_checksum(log: SqliteLog) -> None:
    """Slots 5 and 6 are swapped, and a copy of slot 6 with a wrong checksum follows them."""
    fifth, sixth = log.slot(5), log.slot(6)
    log.commit((1, "echo."), db_pages=2)
    seventh = log.slot(7)
    log.did("add a transaction")
    log.replace(5, sixth, "the bytes of slot 6")
    log.replace(6, fifth, "the bytes of slot 5")
    copy = bytearray(sixth)
    copy[16] ^= 1
    log.replace(7, bytes(copy), "slot 6 with a wrong checksum")
    log.extend(seventh, "the bytes of slot 7")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2, 3, 4], end=None)
