"""Padding that is broken, never written or cut: nothing is lost with it."""

from conformance.recipes.sqlite_wal.layout import five_transactions
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog
from conformance.recipes.sqlite_wal.padding import (
    three_frames_and_two_repetitions,
    two_repetitions,
    two_repetitions_and_a_transaction,
)

ALL = [0, 1, 2]


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-041")
def bit_in_the_padding_before_a_transaction(log: SqliteLog) -> None:
    """A bit of the last padding flips: the slot stores the value that padding gives."""
    log.flip("frames[3].page", 100)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015")
def unwritten_first_padding(log: SqliteLog) -> None:
    """The first of two repetitions was never written: the second follows the value of the first."""
    log.zero("frames[2]")
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-039")
def unwritten_padding(log: SqliteLog) -> None:
    """Neither repetition was written: the next transaction follows the value of the second."""
    log.zero("frames[2]")
    log.zero("frames[3]")
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015")
def broken_header_and_image_of_padding(log: SqliteLog) -> None:
    """The first repetition was never written, and the image of the second is broken."""
    log.zero("frames[2]")
    log.flip("frames[3].page", 100)
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-041")
def page_zero_in_padding(log: SqliteLog) -> None:
    """The page number of padding is zeroed."""
    log.zero("frames[2].header.page_number")
    log.expect("damaged", "page-zero", survivors=ALL, end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-041")
def size_zero_in_the_last_padding(log: SqliteLog) -> None:
    """The last transaction is lost, and the database size of the padding before it is zeroed."""
    log.zero("frames[3].header.db_pages")
    log.flip("frames[4].page", 100)
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-031")
def bit_in_padding_and_in_the_last_image(log: SqliteLog) -> None:
    """Padding and the last transaction are broken: padding does not show that one was finished."""
    log.flip("frames[3].page", 100)
    log.flip("frames[4].page", 100)
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1640)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-031")
def bit_in_padding_and_a_cut_transaction(log: SqliteLog) -> None:
    """Padding is broken, and the transaction after it is cut."""
    log.flip("frames[3].page", 100)
    log.truncate_in("frames[4].page", 100)
    log.expect("torn", "torn-frame", survivors=[0, 1], end=1640)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-036")
def bit_in_padding_and_in_the_next_checksum(log: SqliteLog) -> None:
    """Padding and the checksum of the transaction after it are broken; another one follows."""
    log.commit((3, "delta."), db_pages=3)
    log.did("add a transaction")
    log.flip("frames[3].page", 100)
    log.flip("frames[4].header.checksum_1", 4)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-038", "SQW-041")
def transactions_swapped_after_broken_padding(log: SqliteLog) -> None:
    """Padding is broken, and the two transactions after it are swapped."""
    log.commit((3, "delta."), db_pages=3)
    log.did("add a transaction")
    log.flip("frames[3].page", 100)
    fifth, sixth = log.slot(5), log.slot(6)
    log.replace(5, sixth, "the bytes of slot 6")
    log.replace(6, fifth, "the bytes of slot 5")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-014", "SQW-015", "SQW-039")
def commit_frame_lost_before_padding(log: SqliteLog) -> None:
    """The commit frame is broken: its first repetition is a record with a mark."""
    log.flip("frames[1].page", 100)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(two_repetitions_and_a_transaction, "padding", "SQW-015", "SQW-039")
def padding_after_a_loss_is_broken(log: SqliteLog) -> None:
    """The first transaction is lost, and the padding of the second is broken."""
    log.flip("frames[0].page", 100)
    log.flip("frames[2].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[1, 2], end=None)


@BOOK.damaged(two_repetitions, "padding", "SQW-015", "SQW-034")
def bit_in_the_last_padding_but_one(log: SqliteLog) -> None:
    """A bit of padding flips, and only padding follows."""
    log.flip("frames[2].page", 100)
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1104)


@BOOK.damaged(two_repetitions, "padding", "SQW-015", "SQW-033")
def bit_in_padding_and_cut_padding(log: SqliteLog) -> None:
    """A bit of padding flips, and the padding after it is cut."""
    log.flip("frames[2].page", 100)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", survivors=[0, 1], end=1104)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-033")
def bit_in_the_first_image_and_cut_padding(log: SqliteLog) -> None:
    """The only transaction is broken, and its padding is cut: one unfinished write."""
    log.flip("frames[0].page", 100)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-033")
def padding_cut_after_its_header(log: SqliteLog) -> None:
    """The only transaction is broken, and only the header of its padding was written."""
    log.flip("frames[0].page", 100)
    log.truncate_in("frames[3].page", 0)
    log.expect("torn", "torn-frame", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031")
def padding_cut_in_its_header(log: SqliteLog) -> None:
    """The only transaction is broken, and its padding ends inside its checksum: not proven."""
    log.flip("frames[0].page", 100)
    log.truncate(log.at(4) + 23)
    log.expect("damaged", "frame-checksum", end=None)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-033")
def unwritten_padding_before_cut_padding(log: SqliteLog) -> None:
    """The only transaction is broken, its first padding was never written, the second is cut."""
    log.flip("frames[0].page", 100)
    log.zero("frames[3]")
    log.truncate_in("frames[4].page", 100)
    log.expect("torn", "torn-frame", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-033")
def broken_commit_frame_and_cut_padding(log: SqliteLog) -> None:
    """A bit of the commit frame flips: the values around it and its padding show a repetition."""
    log.flip("frames[2].page", 8 * 50)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-033")
def broken_commit_frame_after_the_end_of_cut_padding(log: SqliteLog) -> None:
    """A bit of the commit frame flips in bytes that the cut repetition lacks."""
    log.flip("frames[2].page", 8 * 200)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-034")
def broken_commit_frame_and_padding(log: SqliteLog) -> None:
    """The images of the commit frame and of the first padding are broken."""
    log.flip("frames[2].page", 100)
    log.flip("frames[3].page", 200)
    log.expect("torn", "bad-tail", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-034")
def broken_commit_frame_and_last_padding(log: SqliteLog) -> None:
    """The images of the commit frame and of the last padding are broken."""
    log.flip("frames[2].page", 100)
    log.flip("frames[4].page", 200)
    log.expect("torn", "bad-tail", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031", "SQW-033")
def checksum_before_a_commit_frame_and_cut_padding(log: SqliteLog) -> None:
    """An image and the checksum before the commit frame are broken: its bytes show a repetition."""
    log.flip("frames[0].page", 100)
    log.flip("frames[1].header.checksum_1", 4)
    log.truncate_in("frames[3].page", 100)
    log.expect("torn", "torn-frame", end=32)


@BOOK.damaged(three_frames_and_two_repetitions, "padding", "SQW-016", "SQW-031")
def broken_commit_frame_after_a_broken_checksum(log: SqliteLog) -> None:
    """The checksum before the broken commit frame is broken too: nothing shows a repetition."""
    log.flip("frames[1].header.checksum_1", 4)
    log.flip("frames[2].page", 100)
    log.truncate_in("frames[3].page", 100)
    log.expect("damaged", "frame-checksum", end=None)


@BOOK.damaged(five_transactions, "padding", "SQW-016", "SQW-031")
def cut_frame_of_the_same_page(log: SqliteLog) -> None:
    """A cut frame of the page of the broken transaction before it, with another image."""
    log.flip("frames[5].page", 8 * 50)
    log.truncate_in("frames[6].page", 100)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2], end=None)
