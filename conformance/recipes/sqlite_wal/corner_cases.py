"""Rare combinations of faults."""

from conformance.recipes.sqlite_wal.headers import two_transactions
from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    one_transaction_of_two_frames,
    salts_of_zeros,
)
from conformance.recipes.sqlite_wal.log import (
    FRAMES,
    HEADER,
    LINKS,
    PADDING,
    SALTS_GROUP,
    TORN_TAIL,
    WRITING,
    SqliteLog,
    image,
)
from conformance.recipes.sqlite_wal.writing import configured


@LINKS.damaged(five_transactions, "SQW-039")
def two_lines_after_a_commit(log: SqliteLog) -> None:
    """Two transactions follow the last committed transaction. The chain ends there, and all later
    transactions have `after_loss`."""
    log.state = log.checksum_of(4)
    log.commit((3, "hotel."), db_pages=4)
    log.commit((2, "india."), db_pages=4)
    log.insert(log.at(5), bytes(536))
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 3, 4, 5, 6], end=None)


@LINKS.damaged(five_transactions, "SQW-039")
def two_lines_after_a_moved_transaction(log: SqliteLog) -> None:
    """After a slot of zeros, the chain continues with one transaction. Two transactions follow that
    transaction, so the chain ends."""
    log.state = log.checksum_of(5)
    log.commit((3, "hotel."), db_pages=4)
    log.insert(log.at(5), bytes(536))
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 3, 4, 5], end=None)


@LINKS.damaged(five_transactions, "SQW-039")
def two_lines_after_a_loss(log: SqliteLog) -> None:
    """After a loss, two transactions follow the same transaction. A reader returns both before it
    starts at another transaction (depth first)."""
    log.state = log.checksum_of(5)
    log.commit((3, "hotel."), db_pages=4)
    log.state = log.checksum_of(6)
    log.commit((3, "india."), db_pages=4)
    log.flip("frames[4].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4, 6, 5], end=None)


@LINKS.damaged(five_transactions, "SQW-036", "SQW-038")
def copy_before_a_broken_checksum(log: SqliteLog) -> None:
    """A copy of slot 6 is inserted before slot 5, and the checksum of the frame after the original
    is damaged."""
    log.commit((3, "hotel."), db_pages=4)
    log.insert(log.at(5), log.slot(6))
    log.data[log.at(8) + 16] ^= 1
    log.expect("damaged", "broken-link", survivors=[0, 1, 2, 3, 4, 5], end=None)


@HEADER.damaged(two_transactions, "SQW-027")
def header_and_page_zero_in_the_first_slot(log: SqliteLog) -> None:
    """The header is damaged, and the page number in slot 1 is zeroed. The second frame still
    follows slot 1."""
    log.flip("header.checksum_1", 8)
    log.zero("frames[0].header.page_number")
    log.expect("damaged", "header-checksum", survivors=[1], end=None)


@TORN_TAIL.damaged(salts_of_zeros, "SQW-030", "SQW-032")
def zeros_in_place_of_a_frame_header(log: SqliteLog) -> None:
    """In a log with salts of zero, the last slot has a zeroed frame header and an image. The slot
    is not of this generation, but awaits its checksum."""
    log.extend(bytes(24) + image(2, "hotel."))
    log.expect("torn", "uncommitted", survivors=[0, 1], end=1104)


@SALTS_GROUP.damaged(five_transactions, "SQW-031", "SQW-039")
def salts_and_image_of_the_last_but_one(log: SqliteLog) -> None:
    """Bits flip in a salt and the image of the second-to-last transaction. The last transaction has
    `after_loss`."""
    log.flip("frames[5].header.salt_1", 3)
    log.flip("frames[5].page", 100)
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 4], end=None)


@TORN_TAIL.damaged(one_transaction_of_two_frames, "SQW-036")
def checksum_proven_by_a_frame_with_other_salts(log: SqliteLog) -> None:
    """A commit frame with a damaged checksum is proven by the next frame, whose salt is damaged.
    That frame begins an uncommitted transaction."""
    log.commit((1, "charlie."), (2, "delta."), db_pages=2)
    log.spill((3, "echo."), (4, "foxtrot."))
    log.data[log.at(4) + 16] ^= 1
    log.data[log.at(5) + 8] ^= 1
    log.data[log.at(6) + 16] ^= 1
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@LINKS.damaged(five_transactions, "SQW-035", "SQW-039")
def swapped_and_other_salts(log: SqliteLog) -> None:
    """The last two slots are swapped, and a salt of the frame that is now last is damaged. That
    frame is not proven."""
    sixth, seventh = log.slot(6), log.slot(7)
    log.replace(6, seventh)
    log.replace(7, sixth)
    log.data[log.at(7) + 8] ^= 1
    log.expect("damaged", "broken-link", survivors=[0, 1, 2, 4], end=None)


def _two_checksums(log: SqliteLog, page: int, db_pages: int) -> None:
    """Add a frame with the image of the last one, and damage the checksums of both frames."""
    log.commit((2, "bravo."), db_pages=2)
    log.add_frames((page, db_pages, image(2, "bravo.")))
    log.data[log.at(2) + 16] ^= 4
    log.data[log.at(3) + 21] ^= 1
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


@PADDING.damaged(one_transaction, "SQW-016", "SQW-031")
def checksums_of_one_image_with_two_sizes(log: SqliteLog) -> None:
    """The checksums of two frames are damaged. The frames have the same page number and image, but
    different database sizes, so they are not a repetition."""
    _two_checksums(log, 2, 3)


@PADDING.damaged(one_transaction, "SQW-016", "SQW-031")
def checksums_of_one_image_of_two_pages(log: SqliteLog) -> None:
    """The checksums of two frames are damaged. The frames have the same image and database size,
    but different page numbers, so they are not a repetition."""
    _two_checksums(log, 3, 2)


def _mark_gained(log: SqliteLog) -> None:
    """Add a transaction of two frames, and give its first frame a commit mark."""
    log.commit((1, "charlie."), (2, "delta."), db_pages=2)
    log.data[log.at(3) + 7] = 9


FRAMES.table("""
page_zero_and_checksum_before_an_image: five_transactions SQW-041
    The page number and checksum of slot 5 and the image of slot 6 are damaged. Slot 6 is lost as
    `frame-checksum`, not as `unanchored`.
    damage: zero frames[4].header.page_number
    damage: flip bit 8 of frames[4].header.checksum_1
    damage: flip bit 100 of frames[5].page
    expect: damaged page-zero, survivors 0 1 4, end none
mark_gained_after_other_salts: two_transactions SQW-040
    A frame gains a commit mark after a frame with a damaged salt. No transaction can begin after
    the new commit mark.
    mark_gained:
    damage: flip bit 3 of frames[1].header.salt_1
    expect: damaged frame-salt, survivors 0 1, end none
mark_gained_after_a_broken_image: two_transactions SQW-040
    A frame gains a commit mark after a frame with a damaged image. No transaction can begin after
    the new commit mark.
    mark_gained:
    damage: flip bit 100 of frames[1].page
    expect: damaged frame-checksum, survivors 0, end none
""")


def _with_unfinished(log: SqliteLog) -> None:
    log.commit((1, "charlie."), db_pages=2)
    log.spill((2, "delta."))


@FRAMES.damaged(two_transactions, "SQW-041")
def other_salts_before_an_unfinished_frame(log: SqliteLog) -> None:
    """The images of slots 2 and 3 and a salt of slot 3 are damaged. Slot 3 is then not of this
    generation, so the damage ends before slot 3."""
    _with_unfinished(log)
    log.flip("frames[1].page", 100)
    log.data[log.at(3) + 8] ^= 1
    log.data[log.at(3) + 100] ^= 1
    log.expect("damaged", "frame-checksum", survivors=[0], end=None)


@FRAMES.damaged(two_transactions, "SQW-041")
def page_zero_in_the_last_commit_frame(log: SqliteLog) -> None:
    """The page number of the last commit frame is zeroed. The damage ends with this frame, and a
    torn tail follows."""
    _with_unfinished(log)
    log.data[log.at(3) : log.at(3) + 4] = bytes(4)
    log.expect("damaged", "page-zero", survivors=[0, 1], end=None)


@WRITING.writing("SQW-003", "SQW-050")
def write_a_page_of_65536_bytes(log: SqliteLog) -> None:
    """A writer uses the largest page size, 65,536 bytes."""
    configured(log, page_size=65536)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 65560)
