"""Damaged headers: a reader rebuilds the header from frame 1, or reads the log without it."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    one_transaction_of_two_frames,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import (
    HEADER,
    LAYOUT,
    LOST_HEADER,
    SqliteLog,
    older_generation,
)

ALL = [0, 1, 2, 3, 4]


@HEADER.damaged(five_transactions, "SQW-020", "SQW-025", "SQW-026", "SQW-043", "SQW-045")
def header_zeroed(log: SqliteLog) -> None:
    """The header is zeroed. A reader rebuilds the header from frame 1, and no record is lost."""
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=ALL, end=None)
    log.bug("SQLite recovers nothing, reports nothing, and deletes the log")


@LOST_HEADER.damaged(two_large_transactions, "SQW-027", "SQW-034")
def header_and_two_images(log: SqliteLog) -> None:
    """The header and the first four of six frames are damaged. The last two frames are linked, but
    are not a complete transaction."""
    log.zero("header")
    for number in range(4):
        log.flip(f"frames[{number}].page", number)
        log.flip(f"frames[{number}].header.checksum_1", number)
    log.expect("damaged", "header-checksum", survivors=[], end=None)


@LOST_HEADER.damaged(one_transaction, "SQW-026", "SQW-030")
def torn_header_before_older_frames(log: SqliteLog) -> None:
    """The write of a new header over an older log stopped after 20 bytes. The frames of the older
    generation are proven and returned."""
    older = older_generation(2)
    log.data[20:] = older[20:]
    payloads = [older[start : start + 512] for start in (56, 592)]
    log.payloads += payloads
    log.expect("damaged", "header-checksum", survivors=payloads, end=None)
    log.note(
        "The older transactions are already in the database. Applying them again changes nothing."
    )


@LOST_HEADER.damaged(one_transaction_of_two_frames, "SQW-026", "SQW-027", "SQW-041")
def header_and_page_zero_under_right_checksums(log: SqliteLog) -> None:
    """The header is zeroed, and frame 1 has page number 0 and a valid checksum. A reader does not
    rebuild the header from this frame."""
    log.commit((2, "charlie."), db_pages=2)
    log.zero("frames[0].header.page_number")
    log.reseal_from(1)
    log.zero("header")
    log.expect("damaged", "header-checksum", survivors=[1], end=None)


@LAYOUT.valid("SQW-004")
def two_transactions(log: SqliteLog) -> None:
    """Two transactions of one frame each."""
    log.begin()
    log.commit((1, "alpha."), db_pages=2)
    log.commit((2, "bravo."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=1104)


@HEADER.damaged(two_transactions, "SQW-027", kind="corrupt")
def header_and_a_linked_page_zero(log: SqliteLog) -> None:
    """The header and the first image are damaged, and frame 2 follows frame 1 but has page number
    0. The frames are not a link."""
    log.zero("frames[1].header.page_number")
    log.reseal_from(2)
    log.flip("header.checksum_1", 8)
    log.flip("frames[0].page", 5)
    log.expect("torn", "torn-header", end=0)


@LAYOUT.valid("SQW-006")
def image_that_reads_the_same_in_both_orders(log: SqliteLog) -> None:
    """A log with big-endian checksums, in which the words of two frames are the same in both byte
    orders."""
    log.begin(order=">")
    log.commit((1, "alpha."), db_pages=1)
    log.add_frames((0x02000002, 0x03000003, b"a" * 512))
    log.add_frames((0x03000003, 0x03000003, b"b" * 512))
    log.payloads += [b"a" * 512, b"b" * 512]
    log.commit((4, "delta."), db_pages=5)
    log.commit((5, "echo."), db_pages=5)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=32 + 5 * 536)


@LAYOUT.valid("SQW-004")
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


@LAYOUT.valid("SQW-002")
def sequence_of_128(log: SqliteLog) -> None:
    """A sequence number of 128, which is 2^31 as a little-endian word."""
    log.begin(sequence=128)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


HEADER.table("""
header_filled: five_transactions SQW-026
    Every byte of the header is 0xFF.
    damage: fill header with ff
    expect: damaged header-checksum, survivors 0-4, end none
bit_in_the_magic_number: five_transactions SQW-002 SQW-026
    A bit of the magic number flips.
    damage: flip bit 1 of header.magic
    expect: damaged header-checksum, survivors 0-4, end none
byte_order_flipped: five_transactions SQW-006 SQW-026
    The lowest bit of the magic number flips. A reader also tries the other byte order.
    damage: flip bit 24 of header.magic
    expect: damaged header-checksum, survivors 0-4, end none
bit_in_the_version: five_transactions SQW-024 SQW-026
    A bit of the version flips. The checksum of the header is then invalid, so the log is damaged
    and not refused.
    damage: flip bit 24 of header.version
    expect: damaged header-checksum, survivors 0-4, end none
bit_in_the_page_size: five_transactions SQW-003 SQW-026
    A bit of the page size flips, so the page size is invalid. A reader tries every page size.
    damage: flip bit 16 of header.page_size
    expect: damaged header-checksum, survivors 0-4, end none
    bug: Turso 0.8.3 refuses the database before it verifies the header
page_size_doubled: five_transactions SQW-003 SQW-026
    The page size changes from 512 to 1,024 bytes, which is also a valid page size.
    damage: set header.page_size to 1024
    expect: damaged header-checksum, survivors 0-4, end none
bit_in_the_sequence_number: five_transactions SQW-026
    A bit of the sequence number flips.
    damage: flip bit 20 of header.sequence
    expect: damaged header-checksum, survivors 0-4, end none
bit_in_the_salt_of_the_header: five_transactions SQW-005 SQW-026
    A bit of a salt in the header flips. Frame 1 has the correct salts.
    damage: flip bit 5 of header.salt_1
    expect: damaged header-checksum, survivors 0-4, end none
bit_in_the_checksum_of_the_header: five_transactions SQW-007 SQW-026
    A bit of the checksum of the header flips.
    damage: flip bit 5 of header.checksum_2
    expect: damaged header-checksum, survivors 0-4, end none
big_endian_header_zeroed: big_endian_checksums SQW-006 SQW-026
    The header of a log with big-endian checksums is zeroed.
    damage: zero header
    expect: damaged header-checksum, survivors 0-2, end none
header_of_the_third_generation_zeroed: third_generation SQW-026
    The header of a log with sequence number 2 is zeroed.
    damage: zero header
    expect: damaged header-checksum, survivors 0 1, end none
header_with_salts_of_zeros_zeroed: salts_of_zeros SQW-005 SQW-026
    The header of a log with salts of zero is zeroed.
    damage: zero header
    expect: damaged header-checksum, survivors 0 1, end none
header_of_larger_pages_zeroed: pages_of_1024_bytes SQW-026
    The header of a log with pages of 1,024 bytes is zeroed.
    damage: zero header
    expect: damaged header-checksum, survivors 0-2, end none
header_of_pages_of_4096_bytes_zeroed: pages_of_4096_bytes SQW-026
    The header of a log with pages of 4,096 bytes is zeroed.
    damage: zero header
    expect: damaged header-checksum, survivors 0, end none
header_before_one_frame_zeroed: one_transaction SQW-026
    The header is zeroed, and the log has only one frame. One frame is enough to rebuild the header.
    damage: zero header
    expect: damaged header-checksum, survivors 0, end none
header_zeroed_and_cut_frame: five_transactions SQW-025 SQW-033
    The header is zeroed, and the file ends inside a frame.
    damage: zero header
    damage: truncate at 3700
    expect: damaged header-checksum, survivors 0-3, end none
header_zeroed_and_bad_tail: five_transactions SQW-025 SQW-034 SQW-046
    The header is zeroed, and a bit of the last image flips.
    damage: zero header
    damage: flip bit 5 of frames[6].page
    expect: damaged header-checksum, survivors 0-3, end none
header_and_an_image: five_transactions SQW-025 SQW-035
    The header is zeroed, and a bit of an image in the middle of the log flips.
    damage: zero header
    damage: flip bit 5 of frames[4].page
    expect: damaged header-checksum, survivors 0 1 3 4, end none
header_and_the_only_frame: one_transaction SQW-020 SQW-021 corrupt
    A bit of the header and a bit of the only image flip. The whole log is lost.
    damage: flip bit 8 of header.checksum_1
    damage: flip bit 5 of frames[0].page
    expect: torn torn-header, no survivors, end 0
header_and_a_second_salt: two_transactions SQW-027 corrupt
    The header, the first image and salt-2 of frame 1 are damaged. A link requires all 8 bytes of
    the salts to be equal.
    damage: flip bit 8 of header.checksum_1
    damage: flip bit 24 of frames[0].header.salt_2
    damage: flip bit 5 of frames[0].page
    expect: torn torn-header, no survivors, end 0
first_link_in_both_byte_orders: image_that_reads_the_same_in_both_orders SQW-027
    The first sector is zeroed, and the first link fits both byte orders. A reader uses the next
    link.
    damage: zero sector 0 of 512 bytes
    expect: damaged header-checksum, survivors 2-4, end none
larger_pages_first: log_of_smaller_pages_in_an_image SQW-027
    The first two sectors are zeroed, and an image contains frames of a log with smaller pages. A
    reader tries larger pages first.
    damage: zero sector 0 of 512 bytes
    damage: zero sector 1 of 512 bytes
    expect: damaged header-checksum, survivors 2 3, end none
header_with_a_sequence_of_128_zeroed: sequence_of_128 SQW-006 SQW-026
    The header of a log with sequence number 128 is zeroed. Computing the sequence number wraps
    around at 2^32.
    damage: zero header
    expect: damaged header-checksum, survivors 0, end none
""")


@LOST_HEADER.damaged(one_transaction, "SQW-021", "SQW-026", kind="corrupt")
def version_and_two_first_salts(log: SqliteLog) -> None:
    """Bits flip in the version and the checksum of the header, and in a salt of the header and of
    frame 1. Nothing confirms the header, and the whole log is lost."""
    log.flip("header.version", 24)
    log.flip("header.checksum_2", 1)
    log.flip("header.salt_1", 5)
    log.flip("frames[0].header.salt_2", 9)
    log.expect("torn", "torn-header", end=0)


LOST_HEADER.table("""
header_and_the_first_image: five_transactions SQW-027 SQW-041
    The header is zeroed, and a bit of the first image flips. The other frames are linked and are
    returned with `after_loss`.
    damage: zero header
    damage: flip bit 5 of frames[0].page
    expect: damaged header-checksum, survivors 1-4, end none
first_sector_unwritten: five_transactions SQW-027 SQW-041
    The first sector of 512 bytes is zeroed. It contains the header and most of frame 1.
    damage: zero sector 0 of 512 bytes
    expect: damaged header-checksum, survivors 2-4, end none
first_sector_of_larger_pages_unwritten: pages_of_1024_bytes SQW-027 SQW-041
    The first sector of a log with pages of 1,024 bytes is zeroed.
    damage: zero sector 0 of 512 bytes
    expect: damaged header-checksum, survivors 1 2, end none
big_endian_first_sector_unwritten: big_endian_checksums SQW-006 SQW-027
    The first sector of a log with big-endian checksums is zeroed.
    damage: zero sector 0 of 512 bytes
    expect: damaged header-checksum, survivors 1 2, end none
header_and_the_first_page_number: five_transactions SQW-026 SQW-027
    The header and the page number of frame 1 are zeroed. A reader does not rebuild the header from
    this frame.
    damage: zero header
    damage: zero frames[0].header.page_number
    expect: damaged header-checksum, survivors 1-4, end none
header_and_the_first_salt: five_transactions SQW-026 SQW-027
    The header is zeroed, and a bit of a salt in frame 1 flips. The checksum of frame 1 still proves
    frame 2.
    damage: zero header
    damage: flip bit 5 of frames[0].header.salt_1
    expect: damaged header-checksum, survivors 1-4, end none
header_and_the_only_image: one_transaction SQW-021 SQW-026 corrupt
    The header is zeroed, and a bit of the only image flips. The whole log is lost.
    damage: zero header
    damage: flip bit 5 of frames[0].page
    expect: torn torn-header, no survivors, end 0
header_and_the_last_zeros_of_the_only_frame: one_transaction SQW-021 SQW-026
    The header is zeroed, and the file ends before the last zeros of the only image. This frame is
    not whole, so it does not give the header. The whole log is lost.
    damage: zero frames[0].page
    reseal_from: 1
    damage: zero header
    damage: truncate at 564
    expect: torn torn-header, no survivors, end 0
header_and_the_first_of_two_images: one_transaction_of_two_frames SQW-027 SQW-034
    The header is zeroed, and a bit of the first of two images flips. The two frames are linked, but
    are not a complete transaction.
    damage: zero header
    damage: flip bit 5 of frames[0].page
    expect: damaged header-checksum, no survivors, end none
header_first_image_and_second_salt: five_transactions SQW-027 SQW-036
    The header is zeroed, and the image of frame 1 and a salt of frame 2 are damaged. Slots 3 and 4
    are the first link.
    damage: zero header
    damage: flip bit 5 of frames[0].page
    damage: flip bit 5 of frames[1].header.salt_1
    expect: damaged header-checksum, survivors 2-4, end none
header_and_first_image_under_salts_of_zeros: salts_of_zeros SQW-021 SQW-027 corrupt
    In a log with salts of zero, the header is zeroed and the first image is damaged. Slots with
    such salts are not a link.
    damage: zero header
    damage: flip bit 5 of frames[0].page
    expect: torn torn-header, no survivors, end 0
header_and_the_only_page_zero_under_right_checksums: one_transaction SQW-026 SQW-027 corrupt
    The header is zeroed, and the only frame has page number 0 and a valid checksum. The whole log
    is lost.
    damage: zero frames[0].header.page_number
    reseal_from: 1
    damage: zero header
    expect: torn torn-header, no survivors, end 0
version_and_the_first_salt: one_transaction SQW-026
    A bit of the version and a bit of a salt in frame 1 flip. The salts of the header confirm the
    header.
    damage: flip bit 24 of header.version
    damage: flip bit 5 of frames[0].header.salt_1
    expect: damaged header-checksum, survivors 0, end none
header_checksum_and_the_first_salt: one_transaction SQW-026
    A bit of the header's checksum and a bit of a salt in frame 1 flip.
    damage: flip bit 5 of header.checksum_1
    damage: flip bit 9 of frames[0].header.salt_2
    expect: damaged header-checksum, survivors 0, end none
both_first_salts: one_transaction SQW-026
    A bit of a salt flips in the header and in frame 1. The header stores the value before frame 1,
    and a reader uses the salts of frame 1.
    damage: flip bit 5 of header.salt_1
    damage: flip bit 9 of frames[0].header.salt_2
    expect: damaged header-checksum, survivors 0, end none
both_first_salts_before_another_frame: two_transactions SQW-026 SQW-036
    A bit of a salt flips in the header and in frame 1. The salts of frame 2 differ from those of
    frame 1, but its checksum is proven.
    damage: flip bit 5 of header.salt_1
    damage: flip bit 9 of frames[0].header.salt_2
    expect: damaged header-checksum, survivors 0 1, end none
big_endian_version_and_the_first_salt: big_endian_checksums SQW-006 SQW-026
    In a log with big-endian checksums, a bit of the version and a bit of a salt in frame 1 flip.
    damage: flip bit 24 of header.version
    damage: flip bit 5 of frames[0].header.salt_1
    expect: damaged header-checksum, survivors 0-2, end none
""")


@LOST_HEADER.damaged(one_transaction, "SQW-035")
def rebuilt_header_stores_its_checksum(log: SqliteLog) -> None:
    """A bit of the header's checksum flips, and slot 2 follows the header. The rebuilt header
    counts as a place that stores the checksum."""
    assert log.header is not None
    log.state = log.header.checksum
    log.commit((2, "bravo."), db_pages=2)
    log.flip("header.checksum_1", 5)
    log.expect("damaged", "header-checksum", survivors=[0, 1], end=None)
