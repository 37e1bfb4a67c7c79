"""Records that are whole, damaged, torn, written and appended."""

from __future__ import annotations

from conformance.recipes.prometheus_wal.log import DAMAGE, LAYOUT, WRITING, PrometheusWal


@LAYOUT.valid("PRW-001", "PRW-002")
def two_records(log: PrometheusWal) -> None:
    """Two records."""
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@WRITING.writing("PRW-002")
def write_two_records(log: PrometheusWal) -> None:
    """A writer stores two records."""
    log.write(b"alpha", b"bravo")


@WRITING.appending(two_records, "PRW-006")
def append_a_record(log: PrometheusWal) -> None:
    """A writer appends a record."""
    log.append(b"charlie")
    log.expect("intact", survivors=[0, 1, b"charlie"])


@WRITING.appending(two_records, "PRW-006", kind="eof", control=append_a_record)
def append_behind_a_torn_record(log: PrometheusWal) -> None:
    """A writer removes a torn record before it appends."""
    log.truncate_in("records[1].payload", 2)
    log.append(b"charlie")
    log.expect("intact", survivors=[0, b"charlie"])


LAYOUT.table("""
signature_flipped: two_records PRW-001
    A file without the signature is refused.
    damage: flip bit 0 of signature
    expect: refused not-a-tally, no survivors
""")

DAMAGE.table("""
flipped_payload: two_records PRW-003 PRW-004 PRW-007 PRW-009
    A flipped bit loses the first record only.
    damage: flip bit 0 of records[0].payload
    expect: damaged checksum-mismatch, survivors 1
cut_in_a_payload: two_records PRW-005 PRW-007 PRW-008
    The file ends inside the second record.
    damage: truncate 2 bytes into records[1].payload
    expect: torn torn-record, survivors 0, end 12
""")
