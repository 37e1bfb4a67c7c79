"""Logs that end early: unfinished writes."""

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
    """Every prefix of a log of one transaction of two frames."""


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", "SQW-042", kind="eof")
def cut_in_the_last_image(log: SqliteLog) -> None:
    """The file ends inside the last image."""
    log.shows("torn-last-record")
    log.truncate_in("frames[6].page", 100)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_before_the_last_byte(log: SqliteLog) -> None:
    """The file lacks its last byte."""
    log.truncate(3783)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_a_frame_header(log: SqliteLog) -> None:
    """The file ends with a whole frame header and no image."""
    log.truncate_in("frames[6].page", 0)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)
    log.bug("dissect.database 1.1 takes the header for a commit")


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_in_the_salts(log: SqliteLog) -> None:
    """The file ends inside the salts: too few bytes to compare them, and not all zero."""
    log.truncate(3248 + 15)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_the_salts(log: SqliteLog) -> None:
    """The file ends directly after the salts."""
    log.truncate(3248 + 16)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_one_zero_byte(log: SqliteLog) -> None:
    """One byte of a frame is there, a zero: framing, as if it had never been written."""
    log.truncate(3249)
    log.expect("intact", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def cut_after_a_page_number(log: SqliteLog) -> None:
    """Four bytes of a frame are there, its page number."""
    log.truncate(3252)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-011", "SQW-030", kind="eof")
def cut_between_two_transactions(log: SqliteLog) -> None:
    """The file ends between two transactions: nothing shows that there was another."""
    log.truncate(3248)
    log.expect("intact", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-012", "SQW-032", kind="eof")
def cut_between_two_frames(log: SqliteLog) -> None:
    """The file ends between the frames of a transaction."""
    log.truncate(1640)
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-012", "SQW-033", kind="eof")
def cut_in_the_commit_frame(log: SqliteLog) -> None:
    """The file ends inside the last of three frames: the range begins at the first."""
    log.truncate(1700)
    log.expect("torn", "torn-frame", survivors=[0], end=568)


@BOOK.damaged(two_large_transactions, "torn-tail", "SQW-032", kind="eof")
def cut_after_one_frame_of_three(log: SqliteLog) -> None:
    """The file ends after the first frame of the second transaction."""
    log.truncate(2176)
    log.expect("torn", "uncommitted", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "torn-tail", "SQW-032", "SQW-042", kind="eof")
def cut_in_the_only_transaction(log: SqliteLog) -> None:
    """The file ends inside the first transaction: no frame is committed, and `end` is 32."""
    log.truncate(1104)
    log.expect("torn", "uncommitted", survivors=[], end=32)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def torn_at_a_sector(log: SqliteLog) -> None:
    """The file ends at the last boundary of 512 bytes."""
    log.torn(512)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(pages_of_1024_bytes, "torn-tail", "SQW-033", kind="eof")
def cut_in_a_larger_image(log: SqliteLog) -> None:
    """The file ends inside an image of 1024 bytes."""
    log.truncate_in("frames[3].page", 1000)
    log.expect("torn", "torn-frame", survivors=[0, 1], end=32 + 3 * 1048)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-020", "SQW-021", kind="eof")
def cut_in_the_header(log: SqliteLog) -> None:
    """The file ends one byte before the end of the header."""
    log.truncate(31)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021", kind="eof")
def cut_in_the_magic_number(log: SqliteLog) -> None:
    """Two bytes of the magic number are there."""
    log.truncate(2)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-033", kind="eof")
def cut_in_the_first_frame(log: SqliteLog) -> None:
    """The file ends inside frame 1."""
    log.truncate(300)
    log.expect("torn", "torn-frame", survivors=[], end=32)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021", "SQW-042")
def header_with_a_wrong_checksum(log: SqliteLog) -> None:
    """A header whose checksum is wrong, and nothing after it."""
    log.flip("header.checksum_1", 4)
    log.truncate(32)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021")
def file_of_zeros(log: SqliteLog) -> None:
    """All bytes are zero: the file was extended, and nothing was written."""
    log.zero("header")
    log.zero("frames[0]")
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-021", kind="eof")
def ten_bytes_of_zeros(log: SqliteLog) -> None:
    """Ten zeros are the whole file."""
    log.zero("header")
    log.truncate(10)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-012", "SQW-032", kind="eof")
def frames_without_a_commit(log: SqliteLog) -> None:
    """Two frames of a transaction that was rolled back, or never finished."""
    log.spill((5, "hotel."), (6, "india."))
    log.did("add two frames without a commit")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", "SQW-033", kind="eof")
def frames_without_a_commit_and_a_piece(log: SqliteLog) -> None:
    """A frame without a commit, and a piece of another."""
    log.spill((5, "hotel."), (6, "india."))
    log.did("add two frames without a commit")
    log.truncate(3784 + 536 + 200)
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", kind="eof")
def crash_in_a_rewrite(log: SqliteLog) -> None:
    """A frame with a new image and an old checksum, and two frames without salts and checksum."""
    log.spill((5, "hotel."), (6, "india."), (7, "juliett."))
    log.did("add three frames without a commit")
    log.data[log.at(8) + 24 : log.at(9)] = log.image(5, "kilo.")
    log.did("overwrite the image of the first")
    for slot in (9, 10):
        log.data[log.at(slot) + 8 : log.at(slot) + 24] = bytes(16)
    log.did("zero salts and checksum of the others")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", "SQW-033", kind="eof")
def cut_in_a_rewrite(log: SqliteLog) -> None:
    """The file ends inside a frame that has no salts yet."""
    log.spill((5, "hotel."), (6, "india."))
    log.data[log.at(9) + 8 : log.at(9) + 24] = bytes(16)
    log.did("add two frames without a commit, the second without salts and checksum")
    log.truncate(3784 + 536 + 100)
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-032", kind="eof")
def frame_without_salts_after_a_commit(log: SqliteLog) -> None:
    """A frame with a page number and zeros for salts and checksum, directly after a commit."""
    log.extend(bytes.fromhex("00000005") + bytes(20) + log.image(5, "hotel."), "such a frame")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(one_transaction_of_two_frames, "uncommitted", "SQW-030", "SQW-032", kind="eof")
def uncommitted_frame_before_older_frames(log: SqliteLog) -> None:
    """A frame without a commit, and older frames after it: the range ends before those."""
    log.spill((3, "charlie."))
    log.did("add a frame without a commit")
    log.extend(older_generation(7)[log.at(4) :], "four older frames")
    log.expect("torn", "uncommitted", survivors=[0], end=1104)


@BOOK.damaged(five_transactions, "uncommitted", "SQW-030", "SQW-032", kind="eof")
def uncommitted_frame_that_does_not_follow(log: SqliteLog) -> None:
    """A frame of this generation that was left behind: it follows nothing, and has no commit."""
    log.spill((5, "hotel."), (6, "india."))
    log.did("add two frames without a commit")
    del log.data[log.at(8) : log.at(9)]
    log.did("remove the first of them")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(two_large_transactions, "uncommitted", "SQW-030", "SQW-032", kind="eof")
def unwritten_frame_in_an_uncommitted_transaction(log: SqliteLog) -> None:
    """The middle one of three frames was never written, and the third has no commit mark."""
    log.set("frames[5].header.db_pages", 0, "big")
    log.zero("frames[4]")
    log.expect("torn", "uncommitted", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "uncommitted", "SQW-010", "SQW-032", kind="eof")
def commit_mark_flipped_off(log: SqliteLog) -> None:
    """The size in the last commit frame reads 0: the transaction is not committed."""
    log.set("frames[5].header.db_pages", 0, "big")
    log.expect("torn", "uncommitted", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "bad-tail", "SQW-031", "SQW-034", kind="eof")
def commit_frame_before_its_first_frame(log: SqliteLog) -> None:
    """The disk wrote the commit frame of the last transaction, and not its first frame."""
    log.zero("frames[3]")
    log.expect("torn", "bad-tail", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "bad-tail", "SQW-034", kind="eof")
def commit_frame_before_its_image(log: SqliteLog) -> None:
    """The header of the last commit frame arrived, its image reads as zeros."""
    log.shows("size-before-data")
    log.zero("frames[5].page")
    log.expect("torn", "bad-tail", survivors=[0], end=1640)


@BOOK.damaged(two_large_transactions, "bad-tail", "SQW-034", kind="eof")
def sector_of_the_last_transaction_unwritten(log: SqliteLog) -> None:
    """A sector in the middle of the last transaction reads as zeros."""
    log.zero_sector(4)
    log.expect("torn", "bad-tail", survivors=[0], end=1640)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_image(log: SqliteLog) -> None:
    """A bit of the last image flips: a torn write looks the same."""
    log.flip("frames[6].page", 77)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_page_number(log: SqliteLog) -> None:
    """A bit of the last page number flips."""
    log.flip("frames[6].header.page_number", 28)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def last_page_number_zero(log: SqliteLog) -> None:
    """The last page number reads 0."""
    log.zero("frames[6].header.page_number")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_size(log: SqliteLog) -> None:
    """A bit of the database size in the last frame flips."""
    log.flip("frames[6].header.db_pages", 24)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-034")
def bit_in_the_last_checksum(log: SqliteLog) -> None:
    """A bit of the last checksum flips: no frame after it proves the image."""
    log.flip("frames[6].header.checksum_1", 0)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-030", "SQW-034")
def older_frame_in_the_last_slot_but_one(log: SqliteLog) -> None:
    """Slot 6 holds an older frame, and slot 7 the last commit: a torn transaction looks so."""
    older = older_generation(6)
    log.replace(6, older[log.at(6) : log.at(7)], "an older frame")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2], end=2712)


@BOOK.damaged(five_transactions, "bad-tail", "SQW-030", kind="eof")
def older_frame_in_the_last_slot(log: SqliteLog) -> None:
    """The last write was lost, and an older frame shows through, undetectably."""
    older = older_generation(7)
    log.replace(7, older[log.at(7) :], "an older frame")
    log.expect("intact", survivors=[0, 1, 2, 3], end=3248)
    log.note("An intact log of four transactions has the same bytes.")


@BOOK.damaged(five_transactions, "bad-tail", "SQW-030", "SQW-034")
def bad_tail_before_older_frames(log: SqliteLog) -> None:
    """The last transaction is broken, and older frames follow it: the range ends before those."""
    log.flip("frames[6].page", 9)
    log.extend(older_generation(9)[log.at(8) :], "two older frames")
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(one_transaction, "bad-tail", "SQW-034", "SQW-042")
def bit_in_the_only_image(log: SqliteLog) -> None:
    """The only transaction is broken: `end` is 32."""
    log.flip("frames[0].page", 1)
    log.expect("torn", "bad-tail", survivors=[], end=32)


@BOOK.damaged(one_transaction_of_two_frames, "bad-tail", "SQW-034")
def bit_in_the_first_image_of_the_only_transaction(log: SqliteLog) -> None:
    """The first of two frames is broken, and the commit frame follows it: not returned alone."""
    log.flip("frames[0].page", 1)
    log.expect("torn", "bad-tail", survivors=[], end=32)


@BOOK.damaged(big_endian_checksums, "torn-tail", "SQW-006", "SQW-021", kind="eof")
def cut_in_a_big_endian_header(log: SqliteLog) -> None:
    """The file ends inside a header whose magic number is odd."""
    log.truncate(30)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-031", "SQW-033")
def last_image_and_a_short_piece(log: SqliteLog) -> None:
    """A short piece follows the damaged last frame: the writer went on after its commit."""
    log.extend(b"\xff" * 9, "nine bytes")
    log.flip("frames[6].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


def waiting_slot(log: SqliteLog, page: int = 7, db_pages: int = 0, salts: bytes = bytes(8)) -> None:
    """Add a frame that awaits its checksum."""
    head = page.to_bytes(4, "big") + db_pages.to_bytes(4, "big") + salts
    log.extend(head.ljust(24, b"\0") + log.image(page, "golf."), "a slot without a checksum")


@BOOK.damaged(five_transactions, "torn-tail", "SQW-031", "SQW-033")
def last_image_a_waiting_slot_and_a_piece(log: SqliteLog) -> None:
    """A slot that awaits its checksum and a piece follow the damaged last frame."""
    waiting_slot(log)
    log.extend(b"\xff" * 9, "nine bytes")
    log.flip("frames[6].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-034")
def last_image_and_a_waiting_slot(log: SqliteLog) -> None:
    """A slot that awaits its checksum follows the damaged last frame: it belongs to the tail."""
    waiting_slot(log)
    log.flip("frames[6].page", 5)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-030", "SQW-032")
def slot_of_zeros_with_a_checksum(log: SqliteLog) -> None:
    """A slot of zeros but for its checksum: its page number is 0, so it is framing."""
    log.extend(bytes(20) + b"\5" + bytes(515), "a slot of zeros with one byte of a checksum")
    log.expect("intact", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032")
def waiting_slot_with_a_checksum(log: SqliteLog) -> None:
    """A slot with zero salts and a checksum that is not zero."""
    log.extend(b"\0\0\0\7" + bytes(16) + b"\5" + bytes(515), "a slot with a wrong checksum")
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032")
def waiting_slot_with_a_size(log: SqliteLog) -> None:
    """A slot with zero salts and a database size."""
    waiting_slot(log, db_pages=5)
    log.expect("torn", "uncommitted", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-030", "SQW-032")
def slot_with_one_zero_salt(log: SqliteLog) -> None:
    """A slot whose first salt is zero and whose second is not: framing."""
    waiting_slot(log, salts=bytes.fromhex("0000000022222222"))
    log.expect("intact", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-030", "SQW-032")
def slot_with_the_other_zero_salt(log: SqliteLog) -> None:
    """A slot whose second salt is zero and whose first is not: framing."""
    waiting_slot(log, salts=bytes.fromhex("1111111100000000"))
    log.expect("intact", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-033", kind="eof")
def piece_of_zeros(log: SqliteLog) -> None:
    """The file ends with nine zeros after two uncommitted frames: the piece is framing."""
    log.truncate(1649)
    log.data[1640:] = bytes(9)
    log.did("zero the last nine bytes")
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def short_piece_with_other_salts(log: SqliteLog) -> None:
    """A piece of 12 bytes with another first salt: too short to compare, so it counts."""
    log.extend(bytes.fromhex("000000070000000033333333"), "12 bytes of a frame")
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def short_piece_that_begins_with_zeros(log: SqliteLog) -> None:
    """A piece of nine bytes that begins with four zeros: not all are zero, so it counts."""
    log.extend(bytes.fromhex("00000000ffffffffff"), "nine bytes")
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-033", kind="eof")
def waiting_slot_and_a_short_piece(log: SqliteLog) -> None:
    """A slot that awaits its checksum and a piece after it: one unfinished transaction."""
    waiting_slot(log)
    log.extend(b"\xff" * 9, "nine bytes")
    log.expect("torn", "torn-frame", survivors=ALL, end=3784)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", kind="eof")
def piece_after_an_unwritten_slot(log: SqliteLog) -> None:
    """The last frame is cut after its salts, and the slot before it is zeros: the salts count."""
    log.truncate(3268)
    log.zero("frames[5]")
    log.expect("torn", "torn-frame", survivors=[0, 1, 2], end=2712)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-033", "SQW-046")
def image_and_an_unfinished_tail(log: SqliteLog) -> None:
    """After a damaged image, a frame without a commit and a piece follow: one range."""
    log.spill((3, "hotel."))
    log.did("a frame without a commit")
    log.extend(b"\xff" * 4, "four bytes")
    log.flip("frames[4].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "torn-tail", "SQW-032", "SQW-046")
def image_and_a_waiting_slot(log: SqliteLog) -> None:
    """After a damaged image, a slot follows that awaits its checksum."""
    waiting_slot(log)
    log.flip("frames[4].page", 5)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(one_transaction, "stale", "SQW-032", kind="valid")
def waiting_slot_with_page_zero(log: SqliteLog) -> None:
    """A slot with zero salts and a database size, whose page number is 0: framing."""
    waiting_slot(log, page=0, db_pages=5)
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "torn-tail", "SQW-032", "SQW-033", kind="eof")
def waiting_slot_and_a_cut_one(log: SqliteLog) -> None:
    """A frame without a commit, a slot that awaits its checksum, and one that is cut."""
    log.spill((2, "bravo."))
    log.did("add a frame without a commit")
    waiting_slot(log)
    waiting_slot(log, page=8)
    log.truncate(log.at(4) + 100)
    log.expect("torn", "torn-frame", survivors=[0], end=568)
