"""Damaged headers: a reader rebuilds the header from frame 1, or reads the log without it."""

from conformance.recipes.sqlite_wal.layout import (
    big_endian_checksums,
    five_transactions,
    one_transaction,
    one_transaction_of_two_frames,
    pages_of_1024_bytes,
    pages_of_4096_bytes,
    salts_of_zeros,
    third_generation,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, older_generation

ALL = [0, 1, 2, 3, 4]


@BOOK.damaged(five_transactions, "header", "SQW-020", "SQW-025", "SQW-026", "SQW-043", "SQW-045")
def header_zeroed(log: SqliteLog) -> None:
    """The header is zeroed. A reader rebuilds the header from frame 1, and no record is lost."""
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)
    log.bug("SQLite recovers nothing, reports nothing, and deletes the log")


@BOOK.damaged(five_transactions, "header", "SQW-026")
def header_filled(log: SqliteLog) -> None:
    """Every byte of the header is 0xFF."""
    log.fill("header", 0xFF)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "header", "SQW-002", "SQW-026")
def bit_in_the_magic_number(log: SqliteLog) -> None:
    """A bit of the magic number flips."""
    log.flip("header.magic", 1)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "header", "SQW-006", "SQW-026")
def byte_order_flipped(log: SqliteLog) -> None:
    """The lowest bit of the magic number flips. A reader also tries the other byte order."""
    log.flip("header.magic", 24)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "header", "SQW-024", "SQW-026")
def bit_in_the_version(log: SqliteLog) -> None:
    """A bit of the version flips. The checksum of the header is then invalid, so the log is damaged
    and not refused.
    """
    log.flip("header.version", 24)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "header", "SQW-003", "SQW-026")
def bit_in_the_page_size(log: SqliteLog) -> None:
    """A bit of the page size flips, so the page size is invalid. A reader tries every page size."""
    log.flip("header.page_size", 16)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)
    log.bug("Turso 0.8.3 refuses the database before it verifies the header")


@BOOK.damaged(five_transactions, "header", "SQW-003", "SQW-026")
def page_size_doubled(log: SqliteLog) -> None:
    """The page size changes from 512 to 1,024 bytes, which is also a valid page size."""
    log.set("header.page_size", 1024, "big")
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "header", "SQW-026")
def bit_in_the_sequence_number(log: SqliteLog) -> None:
    """A bit of the sequence number flips."""
    log.flip("header.sequence", 20)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "header", "SQW-005", "SQW-026")
def bit_in_the_salt_of_the_header(log: SqliteLog) -> None:
    """A bit of a salt in the header flips. Frame 1 has the correct salts."""
    log.flip("header.salt_1", 5)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(five_transactions, "header", "SQW-007", "SQW-026")
def bit_in_the_checksum_of_the_header(log: SqliteLog) -> None:
    """A bit of the checksum of the header flips."""
    log.flip("header.checksum_2", 5)
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)


@BOOK.damaged(big_endian_checksums, "header", "SQW-006", "SQW-026")
def big_endian_header_zeroed(log: SqliteLog) -> None:
    """The header of a log with big-endian checksums is zeroed."""
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(third_generation, "header", "SQW-026")
def header_of_the_third_generation_zeroed(log: SqliteLog) -> None:
    """The header of a log with sequence number 2 is zeroed."""
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(salts_of_zeros, "header", "SQW-005", "SQW-026")
def header_with_salts_of_zeros_zeroed(log: SqliteLog) -> None:
    """The header of a log with salts of zero is zeroed."""
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(pages_of_1024_bytes, "header", "SQW-026")
def header_of_larger_pages_zeroed(log: SqliteLog) -> None:
    """The header of a log with pages of 1,024 bytes is zeroed."""
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[0, 1, 2], end=None)


@BOOK.damaged(pages_of_4096_bytes, "header", "SQW-026")
def header_of_pages_of_4096_bytes_zeroed(log: SqliteLog) -> None:
    """The header of a log with pages of 4,096 bytes is zeroed."""
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[0], end=None)


@BOOK.damaged(one_transaction, "header", "SQW-026")
def header_before_one_frame_zeroed(log: SqliteLog) -> None:
    """The header is zeroed, and the log has only one frame. One frame is enough to rebuild the
    header.
    """
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[0], end=None)


@BOOK.damaged(five_transactions, "header", "SQW-025", "SQW-033")
def header_zeroed_and_cut_frame(log: SqliteLog) -> None:
    """The header is zeroed, and the file ends inside a frame."""
    log.zero("header")
    log.truncate(3700)
    log.expect("damaged", "header-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "header", "SQW-025", "SQW-034", "SQW-046")
def header_zeroed_and_bad_tail(log: SqliteLog) -> None:
    """The header is zeroed, and a bit of the last image flips."""
    log.zero("header")
    log.flip("frames[6].page", 5)
    log.expect("damaged", "header-checksum", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_transactions, "header", "SQW-025", "SQW-035")
def header_and_an_image(log: SqliteLog) -> None:
    """The header is zeroed, and a bit of an image in the middle of the log flips."""
    log.zero("header")
    log.flip("frames[4].page", 5)
    log.expect("damaged", "header-checksum", survivors=[0, 1, 3, 4], end=None)


@BOOK.damaged(five_transactions, "lost-header", "SQW-027", "SQW-041")
def header_and_the_first_image(log: SqliteLog) -> None:
    """The header is zeroed, and a bit of the first image flips. The other frames are linked and are
    returned with `after_loss`.
    """
    log.zero("header")
    log.flip("frames[0].page", 5)
    log.expect("damaged", "header-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "lost-header", "SQW-027", "SQW-041")
def first_sector_unwritten(log: SqliteLog) -> None:
    """The first sector of 512 bytes is zeroed. It contains the header and most of frame 1."""
    log.zero_sector(0)
    log.expect("damaged", "header-checksum", survivors=[2, 3, 4], end=None)


@BOOK.damaged(pages_of_1024_bytes, "lost-header", "SQW-027", "SQW-041")
def first_sector_of_larger_pages_unwritten(log: SqliteLog) -> None:
    """The first sector of a log with pages of 1,024 bytes is zeroed."""
    log.zero_sector(0)
    log.expect("damaged", "header-checksum", survivors=[1, 2], end=None)


@BOOK.damaged(big_endian_checksums, "lost-header", "SQW-006", "SQW-027")
def big_endian_first_sector_unwritten(log: SqliteLog) -> None:
    """The first sector of a log with big-endian checksums is zeroed."""
    log.zero_sector(0)
    log.expect("damaged", "header-checksum", survivors=[1, 2], end=None)


@BOOK.damaged(two_large_transactions, "lost-header", "SQW-027", "SQW-034")
def header_and_two_images(log: SqliteLog) -> None:
    """The header and the first four of six frames are damaged. The last two frames are linked, but
    are not a complete transaction.
    """
    log.zero("header")
    for number in range(4):
        log.flip(f"frames[{number}].page", number)
        log.flip(f"frames[{number}].header.checksum_1", number)
    log.expect("damaged", "header-checksum", survivors=[], end=None)


@BOOK.damaged(five_transactions, "lost-header", "SQW-026", "SQW-027")
def header_and_the_first_page_number(log: SqliteLog) -> None:
    """The header and the page number of frame 1 are zeroed. A reader does not rebuild the header
    from this frame.
    """
    log.zero("header")
    log.zero("frames[0].header.page_number")
    log.expect("damaged", "header-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "lost-header", "SQW-026", "SQW-027")
def header_and_the_first_salt(log: SqliteLog) -> None:
    """The header is zeroed, and a bit of a salt in frame 1 flips. The checksum of frame 1 still
    proves frame 2.
    """
    log.zero("header")
    log.flip("frames[0].header.salt_1", 5)
    log.expect("damaged", "header-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(one_transaction, "lost-header", "SQW-021", "SQW-026")
def header_and_the_only_image(log: SqliteLog) -> None:
    """The header is zeroed, and a bit of the only image flips. The whole log is lost."""
    log.zero("header")
    log.flip("frames[0].page", 5)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction, "lost-header", "SQW-026", "SQW-030")
def torn_header_before_older_frames(log: SqliteLog) -> None:
    """The write of a new header over an older log stopped after 20 bytes. The frames of the older
    generation are proven and returned.
    """
    older = older_generation(2)
    log.data[20:] = older[20:]
    log.did("put the first 20 bytes of a new header over a log of two older transactions")
    payloads = [older[start : start + 512] for start in (56, 592)]
    log.payloads += payloads
    log.expect("damaged", "header-checksum", survivors=payloads, end=None)
    log.note(
        "The older transactions are already in the database. Applying them again changes nothing."
    )


@BOOK.damaged(one_transaction_of_two_frames, "lost-header", "SQW-027", "SQW-034")
def header_and_the_first_of_two_images(log: SqliteLog) -> None:
    """The header is zeroed, and a bit of the first of two images flips. The two frames are linked,
    but are not a complete transaction.
    """
    log.zero("header")
    log.flip("frames[0].page", 5)
    log.expect("damaged", "header-checksum", survivors=[], end=None)


@BOOK.damaged(five_transactions, "lost-header", "SQW-027", "SQW-036")
def header_first_image_and_second_salt(log: SqliteLog) -> None:
    """The header is zeroed, and the image of frame 1 and a salt of frame 2 are damaged. Slots 3 and
    4 are the first link.
    """
    log.zero("header")
    log.flip("frames[0].page", 5)
    log.flip("frames[1].header.salt_1", 5)
    log.expect("damaged", "header-checksum", survivors=[2, 3, 4], end=None)


@BOOK.damaged(salts_of_zeros, "lost-header", "SQW-021", "SQW-027")
def header_and_first_image_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, the header is zeroed and the first image is damaged. Slots with
    such salts are not a link.
    """
    log.zero("header")
    log.flip("frames[0].page", 5)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(one_transaction_of_two_frames, "lost-header", "SQW-026", "SQW-027", "SQW-041")
def header_and_page_zero_under_right_checksums(log: SqliteLog) -> None:
    """The header is zeroed, and frame 1 has page number 0 and a valid checksum. A reader does not
    rebuild the header from this frame.
    """
    log.commit((2, "charlie."), db_pages=2)
    log.did("add a transaction")
    log.zero("frames[0].header.page_number")
    log.reseal(1)
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[1], end=None)


@BOOK.damaged(one_transaction, "header", "SQW-020", "SQW-021")
def header_and_the_only_frame(log: SqliteLog) -> None:
    """A bit of the header and a bit of the only image flip. The whole log is lost."""
    log.flip("header.checksum_1", 8)
    log.flip("frames[0].page", 5)
    log.expect("torn", "torn-header", end=0)


@BOOK.valid("layout", "SQW-004")
def two_transactions(log: SqliteLog) -> None:
    """Two transactions of one frame each."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.damaged(two_transactions, "header", "SQW-027")
def header_and_a_linked_page_zero(log: SqliteLog) -> None:
    """The header and the first image are damaged, and frame 2 follows frame 1 but has page number
    0. The frames are not a link.
    """
    log.zero("frames[1].header.page_number")
    log.reseal(2)
    log.flip("header.checksum_1", 8)
    log.flip("frames[0].page", 5)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(two_transactions, "header", "SQW-027")
def header_and_a_second_salt(log: SqliteLog) -> None:
    """The header, the first image and salt-2 of frame 1 are damaged. A link requires all 8 bytes of
    the salts to be equal.
    """
    log.flip("header.checksum_1", 8)
    log.flip("frames[0].header.salt_2", 24)
    log.flip("frames[0].page", 5)
    log.expect("torn", "torn-header", end=0)


@BOOK.valid("layout", "SQW-006")
def image_that_reads_the_same_in_both_orders(log: SqliteLog) -> None:
    """A log with big-endian checksums, in which the words of two frames are the same in both byte
    orders.
    """
    log.begin(order=">")
    log.commit((1, "alpha."), db_pages=1)
    log.add_frames((0x02000002, 0x03000003, b"a" * 512))
    log.add_frames((0x03000003, 0x03000003, b"b" * 512))
    log.payloads += [b"a" * 512, b"b" * 512]
    log.commit((4, "delta."), db_pages=5)
    log.commit((5, "echo."), db_pages=5)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=32 + 5 * 536)


@BOOK.damaged(image_that_reads_the_same_in_both_orders, "header", "SQW-027")
def first_link_in_both_byte_orders(log: SqliteLog) -> None:
    """The first sector is zeroed, and the first link fits both byte orders. A reader uses the next
    link.
    """
    log.zero_sector(0)
    log.expect("damaged", "header-checksum", survivors=[2, 3, 4], end=None)


@BOOK.valid("layout", "SQW-004")
def log_of_smaller_pages_in_an_image(log: SqliteLog) -> None:
    """An image of 2,048 bytes contains three frames of a log with pages of 512 bytes."""
    inner = SqliteLog(b"", [])
    inner.begin(salts=bytes.fromhex("aaaaaaaabbbbbbbb"))
    for number in range(4):
        inner.commit((number + 7, f"inner {number}, "), db_pages=12)
    log.begin(page_size=2048)
    log.commit((1, "alpha."), db_pages=4)
    frames = bytes(inner.data[inner.at(2) :])
    start = 32 + 4 * 536 - (log.at(2) + 24)  # aligned to the smaller slots
    page = bytearray(log.image(2, "bravo."))
    page[start : start + len(frames)] = frames
    log.add_frames((2, 4, bytes(page)))
    log.payloads.append(bytes(page))
    log.commit((3, "charlie."), db_pages=4)
    log.commit((4, "delta."), db_pages=4)
    log.expect("intact", survivors=[0, 1, 2, 3], end=32 + 4 * 2072)


@BOOK.damaged(log_of_smaller_pages_in_an_image, "header", "SQW-027")
def larger_pages_first(log: SqliteLog) -> None:
    """The first two sectors are zeroed, and an image contains frames of a log with smaller pages. A
    reader tries larger pages first.
    """
    log.zero_sector(0)
    log.zero_sector(1)
    log.expect("damaged", "header-checksum", survivors=[2, 3], end=None)


@BOOK.damaged(one_transaction, "lost-header", "SQW-026", "SQW-027")
def header_and_the_only_page_zero_under_right_checksums(log: SqliteLog) -> None:
    """The header is zeroed, and the only frame has page number 0 and a valid checksum. The whole
    log is lost.
    """
    log.zero("frames[0].header.page_number")
    log.reseal(1)
    log.zero("header")
    log.expect("torn", "torn-header", end=0)


@BOOK.valid("layout", "SQW-002")
def sequence_of_128(log: SqliteLog) -> None:
    """A sequence number of 128, which is 2^31 as a little-endian word."""
    log.begin(sequence=128)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(sequence_of_128, "header", "SQW-006", "SQW-026")
def header_with_a_sequence_of_128_zeroed(log: SqliteLog) -> None:
    """The header of a log with sequence number 128 is zeroed. Computing the sequence number wraps
    around at 2^32.
    """
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[0], end=None)
