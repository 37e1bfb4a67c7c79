"""Damaged salts, and slots without a frame of this generation before frames of this generation."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    salts_of_zeros,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, older_generation

ALL = [0, 1, 2, 3, 4]


@BOOK.damaged(five_transactions, "salts", "SQW-005", "SQW-010", "SQW-036")
def bit_in_a_salt(log: SqliteLog) -> None:
    """A bit of a salt flips. The checksum still proves the frame, so no record is lost."""
    log.flip("frames[4].header.salt_1", 3)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-005", "SQW-036")
def bit_in_the_second_salt(log: SqliteLog) -> None:
    """A bit of salt-2 in a frame flips."""
    log.flip("frames[2].header.salt_2", 30)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-030", "SQW-031", "SQW-036")
def bit_in_the_last_salt(log: SqliteLog) -> None:
    """A bit of a salt in the last frame flips. The checksum shows that the frame is not of an older
    generation.
    """
    log.flip("frames[6].header.salt_1", 0)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-036")
def bit_in_the_first_salt(log: SqliteLog) -> None:
    """A bit of a salt in frame 1 flips. The header has the correct salts."""
    log.flip("frames[0].header.salt_2", 8)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(two_large_transactions, "salts", "SQW-030", "SQW-031", "SQW-036")
def bit_in_a_salt_of_the_last_transaction(log: SqliteLog) -> None:
    """A bit of a salt flips inside the last transaction."""
    log.flip("frames[4].header.salt_1", 5)
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)


@BOOK.damaged(two_large_transactions, "salts", "SQW-030", "SQW-032", kind="eof")
def bit_in_a_salt_of_an_uncommitted_frame(log: SqliteLog) -> None:
    """A bit of a salt flips in an uncommitted frame at the end of the log. No committed transaction
    is lost.
    """
    log.spill((7, "golf."))
    log.did("add a frame without a commit")
    log.data[log.at(7) + 8] ^= 32
    log.did("flip bit 5 of salt-1 of slot 7")
    log.expect("torn", "uncommitted", survivors=[0, 1], end=3248)


@BOOK.damaged(five_transactions, "salts", "SQW-036")
def salts_zeroed(log: SqliteLog) -> None:
    """Both salts of a frame are zeroed."""
    log.zero("frames[4].header.salt_1")
    log.zero("frames[4].header.salt_2")
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(salts_of_zeros, "salts", "SQW-005", "SQW-036")
def bit_in_salts_of_zeros(log: SqliteLog) -> None:
    """A bit of a salt flips in a log with salts of zero."""
    log.flip("frames[0].header.salt_1", 0)
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-036")
def salts_and_checksum(log: SqliteLog) -> None:
    """Salt-1 and the checksum of a frame are damaged. The next frame proves this frame, and two
    ranges inside it are lost.
    """
    log.fill("frames[4].header.salt_1", 0x55)
    log.fill("frames[4].header.checksum_1", 0x55)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-036", "SQW-041")
def salts_and_image(log: SqliteLog) -> None:
    """Salt-1 and the image of a frame are damaged. The checksum of this frame still proves the next
    frame.
    """
    log.fill("frames[4].header.salt_1", 0x55)
    log.flip("frames[4].page", 100)
    log.expect("damaged", "frame-salt", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "unwritten", "SQW-031", "SQW-041")
def unwritten_slot(log: SqliteLog) -> None:
    """A slot is zeroed. The next frame cannot be proven, but the frame after that can."""
    log.zero("frames[4]")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 4], end=None)


@BOOK.damaged(salts_of_zeros, "unwritten", "SQW-005", "SQW-030", "SQW-041")
def unwritten_slot_under_salts_of_zeros(log: SqliteLog) -> None:
    """A slot is zeroed in a log with salts of zero. The slot is not a frame of this generation."""
    log.commit((3, "charlie."), db_pages=3)
    log.commit((4, "delta."), db_pages=4)
    log.did("add two transactions")
    log.zero("frames[1]")
    log.expect("damaged", "frame-salt", survivors=[0, 3], end=None)


@BOOK.damaged(five_transactions, "unwritten", "SQW-035", "SQW-041")
def unwritten_sector(log: SqliteLog) -> None:
    """A sector of 512 bytes is zeroed. It contains the end of an image and the next
    frame header.
    """
    log.shows("zeroed-sector")
    log.zero_sector(4)
    log.expect("damaged", "frame-checksum", survivors=[0, 4], end=None)


@BOOK.damaged(five_transactions, "unwritten", "SQW-041")
def unwritten_page_of_the_disk(log: SqliteLog) -> None:
    """Two consecutive sectors of 512 bytes are zeroed."""
    log.zero_sector(3)
    log.zero_sector(4)
    log.expect("damaged", "frame-checksum", survivors=[0, 4], end=None)


@BOOK.damaged(five_transactions, "unwritten", "SQW-036", "SQW-041")
def unwritten_first_slot(log: SqliteLog) -> None:
    """Slot 1 is zeroed. The first frame of the next transaction cannot be proven, so that
    transaction is lost as well.
    """
    log.zero("frames[0]")
    log.expect("damaged", "frame-salt", survivors=[2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "unwritten", "SQW-030", "SQW-041")
def older_frame_in_the_middle(log: SqliteLog) -> None:
    """A write in the middle of the log was lost, so the slot still holds an older frame."""
    log.shows("lost-write")
    older = older_generation(5)
    log.replace(5, older[log.at(5) :], "an older frame")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "unwritten", "SQW-036", "SQW-041")
def two_older_frames_in_the_middle(log: SqliteLog) -> None:
    """Two consecutive slots still hold older frames. The second follows the first, but neither is
    of this generation.
    """
    older = older_generation(5)
    log.replace(4, older[log.at(4) : log.at(5)], "an older frame")
    log.replace(5, older[log.at(5) :], "an older frame")
    log.expect("damaged", "frame-salt", survivors=[0, 4], end=None)


@BOOK.damaged(five_transactions, "unwritten", "SQW-031", "SQW-041")
def older_sector_in_an_image(log: SqliteLog) -> None:
    """A sector in the middle of the log still holds bytes of an older generation."""
    log.stale(2048, 2560, older_generation(6))
    log.did("keep bytes of an older generation in [2048, 2560)")
    log.expect("damaged", "frame-checksum", survivors=[0, 4], end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-030", "SQW-036")
def bit_in_the_last_two_salts(log: SqliteLog) -> None:
    """Bits flip in salts of the last two frames. The chain of checksums proves both frames."""
    log.flip("frames[5].header.salt_1", 24)
    log.flip("frames[6].header.salt_1", 24)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(one_transaction, "salts", "SQW-030", "SQW-036")
def bit_in_a_salt_of_the_only_frame(log: SqliteLog) -> None:
    """A bit of a salt in the only frame flips. The frame still follows the header."""
    log.flip("frames[0].header.salt_1", 24)
    log.expect("damaged", "frame-salt", survivors=[0], end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-030", "SQW-036")
def checksum_and_the_last_salt(log: SqliteLog) -> None:
    """Bits flip in the checksum of slot 5 and in a salt of the last frame. The computed value
    proves both frames.
    """
    log.flip("frames[4].header.checksum_1", 24)
    log.flip("frames[6].header.salt_1", 24)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-030", "SQW-036")
def image_and_the_last_salt(log: SqliteLog) -> None:
    """Bits flip in the image of slot 5 and in a salt of the last frame. The last frame still
    follows slot 6.
    """
    log.flip("frames[4].page", 5)
    log.flip("frames[6].header.salt_1", 24)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "salts", "SQW-030", "SQW-036")
def salts_and_checksum_before_the_last_salt(log: SqliteLog) -> None:
    """Bits flip in a salt and the checksum of slot 6 and in a salt of slot 7. The computed value
    proves both frames.
    """
    log.flip("frames[5].header.salt_1", 24)
    log.flip("frames[5].header.checksum_1", 24)
    log.flip("frames[6].header.salt_1", 24)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(one_transaction, "salts", "SQW-010", "SQW-030")
def linked_page_zero_of_another_generation(log: SqliteLog) -> None:
    """A slot with a valid checksum, but with page number 0 and a damaged salt, follows the last
    frame. The slot is framing.
    """
    log.add_frames((0, 5, log.image(5, "echo.")))
    log.data[log.at(2) + 8] ^= 1
    log.did("add a slot with page number 0 and another salt-1")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(five_transactions, "salts", "SQW-041")
def salts_of_one_frame_and_image_of_the_next(log: SqliteLog) -> None:
    """Bits flip in a salt of a frame and in the image of the next frame. The next frame is lost as
    `unanchored`.
    """
    log.flip("frames[4].header.salt_1", 24)
    log.flip("frames[5].page", 5)
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 4], end=None)


@BOOK.damaged(one_transaction, "salts", "SQW-036", "SQW-040")
def salt_in_a_database_of_one_page(log: SqliteLog) -> None:
    """A bit of a salt flips in a frame that follows a commit frame with a database size
    of 1 page.
    """
    log.commit((1, "bravo."), db_pages=1)
    log.did("add a transaction")
    log.data[log.at(2) + 8] ^= 1
    log.did("flip a bit of salt-1 of slot 2")
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)
