"""Frames that are swapped, repeated, removed or inserted, or that belong to another log."""

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
    """The last two slots are swapped. A reader returns the transactions in the order in which they
    were written.
    """
    log.shows("swapped")
    swap(log, 6, 7)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-035", "SQW-039", "SQW-041")
def transactions_rotated(log: SqliteLog) -> None:
    """The last three slots are rotated. The chain of checksums still gives the order of the
    transactions.
    """
    fifth = log.slot(5)
    log.replace(5, log.slot(6), "the bytes of slot 6")
    log.replace(6, log.slot(7), "the bytes of slot 7")
    log.replace(7, fifth, "the bytes of slot 5")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def swapped_after_a_loss(log: SqliteLog) -> None:
    """A bit of an image flips, and the last two slots are swapped. Both transactions are returned
    in their original order, with `after_loss`.
    """
    log.flip("frames[4].page", 6)
    swap(log, 6, 7)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def frames_of_a_transaction_swapped(log: SqliteLog) -> None:
    """Two frames of one transaction are swapped. The frames are then out of order, so the
    transaction is lost.
    """
    swap(log, 3, 4)
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-031", "SQW-039", "SQW-041")
def frames_of_the_last_transaction_swapped(log: SqliteLog) -> None:
    """The last two frames of the log are swapped. A frame then comes after the commit frame, so the
    log is damaged.
    """
    swap(log, 5, 6)
    log.expect("damaged", "broken-link", survivors=[0], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-036", "SQW-038", "SQW-041")
def copy_before_its_original(log: SqliteLog) -> None:
    """A copy of slot 3 is inserted before slot 2. The original frame counts as the copy, and the
    transaction is lost.
    """
    log.insert(log.at(2), log.slot(3), "a copy of slot 3")
    log.expect("damaged", "broken-link", survivors=[1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def frames_of_two_transactions_swapped(log: SqliteLog) -> None:
    """A frame of a three-frame transaction and a later one-frame transaction are swapped. Only the
    three-frame transaction is lost.
    """
    swap(log, 3, 6)
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-039", "SQW-041")
def frame_twice(log: SqliteLog) -> None:
    """A copy of slot 6 is inserted after slot 6. The copy is lost, and the next transaction follows
    the original frame.
    """
    log.shows("unit-twice")
    log.duplicate("frames[5]")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-014", "SQW-034", "SQW-038", kind="eof")
def last_frame_twice(log: SqliteLog) -> None:
    """A copy of the last frame ends the log. The copy is a torn tail."""
    log.extend(log.slot(7), "a copy of the last frame")
    log.expect("torn", "bad-tail", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-041")
def transaction_twice(log: SqliteLog) -> None:
    """A copy of slots 2 to 4, a whole transaction, is inserted after slot 4. The transaction is
    returned once.
    """
    again = bytes(log.data[log.at(2) : log.at(5)])
    log.insert(log.at(5), again, "a copy of slots 2 to 4")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-041")
def copy_in_place_of_a_frame(log: SqliteLog) -> None:
    """A copy of slot 5 overwrites slot 6. The frame of slot 6 is lost, so slot 7 cannot
    be proven.
    """
    log.replace(6, log.slot(5), "the bytes of slot 5")
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-041")
def copy_inside_a_transaction(log: SqliteLog) -> None:
    """A copy of slot 3 is inserted after slot 3, inside a transaction. The frames are then not
    consecutive, so the transaction is lost.
    """
    log.duplicate("frames[2]")
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031", "SQW-041")
def frame_removed(log: SqliteLog) -> None:
    """A frame is removed. The next transaction follows no slot and is lost; the transaction after
    that is returned with `after_loss`.
    """
    log.shows("missing-in-the-middle")
    log.drop("frames[4]")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039", "SQW-041")
def first_frame_removed(log: SqliteLog) -> None:
    """Frame 1 is removed, so slot 1 holds the first frame of the second transaction."""
    log.drop("frames[0]")
    log.expect("damaged", "frame-checksum", survivors=[2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-034", "SQW-041", kind="eof")
def last_frame_but_one_removed(log: SqliteLog) -> None:
    """The second-to-last frame is removed. The last frame then follows no slot and is a
    torn tail.
    """
    log.drop("frames[5]")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2], end=2712)


@BOOK.damaged(five_transactions, "links", "SQW-004", "SQW-030", kind="eof")
def byte_inserted(log: SqliteLog) -> None:
    """A byte is inserted between two frames. All later frames are then misaligned, which is
    undetectable.
    """
    log.insert(log.at(6), b"\0")
    log.expect("intact", survivors=[0, 1, 2], end=2712)
    log.note("The slots after the inserted byte have other salts, so they are framing.")


@BOOK.damaged(five_transactions, "links", "SQW-004", "SQW-031")
def byte_removed_in_an_image(log: SqliteLog) -> None:
    """A byte of an image is removed. Its frame is damaged, and all later frames are misaligned."""
    del log.data[log.at(5) + 100]
    log.did("remove a byte of the image in slot 5")
    log.expect("torn", "bad-tail", survivors=[0, 1], end=2176)


@BOOK.damaged(five_transactions, "links", "SQW-030", "SQW-041")
def frame_of_another_log(log: SqliteLog) -> None:
    """A slot holds a frame of another log with the same salts but other content."""
    other = SqliteLog(b"", [])
    other.begin(sequence=7)
    other.commit((3, "other."), db_pages=4)
    log.replace(5, other.slot(1), "a frame of another log")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031", "SQW-041")
def abandoned_timeline(log: SqliteLog) -> None:
    """After a recovery that reported nothing, a writer overwrote slot 5 with a new commit frame.
    Two older commit frames follow.
    """
    log.state = log.checksum_of(4)
    tail = bytes(log.data[log.at(6) :])
    del log.data[log.at(5) :]
    log.commit((3, "hotel."), db_pages=4)
    log.data += tail
    log.did("overwrite slot 5 with another transaction")
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 5, 4], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-034")
def abandoned_commit(log: SqliteLog) -> None:
    """A writer overwrote slot 6 with a new commit frame. The older commit frame after it is a torn
    tail.
    """
    log.state = log.checksum_of(5)
    tail = bytes(log.data[log.at(7) :])
    del log.data[log.at(6) :]
    log.commit((3, "hotel."), db_pages=4)
    log.data += tail
    log.did("overwrite slot 6 with another transaction")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 5], end=3248)


@BOOK.damaged(five_transactions, "links", "SQW-035", "SQW-039", "SQW-040")
def first_transaction_swapped(log: SqliteLog) -> None:
    """Slots 1 and 5 are swapped. Frame 1 still follows the header, although it is in slot 5."""
    swap(log, 1, 5)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-036", "SQW-038")
def copy_before_two_frames(log: SqliteLog) -> None:
    """A copy of slot 6 is inserted before slot 5. The inserted frame is returned, and the original
    counts as the copy.
    """
    log.insert(log.at(5), log.slot(6), "a copy of slot 6")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-038", "SQW-039")
def copy_at_the_start(log: SqliteLog) -> None:
    """A copy of slot 5 is inserted before slot 1. The transactions keep their order."""
    log.insert(log.at(1), log.slot(5), "a copy of slot 5")
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-036", "SQW-038")
def checksum_of_the_next_frame(log: SqliteLog) -> None:
    """Slot 6 stores the checksum of slot 7. The computed value proves both frames."""
    start = log.at(7) + 16
    log.data[log.at(6) + 16 : log.at(6) + 24] = log.data[start : start + 8]
    log.did("put the checksum of slot 7 into slot 6")
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-036", "SQW-038")
def checksum_of_the_frame_before(log: SqliteLog) -> None:
    """Slot 2 stores the checksum of slot 1. Slot 3 proves the image of slot 2."""
    start = log.at(1) + 16
    log.data[log.at(2) + 16 : log.at(2) + 24] = log.data[start : start + 8]
    log.did("put the checksum of slot 1 into slot 2")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-036", "SQW-038")
def copy_with_other_salts_before_its_original(log: SqliteLog) -> None:
    """A copy of slot 7 with a damaged salt is inserted before slot 5. The copy is not proven, but
    the original is.
    """
    log.insert(log.at(5), log.slot(7), "a copy of slot 7")
    log.data[log.at(5) + 8] ^= 1
    log.did("flip a bit of salt-1 of slot 5")
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031", "SQW-041")
def unwritten_slot_and_a_copy(log: SqliteLog) -> None:
    """Slot 5 is zeroed, and a copy of slot 4 overwrites slot 6. Slots 5, 6 and 7 are lost with
    three different codes.
    """
    log.zero("frames[4]")
    log.replace(6, log.slot(4), "the bytes of slot 4")
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-041")
def copy_with_other_salts_in_place_of_a_frame(log: SqliteLog) -> None:
    """A copy of slot 4 with a damaged salt overwrites slot 5. The slot is lost as `frame-salt`, not
    as `broken-link`.
    """
    log.replace(5, log.slot(4), "the bytes of slot 4")
    log.data[log.at(5) + 8] ^= 1
    log.did("flip a bit of salt-1 of slot 5")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 4], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-040")
def page_number_and_size_damaged(log: SqliteLog) -> None:
    """The page number and the database size of a frame without a commit mark are damaged. No
    transaction can begin after this frame.
    """
    log.set("frames[0].header.page_number", 0xFFFFFFFF, "big")
    log.set("frames[0].header.db_pages", 0x7FFFFFFF, "big")
    log.expect("damaged", "frame-checksum", survivors=[1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-031")
def slot_inserted_before_the_last(log: SqliteLog) -> None:
    """A slot of other bytes is inserted before slot 7. All five transactions are proven."""
    log.insert(log.at(7), b"\x5a" * 536, "a slot of other bytes")
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)
