"""Undamaged segments: pages, fragments, padding, types and empty records."""

from conformance.recipes.prometheus_wal.log import (
    FULL,
    LAYOUT,
    PAGE_SIZE,
    PrometheusLog,
    frame,
    numbered,
)

#: The CRC-32C of these eight bytes is 0.
FORGED = bytes.fromhex("637263305d825250")


@LAYOUT.valid("PRW-011", "PRW-013", "PRW-015")
def three_records(log: PrometheusLog) -> None:
    """Three short records in one page, as in a log that is still being written."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.expect("intact", survivors=range(3), end=38)
    log.expect_bytes(
        bytes.fromhex(
            "01000578d92f81616c706861010005590a6c04627261766f0100074bfabfab636861726c6965"
        )
    )


@LAYOUT.valid("PRW-014")
def closed_segment(log: PrometheusLog) -> None:
    """Prometheus closed the segment, so its page ends in padding."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.close()
    log.expect("intact", survivors=range(3), end=38)


@LAYOUT.valid("PRW-010", "PRW-015")
def two_pages(log: PrometheusLog) -> None:
    """The second of four records continues in the next page."""
    log.write(b"alpha", numbered(40000), b"bravo", b"charlie")
    log.expect("intact", survivors=range(4), end=40052)


@LAYOUT.valid("PRW-015")
def three_pages(log: PrometheusLog) -> None:
    """The second of four records has a FIRST, a MIDDLE and a LAST."""
    log.write(b"alpha", numbered(70000), b"bravo", b"charlie")
    log.expect("intact", survivors=range(4), end=70059)


@LAYOUT.valid("PRW-010", "PRW-015")
def records_over_five_pages(log: PrometheusLog) -> None:
    """Twenty records of 7,000 bytes. A record crosses the end of each page."""
    log.write(*(bytes([65 + n]) + numbered(6999) for n in range(20)))
    log.expect("intact", survivors=range(20), end=140168)


@LAYOUT.valid("PRW-014")
def six_bytes_left(log: PrometheusLog) -> None:
    """Six bytes are left in a page. They are padding, and the next record begins in the next
    page."""
    log.fill_page_but(6)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=range(3), end=PAGE_SIZE + 26)


@LAYOUT.valid("PRW-014")
def one_byte_left(log: PrometheusLog) -> None:
    """One byte is left in a page."""
    log.fill_page_but(1)
    log.write(b"bravo")
    log.expect("intact", survivors=range(2))


@LAYOUT.valid("PRW-014", "PRW-061")
def six_bytes_left_at_the_end(log: PrometheusLog) -> None:
    """Six bytes are left after the last record. Prometheus pads them immediately."""
    log.fill_page_but(6)
    log.expect("intact", survivors=[0], end=PAGE_SIZE - 6)


@LAYOUT.valid("PRW-015")
def seven_bytes_left(log: PrometheusLog) -> None:
    """Seven bytes are left in a page. An empty FIRST fills these bytes."""
    log.fill_page_but(7)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("PRW-015", "PRW-041")
def seven_bytes_left_and_an_empty_record(log: PrometheusLog) -> None:
    """Seven bytes are left in a page. An empty record fills these bytes."""
    log.fill_page_but(7)
    log.write(b"")
    log.expect("intact", survivors=range(2), end=PAGE_SIZE)


@LAYOUT.valid("PRW-015")
def record_fills_a_page(log: PrometheusLog) -> None:
    """A record of 32,761 bytes fills a page as one FULL."""
    log.write(numbered(32761), b"bravo")
    log.expect("intact", survivors=range(2))


@LAYOUT.valid("PRW-015")
def record_fills_two_pages(log: PrometheusLog) -> None:
    """A FIRST and a LAST fill two pages."""
    log.write(numbered(2 * 32761))
    log.expect("intact", survivors=[0], end=2 * PAGE_SIZE)


@LAYOUT.valid("PRW-015")
def record_of_six_pages(log: PrometheusLog) -> None:
    """A record has four MIDDLEs."""
    log.write(b"alpha", numbered(180_000), b"bravo")
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("PRW-013", "PRW-015")
def empty_record(log: PrometheusLog) -> None:
    """An empty record between two others. Its checksum is 0."""
    log.write(b"alpha", b"", b"bravo")
    log.expect("intact", survivors=range(3), end=31)


@LAYOUT.valid("PRW-041")
def empty_record_at_the_end(log: PrometheusLog) -> None:
    """The log ends with an empty record."""
    log.write(b"alpha", b"")
    log.expect("intact", survivors=range(2), end=19)


@LAYOUT.valid("PRW-010", kind="limit")
def empty_segment(log: PrometheusLog) -> None:
    """The segment has no bytes, as when Prometheus has just started."""
    log.expect("intact", end=0)


@LAYOUT.valid("PRW-010", "PRW-014", kind="limit")
def page_of_zeros(log: PrometheusLog) -> None:
    """The segment is a page of zeros, as after a repair that found no records."""
    log.data += bytes(PAGE_SIZE)
    log.expect("intact", end=0)


@LAYOUT.valid("PRW-014", kind="limit")
def zeros_after_the_records(log: PrometheusLog) -> None:
    """Zeros follow the records: the rest of a page, and two whole pages."""
    log.write(b"alpha", b"bravo")
    log.data += bytes(3 * PAGE_SIZE - 24)
    log.expect("intact", survivors=range(2), end=24)


@LAYOUT.valid("PRW-012", kind="limit")
def reserved_bits(log: PrometheusLog) -> None:
    """The reserved bits of the type bytes are set. A reader ignores these bits."""
    log.frames(*(frame(FULL | 1 << bit, 0, b"record %d" % bit) for bit in (5, 6, 7)))
    log.payloads += [b"record 5", b"record 6", b"record 7"]
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("PRW-021", kind="limit")
def continued_after_padding(log: PrometheusLog) -> None:
    """Prometheus 2.10 padded the last page and then continued the segment."""
    log.write(b"alpha", b"bravo")
    log.close()
    log.write(b"charlie", numbered(40000))
    log.with_context("continued", 1)
    log.expect("intact", survivors=range(4))


@LAYOUT.valid("PRW-003")
def old_format(log: PrometheusLog) -> None:
    """A segment of Prometheus 2.3 with one entry, in the old format."""
    log.data += bytes.fromhex("43af00ef01000000") + b"\x02\x00\x00\x00\x00\x05alpha" + bytes(4)
    log.expect("refused", "old-format")


@LAYOUT.valid("PRW-003", kind="limit")
def old_format_without_an_entry(log: PrometheusLog) -> None:
    """A segment in the old format that contains only the first four bytes."""
    log.data += bytes.fromhex("43af00ef")
    log.expect("refused", "old-format")


@LAYOUT.valid("PRW-020", "PRW-080", kind="limit")
def a_thousand_empty_records(log: PrometheusLog) -> None:
    """A page with 1,000 empty records."""
    log.write(*[b""] * 1000)
    log.expect("intact", survivors=range(1000))


@LAYOUT.valid("PRW-013", kind="limit")
def checksum_of_zero(log: PrometheusLog) -> None:
    """The checksum of a record of eight bytes is 0."""
    log.frames(frame(FULL, 0, FORGED))
    log.payloads.append(FORGED)
    log.write(b"bravo")
    log.expect("intact", survivors=range(2))
