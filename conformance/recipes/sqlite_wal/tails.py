"""Logs that end early because a write was not finished."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    highest_numbers,
    one_transaction,
    one_transaction_of_two_frames,
)
from conformance.recipes.sqlite_wal.log import (
    BAD_TAIL,
    TORN_TAIL,
    UNCOMMITTED,
    SqliteLog,
    older_generation,
)

ALL = [0, 1, 2, 3, 4]


@TORN_TAIL.truncations(highest_numbers, "SQW-021", "SQW-032", "SQW-033")
def every_prefix(log: SqliteLog) -> None:
    """Every prefix of a log with one transaction of two frames."""


@TORN_TAIL.damaged(five_transactions, "SQW-033", "SQW-042")
def cut_in_the_last_image(log: SqliteLog) -> None:
    """The file ends inside the last image."""
    log.shows("torn-last-record")
    log.truncate_in("frames[6].page", 100)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@TORN_TAIL.damaged(one_transaction, "SQW-020", "SQW-021")
def cut_in_the_header(log: SqliteLog) -> None:
    """The file ends one byte before the end of the header."""
    log.truncate(31)
    log.expect("torn", "torn-header", survivors=[], end=0)


@TORN_TAIL.damaged(one_transaction, "SQW-021", kind="corrupt")
def file_of_zeros(log: SqliteLog) -> None:
    """Every byte of the file is zero, as if the file was extended but never written."""
    log.zero("header")
    log.zero("frames[0]")
    log.expect("torn", "torn-header", survivors=[], end=0)


@UNCOMMITTED.damaged(five_transactions, "SQW-012", "SQW-032")
def frames_without_a_commit(log: SqliteLog) -> None:
    """Two uncommitted frames at the end, from a transaction that was rolled back or never
    finished."""
    log.spill((5, "hotel."), (6, "india."))
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@UNCOMMITTED.damaged(five_transactions, "SQW-032", "SQW-033")
def frames_without_a_commit_and_a_piece(log: SqliteLog) -> None:
    """The log ends with an uncommitted frame and a piece of another frame."""
    log.spill((5, "hotel."), (6, "india."))
    log.truncate(3784 + 536 + 200)
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@UNCOMMITTED.damaged(five_transactions, "SQW-032")
def crash_in_a_rewrite(log: SqliteLog) -> None:
    """The log ends with a frame that has a new image and an old checksum, and two frames whose
    salts and checksums are zero."""
    log.spill((5, "hotel."), (6, "india."), (7, "juliett."))
    log.data[log.at(8) + 24 : log.at(9)] = log.image(5, "kilo.")
    for slot in (9, 10):
        log.data[log.at(slot) + 8 : log.at(slot) + 24] = bytes(16)
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@UNCOMMITTED.damaged(five_transactions, "SQW-032", "SQW-033")
def cut_in_a_rewrite(log: SqliteLog) -> None:
    """The file ends inside a frame whose salts are still zero."""
    log.spill((5, "hotel."), (6, "india."))
    log.data[log.at(9) + 8 : log.at(9) + 24] = bytes(16)
    log.truncate(3784 + 536 + 100)
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@UNCOMMITTED.damaged(five_transactions, "SQW-032")
def frame_without_salts_after_a_commit(log: SqliteLog) -> None:
    """Directly after a commit frame, the log ends with a frame whose salts and checksum are
    zero."""
    log.extend(bytes.fromhex("00000005") + bytes(20) + log.image(5, "hotel."))
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@UNCOMMITTED.damaged(one_transaction_of_two_frames, "SQW-030", "SQW-032")
def uncommitted_frame_before_older_frames(log: SqliteLog) -> None:
    """Older frames follow an uncommitted frame. The lost range ends before the older frames."""
    log.spill((3, "charlie."))
    log.extend(older_generation(7)[log.at(4) :])
    log.expect("torn", "uncommitted", survivors=[0], end=1104)


@UNCOMMITTED.damaged(five_transactions, "SQW-030", "SQW-032")
def uncommitted_frame_that_does_not_follow(log: SqliteLog) -> None:
    """The log ends with an uncommitted frame that follows no slot."""
    log.spill((5, "hotel."), (6, "india."))
    del log.data[log.at(8) : log.at(9)]
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


UNCOMMITTED.table("""
unwritten_frame_in_an_uncommitted_transaction: two_large_transactions SQW-030 SQW-032
    The middle frame of the last transaction is zeroed, and its third frame has no commit mark.
    damage: set frames[5].header.db_pages to 0
    damage: zero frames[4]
    expect: torn uncommitted, survivors 0, end 1640
commit_mark_flipped_off: two_large_transactions SQW-010 SQW-034 SQW-055
    The database size of the last commit frame is zeroed. The checksum shows that the frame was a
    commit frame.
    damage: set frames[5].header.db_pages to 0
    expect: torn bad-tail, survivors 0, end 1640
""")


@BAD_TAIL.damaged(five_transactions, "SQW-034", kind="corrupt")
def bit_in_the_last_image(log: SqliteLog) -> None:
    """A bit of the last image flips. A torn write looks the same."""
    log.flip("frames[6].page", 77)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BAD_TAIL.damaged(five_transactions, "SQW-030", "SQW-034", kind="corrupt")
def older_frame_in_the_last_slot_but_one(log: SqliteLog) -> None:
    """An older frame is in slot 6, and the last commit frame is in slot 7. A torn transaction looks
    the same."""
    older = older_generation(6)
    log.replace(6, older[log.at(6) : log.at(7)])
    log.expect("torn", "bad-tail", survivors=[0, 1, 2], end=2712)


@BAD_TAIL.damaged(five_transactions, "SQW-030", kind="eof")
def older_frame_in_the_last_slot(log: SqliteLog) -> None:
    """The last write was lost, so its slot still holds an older frame. The loss is undetectable."""
    older = older_generation(7)
    log.replace(7, older[log.at(7) :])
    log.expect("intact", survivors=[0, 1, 2, 3], end=3248)
    log.note("An intact log of four transactions has the same bytes.")


@BAD_TAIL.damaged(five_transactions, "SQW-030", "SQW-034", kind="corrupt")
def bad_tail_before_older_frames(log: SqliteLog) -> None:
    """A bit of the last image flips, and older frames follow. The lost range ends before the older
    frames."""
    log.flip("frames[6].page", 9)
    log.extend(older_generation(9)[log.at(8) :])
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


BAD_TAIL.table("""
commit_frame_before_its_first_frame: two_large_transactions SQW-031 SQW-034
    The first frame of the last transaction is zeroed, as if only later frames reached the disk.
    damage: zero frames[3]
    expect: torn bad-tail, survivors 0, end 1640
commit_frame_before_its_image: two_large_transactions SQW-034
    The image of the last commit frame is zeroed, as if only its header reached the disk.
    shows: size-before-data
    damage: zero frames[5].page
    expect: torn bad-tail, survivors 0, end 1640
sector_of_the_last_transaction_unwritten: two_large_transactions SQW-034
    A sector in the middle of the last transaction is zeroed.
    damage: zero sector 4 of 512 bytes
    expect: torn bad-tail, survivors 0, end 1640
bit_in_the_last_page_number: five_transactions SQW-034 corrupt
    A bit of the page number of the last frame flips.
    damage: flip bit 28 of frames[6].header.page_number
    expect: torn bad-tail, survivors 0-3, end 3248
last_page_number_zero: five_transactions SQW-034 corrupt
    The page number of the last frame is zeroed.
    damage: zero frames[6].header.page_number
    expect: torn bad-tail, survivors 0-3, end 3248
bit_in_the_last_size: five_transactions SQW-034 corrupt
    A bit of the database size of the last frame flips.
    damage: flip bit 24 of frames[6].header.db_pages
    expect: torn bad-tail, survivors 0-3, end 3248
bit_in_the_last_checksum: five_transactions SQW-034 corrupt
    A bit of the checksum of the last frame flips. No later frame proves the image.
    damage: flip bit 0 of frames[6].header.checksum_1
    expect: torn bad-tail, survivors 0-3, end 3248
bit_in_the_only_image: one_transaction SQW-034 SQW-042 corrupt
    A bit of the only image flips. No frame is committed, so `end` is 32.
    damage: flip bit 1 of frames[0].page
    expect: torn bad-tail, no survivors, end 32
bit_in_the_first_image_of_the_only_transaction: one_transaction_of_two_frames SQW-034 corrupt
    A bit of the first of two images flips. The commit frame is not returned alone.
    damage: flip bit 1 of frames[0].page
    expect: torn bad-tail, no survivors, end 32
""")


def waiting_slot(log: SqliteLog, page: int = 7, db_pages: int = 0, salts: bytes = bytes(8)) -> None:
    """Add a frame that awaits its checksum."""
    head = page.to_bytes(4, "big") + db_pages.to_bytes(4, "big") + salts
    log.extend(head.ljust(24, b"\0") + log.image(page, "golf."))


@TORN_TAIL.damaged(five_transactions, "SQW-031", "SQW-033")
def last_image_a_waiting_slot_and_a_piece(log: SqliteLog) -> None:
    """A bit of the last image flips, and a slot that awaits its checksum and nine bytes follow. The
    log is damaged."""
    waiting_slot(log)
    log.extend(b"\xff" * 9)
    log.flip("frames[6].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@TORN_TAIL.damaged(five_transactions, "SQW-032", "SQW-034", kind="corrupt")
def last_image_and_a_waiting_slot(log: SqliteLog) -> None:
    """A bit of the last image flips, and a slot that awaits its checksum follows. Both slots are
    the torn tail."""
    waiting_slot(log)
    log.flip("frames[6].page", 5)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@TORN_TAIL.damaged(five_transactions, "SQW-032")
def slot_of_zeros_with_a_checksum(log: SqliteLog) -> None:
    """The last slot is all zeros except for its checksum."""
    log.extend(bytes(20) + b"\5" + bytes(515))
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-032", kind="corrupt")
def waiting_slot_with_a_checksum(log: SqliteLog) -> None:
    """A slot with zero salts awaits its checksum, even if its checksum field is not zero."""
    log.extend(b"\0\0\0\7" + bytes(16) + b"\5" + bytes(515))
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-032", kind="corrupt")
def waiting_slot_with_a_size(log: SqliteLog) -> None:
    """A slot with zero salts awaits its checksum, even if its database size is not zero."""
    waiting_slot(log, db_pages=5)
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-030", "SQW-032")
def slot_with_one_zero_salt(log: SqliteLog) -> None:
    """A slot with a zero salt-1 and a nonzero salt-2 is framing."""
    waiting_slot(log, salts=bytes.fromhex("0000000022222222"))
    log.expect("intact", survivors=ALL, end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-030", "SQW-032")
def slot_with_the_other_zero_salt(log: SqliteLog) -> None:
    """A slot with a nonzero salt-1 and a zero salt-2 is framing."""
    waiting_slot(log, salts=bytes.fromhex("1111111100000000"))
    log.expect("intact", survivors=ALL, end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-032", "SQW-033")
def piece_of_zeros(log: SqliteLog) -> None:
    """The file ends with two uncommitted frames and nine zeros, which belong to the torn tail."""
    log.truncate(1649)
    log.data[1640:] = bytes(9)
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@TORN_TAIL.damaged(five_transactions, "SQW-033")
def short_piece_with_other_salts(log: SqliteLog) -> None:
    """The file ends with 12 bytes of a frame with a different salt-1. The piece is too short to
    compare salts, so it is a cut frame."""
    log.extend(bytes.fromhex("000000070000000033333333"))
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-033")
def short_piece_that_begins_with_zeros(log: SqliteLog) -> None:
    """The file ends with a piece of nine bytes, of which only the first four are zero. The piece is
    a cut frame."""
    log.extend(bytes.fromhex("00000000ffffffffff"))
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-032", "SQW-033")
def waiting_slot_and_a_short_piece(log: SqliteLog) -> None:
    """The file ends with a slot that awaits its checksum and nine bytes. Both are one unfinished
    transaction."""
    waiting_slot(log)
    log.extend(b"\xff" * 9)
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


TORN_TAIL.table("""
cut_before_the_last_byte: five_transactions SQW-033
    The file ends one byte before the end of the last image.
    damage: truncate at 3783
    expect: torn torn-frame, survivors 0-3, end 3248
cut_before_the_last_zeros: five_transactions SQW-010 SQW-033
    The last image is all zeros, and the file ends four bytes before its end. The missing zeros do
    not make the frame whole.
    damage: zero frames[6].page
    reseal_from: 7
    damage: truncate at 3780
    expect: torn torn-frame, survivors 0-3, end 3248
cut_after_a_frame_header: five_transactions SQW-033
    The file ends after a complete frame header, without an image.
    damage: truncate 0 bytes into frames[6].page
    expect: torn torn-frame, survivors 0-3, end 3248
    bug: dissect.database 1.1 treats the frame header as a commit
cut_in_the_salts: five_transactions SQW-033
    The file ends inside the salts of a frame. The piece is too short to compare salts, but is not
    all zeros.
    damage: truncate at 3263
    expect: torn torn-frame, survivors 0-3, end 3248
cut_after_the_salts: five_transactions SQW-033
    The file ends directly after the salts of a frame.
    damage: truncate at 3264
    expect: torn torn-frame, survivors 0-3, end 3248
cut_after_one_zero_byte: five_transactions SQW-032
    The file ends after the first byte of a frame, which is zero.
    damage: truncate at 3249
    expect: torn uncommitted, survivors 0-3, end 3248
cut_after_a_page_number: five_transactions SQW-033
    The file ends after the page number of a frame.
    damage: truncate at 3252
    expect: torn torn-frame, survivors 0-3, end 3248
cut_between_two_transactions: five_transactions SQW-011 SQW-030 eof
    The file ends between two transactions. The loss of the later transaction is undetectable.
    damage: truncate at 3248
    expect: intact, survivors 0-3, end 3248
cut_between_two_frames: five_transactions SQW-012 SQW-032
    The file ends between two frames of a transaction.
    damage: truncate at 1640
    expect: torn uncommitted, survivors 0, end 568
cut_in_the_commit_frame: five_transactions SQW-012 SQW-033
    The file ends inside the last of three frames. The lost range begins at the first of the three.
    damage: truncate at 1700
    expect: torn torn-frame, survivors 0, end 568
cut_after_one_frame_of_three: two_large_transactions SQW-032
    The file ends after the first frame of the second transaction.
    damage: truncate at 2176
    expect: torn uncommitted, survivors 0, end 1640
cut_in_the_only_transaction: two_large_transactions SQW-032 SQW-042
    The file ends between two frames of the first transaction. No frame is committed, so `end` is
    32.
    damage: truncate at 1104
    expect: torn uncommitted, no survivors, end 32
torn_at_a_sector: five_transactions SQW-033
    The file ends at a multiple of 512 bytes, inside the last image.
    damage: torn at the last boundary of 512 bytes
    expect: torn torn-frame, survivors 0-3, end 3248
cut_in_a_larger_image: pages_of_1024_bytes SQW-033
    The file ends inside an image of 1,024 bytes.
    damage: truncate 1000 bytes into frames[3].page
    expect: torn torn-frame, survivors 0 1, end 3176
cut_in_the_magic_number: one_transaction SQW-021
    The file ends after two bytes of the magic number.
    damage: truncate at 2
    expect: torn torn-header, no survivors, end 0
cut_in_the_first_frame: one_transaction SQW-033
    The file ends inside frame 1.
    damage: truncate at 300
    expect: torn torn-frame, no survivors, end 32
header_with_a_wrong_checksum: one_transaction SQW-021 SQW-042 corrupt
    A bit of the checksum flips in a header without frames.
    damage: flip bit 4 of header.checksum_1
    damage: truncate at 32
    expect: torn torn-header, no survivors, end 0
ten_bytes_of_zeros: one_transaction SQW-021
    A file of ten zeros.
    damage: zero header
    damage: truncate at 10
    expect: torn torn-header, no survivors, end 0
cut_in_a_big_endian_header: big_endian_checksums SQW-006 SQW-021
    The file ends inside the header of a log with big-endian checksums.
    damage: truncate at 30
    expect: torn torn-header, no survivors, end 0
last_image_and_a_short_piece: five_transactions SQW-031 SQW-033
    A bit of the last image flips, and nine bytes follow. The writer continued after this commit, so
    the log is damaged.
    damage: extend by 9 bytes of ff
    damage: flip bit 5 of frames[6].page
    expect: damaged frame-checksum, survivors 0-3, end none
piece_after_an_unwritten_slot: five_transactions SQW-033
    Slot 6 is zeroed, and the file ends inside the checksum of slot 7. The salts show that slot 7 is
    a cut frame.
    damage: truncate at 3268
    damage: zero frames[5]
    expect: torn torn-frame, survivors 0-2, end 2712
""")


@TORN_TAIL.damaged(five_transactions, "SQW-033", "SQW-046")
def image_and_an_unfinished_tail(log: SqliteLog) -> None:
    """A bit of an image flips, and the log ends with an uncommitted frame and four bytes. Both are
    one lost range."""
    log.spill((3, "hotel."))
    log.extend(b"\xff" * 4)
    log.flip("frames[4].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@TORN_TAIL.damaged(five_transactions, "SQW-032", "SQW-046")
def image_and_a_waiting_slot(log: SqliteLog) -> None:
    """A bit of an image flips, and the log ends with a slot that awaits its checksum."""
    waiting_slot(log)
    log.flip("frames[4].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@TORN_TAIL.damaged(one_transaction, "SQW-032")
def waiting_slot_with_page_zero(log: SqliteLog) -> None:
    """The last slot has zero salts, a database size and page number 0."""
    waiting_slot(log, page=0, db_pages=5)
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@TORN_TAIL.damaged(one_transaction, "SQW-032", "SQW-033")
def waiting_slot_and_a_cut_one(log: SqliteLog) -> None:
    """The file ends with an uncommitted frame, a slot that awaits its checksum, and a cut frame
    with zero salts."""
    log.spill((2, "bravo."))
    waiting_slot(log)
    waiting_slot(log, page=8)
    log.truncate(log.at(4) + 100)
    log.expect("torn", "torn-frame", survivors=[0], end=568)
