"""Padding with non-zero bytes, and zeros in place of frames."""

from conformance.recipes.prometheus_wal.layout import (
    closed_segment,
    continued_after_padding,
)
from conformance.recipes.prometheus_wal.log import PADDING, PAGE_SIZE, PrometheusLog, padded


@PADDING.valid("PRW-014")
def two_closed_pages(log: PrometheusLog) -> None:
    """Six bytes are left in the first page. When Prometheus closed the segment, it padded the
    second page."""
    log.fill_page_but(6)
    log.write(b"bravo", b"charlie")
    log.close()
    log.expect("intact", survivors=range(3))


@PADDING.damaged(closed_segment, "PRW-021")
def page_after_padding(log: PrometheusLog) -> None:
    """Another page follows the padding, which no writer since version 2.11 produces."""
    log.extend(bytes(padded(log.data[:38])))
    log.expect("damaged", "zero-page", survivors=[0, 1, 2, 0, 1, 2], end=None)


@PADDING.damaged(continued_after_padding, "PRW-021", kind="limit")
def frames_zeroed_in_a_continued_segment(log: PrometheusLog) -> None:
    """The second record of a continued segment is zeroed. These zeros look like padding."""
    log.with_context("continued", 1)
    log.zero("pages[0].frames[1]")
    log.expect("intact", survivors=[0, 2, 3])


@PADDING.damaged(continued_after_padding, "PRW-021", kind="corrupt")
def page_zeroed_in_a_continued_segment(log: PrometheusLog) -> None:
    """A page of zeros is also damage in a continued segment."""
    log.with_context("continued", 1)
    log.zero("pages[0]")
    log.expect("damaged", "zero-page", survivors=[2, 3], end=None)


@PADDING.damaged(continued_after_padding, "PRW-021", "PRW-029", kind="corrupt")
def first_zeroed_in_a_continued_segment(log: PrometheusLog) -> None:
    """In a continued segment, a FIRST is zeroed from a sector boundary on."""
    log.with_context("continued", 1)
    log.zero_sector(127)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@PADDING.damaged(closed_segment, "PRW-021", "PRW-029")
def first_then_padding(log: PrometheusLog) -> None:
    """An empty FIRST precedes the padding, and another page follows."""
    log.overwrite(38, b"\x02")
    log.extend(bytes(padded(log.data[:12])))
    log.expect("damaged", "zero-page", survivors=[0, 1, 2, 0], end=None)


@PADDING.damaged(continued_after_padding, "PRW-029")
def first_then_padding_in_a_continued_segment(log: PrometheusLog) -> None:
    """Version 2.10 padded a page after a FIRST that was never finished."""
    log.with_context("continued", 1)
    log.overwrite(24, b"\x02")
    log.expect("damaged", "unfinished-record", survivors=range(4), end=None)


def _bytes_in_padding() -> None:
    """Add vectors with a non-zero byte at different offsets of the padding. No record is lost."""
    last = PAGE_SIZE - 1
    for name, at, byte, code in (
        ("another_byte", 40, 0x55, "nonzero-padding"),
        ("another_last_byte", last, 1, "nonzero-padding"),
        ("one_of_the_last_six_bytes", last - 5, 1, "nonzero-padding"),
        ("08_as_its_first_byte", 38, 0x08, "nonzero-padding"),
        ("20_as_its_first_byte", 38, 0x20, "nonzero-padding"),
        ("05_as_its_first_byte", 38, 0x05, "unknown-type"),
        ("ff_as_its_first_byte", 38, 0xFF, "unknown-type"),
        ("10_as_its_second_byte", 39, 0x10, "nonzero-padding"),
    ):

        @PADDING.combination(
            f"padding_with_{name}", f"The padding contains the byte {byte:02x} at offset {at}.",
            closed_segment, "PRW-022" if code == "nonzero-padding" else "PRW-026", kind="corrupt",
        )  # fmt: skip
        def recipe(log: PrometheusLog, at: int = at, byte: int = byte, code: str = code) -> None:
            log.overwrite(at, bytes([byte]))
            log.expect("damaged", code, survivors=range(3), end=None)
            if at == last:
                log.bug("https://github.com/prometheus/prometheus/issues/16074")


def _bytes_in_short_padding() -> None:
    """Add vectors with a non-zero byte in the last six bytes of a page."""
    for offset in range(1, 7):

        @PADDING.combination(
            f"short_padding_with_a_byte_{offset}_before_the_page_end",
            "One of the six padding bytes at the end of a page is 1.", two_closed_pages, "PRW-022",
            kind="corrupt",
        )  # fmt: skip
        def recipe(log: PrometheusLog, offset: int = offset) -> None:
            log.overwrite(PAGE_SIZE - offset, b"\x01")
            log.expect("damaged", "nonzero-padding", survivors=range(3), end=None)


_bytes_in_padding()
_bytes_in_short_padding()

PADDING.table("""
page_zeroed: records_over_five_pages PRW-021 PRW-029
    The second page is zeroed. The FIRST before it must not be joined with fragments of the third
    page.
    damage: zero pages[1]
    expect: damaged zero-page, survivors 0-3 10-19, end none
two_pages_zeroed: records_over_five_pages PRW-021
    Two pages are zeroed. They are one lost range.
    damage: zero pages[1]
    damage: zero pages[2]
    expect: damaged zero-page, survivors 0-3 15-19, end none
page_and_a_header_zeroed: records_over_five_pages PRW-021 PRW-022
    The second page is zeros, and so is the first header of the third page.
    damage: zero pages[2].frames[0].header
    damage: zero pages[1]
    expect: damaged zero-page, survivors 0-3 15-19, end none
first_page_zeroed: records_over_five_pages PRW-021
    The first page is zeroed.
    damage: zero pages[0]
    expect: damaged zero-page, survivors 5-19, end none
middle_zeroed: three_pages PRW-021 PRW-029
    The page with a MIDDLE is zeroed. Prometheus joins the FIRST and the LAST.
    shows: size-before-data
    damage: zero pages[1]
    expect: damaged zero-page, survivors 0 2 3, end none
frame_zeroed: three_records PRW-022
    The second of three frames is zeroed. The rest of the page is lost.
    damage: zero pages[0].frames[1]
    expect: damaged nonzero-padding, survivors 0, end none
header_zeroed: three_records PRW-022
    The header of the second frame is zeroed.
    damage: zero pages[0].frames[1].header
    expect: damaged nonzero-padding, survivors 0, end none
rest_of_a_page_zeroed: records_over_five_pages PRW-021 PRW-027
    The first page is zeroed from a frame on.
    damage: write 18754 zero bytes at 14014
    expect: damaged zero-page, survivors 0 1 5-19, end none
page_inserted: records_over_five_pages PRW-021 PRW-029
    A page of zeros is inserted. It may be a lost page, so the fragments around it are not joined.
    damage: insert 32768 zero bytes at 32768
    expect: damaged zero-page, survivors 0-3 5-19, end none
last_page_zeroed: records_over_five_pages PRW-040
    The last page is zeroed. The log ends with an open record.
    damage: zero pages[4]
    expect: torn torn-record, survivors 0-17, end 126147
last_frames_zeroed: closed_segment PRW-014 limit
    The last two frames are zeroed and look like padding.
    damage: zero pages[0].frames[1]
    damage: zero pages[0].frames[2]
    expect: intact, survivors 0, end 12
padding_cut: closed_segment PRW-010 limit
    The segment ends inside its padding.
    damage: truncate at 100
    expect: intact, survivors 0-2, end 38
padding_without_context: continued_after_padding PRW-021
    The segment continues after padding, but the context does not allow this.
    with_context: continued, 0
    expect: damaged zero-page, survivors 0-3, end none
bytes_in_cut_padding: six_bytes_left_at_the_end PRW-020 PRW-022
    The last six bytes of a page begin with a non-zero byte, and the segment ends after three of
    them.
    damage: truncate at 32762
    damage: extend by 010000
    expect: damaged nonzero-padding, survivors 0, end none
first_in_front_of_short_padding: six_bytes_left PRW-021 PRW-029
    A FIRST precedes six zeros, and the next page begins with a LAST. The two fragments are not
    joined.
    retype: pages[0].frames[0], 2
    retype: pages[1].frames[0], 4
    expect: damaged unfinished-record, survivors 2, end none
seven_zeros_at_the_page_end: seven_bytes_left PRW-021
    Seven zeros at the end of a page replace an empty FIRST.
    damage: zero pages[0].frames[1]
    expect: damaged zero-page, survivors 0 2, end none
zero_page_in_a_continued_segment: continued_after_padding PRW-021
    A page of zeros follows the padding of a continued segment.
    with_context: continued, 1
    damage: insert 32768 zero bytes at 32768
    expect: damaged zero-page, survivors 0-3, end none
first_and_last_around_padding: continued_after_padding PRW-021 PRW-029
    A FIRST precedes the padding of a continued segment, and a LAST follows. The two fragments are
    not joined.
    with_context: continued, 1
    retype: pages[0].frames[1], 2
    retype: pages[1].frames[0], 4
    expect: damaged unfinished-record, survivors 0 3, end none
""")
