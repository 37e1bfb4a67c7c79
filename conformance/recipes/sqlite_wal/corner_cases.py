"""Rules that only a rare combination of faults reaches."""

from conformance.recipes.sqlite_wal.headers import two_transactions
from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    one_transaction_of_two_frames,
    salts_of_zeros,
)
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, image
from conformance.recipes.sqlite_wal.writing import configured


@BOOK.damaged(five_transactions, "links", "SQW-039")
def two_lines_after_a_commit(log: SqliteLog) -> None:
    """Two transactions follow the last committed one: nothing shows which of them counts."""
    log.state = log.checksum_of(4)
    log.commit((3, "hotel."), db_pages=4)
    log.commit((2, "india."), db_pages=4)
    log.did("add two transactions that follow slot 4")
    log.insert(log.at(5), bytes(536), "a slot of zeros")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 3, 4, 5, 6], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039")
def two_lines_after_a_moved_transaction(log: SqliteLog) -> None:
    """Two transactions follow the first one after the damage, which has no mark."""
    log.state = log.checksum_of(5)
    log.commit((3, "hotel."), db_pages=4)
    log.did("add a transaction that follows slot 5")
    log.insert(log.at(5), bytes(536), "a slot of zeros")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 3, 4, 5], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039")
def two_lines_after_a_loss(log: SqliteLog) -> None:
    """Two transactions follow the same one after a loss: depth first, before the next start."""
    log.state = log.checksum_of(5)
    log.commit((3, "hotel."), db_pages=4)
    log.state = log.checksum_of(6)
    log.commit((3, "india."), db_pages=4)
    log.did("add a transaction that follows slot 5, and one that follows slot 6")
    log.flip("frames[4].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4, 6, 5], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-036", "SQW-038")
def copy_before_a_broken_checksum(log: SqliteLog) -> None:
    """A copy of slot 6 stands before slot 5; the checksum of the frame after slot 6 is broken."""
    log.commit((3, "hotel."), db_pages=4)
    log.did("add a transaction")
    log.insert(log.at(5), log.slot(6), "a copy of slot 6")
    log.data[log.at(8) + 16] ^= 1
    log.did("flip a bit in the checksum of slot 8")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2, 3, 4, 5], end=None)


@BOOK.damaged(two_transactions, "header", "SQW-027")
def header_and_page_zero_in_the_first_slot(log: SqliteLog) -> None:
    """The header is damaged and page number 1 of the log zeroed: the second frame follows it."""
    log.flip("header.checksum_1", 8)
    log.zero("frames[0].header.page_number")
    log.expect("damaged", "header-checksum", survivors=[1], end=None)


@BOOK.damaged(salts_of_zeros, "torn-tail", "SQW-030")
def zeros_in_place_of_a_frame_header(log: SqliteLog) -> None:
    """After salts of zeros, a slot with an image and zeros for its header is framing."""
    log.extend(bytes(24) + image(2, "hotel."), "24 zeros and an image")
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.damaged(five_transactions, "salts", "SQW-031", "SQW-039")
def salts_and_image_of_the_last_but_one(log: SqliteLog) -> None:
    """The last transaction but one has other salts and a broken image: the last one is marked."""
    log.flip("frames[5].header.salt_1", 3)
    log.flip("frames[5].page", 100)
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 4], end=None)


@BOOK.damaged(one_transaction_of_two_frames, "torn-tail", "SQW-036")
def checksum_proven_by_a_frame_with_other_salts(log: SqliteLog) -> None:
    """A frame with other salts proves the commit frame before it; an unfinished one follows."""
    log.commit((1, "charlie."), (2, "delta."), db_pages=2)
    log.spill((3, "echo."), (4, "foxtrot."))
    log.did("add a transaction of two frames, and two frames without a commit")
    log.data[log.at(4) + 16] ^= 1
    log.data[log.at(5) + 8] ^= 1
    log.data[log.at(6) + 16] ^= 1
    log.did("flip a bit in the checksum of slot 4, a salt of slot 5 and the checksum of slot 6")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-035", "SQW-039")
def swapped_and_other_salts(log: SqliteLog) -> None:
    """The last two slots are swapped, and the last one has other salts: it is not proven."""
    sixth, seventh = log.slot(6), log.slot(7)
    log.replace(6, seventh, "the bytes of slot 7")
    log.replace(7, sixth, "the bytes of slot 6")
    log.data[log.at(7) + 8] ^= 1
    log.did("flip a bit of the salts of slot 7")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2, 4], end=None)


@BOOK.damaged(five_transactions, "frames", "SQW-041")
def page_zero_and_checksum_before_an_image(log: SqliteLog) -> None:
    """Page number and checksum of a slot and the next image are broken: page zero is an anchor."""
    log.zero("frames[4].header.page_number")
    log.flip("frames[4].header.checksum_1", 8)
    log.flip("frames[5].page", 100)
    log.expect("damaged", "page-zero", survivors=[0, 1, 4], end=None)


def _two_checksums(log: SqliteLog, page: int, db_pages: int) -> None:
    """Add a frame with the image of the last one; break the checksums of both."""
    log.commit((2, "bravo."), db_pages=2)
    log.add_frames((page, db_pages, image(2, "bravo.")))
    log.did("add a transaction, and a frame with its image")
    log.data[log.at(2) + 16] ^= 4
    log.data[log.at(3) + 21] ^= 1
    log.did("flip a bit in the checksums of slots 2 and 3")
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


@BOOK.damaged(one_transaction, "padding", "SQW-016", "SQW-031")
def checksums_of_one_image_with_two_sizes(log: SqliteLog) -> None:
    """A frame with the image and page of the commit frame, and another size, is no repetition."""
    _two_checksums(log, 2, 3)


@BOOK.damaged(one_transaction, "padding", "SQW-016", "SQW-031")
def checksums_of_one_image_of_two_pages(log: SqliteLog) -> None:
    """A frame with the image and size of the commit frame, and another page, is no repetition."""
    _two_checksums(log, 3, 2)


def _mark_gained(log: SqliteLog) -> None:
    """Add a transaction of two frames, whose first one gains a commit mark."""
    log.commit((1, "charlie."), (2, "delta."), db_pages=2)
    log.did("add a transaction of two frames")
    log.data[log.at(3) + 7] = 9
    log.did("set the database size of slot 3 to 9")


@BOOK.damaged(two_transactions, "frames", "SQW-040")
def mark_gained_after_other_salts(log: SqliteLog) -> None:
    """A frame gains a commit mark after a slot with other salts: nothing begins after it."""
    _mark_gained(log)
    log.flip("frames[1].header.salt_1", 3)
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)


@BOOK.damaged(two_transactions, "frames", "SQW-040")
def mark_gained_after_a_broken_image(log: SqliteLog) -> None:
    """A frame gains a commit mark after a broken image: nothing begins after it."""
    _mark_gained(log)
    log.flip("frames[1].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


def _with_unfinished(log: SqliteLog) -> None:
    log.commit((1, "charlie."), db_pages=2)
    log.spill((2, "delta."))
    log.did("add a transaction, and a frame without a commit")


@BOOK.damaged(two_transactions, "frames", "SQW-041")
def other_salts_before_an_unfinished_frame(log: SqliteLog) -> None:
    """The last commit frame has other salts and a broken image: it is not of this generation."""
    _with_unfinished(log)
    log.flip("frames[1].page", 100)
    log.data[log.at(3) + 8] ^= 1
    log.data[log.at(3) + 100] ^= 1
    log.did("flip a bit in a salt and in the image of slot 3")
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


@BOOK.damaged(two_transactions, "frames", "SQW-041")
def page_zero_in_the_last_commit_frame(log: SqliteLog) -> None:
    """The last commit frame has page number 0: it ends the damage, and a torn tail follows."""
    _with_unfinished(log)
    log.data[log.at(3) : log.at(3) + 4] = bytes(4)
    log.did("zero the page number of slot 3")
    log.expect("damaged", "page-zero", survivors=[0, 1], end=None)


@BOOK.writing("writing", "SQW-003", "SQW-050")
def write_a_page_of_65536_bytes(log: SqliteLog) -> None:
    """The highest page size."""
    configured(log, page_size=65536)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 65560)
