"""Records that lack a part after a crash or a lost write, and frames that moved."""

from conformance.recipes.prometheus_wal.layout import three_pages, three_records, two_pages
from conformance.recipes.prometheus_wal.log import (
    FIRST,
    FRAGMENTS,
    FULL,
    LAST,
    MIDDLE,
    PAGE_SIZE,
    PrometheusLog,
    frame,
    numbered,
    segment,
)


@FRAGMENTS.damaged(two_pages, "PRW-028", "PRW-062")
def failed_write(log: PrometheusLog) -> None:
    """The disk was full while the second record was written. Later records are intact."""
    log.truncate(PAGE_SIZE)
    log.extend(segment(b"bravo", b"charlie", numbered(40000)))
    log.expect("damaged", "unfinished-record", survivors=[0, 2, 3, 1], end=None)
    log.bug("https://github.com/prometheus/prometheus/issues/13027")


@FRAGMENTS.damaged(two_pages, "PRW-028")
def failed_write_then_a_long_record(log: PrometheusLog) -> None:
    """After a failed write, a record fills the rest of the page and continues in the next page."""
    log.truncate(PAGE_SIZE)
    log.extend(segment(b"bravo", numbered(40000)))
    log.expect("damaged", "unfinished-record", survivors=[0, 2, 1], end=None)


@FRAGMENTS.damaged(two_pages, "PRW-028", kind="limit")
def failed_write_then_a_whole_page(log: PrometheusLog) -> None:
    """After a failed write, a FULL fills a page. The FULL is also lost, because it may be a MIDDLE
    of the open record."""
    log.truncate(PAGE_SIZE)
    log.extend(segment(numbered(32761), b"bravo"))
    log.expect("damaged", "unfinished-record", survivors=[0, 2], end=None)


@FRAGMENTS.damaged(two_pages, "PRW-017", "PRW-015", kind="limit")
def swapped_last(log: PrometheusLog) -> None:
    """The LAST of another record follows the FIRST, which a reader cannot detect."""
    other = b"another record" * 500
    log.splice("pages[1].frames[0]", frame(4, 0, other))
    log.expect("intact", survivors=[0, numbered(32749) + other, 2, 3])


@FRAGMENTS.damaged(three_pages, "PRW-028")
def two_firsts(log: PrometheusLog) -> None:
    """A short FIRST replaces the MIDDLE, and the rest of the page is padding."""
    log.splice("pages[1].frames[0]", (frame(FIRST, 0, b"x")).ljust(PAGE_SIZE, b"\0"))
    log.expect("damaged", "unfinished-record", survivors=[0, 2, 3], end=None)


@FRAGMENTS.damaged(two_pages, "PRW-030", "PRW-015", kind="limit")
def long_full_over_two_pages(log: PrometheusLog) -> None:
    """A FULL crosses the end of its page, which no writer produces. Prometheus also returns this
    record."""
    log.splice("pages[1].frames[0]", frame(FULL, 0, numbered(10000)))
    log.splice("pages[0].frames[1]", frame(FULL, 0, numbered(30000)))
    log.expect("damaged", "short-fragment", [0, numbered(30000), numbered(10000), 2, 3])


@FRAGMENTS.damaged(three_records, "PRW-030")
def fragments_within_a_page(log: PrometheusLog) -> None:
    """A FIRST, a MIDDLE and a LAST are in one page, which no writer produces."""
    log.extend(frame(FIRST, 0, b"de") + frame(MIDDLE, 0, b"l") + frame(LAST, 0, b"ta"))
    log.expect("damaged", "short-fragment", survivors=[0, 1, 2, b"delta"], end=None)


@FRAGMENTS.damaged(two_pages, "PRW-030")
def short_middle(log: PrometheusLog) -> None:
    """A MIDDLE ends before the end of its page, and the LAST follows it in the same page."""
    rest = numbered(40000)[32749:]
    log.splice("pages[1].frames[0]", frame(MIDDLE, 0, rest[:99]) + frame(LAST, 0, rest[99:]))
    log.expect("damaged", "short-fragment", survivors=range(4), end=None)


FRAGMENTS.table("""
first_page_missing: two_pages PRW-027
    The page with a FIRST is missing. The LAST is an orphan.
    shows: missing-in-the-middle
    damage: drop pages[0]
    expect: damaged orphan-fragment, survivors 2 3, end none
middle_page_missing: three_pages PRW-015 limit
    The page with a MIDDLE is missing. The record is shorter, and a reader cannot detect the loss.
    damage: drop pages[1]
    expect: intact, survivors 0 joined(1, 0, 32749, 1, 65510, 70000) 2 3
middle_page_twice: three_pages PRW-015 limit
    The page with a MIDDLE occurs twice. The record is longer, and a reader cannot detect the fault.
    shows: unit-twice
    damage: duplicate pages[1]
    expect: intact, survivors 0 joined(1, 0, 65510, 1, 32749, 70000) 2 3
first_page_twice: two_pages PRW-028
    The page with a FIRST occurs twice.
    damage: duplicate pages[0]
    expect: damaged unfinished-record, survivors 0 0-3, end none
last_page_missing: two_pages PRW-040
    The page with a LAST is missing. The log ends with an open record.
    damage: truncate at 32768
    expect: torn torn-record, survivors 0, end 12
third_of_five_pages_missing: records_over_five_pages PRW-015 limit
    The third page is missing. The FIRST of a record is joined with the LAST of another one, which a
    reader cannot detect.
    damage: drop pages[2]
    expect: intact, survivors 0-8 joined(9, 0, 2459, 14, 185, 7000) 15-19
record_missing: three_records PRW-015 limit
    A whole frame is missing, which a reader cannot detect.
    damage: drop pages[0].frames[1]
    expect: intact, survivors 0 2, end 26
record_twice: three_records PRW-015 limit
    A whole frame occurs twice, which a reader cannot detect.
    damage: duplicate pages[0].frames[1]
    expect: intact, survivors 0 1 1 2
record_missing_in_front_of_a_first: two_pages PRW-030
    A frame before a FIRST is missing, so the FIRST no longer ends at the end of its page. All other
    records are whole.
    damage: drop pages[0].frames[0]
    expect: damaged short-fragment, survivors 1-3, end none
record_twice_in_front_of_a_first: two_pages PRW-030
    A frame before a FIRST occurs twice, so the FIRST crosses the end of its page.
    damage: duplicate pages[0].frames[0]
    expect: damaged short-fragment, survivors 0 0-3, end none
record_missing_over_five_pages: records_over_five_pages PRW-030
    The first frame of a log of five pages is missing. All other records are whole, and three of
    them are listed.
    damage: drop pages[0].frames[0]
    expect: damaged short-fragment, survivors 1-19, end none
last_missing: two_pages PRW-028
    A LAST is missing. A FULL follows the FIRST.
    damage: drop pages[1].frames[0]
    expect: damaged unfinished-record, survivors 0 2 3, end none
first_missing: two_pages PRW-027
    A FIRST is missing. The LAST is an orphan.
    damage: drop pages[0].frames[1]
    expect: damaged orphan-fragment, survivors 0 2 3, end none
empty_first_then_full: seven_bytes_left PRW-028 PRW-015
    The LAST after an empty FIRST is missing.
    damage: drop pages[1].frames[0]
    expect: damaged unfinished-record, survivors 0 2, end none
byte_inserted: two_pages PRW-022 PRW-025
    A zero byte is inserted before a frame, and all later frames are shifted by one byte.
    damage: insert 00 at 12
    expect: damaged nonzero-padding, survivors 0, end none
byte_missing: two_pages PRW-029
    A byte in the second page is missing. The rest of the page is lost.
    damage: drop [33000, 33001)
    expect: damaged checksum-mismatch, survivors 0, end none
pages_swapped: records_over_five_pages PRW-015 limit
    The second and third pages are swapped. No field connects a FIRST to its LAST.
    shows: swapped
    damage: swap sectors 1 and 2 of 32768 bytes
    expect: intact, survivors 0-3 joined(4, 0, 4733, 9, 2459, 7000) 10-13
      joined(14, 0, 185, 4, 4733, 7000) 5-8 joined(9, 0, 2459, 14, 185, 7000) 15-19
""")
