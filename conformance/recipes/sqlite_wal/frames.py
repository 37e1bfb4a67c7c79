"""Damaged frames in the middle of the log: page numbers, sizes, checksums, images."""

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
    """A bit of an image flips: its transaction is lost, the later ones are returned and marked."""
    log.shows("bit-in-a-payload")
    log.flip("frames[4].page", 1000)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-035", "SQW-039", "SQW-043")
def bit_in_the_first_image(log: SqliteLog) -> None:
    """A bit of the first image flips: everything after it is returned and marked."""
    log.flip("frames[0].page", 0)
    log.expect("damaged", "frame-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-031", "SQW-041")
def bit_in_the_last_image_but_one(log: SqliteLog) -> None:
    """A bit of the last image but one flips: one transaction follows it."""
    log.flip("frames[5].page", 4095)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-012", "SQW-039", "SQW-041")
def bit_in_the_first_of_three_images(log: SqliteLog) -> None:
    """A bit of the first image of a transaction flips: its sound frames are lost with it."""
    log.flip("frames[1].page", 50)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-012", "SQW-039", "SQW-041")
def bit_in_the_middle_of_three_images(log: SqliteLog) -> None:
    """A bit of the middle image of a transaction flips."""
    log.flip("frames[2].page", 50)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-012", "SQW-039", "SQW-041")
def bit_in_the_last_of_three_images(log: SqliteLog) -> None:
    """A bit of the image in a commit frame flips."""
    log.flip("frames[3].page", 50)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-008", "SQW-041")
def bit_in_a_page_number(log: SqliteLog) -> None:
    """A bit of a page number flips."""
    log.flip("frames[4].header.page_number", 26)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-008", "SQW-040", "SQW-041")
def bit_in_a_database_size(log: SqliteLog) -> None:
    """A bit of a database size flips; the frame is still a commit frame."""
    log.flip("frames[4].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "boundaries", "SQW-040")
def commit_mark_lost_in_the_middle(log: SqliteLog) -> None:
    """A database size flips to 0: the transaction after it may be the rest of a larger one."""
    log.flip("frames[4].header.db_pages", 26)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "boundaries", "SQW-012", "SQW-040")
def commit_mark_gained_in_the_middle(log: SqliteLog) -> None:
    """A bit of a size of 0 flips in the second of three frames: the third is not a transaction."""
    log.flip("frames[2].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "boundaries", "SQW-040")
def commit_mark_gained_in_the_first_slot(log: SqliteLog) -> None:
    """A bit of the size in slot 1 flips: the value before it is the checksum of the header."""
    log.flip("frames[0].header.db_pages", 7)
    log.expect("damaged", "frame-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(two_large_transactions, "boundaries", "SQW-040", "SQW-041")
def commit_mark_gained_at_the_start(log: SqliteLog) -> None:
    """A bit of a size of 0 flips in slot 1: slots 2 and 3 are not a transaction."""
    log.flip("frames[0].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[1], end=None)


@BOOK.damaged(two_large_transactions, "boundaries", "SQW-040", "SQW-041")
def image_and_commit_mark_lost(log: SqliteLog) -> None:
    """Image and database size of a commit frame are damaged: its size, 0, decides."""
    log.fill("frames[2].page", 0xEE)
    log.zero("frames[2].header.db_pages")
    log.commit((7, "golf."), db_pages=7)
    log.did("add a transaction")
    log.expect("damaged", "frame-checksum", survivors=[2], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-010", "SQW-041")
def page_number_zeroed(log: SqliteLog) -> None:
    """A page number reads 0."""
    log.zero("frames[4].header.page_number")
    log.expect("damaged", "page-zero", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-010", "SQW-036", "SQW-041")
def page_zero_with_right_checksums(log: SqliteLog) -> None:
    """Page number 0 under right checksums: SQLite stops, the frame after it is proven."""
    log.zero("frames[5].header.page_number")
    log.reseal(6)
    log.expect("damaged", "page-zero", survivors=[0, 1, 2, 4], end=None)
    log.bug("litestream 0.5.18 and litefs accept page number 0")


@BOOK.damaged(five_transactions, "frames", "SQW-036", "SQW-041")
def page_zero_with_a_wrong_checksum(log: SqliteLog) -> None:
    """Page number 0, and its own checksum is wrong: the next frame is proven, this one is lost."""
    log.zero("frames[4].header.page_number")
    log.reseal(5)
    log.flip("frames[4].header.checksum_2", 3)
    log.expect("damaged", "page-zero", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-009", "SQW-036")
def bit_in_a_checksum(log: SqliteLog) -> None:
    """A bit of a checksum flips: the next frame proves the image, and nothing is lost."""
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
    """A checksum reads zero."""
    log.zero("frames[4].header.checksum_1")
    log.zero("frames[4].header.checksum_2")
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036")
def first_checksum_zeroed(log: SqliteLog) -> None:
    """The checksum of frame 1 reads zero."""
    log.zero("frames[0].header.checksum_1")
    log.zero("frames[0].header.checksum_2")
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-031", "SQW-036")
def checksum_in_the_last_transaction_but_one(log: SqliteLog) -> None:
    """The checksum of the last frame but one is wrong, and the last frame proves it."""
    log.flip("frames[5].header.checksum_1", 1)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036")
def two_checksums_in_a_row(log: SqliteLog) -> None:
    """The checksums of two frames in a row are wrong: the frame after them proves both."""
    log.flip("frames[3].header.checksum_1", 1)
    log.flip("frames[4].header.checksum_2", 1)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(two_large_transactions, "checksum", "SQW-031", "SQW-036")
def checksum_inside_the_last_transaction(log: SqliteLog) -> None:
    """A checksum inside the last transaction is wrong: its commit frame proves the whole of it."""
    log.flip("frames[4].header.checksum_1", 1)
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(two_large_transactions, "checksum", "SQW-036", "SQW-041")
def checksum_and_then_an_image(log: SqliteLog) -> None:
    """A checksum is wrong, and the image of the next frame too: neither is proven."""
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
    """A bit of a size of 0 flips, with big-endian checksums: slot 2 is not a transaction."""
    log.flip("frames[0].header.db_pages", 24)
    log.expect("damaged", "frame-checksum", survivors=[1, 2], end=None)


@BOOK.damaged(big_endian_checksums, "boundaries", "SQW-034", "SQW-040")
def last_commit_mark_but_one_lost(log: SqliteLog) -> None:
    """The last size but one reads 0: the last two frames look like one torn transaction."""
    log.zero("frames[2].header.db_pages")
    log.expect("torn", "bad-tail", survivors=[0], end=32 + 2 * 536)


@BOOK.damaged(five_transactions, "boundaries", "SQW-009", "SQW-040")
def highest_bit_in_an_image(log: SqliteLog) -> None:
    """The highest bit of a word of the image flips, which hides from half of the checksum."""
    log.flip("frames[2].page", 8 * 7 + 7)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(pages_of_1024_bytes, "frames", "SQW-035", "SQW-041")
def bit_in_an_image_of_1024_bytes(log: SqliteLog) -> None:
    """A bit of an image of 1024 bytes flips."""
    log.flip("frames[2].page", 8000)
    log.expect("damaged", "frame-checksum", survivors=[0, 2], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-031", "SQW-035", "SQW-041")
def two_images(log: SqliteLog) -> None:
    """A bit of two images flips: two ranges, and the transaction between them is returned."""
    log.flip("frames[0].page", 10)
    log.flip("frames[4].page", 10)
    log.expect("damaged", "frame-checksum", survivors=[1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-041")
def two_images_in_a_row(log: SqliteLog) -> None:
    """A bit of two images in a row flips: one range, since both have the same code."""
    log.flip("frames[4].page", 10)
    log.flip("frames[5].page", 10)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-037", "SQW-041")
def image_and_checksum(log: SqliteLog) -> None:
    """Image and checksum of one frame are damaged: the frame after it cannot be proven."""
    log.flip("frames[4].page", 10)
    log.flip("frames[4].header.checksum_1", 10)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(twelve_transactions, "frames", "SQW-035", "SQW-044", kind="limit")
def six_damaged_images(log: SqliteLog) -> None:
    """Every second of twelve frames is damaged: six ranges, and five marked transactions."""
    for number in range(1, 12, 2):
        log.flip(f"frames[{number}].page", number)
    log.expect("damaged", "frame-checksum", survivors=list(range(0, 11, 2)))


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-032", "SQW-041", kind="corrupt")
def damage_and_uncommitted_frames(log: SqliteLog) -> None:
    """A damaged image, and at the end a frame without a commit."""
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[4].page", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-033", "SQW-041", "SQW-046")
def damage_and_a_cut_frame(log: SqliteLog) -> None:
    """A damaged image, and the file ends inside a frame."""
    log.flip("frames[4].page", 4)
    log.truncate(3700)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-031", "SQW-033")
def damaged_last_transaction_and_a_piece(log: SqliteLog) -> None:
    """The last transaction is broken, and a piece of another frame follows: damage, not torn."""
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[6].page", 4)
    log.truncate(3784 + 40)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-031")
def damaged_last_transaction_and_an_uncommitted_frame(log: SqliteLog) -> None:
    """The last transaction is broken, and a frame without a commit follows: damage, not torn."""
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[6].page", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "tail-after-damage", "SQW-031", "SQW-036")
def last_checksum_before_an_uncommitted_frame(log: SqliteLog) -> None:
    """The checksum of the last commit frame is wrong; a frame without a commit proves it."""
    log.spill((5, "hotel."))
    log.did("add a frame without a commit")
    log.flip("frames[6].header.checksum_1", 4)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "checksum", "SQW-036", "SQW-041")
def checksum_and_the_image_of_the_commit_frame(log: SqliteLog) -> None:
    """A checksum is wrong in a transaction whose commit frame is lost: its slot is lost whole."""
    log.flip("frames[1].header.checksum_1", 1)
    log.flip("frames[3].page", 1)
    log.expect("damaged", "frame-checksum", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(two_large_transactions, "frames", "SQW-030", "SQW-041")
def page_zero_without_a_commit(log: SqliteLog) -> None:
    """The page number of a frame without a commit reads 0."""
    log.zero("frames[1].header.page_number")
    log.expect("damaged", "page-zero", survivors=[1], end=None)
