"""Frames in other places: swapped, repeated, removed, inserted, of another log."""

from conformance.recipes.sqlite_wal.layout import five_transactions, two_large_transactions
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog

ALL = [0, 1, 2, 3, 4]


def swap(log: SqliteLog, one: int, other: int) -> None:
    """Swap two slots."""
    first, second = log.slot(one), log.slot(other)
    log.replace(one, second, f"the bytes of slot {other}")
    log.replace(other, first, f"the bytes of slot {one}")


@BOOK.damaged(five_transactions, "links", "SQW-035", "SQW-039", "SQW-041")
def transactions_swapped(log: SqliteLog) -> None:
    """The last two slots are swapped: returned in the order in which they were written."""
    log.shows("swapped")
    swap(log, 6, 7)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-035", "SQW-039", "SQW-041")
def transactions_rotated(log: SqliteLog) -> None:
    """The last three slots are rotated: the chain still gives the order."""
    fifth = log.slot(5)
    log.replace(5, log.slot(6), "the bytes of slot 6")
    log.replace(6, log.slot(7), "the bytes of slot 7")
    log.replace(7, fifth, "the bytes of slot 5")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def swapped_after_a_loss(log: SqliteLog) -> None:
    """Two slots are swapped after a damaged image: marked, and in the order of the chain."""
    log.flip("frames[4].page", 6)
    swap(log, 6, 7)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def frames_of_a_transaction_swapped(log: SqliteLog) -> None:
    """Two frames of one transaction are swapped: they do not stand in order, and it is lost."""
    swap(log, 3, 4)
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-031", "SQW-039", "SQW-041")
def frames_of_the_last_transaction_swapped(log: SqliteLog) -> None:
    """The last two frames of the log are swapped: a frame follows the commit frame."""
    swap(log, 5, 6)
    log.expect("damaged", "broken-link", survivors=[0], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-036", "SQW-038", "SQW-041")
def copy_before_its_original(log: SqliteLog) -> None:
    """A copy of slot 3 stands before slot 2: the frame after the original proves it."""
    log.insert(log.at(2), log.slot(3), "a copy of slot 3")
    log.expect("damaged", "broken-link", survivors=[1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def frames_of_two_transactions_swapped(log: SqliteLog) -> None:
    """A frame of a large transaction and a later one are swapped: the large one is lost."""
    swap(log, 3, 6)
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-039", "SQW-041")
def frame_twice(log: SqliteLog) -> None:
    """A frame stands there twice: the copy is lost, and the next transaction follows."""
    log.shows("unit-twice")
    log.duplicate("frames[5]")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-014", "SQW-034", "SQW-038", kind="eof")
def last_frame_twice(log: SqliteLog) -> None:
    """The last frame stands there twice: the copy reads as a torn transaction."""
    log.extend(log.slot(7), "a copy of the last frame")
    log.expect("torn", "bad-tail", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-041")
def transaction_twice(log: SqliteLog) -> None:
    """Three frames of a transaction stand there twice: it is returned once."""
    again = bytes(log.data[log.at(2) : log.at(5)])
    log.insert(log.at(5), again, "a copy of the slots 2 to 4")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-041")
def copy_in_place_of_a_frame(log: SqliteLog) -> None:
    """A slot holds a copy of the frame before it: its own frame is lost."""
    log.replace(6, log.slot(5), "the bytes of slot 5")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-041")
def copy_inside_a_transaction(log: SqliteLog) -> None:
    """A frame inside a transaction stands there twice: the transaction is not in one piece."""
    log.duplicate("frames[2]")
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031", "SQW-041")
def frame_removed(log: SqliteLog) -> None:
    """A frame is cut out: the one after it follows nothing, the one after that is marked."""
    log.shows("missing-in-the-middle")
    log.drop("frames[4]")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def first_frame_removed(log: SqliteLog) -> None:
    """Frame 1 is cut out: slot 1 holds the first frame of the second transaction."""
    log.drop("frames[0]")
    log.expect("damaged", "frame-checksum", survivors=[2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-034", "SQW-041", kind="eof")
def last_frame_but_one_removed(log: SqliteLog) -> None:
    """The last frame but one is cut out: the last one follows nothing, a torn tail."""
    log.drop("frames[5]")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2], end=2712)


@BOOK.damaged(five_transactions, "links", "SQW-004", "SQW-030", kind="eof")
def byte_inserted(log: SqliteLog) -> None:
    """A byte is inserted: all later frames are off the grid, which nothing shows."""
    log.insert(log.at(6), b"\0")
    log.expect("intact", survivors=[0, 1, 2], end=2712)
    log.note("The slots after the byte have other salts: framing, as for any reader of slots.")


@BOOK.damaged(five_transactions, "links", "SQW-004", "SQW-031")
def byte_removed_in_an_image(log: SqliteLog) -> None:
    """A byte of an image is removed: its frame is broken, and later frames are off the grid."""
    del log.data[log.at(5) + 100]
    log.did("remove a byte of the image in slot 5")
    log.expect("torn", "bad-tail", survivors=[0, 1], end=2176)


@BOOK.damaged(five_transactions, "links", "SQW-030", "SQW-041")
def frame_of_another_log(log: SqliteLog) -> None:
    """A slot holds a frame of a log with the same salts and other contents."""
    other = SqliteLog(b"", [])
    other.begin(sequence=7)
    other.commit((3, "other."), db_pages=4)
    log.replace(5, other.slot(1), "a frame of another log")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031", "SQW-041")
def abandoned_timeline(log: SqliteLog) -> None:
    """After a silent recovery, a new commit replaced slot 5: two older commits follow it."""
    log.state = log.checksum_of(4)
    tail = bytes(log.data[log.at(6) :])
    del log.data[log.at(5) :]
    log.commit((3, "hotel."), db_pages=4)
    log.data += tail
    log.did("write another transaction over slot 5")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 5, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-034")
def abandoned_commit(log: SqliteLog) -> None:
    """A new commit replaced slot 6, and one older commit follows it: a torn tail."""
    log.state = log.checksum_of(5)
    tail = bytes(log.data[log.at(7) :])
    del log.data[log.at(6) :]
    log.commit((3, "hotel."), db_pages=4)
    log.data += tail
    log.did("write another transaction over slot 6")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 5], end=3248)


@BOOK.damaged(five_transactions, "links", "SQW-035", "SQW-039", "SQW-040")
def first_transaction_swapped(log: SqliteLog) -> None:
    """Slots 1 and 5 are swapped: frame 1 follows the header, wherever it stands."""
    swap(log, 1, 5)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-036", "SQW-038")
def copy_before_two_frames(log: SqliteLog) -> None:
    """A copy of slot 6 stands before slot 5: it counts, and the original is the copy."""
    log.insert(log.at(5), log.slot(6), "a copy of slot 6")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-039")
def copy_at_the_start(log: SqliteLog) -> None:
    """A copy of slot 5 stands before slot 1: the transactions keep their order."""
    log.insert(log.at(1), log.slot(5), "a copy of slot 5")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-036", "SQW-038")
def checksum_of_the_next_frame(log: SqliteLog) -> None:
    """Slot 6 stores the checksum of slot 7, which proves both."""
    start = log.at(7) + 16
    log.data[log.at(6) + 16 : log.at(6) + 24] = log.data[start : start + 8]
    log.did("put the checksum of slot 7 into slot 6")
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-036", "SQW-038")
def checksum_of_the_frame_before(log: SqliteLog) -> None:
    """Slot 2 stores the checksum of slot 1: its image is proven by slot 3."""
    start = log.at(1) + 16
    log.data[log.at(2) + 16 : log.at(2) + 24] = log.data[start : start + 8]
    log.did("put the checksum of slot 1 into slot 2")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-036", "SQW-038")
def copy_with_other_salts_before_its_original(log: SqliteLog) -> None:
    """A copy of slot 7 with other salts stands before slot 5: it is not proven, slot 7 is."""
    log.insert(log.at(5), log.slot(7), "a copy of slot 7")
    log.data[log.at(5) + 8] ^= 1
    log.did("flip a bit of the salts of slot 5")
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031", "SQW-041")
def unwritten_slot_and_a_copy(log: SqliteLog) -> None:
    """Slot 5 is zeros and slot 6 a copy of slot 4: three slots, three codes."""
    log.zero("frames[4]")
    log.replace(6, log.slot(4), "the bytes of slot 4")
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-041")
def copy_with_other_salts_in_place_of_a_frame(log: SqliteLog) -> None:
    """A slot holds a copy of the one before it with other salts: the salts give the code."""
    log.replace(5, log.slot(4), "the bytes of slot 4")
    log.data[log.at(5) + 8] ^= 1
    log.did("flip a bit of the salts of slot 5")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 4], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-040")
def page_number_and_size_damaged(log: SqliteLog) -> None:
    """Page number and size of a frame without a mark are damaged: nothing begins after it."""
    log.set("frames[0].header.page_number", 0xFFFFFFFF, "big")
    log.set("frames[0].header.db_pages", 0x7FFFFFFF, "big")
    log.expect("damaged", "frame-checksum", survivors=[1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031")
def slot_inserted_before_the_last(log: SqliteLog) -> None:
    """A slot of another file stands before slot 7: all five transactions are proven."""
    log.insert(log.at(7), b"\x5a" * 536, "a slot of other bytes")
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)
