"""Frames that are swapped, repeated, removed or inserted, or that belong to another log."""

from conformance.recipes.sqlite_wal.layout import (
    checksum_of_zeros,
    five_transactions,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import LINKS, SqliteLog

ALL = [0, 1, 2, 3, 4]


def swap(log: SqliteLog, one: int, other: int) -> None:
    """Swap two slots."""
    first, second = log.slot(one), log.slot(other)
    log.replace(one, second)
    log.replace(other, first)


@LINKS.damaged(five_transactions, "SQW-035", "SQW-039", "SQW-041")
def transactions_swapped(log: SqliteLog) -> None:
    """The last two slots are swapped. A reader returns the transactions in the order in which they
    were written."""
    log.shows("swapped")
    swap(log, 6, 7)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-035", "SQW-039", "SQW-041")
def transactions_rotated(log: SqliteLog) -> None:
    """The last three slots are rotated. The chain of checksums still gives the order of the
    transactions."""
    fifth = log.slot(5)
    log.replace(5, log.slot(6))
    log.replace(6, log.slot(7))
    log.replace(7, fifth)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-039", "SQW-041")
def swapped_after_a_loss(log: SqliteLog) -> None:
    """A bit of an image flips, and the last two slots are swapped. Both transactions are returned
    in their original order, with `after_loss`."""
    log.flip("frames[4].page", 6)
    swap(log, 6, 7)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@LINKS.damaged(five_transactions, "SQW-039", "SQW-041")
def frames_of_a_transaction_swapped(log: SqliteLog) -> None:
    """Two frames of one transaction are swapped. The frames are then out of order, so the
    transaction is lost."""
    swap(log, 3, 4)
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@LINKS.damaged(two_large_transactions, "SQW-031", "SQW-039", "SQW-041")
def frames_of_the_last_transaction_swapped(log: SqliteLog) -> None:
    """The last two frames of the log are swapped. A frame then comes after the commit frame, so the
    log is damaged."""
    swap(log, 5, 6)
    log.expect("damaged", "broken-link", survivors=[0], end=None)


@LINKS.damaged(two_large_transactions, "SQW-036", "SQW-038", "SQW-041")
def copy_before_its_original(log: SqliteLog) -> None:
    """A copy of slot 3 is inserted before slot 2. The original frame counts as the copy, and the
    transaction is lost."""
    log.insert(log.at(2), log.slot(3))
    log.expect("damaged", "broken-link", survivors=[1], end=None)


@LINKS.damaged(five_transactions, "SQW-039", "SQW-041")
def frames_of_two_transactions_swapped(log: SqliteLog) -> None:
    """A frame of a three-frame transaction and a later one-frame transaction are swapped. Only the
    three-frame transaction is lost."""
    swap(log, 3, 6)
    log.expect("damaged", "broken-link", survivors=[0, 2, 3, 4], end=None)


@LINKS.damaged(five_transactions, "SQW-014", "SQW-034", "SQW-038")
def last_frame_twice(log: SqliteLog) -> None:
    """A copy of the last frame ends the log. The copy is a torn tail."""
    log.extend(log.slot(7))
    log.expect("torn", "bad-tail", survivors=ALL, end=3784)


@LINKS.damaged(five_transactions, "SQW-038", "SQW-041")
def transaction_twice(log: SqliteLog) -> None:
    """A copy of slots 2 to 4, a whole transaction, is inserted after slot 4. The transaction is
    returned once."""
    again = bytes(log.data[log.at(2) : log.at(5)])
    log.insert(log.at(5), again)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-038", "SQW-041")
def copy_in_place_of_a_frame(log: SqliteLog) -> None:
    """A copy of slot 5 overwrites slot 6. The frame of slot 6 is lost, so slot 7 cannot be
    proven."""
    log.replace(6, log.slot(5))
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@LINKS.damaged(five_transactions, "SQW-004", "SQW-031", kind="corrupt")
def byte_removed_in_an_image(log: SqliteLog) -> None:
    """A byte of an image is removed. Its frame is damaged, and all later frames are misaligned."""
    del log.data[log.at(5) + 100]
    log.expect("torn", "bad-tail", survivors=[0, 1], end=2176)


@LINKS.damaged(five_transactions, "SQW-030", "SQW-041")
def frame_of_another_log(log: SqliteLog) -> None:
    """A slot holds a frame of another log with the same salts but other content."""
    other = SqliteLog(b"", [])
    other.begin(sequence=7)
    other.commit((3, "other."), db_pages=4)
    log.replace(5, other.slot(1))
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)


@LINKS.damaged(five_transactions, "SQW-031", "SQW-041")
def abandoned_timeline(log: SqliteLog) -> None:
    """After a recovery that reported nothing, a writer overwrote slot 5 with a new commit frame.
    Two older commit frames follow."""
    log.state = log.checksum_of(4)
    tail = bytes(log.data[log.at(6) :])
    del log.data[log.at(5) :]
    log.commit((3, "hotel."), db_pages=4)
    log.data += tail
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 5, 4], end=None)


@LINKS.damaged(five_transactions, "SQW-034", kind="corrupt")
def abandoned_commit(log: SqliteLog) -> None:
    """A writer overwrote slot 6 with a new commit frame. The older commit frame after it is a torn
    tail."""
    log.state = log.checksum_of(5)
    tail = bytes(log.data[log.at(7) :])
    del log.data[log.at(6) :]
    log.commit((3, "hotel."), db_pages=4)
    log.data += tail
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 5], end=3248)


@LINKS.damaged(five_transactions, "SQW-035", "SQW-039", "SQW-040")
def first_transaction_swapped(log: SqliteLog) -> None:
    """Slots 1 and 5 are swapped. Frame 1 still follows the header, although it is in slot 5."""
    swap(log, 1, 5)
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-036", "SQW-038")
def copy_before_two_frames(log: SqliteLog) -> None:
    """A copy of slot 6 is inserted before slot 5. The inserted frame is returned, and the original
    counts as the copy."""
    log.insert(log.at(5), log.slot(6))
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-038", "SQW-039")
def copy_at_the_start(log: SqliteLog) -> None:
    """A copy of slot 5 is inserted before slot 1. The transactions keep their order."""
    log.insert(log.at(1), log.slot(5))
    log.expect("damaged", "broken-link", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-036", "SQW-038")
def checksum_of_the_next_frame(log: SqliteLog) -> None:
    """Slot 6 stores the checksum of slot 7. The computed value proves both frames."""
    start = log.at(7) + 16
    log.data[log.at(6) + 16 : log.at(6) + 24] = log.data[start : start + 8]
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@LINKS.damaged(two_large_transactions, "SQW-036", "SQW-038")
def checksum_of_the_frame_before(log: SqliteLog) -> None:
    """Slot 2 stores the checksum of slot 1. Slot 3 proves the image of slot 2."""
    start = log.at(1) + 16
    log.data[log.at(2) + 16 : log.at(2) + 24] = log.data[start : start + 8]
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@LINKS.damaged(five_transactions, "SQW-036", "SQW-038")
def copy_with_other_salts_before_its_original(log: SqliteLog) -> None:
    """A copy of slot 7 with a damaged salt is inserted before slot 5. The copy is not proven, but
    the original is."""
    log.insert(log.at(5), log.slot(7))
    log.data[log.at(5) + 8] ^= 1
    log.expect("damaged", "frame-salt", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-031", "SQW-041")
def unwritten_slot_and_a_copy(log: SqliteLog) -> None:
    """Slot 5 is zeroed, and a copy of slot 4 overwrites slot 6. Slots 5, 6 and 7 are lost with
    three different codes."""
    log.zero("frames[4]")
    log.replace(6, log.slot(4))
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)


@LINKS.damaged(five_transactions, "SQW-041")
def copy_with_other_salts_in_place_of_a_frame(log: SqliteLog) -> None:
    """A copy of slot 4 with a damaged salt overwrites slot 5. The slot is lost as `frame-salt`, not
    as `broken-link`."""
    log.replace(5, log.slot(4))
    log.data[log.at(5) + 8] ^= 1
    log.expect("damaged", "frame-salt", survivors=[0, 1, 4], end=None)


@LINKS.damaged(two_large_transactions, "SQW-040")
def page_number_and_size_damaged(log: SqliteLog) -> None:
    """The page number and the database size of a frame without a commit mark are damaged. No
    transaction can begin after this frame."""
    log.set("frames[0].header.page_number", 0xFFFFFFFF, "big")
    log.set("frames[0].header.db_pages", 0x7FFFFFFF, "big")
    log.expect("damaged", "frame-checksum", survivors=[1], end=None)


@LINKS.damaged(five_transactions, "SQW-038", "SQW-039")
def damaged_copy_before_the_next_transaction(log: SqliteLog) -> None:
    """A copy of slot 6 with a damaged image is in slot 6, and the original is after slot 7. Slot 7
    follows the proven original, which comes later in the file."""
    original = log.slot(6)
    log.flip("frames[5].page", 100)
    log.extend(original)
    log.expect("damaged", "frame-checksum", survivors=ALL, end=None)


@LINKS.damaged(five_transactions, "SQW-041")
def checksum_of_the_header_in_a_lost_slot(log: SqliteLog) -> None:
    """Slot 5 stores the checksum of the header, and a bit of its image flips."""
    start = log.at(5) + 16
    log.data[start : start + 8] = log.data[24:32]
    log.flip("frames[4].page", 100)
    log.expect("damaged", "broken-link", survivors=[0, 1, 4], end=None)


LINKS.table("""
byte_inserted: five_transactions SQW-004 SQW-030 eof
    A byte is inserted between two frames. All later frames are then misaligned, which is
    undetectable.
    damage: insert 00 at at(6)
    expect: intact, survivors 0-2, end 2712
    note: The slots after the inserted byte have different salts, so they are framing.
slot_inserted_before_the_last: five_transactions SQW-031
    A slot of other bytes is inserted before slot 7. All five transactions are proven.
    damage: insert 536 bytes of 5a at at(7)
    expect: damaged frame-salt, survivors 0-4, end none
frame_twice: five_transactions SQW-038 SQW-039 SQW-041
    A copy of slot 6 is inserted after slot 6. The copy is lost, and the next transaction follows
    the original frame.
    shows: unit-twice
    damage: duplicate frames[5]
    expect: damaged broken-link, survivors 0-4, end none
copy_inside_a_transaction: five_transactions SQW-038 SQW-041
    A copy of slot 3 is inserted after slot 3, inside a transaction. The frames are then not
    consecutive, so the transaction is lost.
    damage: duplicate frames[2]
    expect: damaged broken-link, survivors 0 2-4, end none
frame_removed: five_transactions SQW-031 SQW-041
    A frame is removed. The next transaction follows no slot and is lost. The transaction after that
    is returned with `after_loss`.
    shows: missing-in-the-middle
    damage: drop frames[4]
    expect: damaged frame-checksum, survivors 0 1 4, end none
first_frame_removed: five_transactions SQW-039 SQW-041
    Frame 1 is removed, so slot 1 holds the first frame of the second transaction.
    damage: drop frames[0]
    expect: damaged frame-checksum, survivors 2-4, end none
last_frame_but_one_removed: five_transactions SQW-034 SQW-041
    The second-to-last frame is removed. The last frame then follows no slot and is a torn tail.
    damage: drop frames[5]
    expect: torn bad-tail, survivors 0-2, end 2712
checksum_of_zeros_after_a_slot_of_zeros: checksum_of_zeros SQW-038 SQW-040
    Slot 1 and the page number of slot 2 are zeroed. Both slots store the checksum 0, so the frame
    in slot 3 follows slot 1. No transaction can begin after slot 1.
    damage: zero frames[0]
    damage: zero frames[1].header.page_number
    expect: damaged frame-salt, no survivors, end none
""")


@LINKS.damaged(checksum_of_zeros, "SQW-038", "SQW-040")
def checksum_of_zeros_after_a_copied_header(log: SqliteLog) -> None:
    """The frame header of slot 2 is copied to slot 1 and then zeroed in slot 2. Both slots store
    the checksum 0, so the frame in slot 3 follows slot 1. A transaction can begin after slot 1."""
    header = log.slot(2)[:24]
    log.zero("frames[1].header")
    log.splice("frames[0].header", header)
    log.expect("damaged", "frame-checksum", survivors=[2], end=None)
