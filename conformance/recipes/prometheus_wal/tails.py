"""Torn writes at the end of the log, and faults at the end that are not torn writes."""

from conformance.recipes.prometheus_wal.layout import (
    closed_segment,
    empty_record,
    three_pages,
    three_records,
    two_pages,
)
from conformance.recipes.prometheus_wal.log import (
    FIRST,
    FULL,
    PAGE_SIZE,
    TAILS,
    PrometheusLog,
    frame,
    numbered,
)


@TAILS.valid("PRW-040")
def records_over_sectors(log: PrometheusLog) -> None:
    """Each of two records of 1,000 bytes begins and ends in different sectors."""
    log.write(b"alpha", numbered(1000), b"b" * 1000)
    log.expect("intact", survivors=range(3), end=2026)


@TAILS.valid("PRW-040")
def last_record_with_zeros(log: PrometheusLog) -> None:
    """The data of the last record ends in zeros."""
    log.write(b"alpha", b"bravo" + bytes(8))
    log.expect("intact", survivors=range(2), end=32)


@TAILS.valid("PRW-040")
def record_up_to_a_sector(log: PrometheusLog) -> None:
    """The last record ends at offset 1024, a sector boundary."""
    log.write(b"alpha", numbered(1005))
    log.expect("intact", survivors=range(2), end=1024)


@TAILS.valid("PRW-040")
def header_over_two_sectors(log: PrometheusLog) -> None:
    """The header of the last record begins four bytes before the end of a sector."""
    log.write(b"alpha", numbered(489), b"bravo" * 4)
    log.expect("intact", survivors=range(3), end=535)


@TAILS.truncations(three_records, "PRW-040", "PRW-061")
def every_prefix_of_three_records(log: PrometheusLog) -> None:
    """Every prefix of a log of three records."""


@TAILS.truncations(empty_record, "PRW-040", "PRW-041", "PRW-061")
def every_prefix_with_an_empty_record(log: PrometheusLog) -> None:
    """Every prefix of a log of three records, one of which is empty."""


def _cuts() -> None:
    for control, name, at, end, survivors, words in (
        (two_pages, "first", 20000, 12, [0], "inside a FIRST"),
        (two_pages, "first_header", 15, 12, [0], "inside the header of a FIRST"),
        (two_pages, "after_the_first", 32768, 12, [0], "after a FIRST"),
        (two_pages, "last_header", 32770, 12, [0], "inside the header of a LAST"),
        (two_pages, "last", 40000, 12, [0], "inside a LAST"),
        (two_pages, "after_the_last", 40027, 40026, [0, 1], "one byte after a LAST"),
        (three_pages, "middle", 50000, 12, [0], "inside a MIDDLE"),
        (three_pages, "after_the_middle", 65536, 12, [0], "after a MIDDLE"),
    ):

        @TAILS.combination(
            f"cut_in_{name}", f"The segment ends {words}.", control, "PRW-040", "PRW-061",
            kind="eof",
        )  # fmt: skip
        def recipe(
            log: PrometheusLog, at: int = at, end: int = end,
            survivors: list[int] = survivors,
        ) -> None:  # fmt: skip
            log.truncate(at)
            log.expect("torn", "torn-record", survivors, end=end)
            if at == 20000:
                log.shows("torn-last-record")


def _zero_tails() -> None:
    """Add vectors in which zeros replace the rest of the log, up to the end of a page."""
    for name, at in (("first", 20000), ("after_the_first", 32768), ("last", 39000)):
        for size in (2 * PAGE_SIZE, 3 * PAGE_SIZE):

            @TAILS.combination(
                f"cut_in_{name}_and_{size // PAGE_SIZE}_pages",
                f"A log of {size} bytes is zeroed from offset {at} on.", two_pages, "PRW-040",
                kind="eof",
            )  # fmt: skip
            def recipe(log: PrometheusLog, at: int = at, size: int = size) -> None:
                log.truncate(at)
                log.extend(bytes(size - at))
                log.expect("torn", "torn-record", survivors=[0], end=12)
                log.bug("https://github.com/prometheus/prometheus/issues/18552")


_cuts()
_zero_tails()


@TAILS.damaged(last_record_with_zeros, "PRW-040", kind="eof")
def cut_in_zeros(log: PrometheusLog) -> None:
    """The last record lacks bytes that were zeros. With these zeros, the record would be whole."""
    log.truncate(28)
    log.expect("torn", "torn-record", survivors=[0], end=12)
    log.note("Prometheus's reader adds zeros in memory and returns the record.")


@TAILS.damaged(last_record_with_zeros, "PRW-040", kind="limit")
def cut_in_zeros_of_a_page(log: PrometheusLog) -> None:
    """The last record ends in zeros that may never have been written. It is whole."""
    log.extend(bytes(480))
    log.expect("intact", survivors=range(2), end=32)


@TAILS.damaged(closed_segment, "PRW-041", kind="eof")
def stray_byte_in_front_of_padding(log: PrometheusLog) -> None:
    """A byte 01 follows the last frame. With the zeros after it, it looks like an empty record."""
    log.overwrite(38, b"\x01")
    log.expect("torn", "torn-record", survivors=range(3), end=38)
    log.note("Prometheus's reader returns an empty record.")


@TAILS.damaged(two_pages, "PRW-040", "PRW-041", kind="eof")
def stray_byte_of_a_last(log: PrometheusLog) -> None:
    """Only the type byte of a LAST was written, and zeros follow."""
    log.truncate(32769)
    log.extend(bytes(1000))
    log.expect("torn", "torn-record", survivors=[0], end=12)


@TAILS.damaged(two_pages, "PRW-041", "PRW-040", kind="eof")
def stray_byte_of_a_full_after_a_first(log: PrometheusLog) -> None:
    """A byte 01 and zeros follow a FIRST that fills its page."""
    log.truncate(32768)
    log.extend(b"\x01" + bytes(1000))
    log.expect("torn", "torn-record", survivors=[0], end=12)


@TAILS.damaged(three_records, "PRW-040", kind="eof")
def first_at_the_end(log: PrometheusLog) -> None:
    """A FIRST follows the last record. The log ends with an open record."""
    log.extend(frame(FIRST, 0, b"delta"))
    log.expect("torn", "torn-record", survivors=range(3), end=38)


@TAILS.damaged(three_records, "PRW-040", kind="eof")
def last_byte_in_a_sector_of_zeros(log: PrometheusLog) -> None:
    """Only the last byte of the last record is in the second sector, which is zeros."""
    log.extend(frame(FULL, 0, b"d" * 468)[:-1] + b"\0")
    log.expect("torn", "torn-record", survivors=range(3), end=38)


@TAILS.damaged(three_records, "PRW-040", "PRW-060")
def damage_and_a_torn_record(log: PrometheusLog) -> None:
    """The second record is damaged, and a later page is torn."""
    log.extend(bytes(PAGE_SIZE - 38) + frame(FULL, 0, b"delta") + frame(FULL, 0, b"echo")[:-1])
    log.flip("pages[0].frames[1].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, b"delta"], end=None)


TAILS.table("""
cut_between_records: three_records PRW-061 limit
    The last record is missing, which a reader cannot detect.
    damage: truncate at 24
    expect: intact, survivors 0-1, end 24
zeros_after_a_live_segment: three_records PRW-014 limit
    Zeros follow the last record, but do not reach the end of the page.
    damage: extend by 500 zero bytes
    expect: intact, survivors 0-2, end 38
three_zero_bytes: three_records PRW-014 limit
    Three zeros follow the last record.
    damage: extend by 000000
    expect: intact, survivors 0-2, end 38
three_other_bytes: three_records PRW-040
    Three bytes of a header follow the last record.
    damage: extend by 010000
    expect: torn torn-record, survivors 0-2, end 38
header_of_zeros_and_a_byte: three_records PRW-022
    Nine zeros and another byte follow the last record. No header begins with a zero.
    damage: extend by 00000000000000000055
    expect: damaged nonzero-padding, survivors 0-2, end none
header_without_data: three_records PRW-040
    The header of a record of five bytes follows the last record.
    damage: extend by 01000578d92f81
    expect: torn torn-record, survivors 0-2, end 38
header_beyond_the_page: three_records PRW-023
    The header of a record that does not fit into the page follows the last record.
    damage: extend by 017ff978d92f81
    expect: damaged bad-length, survivors 0-2, end none
unknown_header_without_data: three_records PRW-040
    A header of type 7, with a length that extends past the end of the segment, follows the last
    record.
    damage: extend by 07000578d92f81
    expect: torn torn-record, survivors 0-2, end 38
garbage_after_the_last_record: three_records PRW-023
    512 bytes of ff follow the last record.
    damage: extend by 512 bytes of ff
    expect: damaged bad-length, survivors 0-2, end none
last_sector_zeroed: records_over_sectors PRW-040
    The last sector of the last record is zeroed.
    damage: write 490 zero bytes at 1536
    expect: torn torn-record, survivors 0-1, end 1019
all_but_the_header_zeroed: records_over_sectors PRW-040
    The last record is zeroed after its header.
    damage: write 1000 zero bytes at 1026
    expect: torn torn-record, survivors 0-1, end 1019
zeros_from_the_middle_of_a_sector: records_over_sectors PRW-025
    The last record is zeroed from the middle of its last sector on. No sector is missing, so this
    is damage.
    damage: write 426 zero bytes at 1600
    expect: damaged checksum-mismatch, survivors 0-1, end none
second_record_zeroed_from_a_sector: records_over_sectors PRW-025
    A sector of the second record is zeroed, and the last record follows. Either the disk wrote
    sectors out of order, or this is damage.
    damage: write 507 zero bytes at 512
    expect: damaged checksum-mismatch, survivors 0, end none
last_byte_of_a_live_log: three_records PRW-025
    The last byte of the log is wrong. No byte is missing, so this is damage.
    damage: flip bit 0 of byte 37
    expect: damaged checksum-mismatch, survivors 0-1, end none
stale_tail: three_records PRW-040
    A part of an older frame follows the last record.
    shows: stale-tail
    damage: extend by 0100074bfabfab6368
    expect: torn torn-record, survivors 0-2, end 38
empty_record_at_the_page_end_and_zeros: seven_bytes_left_and_an_empty_record PRW-041 limit
    An empty record ends exactly at the end of its page, and a page of zeros follows. No zeros
    follow the record in its own page.
    damage: extend by 32768 zero bytes
    expect: intact, survivors 0-1
stray_byte_with_flags: closed_segment PRW-041
    A byte 29 follows the last frame. With the zeros after it, it looks like an empty record.
    damage: write 29 at 38
    expect: torn torn-record, survivors 0-2, end 38
stray_byte_in_a_live_segment: three_records PRW-041
    A byte 01 and zeros follow the last record, but do not reach the end of the page.
    damage: extend by 01
    damage: extend by 100 zero bytes
    expect: torn torn-record, survivors 0-2, end 38
length_and_zeros: three_records PRW-040 PRW-025
    A type and a length follow the last record, and then zeros in the same sector.
    damage: extend by 010005
    damage: extend by 100 zero bytes
    expect: damaged checksum-mismatch, survivors 0-2, end none
zeros_at_the_end_of_the_last_sector: record_up_to_a_sector PRW-040 PRW-025
    A record ends at a sector boundary and is zeroed from the middle of its last sector on.
    damage: write 424 zero bytes at 600
    expect: damaged checksum-mismatch, survivors 0, end none
sector_of_zeros_up_to_a_sector: record_up_to_a_sector PRW-040
    A record ends at a sector boundary, and its last sector is zeroed.
    damage: write 512 zero bytes at 512
    expect: torn torn-record, survivors 0, end 12
cut_in_a_header_at_the_page_end: seven_bytes_left PRW-040 PRW-022
    The segment ends inside the header of a FIRST, which fills the last seven bytes of a page.
    damage: truncate at 32764
    expect: torn torn-record, survivors 0, end 32761
zeros_in_a_header: header_over_two_sectors PRW-040
    The header of the last record begins in one sector, and the next sector is zeroed.
    damage: write 23 zero bytes at 512
    expect: torn torn-record, survivors 0-1, end 508
""")
