"""Changed lengths. No checksum covers them."""

from conformance.recipes.prometheus_wal.layout import (
    FORGED,
    checksum_of_zero,
    records_over_five_pages,
    three_pages,
    three_records,
    two_pages,
)
from conformance.recipes.prometheus_wal.log import (
    FIRST,
    FULL,
    LAST,
    LENGTHS,
    PrometheusLog,
    frame,
    numbered,
)
from reference_impl.prometheus_wal.layout import HEADER

SECOND = "pages[0].frames[1].header.len_data"


def _flipped_bits() -> None:
    """Add vectors with flipped bits in lengths: all bits of a FULL, some of other frames."""
    for name, control, path, count in (
        ("full", three_records, SECOND, 3),
        ("first", two_pages, SECOND, 4),
        ("middle", three_pages, "pages[1].frames[0].header.len_data", 4),
        ("last", two_pages, "pages[1].frames[0].header.len_data", 4),
        ("second_page", records_over_five_pages, "pages[1].frames[2].header.len_data", 20),
    ):
        words = "frame in the second page" if name == "second_page" else name.upper()
        for bit in range(16) if name == "full" else (0, 4, 7, 8, 12, 14, 15):

            @LENGTHS.combination(
                f"length_bit_{bit}_of_{name}", f"Bit {bit} of the length of a {words} is flipped.",
                control, "PRW-024", kind="corrupt",
            )  # fmt: skip
            def recipe(
                log: PrometheusLog, path: str = path, bit: int = bit, count: int = count
            ) -> None:
                log.flip(path, bit)
                log.expect("damaged", "bad-length", range(count), end=None)
                if bit == 0:
                    log.shows("bit-in-a-length")


_flipped_bits()


@LENGTHS.damaged(three_records, "PRW-024")
def two_lengths_that_fit(log: PrometheusLog) -> None:
    """The lengths 16 and 8 each differ from the stored length, 24, in one bit, and both fit the
    checksum. The length with the lower changed bit is used."""
    log.extend(HEADER.pack(FULL, 24, 0) + FORGED * 2 + frame(FULL, 0, b"delta"))
    log.expect("damaged", "bad-length", survivors=[0, 1, 2, FORGED * 2, b"delta"], end=None)


@LENGTHS.damaged(two_pages, "PRW-020", "PRW-023")
def length_of_32762(log: PrometheusLog) -> None:
    """The length of a frame with the correct checksum is one byte too large for a page."""
    log.splice("pages[0].frames[1]", frame(FULL, 0, numbered(32762)))
    log.expect("damaged", "bad-length", survivors=[0], end=None)


@LENGTHS.damaged(two_pages, "PRW-024", "PRW-023")
def length_of_a_frame_over_two_pages(log: PrometheusLog) -> None:
    """A bit of the length of a FULL that crosses the end of its page is flipped."""
    long = bytearray(frame(FULL, 0, numbered(30000)))
    long[2] ^= 1
    log.splice("pages[1].frames[0]", frame(FULL, 0, numbered(10000)) + long)
    log.expect("damaged", "unfinished-record", survivors=[0, numbered(10000)], end=None)


@LENGTHS.damaged(three_records, "PRW-024", "PRW-030")
def length_of_a_short_first(log: PrometheusLog) -> None:
    """A bit of the length of a FIRST that ends before the end of its page is flipped."""
    log.extend(frame(FIRST, 0, b"delta") + frame(LAST, 0, b"echo"))
    log.flip_byte(40, 5)
    log.expect("damaged", "bad-length", survivors=[0, 1, 2, b"deltaecho"], end=None)


@LENGTHS.damaged(three_records, "PRW-024", "PRW-030")
def length_of_a_last_after_a_short_first(log: PrometheusLog) -> None:
    """A bit of the length of a LAST is flipped. The record is listed with the code of its first
    frame."""
    log.extend(frame(FIRST, 0, b"delta") + frame(LAST, 0, b"echo"))
    log.flip_byte(52, 5)
    log.expect("damaged", "short-fragment", survivors=[0, 1, 2, b"deltaecho"], end=None)


LENGTHS.table(f"""
two_flipped_lengths: three_records PRW-024 PRW-025
    Two lengths in a page have a flipped bit. A reader tries other lengths only once per page.
    damage: flip bit 8 of pages[0].frames[0].header.len_data
    damage: flip bit 8 of pages[0].frames[2].header.len_data
    expect: damaged bad-length, survivors 0 1, end none
two_flipped_lengths_in_two_pages: two_pages PRW-024
    Each of two pages contains a length with a flipped bit.
    damage: flip bit 8 of pages[0].frames[0].header.len_data
    damage: flip bit 8 of pages[1].frames[1].header.len_data
    expect: damaged bad-length, survivors 0-3, end none
length_becomes_zero: three_records PRW-025 PRW-020
    A length is set to 0, which changes two bits.
    damage: set {SECOND} to 0
    expect: damaged checksum-mismatch, survivors 0, end none
length_one_too_large: three_records PRW-025
    A length of 5 is set to 6, which changes two bits.
    damage: set {SECOND} to 6
    expect: damaged checksum-mismatch, survivors 0, end none
length_up_to_the_end_of_the_segment: three_records PRW-025
    A length extends to the end of the segment.
    damage: set {SECOND} to 19
    expect: damaged checksum-mismatch, survivors 0, end none
length_beyond_the_segment: three_records PRW-040 limit
    A length extends past the end of the segment, but not past the end of the page. The frame looks
    like a torn record.
    damage: set {SECOND} to 100
    expect: torn torn-record, survivors 0, end 12
largest_length: three_records PRW-023
    A length is set to 65,535.
    damage: set {SECOND} to 65535
    expect: damaged bad-length, survivors 0, end none
length_of_a_whole_page: three_records PRW-023
    A length is set to 32,761, which is too large for a frame at offset 12.
    damage: set {SECOND} to 32761
    expect: damaged bad-length, survivors 0, end none
length_up_to_the_page_end: three_records PRW-040 limit
    A length extends to the end of the page, past the end of the segment.
    damage: set {SECOND} to 32749
    expect: torn torn-record, survivors 0, end 12
length_after_the_page_end: three_records PRW-023
    A length extends one byte past the end of the page.
    damage: set {SECOND} to 32750
    expect: damaged bad-length, survivors 0, end none
length_of_a_last_is_larger: two_pages PRW-025 PRW-029
    The length of a LAST is too large by 3. The rest of the page is lost.
    damage: set pages[1].frames[0].header.len_data to 7254
    expect: damaged checksum-mismatch, survivors 0, end none
length_of_a_first_is_smaller: two_pages PRW-025 PRW-027
    The length of a FIRST is too small by 3. The LAST is an orphan.
    damage: set {SECOND} to 32746
    expect: damaged checksum-mismatch, survivors 0 2 3, end none
first_length_of_a_page: records_over_five_pages PRW-025 PRW-029
    The first length in the second page is wrong. The open record is lost, as is the record that
    continues in the third page.
    damage: set pages[1].frames[0].header.len_data to 0
    expect: damaged checksum-mismatch, survivors 0-3 10-19, end none
length_of_an_empty_record: empty_record PRW-024 PRW-025
    A bit of the length of an empty record is flipped. The length is not corrected, because a
    checksum of 0 does not prove a length of 0.
    damage: flip bit 8 of {SECOND}
    expect: damaged checksum-mismatch, survivors 0, end none
length_beyond_the_page_in_the_second_page: records_over_five_pages PRW-023 PRW-029
    A length in the second page is set to 65,535.
    damage: set pages[1].frames[2].header.len_data to 65535
    expect: damaged bad-length, survivors 0-5 10-19, end none
middle_without_data: three_pages PRW-020 PRW-023
    The length and checksum of a MIDDLE are zeroed. The rest of the page is lost.
    damage: set pages[1].frames[0].header.len_data to 0
    damage: set pages[1].frames[0].header.checksum to 0
    expect: damaged bad-length, survivors 0 2 3, end none
last_without_data: two_pages PRW-020 PRW-023
    The length and checksum of a LAST are zeroed.
    damage: set pages[1].frames[0].header.len_data to 0
    damage: set pages[1].frames[0].header.checksum to 0
    expect: damaged bad-length, survivors 0, end none
length_of_an_unknown_type: three_records PRW-024 PRW-025
    A bit of a length is flipped, and the type is 5. A reader corrects only the lengths of types 1
    to 4.
    retype: pages[0].frames[1], 5
    damage: flip bit 8 of {SECOND}
    expect: damaged checksum-mismatch, survivors 0, end none
length_of_type_0: three_records PRW-024 PRW-022
    A bit of a length is flipped, and the type is 0. A reader corrects only the lengths of types 1
    to 4.
    retype: pages[0].frames[1], 0
    damage: flip bit 8 of {SECOND}
    expect: damaged nonzero-padding, survivors 0, end none
length_of_an_orphan: three_records PRW-024 PRW-027
    A bit of the length of a MIDDLE is flipped while no record is open.
    retype: pages[0].frames[1], 3
    damage: flip bit 8 of {SECOND}
    expect: damaged orphan-fragment, survivors 0 2, end none
length_and_flag: three_records PRW-024 PRW-031
    A bit of a length is flipped, and the type has the Snappy flag. The data is not a Snappy block.
    retype: pages[0].frames[1], 9
    damage: flip bit 8 of {SECOND}
    expect: damaged bad-compression, survivors 0 2, end none
almost_the_old_format: three_records PRW-003 PRW-023
    The first three bytes of the segment are those of the old format.
    damage: write 43af00ee at 0
    expect: damaged bad-length, no survivors, end none
""")


@LENGTHS.damaged(checksum_of_zero, "PRW-020", kind="limit")
def length_of_a_checksum_of_zero_becomes_zero(log: PrometheusLog) -> None:
    """The length of a record is zeroed. The frame looks like an empty record, because its checksum
    is 0."""
    log.set("pages[0].frames[0].header.len_data", 0)
    log.expect("torn", "torn-record", survivors=[b""], end=7)
