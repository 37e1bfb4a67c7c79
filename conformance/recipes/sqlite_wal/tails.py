"""Logs that end early because a write was not finished."""

from conformance.recipes.sqlite_wal.layout import (
    big_endian_checksums,
    five_transactions,
    highest_numbers,
    one_transaction,
    one_transaction_of_two_frames,
    pages_of_1024_bytes,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, older_generation

ALL = [0, 1, 2, 3, 4]


@BOOK.truncations(highest_numbers, "torn-tail", "SQW-021", "SQW-032", "SQW-033")
def every_prefix(log: SqliteLog) -> None:
    """Every prefix of a log with one transaction of two frames."""


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", "SQW-042", kind="eof")
def cut_in_the_last_image(log: SqliteLog) -> None:
    """The file ends inside the last image."""
    log.shows("torn-last-record")
    log.truncate_in("frames[6].page", 100)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_before_the_last_byte(log: SqliteLog) -> None:
    """The file ends one byte before the end of the last image."""
    log.truncate(3783)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_a_frame_header(log: SqliteLog) -> None:
    """The file ends after a complete frame header, without an image."""
    log.truncate_in("frames[6].page", 0)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)
    log.bug("dissect.database 1.1 treats the frame header as a commit")


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_in_the_salts(log: SqliteLog) -> None:
    """The file ends inside the salts of a frame. The piece is too short to compare salts, but is
    not all zeros.
    """
    log.truncate(3248 + 15)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_the_salts(log: SqliteLog) -> None:
    """The file ends directly after the salts of a frame."""
    log.truncate(3248 + 16)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_one_zero_byte(log: SqliteLog) -> None:
    """The file ends after the first byte of a frame, which is zero. The byte is framing."""
    log.truncate(3249)
    log.expect("intact", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_a_page_number(log: SqliteLog) -> None:
    """The file ends after the page number of a frame."""
    log.truncate(3252)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-011", "SQW-030", kind="eof")
def cut_between_two_transactions(log: SqliteLog) -> None:
    """The file ends between two transactions. The loss of the later transaction is undetectable."""
    log.truncate(3248)
    log.expect("intact", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-012", "SQW-032", kind="eof")
def cut_between_two_frames(log: SqliteLog) -> None:
    """The file ends between two frames of a transaction."""
    log.truncate(1640)
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-012", "SQW-033", kind="eof")
def cut_in_the_commit_frame(log: SqliteLog) -> None:
    """The file ends inside the last of three frames. The lost range begins at the first of the
    three.
    """
    log.truncate(1700)
    log.expect("torn", "torn-frame", survivors=[0], end=568)


@BOOK.damaged(two_large_transactions, "torn-tail", "SQW-032", kind="eof")
def cut_after_one_frame_of_three(log: SqliteLog) -> None:
    """The file ends after the first frame of the second transaction."""
    log.truncate(2176)
    log.expect("torn", "uncommitted", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "torn-tail", "SQW-032", "SQW-042", kind="eof")
def cut_in_the_only_transaction(log: SqliteLog) -> None:
    """The file ends between two frames of the first transaction. No frame is committed, so `end` is
    32.
    """
    log.truncate(1104)
    log.expect("torn", "uncommitted", survivors=[], end=32)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def torn_at_a_sector(log: SqliteLog) -> None:
    """The file ends at a multiple of 512 bytes, inside the last image."""
    log.torn(512)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(pages_of_1024_bytes, "torn-tail", "SQW-033", kind="eof")
def cut_in_a_larger_image(log: SqliteLog) -> None:
    """The file ends inside an image of 1,024 bytes."""
    log.truncate_in("frames[3].page", 1000)
    log.expect("torn", "torn-frame", survivors=[0, 1], end=32 + 3 * 1048)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-020", "SQW-021", kind="eof")
def cut_in_the_header(log: SqliteLog) -> None:
    """The file ends one byte before the end of the header."""
    log.truncate(31)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021", kind="eof")
def cut_in_the_magic_number(log: SqliteLog) -> None:
    """The file ends after two bytes of the magic number."""
    log.truncate(2)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-033", kind="eof")
def cut_in_the_first_frame(log: SqliteLog) -> None:
    """The file ends inside frame 1."""
    log.truncate(300)
    log.expect("torn", "torn-frame", survivors=[], end=32)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021", "SQW-042")
def header_with_a_wrong_checksum(log: SqliteLog) -> None:
    """A bit of the checksum flips in a header without frames."""
    log.flip("header.checksum_1", 4)
    log.truncate(32)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021")
def file_of_zeros(log: SqliteLog) -> None:
    """Every byte of the file is zero, as if the file was extended but never written."""
    log.zero("header")
    log.zero("frames[0]")
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021", kind="eof")
def ten_bytes_of_zeros(log: SqliteLog) -> None:
    """A file of ten zeros."""
    log.zero("header")
    log.truncate(10)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-012", "SQW-032", kind="eof")
def frames_without_a_commit(log: SqliteLog) -> None:
    """Two uncommitted frames at the end, from a transaction that was rolled back or
    never finished.
    """
    log.spill((5, "hotel."), (6, "india."))
    log.did("add two frames without a commit")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", "SQW-033", kind="eof")
def frames_without_a_commit_and_a_piece(log: SqliteLog) -> None:
    """The log ends with an uncommitted frame and a piece of another frame."""
    log.spill((5, "hotel."), (6, "india."))
    log.did("add two frames without a commit")
    log.truncate(3784 + 536 + 200)
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", kind="eof")
def crash_in_a_rewrite(log: SqliteLog) -> None:
    """The log ends with a frame that has a new image and an old checksum, and two frames whose
    salts and checksums are zero.
    """
    log.spill((5, "hotel."), (6, "india."), (7, "juliett."))
    log.did("add three frames without a commit")
    log.data[log.at(8) + 24 : log.at(9)] = log.image(5, "kilo.")
    log.did("overwrite the image of the first of these frames")
    for slot in (9, 10):
        log.data[log.at(slot) + 8 : log.at(slot) + 24] = bytes(16)
    log.did("zero the salts and checksums of the other two")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", "SQW-033", kind="eof")
def cut_in_a_rewrite(log: SqliteLog) -> None:
    """The file ends inside a frame whose salts are still zero."""
    log.spill((5, "hotel."), (6, "india."))
    log.data[log.at(9) + 8 : log.at(9) + 24] = bytes(16)
    log.did("add two frames without a commit, the second with zero salts and checksum")
    log.truncate(3784 + 536 + 100)
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", kind="eof")
def frame_without_salts_after_a_commit(log: SqliteLog) -> None:
    """Directly after a commit frame, the log ends with a frame whose salts and checksum
    are zero.
    """
    log.extend(
        bytes.fromhex("00000005") + bytes(20) + log.image(5, "hotel."), "a slot without a checksum"
    )
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(one_transaction_of_two_frames, "uncommitted", "SQW-030", "SQW-032", kind="eof")
def uncommitted_frame_before_older_frames(log: SqliteLog) -> None:
    """Older frames follow an uncommitted frame. The lost range ends before the older frames."""
    log.spill((3, "charlie."))
    log.did("add a frame without a commit")
    log.extend(older_generation(7)[log.at(4) :], "four older frames")
    log.expect("torn", "uncommitted", survivors=[0], end=1104)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-030", "SQW-032", kind="eof")
def uncommitted_frame_that_does_not_follow(log: SqliteLog) -> None:
    """The log ends with an uncommitted frame that follows no slot."""
    log.spill((5, "hotel."), (6, "india."))
    log.did("add two frames without a commit")
    del log.data[log.at(8) : log.at(9)]
    log.did("remove the first of these frames")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(two_large_transactions, "uncommitted", "SQW-030", "SQW-032", kind="eof")
def unwritten_frame_in_an_uncommitted_transaction(log: SqliteLog) -> None:
    """The middle frame of the last transaction is zeroed, and its third frame has no
    commit mark.
    """
    log.set("frames[5].header.db_pages", 0, "big")
    log.zero("frames[4]")
    log.expect("torn", "uncommitted", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "uncommitted", "SQW-010", "SQW-032", kind="eof")
def commit_mark_flipped_off(log: SqliteLog) -> None:
    """The database size of the last commit frame is zeroed, so the transaction is uncommitted."""
    log.set("frames[5].header.db_pages", 0, "big")
    log.expect("torn", "uncommitted", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "bad-tail", "SQW-031", "SQW-034", kind="eof")
def commit_frame_before_its_first_frame(log: SqliteLog) -> None:
    """The first frame of the last transaction is zeroed, as if only later frames
    reached the disk.
    """
    log.zero("frames[3]")
    log.expect("torn", "bad-tail", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "bad-tail", "SQW-034", kind="eof")
def commit_frame_before_its_image(log: SqliteLog) -> None:
    """The image of the last commit frame is zeroed, as if only its header reached the disk."""
    log.shows("size-before-data")
    log.zero("frames[5].page")
    log.expect("torn", "bad-tail", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "bad-tail", "SQW-034", kind="eof")
def sector_of_the_last_transaction_unwritten(log: SqliteLog) -> None:
    """A sector in the middle of the last transaction is zeroed."""
    log.zero_sector(4)
    log.expect("torn", "bad-tail", survivors=[0], end=1640)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_image(log: SqliteLog) -> None:
    """A bit of the last image flips. A torn write looks the same."""
    log.flip("frames[6].page", 77)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_page_number(log: SqliteLog) -> None:
    """A bit of the page number of the last frame flips."""
    log.flip("frames[6].header.page_number", 28)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def last_page_number_zero(log: SqliteLog) -> None:
    """The page number of the last frame is zeroed."""
    log.zero("frames[6].header.page_number")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_size(log: SqliteLog) -> None:
    """A bit of the database size of the last frame flips."""
    log.flip("frames[6].header.db_pages", 24)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_checksum(log: SqliteLog) -> None:
    """A bit of the checksum of the last frame flips. No later frame proves the image."""
    log.flip("frames[6].header.checksum_1", 0)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-030", "SQW-034")
def older_frame_in_the_last_slot_but_one(log: SqliteLog) -> None:
    """An older frame is in slot 6, and the last commit frame is in slot 7. A torn transaction looks
    the same.
    """
    older = older_generation(6)
    log.replace(6, older[log.at(6) : log.at(7)], "an older frame")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2], end=2712)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-030", kind="eof")
def older_frame_in_the_last_slot(log: SqliteLog) -> None:
    """The last write was lost, so its slot still holds an older frame. The loss is undetectable."""
    older = older_generation(7)
    log.replace(7, older[log.at(7) :], "an older frame")
    log.expect("intact", survivors=[0, 1, 2, 3], end=3248)
    log.note("An intact log of four transactions has the same bytes.")


@BOOK.damaged(five_transactions, "bad-tail", "SQW-030", "SQW-034")
def bad_tail_before_older_frames(log: SqliteLog) -> None:
    """A bit of the last image flips, and older frames follow. The lost range ends before the older
    frames.
    """
    log.flip("frames[6].page", 9)
    log.extend(older_generation(9)[log.at(8) :], "two older frames")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(one_transaction, "bad-tail", "SQW-034", "SQW-042")
def bit_in_the_only_image(log: SqliteLog) -> None:
    """A bit of the only image flips. No frame is committed, so `end` is 32."""
    log.flip("frames[0].page", 1)
    log.expect("torn", "bad-tail", survivors=[], end=32)


@BOOK.damaged(one_transaction_of_two_frames, "bad-tail", "SQW-034")
def bit_in_the_first_image_of_the_only_transaction(log: SqliteLog) -> None:
    """A bit of the first of two images flips. The commit frame is not returned alone."""
    log.flip("frames[0].page", 1)
    log.expect("torn", "bad-tail", survivors=[], end=32)


@BOOK.damaged(big_endian_checksums, "torn-tail", "SQW-006", "SQW-021", kind="eof")
def cut_in_a_big_endian_header(log: SqliteLog) -> None:
    """The file ends inside the header of a log with big-endian checksums."""
    log.truncate(30)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-031", "SQW-033")
def last_image_and_a_short_piece(log: SqliteLog) -> None:
    """A bit of the last image flips, and nine bytes follow. The writer continued after this commit,
    so the log is damaged.
    """
    log.extend(b"\xff" * 9, "nine bytes")
    log.flip("frames[6].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


def waiting_slot(log: SqliteLog, page: int = 7, db_pages: int = 0, salts: bytes = bytes(8)) -> None:
    """Add a frame that awaits its checksum."""
    head = page.to_bytes(4, "big") + db_pages.to_bytes(4, "big") + salts
    log.extend(head.ljust(24, b"\0") + log.image(page, "golf."), "a slot without a checksum")


@BOOK.damaged(five_transactions, "torn-tail", "SQW-031", "SQW-033")
def last_image_a_waiting_slot_and_a_piece(log: SqliteLog) -> None:
    """A bit of the last image flips, and a slot that awaits its checksum and nine bytes follow. The
    log is damaged.
    """
    waiting_slot(log)
    log.extend(b"\xff" * 9, "nine bytes")
    log.flip("frames[6].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-034")
def last_image_and_a_waiting_slot(log: SqliteLog) -> None:
    """A bit of the last image flips, and a slot that awaits its checksum follows. Both slots are
    the torn tail.
    """
    waiting_slot(log)
    log.flip("frames[6].page", 5)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-030", "SQW-032")
def slot_of_zeros_with_a_checksum(log: SqliteLog) -> None:
    """A slot that is all zeros except for its checksum has page number 0, so the slot
    is framing.
    """
    log.extend(
        bytes(20) + b"\5" + bytes(515), "a slot of zeros except for one byte of the checksum"
    )
    log.expect("intact", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032")
def waiting_slot_with_a_checksum(log: SqliteLog) -> None:
    """A slot with zero salts awaits its checksum, even if its checksum field is not zero."""
    log.extend(
        b"\0\0\0\7" + bytes(16) + b"\5" + bytes(515), "a slot with zero salts and a checksum"
    )
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032")
def waiting_slot_with_a_size(log: SqliteLog) -> None:
    """A slot with zero salts awaits its checksum, even if its database size is not zero."""
    waiting_slot(log, db_pages=5)
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-030", "SQW-032")
def slot_with_one_zero_salt(log: SqliteLog) -> None:
    """A slot with a zero salt-1 and a nonzero salt-2 is framing."""
    waiting_slot(log, salts=bytes.fromhex("0000000022222222"))
    log.expect("intact", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-030", "SQW-032")
def slot_with_the_other_zero_salt(log: SqliteLog) -> None:
    """A slot with a nonzero salt-1 and a zero salt-2 is framing."""
    waiting_slot(log, salts=bytes.fromhex("1111111100000000"))
    log.expect("intact", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-033", kind="eof")
def piece_of_zeros(log: SqliteLog) -> None:
    """The file ends with two uncommitted frames and nine zeros. The zeros are framing."""
    log.truncate(1649)
    log.data[1640:] = bytes(9)
    log.did("zero the last nine bytes")
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def short_piece_with_other_salts(log: SqliteLog) -> None:
    """The file ends with 12 bytes of a frame with another salt-1. The piece is too short to compare
    salts, so it is a cut frame.
    """
    log.extend(bytes.fromhex("000000070000000033333333"), "12 bytes of a frame")
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def short_piece_that_begins_with_zeros(log: SqliteLog) -> None:
    """The file ends with a piece of nine bytes, of which only the first four are zero. The piece is
    a cut frame.
    """
    log.extend(bytes.fromhex("00000000ffffffffff"), "nine bytes")
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-033", kind="eof")
def waiting_slot_and_a_short_piece(log: SqliteLog) -> None:
    """The file ends with a slot that awaits its checksum and nine bytes. Both are one unfinished
    transaction.
    """
    waiting_slot(log)
    log.extend(b"\xff" * 9, "nine bytes")
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def piece_after_an_unwritten_slot(log: SqliteLog) -> None:
    """Slot 6 is zeroed, and the file ends inside the checksum of slot 7. The salts show that slot 7
    is a cut frame.
    """
    log.truncate(3268)
    log.zero("frames[5]")
    log.expect("torn", "torn-frame", survivors=[0, 1, 2], end=2712)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", "SQW-046")
def image_and_an_unfinished_tail(log: SqliteLog) -> None:
    """A bit of an image flips, and the log ends with an uncommitted frame and four bytes. Both are
    one lost range.
    """
    log.spill((3, "hotel."))
    log.did("add a frame without a commit")
    log.extend(b"\xff" * 4, "four bytes")
    log.flip("frames[4].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-046")
def image_and_a_waiting_slot(log: SqliteLog) -> None:
    """A bit of an image flips, and the log ends with a slot that awaits its checksum."""
    waiting_slot(log)
    log.flip("frames[4].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(one_transaction, "stale", "SQW-032", kind="valid")
def waiting_slot_with_page_zero(log: SqliteLog) -> None:
    """A slot with zero salts, a database size and page number 0 is framing."""
    waiting_slot(log, page=0, db_pages=5)
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-032", "SQW-033", kind="eof")
def waiting_slot_and_a_cut_one(log: SqliteLog) -> None:
    """The file ends with an uncommitted frame, a slot that awaits its checksum, and a cut frame
    with zero salts.
    """
    log.spill((2, "bravo."))
    log.did("add a frame without a commit")
    waiting_slot(log)
    waiting_slot(log, page=8)
    log.truncate(log.at(4) + 100)
    log.expect("torn", "torn-frame", survivors=[0], end=568)
