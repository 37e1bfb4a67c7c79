"""Commit frames whose database size becomes 0, and images whose damage looks like such a size."""

from __future__ import annotations

import struct

from conformance.recipes.sqlite_wal.layout import big_endian_checksums, five_transactions
from conformance.recipes.sqlite_wal.log import BOUNDARIES, LOST_HEADER, PADDING, VALUES, SqliteLog
from conformance.recipes.sqlite_wal.padding import two_repetitions
from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE, rewind


@VALUES.valid("SQW-013")
def very_large_databases(log: SqliteLog) -> None:
    """Four transactions of databases with 2^24 and 2^23 pages, and big-endian checksums."""
    log.begin(page_size=1024, order=">")
    for page, size in enumerate((1 << 24, 1 << 24, 1 << 23, 1 << 23), 1):
        log.commit((page, f"page {page}, "), db_pages=size)
    log.expect("intact", survivors=[0, 1, 2, 3], end=32 + 4 * 1048)


@BOUNDARIES.damaged(big_endian_checksums, "SQW-055")
def size_zero_of_one_page(log: SqliteLog) -> None:
    """A database size of 1 becomes 0 in a log with big-endian checksums."""
    log.commit((1, "hotel."), db_pages=1)
    log.commit((1, "india."), db_pages=1)
    log.overwrite(log.at(5) + 4, bytes(4))
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 4], end=None)


@BOUNDARIES.damaged(big_endian_checksums, "SQW-032", "SQW-055")
def size_zero_before_an_uncommitted_frame(log: SqliteLog) -> None:
    """The last database size is zeroed, and an uncommitted frame follows."""
    log.spill((4, "hotel."))
    log.zero("frames[3].header.db_pages")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@PADDING.damaged(two_repetitions, "SQW-016", "SQW-055", kind="corrupt")
def size_zero_before_padding(log: SqliteLog) -> None:
    """The last database size is zeroed, and two padding frames follow. Padding does not show a lost
    commit."""
    log.zero("frames[1].header.db_pages")
    log.expect("torn", "bad-tail", survivors=[0], end=568)


LOST_HEADER.table("""
header_and_the_first_sizes: big_endian_checksums SQW-027 SQW-040 SQW-055
    The header is zeroed, a bit of the first image flips, and the database size of slot 3 is zeroed.
    No value before slot 1 is known, but the checksum shows the size of slot 3.
    damage: zero header
    damage: flip bit 100 of frames[0].page
    damage: zero frames[2].header.db_pages
    expect: damaged header-checksum, survivors 2, end none
header_and_the_first_size: commit_frame_of_an_earlier_transaction_again SQW-027 SQW-055
    The header and the database size of slot 1 are zeroed. No value before slot 1 is known, so its
    checksum shows no size, and the next transaction is lost.
    damage: zero header
    damage: zero frames[0].header.db_pages
    expect: damaged header-checksum, survivors 2, end none
""")


BOUNDARIES.table("""
size_zero_of_three_pages: two_large_transactions SQW-040 SQW-055
    A database size of 3 becomes 0. As a little-endian word, it is 3 * 2^24. No flipped bit of an
    image of 512 bytes can look like this size, so the next transaction is returned.
    damage: zero frames[2].header.db_pages
    expect: damaged frame-checksum, survivors 1, end none
size_zero_of_two_pages: commit_frame_of_an_earlier_transaction_again SQW-031 SQW-040 SQW-055
    A database size of 2 becomes 0. As a little-endian word, it is 2^25. A flipped bit of the image
    could look like this size, so the next transaction is lost, and the log is damaged.
    damage: zero frames[1].header.db_pages
    expect: damaged frame-checksum, survivors 0, end none
size_zero_of_half_a_very_large_database: very_large_databases SQW-040 SQW-055
    A database size of 2^23 becomes 0. No flipped bit of an image of 1,024 bytes can look like this
    size, so the next transaction is returned.
    damage: zero frames[2].header.db_pages
    expect: damaged frame-checksum, survivors 0 1 3, end none
size_zero_of_a_very_large_database: very_large_databases SQW-040 SQW-055
    A database size of 2^24 becomes 0. A flipped bit of an image of 1,024 bytes could look like this
    size, so the next transaction is lost.
    damage: zero frames[0].header.db_pages
    expect: damaged frame-checksum, survivors 2 3, end none
size_zero_and_a_bit_in_the_image: big_endian_checksums SQW-034 SQW-055 corrupt
    The second-to-last database size is zeroed, and a bit of the same image flips. The checksum does
    not show a size, so the last two frames look like one torn transaction.
    damage: zero frames[2].header.db_pages
    damage: flip bit 100 of frames[2].page
    expect: torn bad-tail, survivors 0, end 1104
size_zero_and_a_bit_in_the_page_number: big_endian_checksums SQW-034 SQW-055 corrupt
    The second-to-last database size is zeroed, and a bit of the same page number flips. The
    checksum does not confirm the page number.
    damage: zero frames[2].header.db_pages
    damage: flip bit 24 of frames[2].header.page_number
    expect: torn bad-tail, survivors 0, end 1104
size_zero_before_a_cut_frame: big_endian_checksums SQW-033 SQW-055
    The second-to-last database size is zeroed, and the file ends inside the last frame. The cut
    frame shows that the commit before it was complete.
    damage: zero frames[2].header.db_pages
    damage: truncate 100 bytes into frames[3].page
    expect: damaged frame-checksum, survivors 0, end none
bit_in_the_last_transaction_that_shows_a_size: two_large_transactions SQW-031 SQW-055
    The highest bit of a word flips in an image of the last transaction. The checksum shows a
    database size of 128, although the frame had none. The log is damaged, and nothing is returned
    after this frame.
    damage: flip bit 95 of frames[3].page
    expect: damaged frame-checksum, survivors 0, end none
bit_in_an_image_that_shows_a_size: five_transactions SQW-040 SQW-055
    The highest bit of a word flips in an image of a transaction of three frames. The checksum shows
    a database size of 128, although the frame had none. No transaction begins after it.
    damage: flip bit 95 of frames[2].page
    expect: damaged frame-checksum, survivors 0 2-4, end none
""")


@BOUNDARIES.damaged(five_transactions, "SQW-040")
def bit_in_an_image_that_hides_a_commit(log: SqliteLog) -> None:
    """A bit of an image flips, and by chance the checksum of this commit frame then fits a size of
    0. The next transaction is lost."""
    assert log.header is not None
    b = log.checksum_of(4)[1]
    slot = log.slot(5)
    for bit in range(8 * 512):
        image = bytearray(slot[FRAME_HEADER_SIZE:])
        image[bit // 8] ^= 1 << bit % 8
        s, t = rewind(struct.unpack(">2I", slot[16:24]), bytes(image), log.header.order)
        if t == (b + s) & 0xFFFFFFFF:
            log.flip("frames[4].page", bit)
            break
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 4], end=None)
