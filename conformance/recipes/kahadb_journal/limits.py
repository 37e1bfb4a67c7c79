"""Limits: many records, large records, and files that are slow to read."""

import struct

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import HEADER, LIMITS, KahaDBLog, numbered, whole_batch
from reference_impl.kahadb_journal.writer import record


@LIMITS.valid("KDB-006", "KDB-053", kind="limit")
def thousand_empty_records(log: KahaDBLog) -> None:
    """A thousand empty records in one batch."""
    log.batch(*[b""] * 1000)
    log.eof()
    log.expect("intact", survivors=range(1000))


@LIMITS.valid("KDB-009", "KDB-053", kind="limit")
def large_record(log: KahaDBLog) -> None:
    """A record of 70,007 bytes between two small records."""
    log.batch(numbered(1))
    log.batch(b"large " * 11667)
    log.batch(numbered(3))
    log.eof()
    log.expect("intact", survivors=[0, 1, 2])


@LIMITS.damaged(five_batches, "KDB-035", "KDB-053", kind="limit")
def a_thousand_negative_sizes(log: KahaDBLog) -> None:
    """A thousand control records of size -1 precede five valid batches."""
    log.hangs_upstream()
    log.insert(0, (HEADER + struct.pack(">iq", -1, 0)) * 1000)
    log.expect("damaged", "bad-size", survivors=range(5))
    log.bug("Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)")


@LIMITS.damaged(five_batches, "KDB-034", "KDB-053", kind="limit")
def a_thousand_bare_headers(log: KahaDBLog) -> None:
    """A thousand headers without sizes, checksums or records precede five valid batches."""
    log.insert(0, HEADER * 1000)
    log.expect("damaged", "checksum-mismatch", survivors=range(5))


@LIMITS.damaged(five_batches, "KDB-036", "KDB-053", kind="limit")
def headers_that_claim_all_that_follows(log: KahaDBLog) -> None:
    """A thousand control records each claim all bytes up to the EOF record. A reader must not read
    these bytes again for each checksum."""
    claims = b"".join(HEADER + struct.pack(">iq", 28 * (999 - n) + 225, 7) for n in range(1000))
    log.insert(0, claims)
    log.expect("damaged", "checksum-mismatch", survivors=range(5))


@LIMITS.damaged(five_batches, "KDB-047", "KDB-053", kind="limit")
def a_thousand_unchecked_batches_out_of_step(log: KahaDBLog) -> None:
    """A thousand unchecked batches end out of step. A reader must search the file for plausible
    batches once, not once for each batch."""
    one = whole_batch(b"", checked=False) + b"x" * 28 + record(b"")
    log.insert(0, one * 1000)
    log.expect("damaged", "bad-header", survivors=[*[b""] * 1000, *range(5)])


@LIMITS.damaged(five_batches, "KDB-054", kind="limit")
def file_that_readers_must_not_touch(log: KahaDBLog) -> None:
    """The file ends with a torn batch in preallocated space. A reader must not repair the file."""
    log.truncate(80)
    log.extend(bytes(432))
    log.expect("torn", "torn-batch", survivors=[0], end=45)
