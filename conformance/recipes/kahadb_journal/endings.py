"""The bytes after the last batch: EOF records, zeros, remains of older writes, or nothing."""

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import ENDING, EOF, KahaDBLog, numbered, whole_batch

ALL = range(5)
CLEAN_FLAGGED = "since 5.16.0, Journal.recoveryCheck reports the zeros of older writers as corrupt"


def _zeros(log: KahaDBLog, count: int) -> None:
    log.truncate(225)
    log.extend(bytes(count))


@ENDING.damaged(five_batches, "KDB-012", "KDB-013", kind="eof")
def one_zero_byte(log: KahaDBLog) -> None:
    """One zero byte after the last batch."""
    _zeros(log, 1)
    log.expect("intact", survivors=ALL, end=225)


@ENDING.damaged(five_batches, "KDB-013", kind="eof")
def four_zero_bytes(log: KahaDBLog) -> None:
    """Four zero bytes after the last batch, one byte less than a record header."""
    _zeros(log, 4)
    log.expect("intact", survivors=ALL, end=225)
    log.bug(CLEAN_FLAGGED)


@ENDING.damaged(five_batches, "KDB-012", kind="eof")
def five_zero_bytes(log: KahaDBLog) -> None:
    """Five zero bytes after the last batch, the end mark of 5.12 and 5.13."""
    _zeros(log, 5)
    log.expect("intact", survivors=ALL, end=225)
    log.bug(CLEAN_FLAGGED)


@ENDING.damaged(five_batches, "KDB-013", kind="eof")
def zeros_one_less_than_a_control_record(log: KahaDBLog) -> None:
    """27 zero bytes after the last batch, one byte less than a control record."""
    _zeros(log, 27)
    log.expect("intact", survivors=ALL, end=225)
    log.bug(CLEAN_FLAGGED)


@ENDING.damaged(five_batches, "KDB-013", kind="eof")
def zeros_as_long_as_a_control_record(log: KahaDBLog) -> None:
    """28 zero bytes after the last batch, the length of a control record."""
    _zeros(log, 28)
    log.expect("intact", survivors=ALL, end=225)
    log.bug(CLEAN_FLAGGED)


@ENDING.damaged(five_batches, "KDB-013", kind="eof")
def zeros_one_more_than_a_control_record(log: KahaDBLog) -> None:
    """29 zero bytes after the last batch, one byte more than a control record."""
    _zeros(log, 29)
    log.expect("intact", survivors=ALL, end=225)
    log.bug(CLEAN_FLAGGED)


@ENDING.damaged(five_batches, "KDB-015", kind="eof")
def eof_record_and_remains(log: KahaDBLog) -> None:
    """Remains of a longer, failed write follow the EOF record. The file ends at the EOF record."""
    log.shows("stale-tail")
    log.extend(whole_batch(b"never acknowledged" * 4)[60:])
    log.expect("intact", survivors=ALL, end=225)


@ENDING.damaged(five_batches, "KDB-015", "KDB-048", kind="eof")
def eof_record_and_a_header(log: KahaDBLog) -> None:
    """A header without a plausible batch follows the EOF record. The file ends at the EOF
    record."""
    log.extend(b"rest of \0\0\0\x1c\x02WRITE BATCH in a text")
    log.expect("intact", survivors=ALL, end=225)


@ENDING.damaged(five_batches, "KDB-039", "KDB-013")
def eof_record_and_zeros_in_the_middle(log: KahaDBLog) -> None:
    """An EOF record and 100 zeros separate two batches. A reader must return all five batches."""
    log.insert(90, EOF + bytes(100))
    log.expect("damaged", "early-eof", survivors=ALL, end=330)


ENDING.table("""
no_eof_record: five_batches KDB-012 eof
    The file ends directly after its last batch, as in releases before 5.12.
    damage: truncate at 225
    expect: intact, survivors 0-4, end 225
eof_record_and_zeros: five_batches KDB-013 KDB-015 eof
    An EOF record and 500 zero bytes of preallocated space after the last batch.
    damage: extend by 500 zero bytes
    expect: intact, survivors 0-4, end 225
eof_record_in_the_middle: five_batches KDB-039
    An EOF record separates the second and the third batch. A reader must return all five batches.
    damage: insert 2d 71 4d 61 34 at 90
    expect: damaged early-eof, survivors 0-4, end 230
    bug: Journal.recoveryCheck sets DataFile.length to 90: three batches are lost, not reported
eof_record_in_the_middle_without_checksums: five_batches_without_checksums KDB-039
    An EOF record separates two unchecked batches. A reader must return all five batches.
    damage: insert 2d 71 4d 61 34 at 90
    expect: damaged early-eof, survivors 0-4, end 230
eof_record_over_a_header: five_batches KDB-039
    An EOF record replaces the first five bytes of the third batch, as after a lost write. Only the
    third batch is lost.
    damage: write 2d 71 4d 61 34 at 90
    expect: damaged early-eof, survivors 0 1 3 4, end 225
five_zeros_in_the_middle: five_batches KDB-040
    Five zeros separate two batches. A reader reports the zeros as `zero-gap`.
    damage: insert 00 00 00 00 00 at 90
    expect: damaged zero-gap, survivors 0-4, end 230
zeros_in_the_middle: five_batches KDB-040
    A hundred zeros separate two batches. A reader reports the zeros, because they may be a lost
    write.
    damage: insert 100 zero bytes at 135
    expect: damaged zero-gap, survivors 0-4, end 325
garbage_behind_the_last_batch: five_batches KDB-034 KDB-051 eof
    The file ends with 40 bytes of garbage and no EOF record. The garbage may be a lost batch, so
    `end` is null.
    damage: truncate at 225
    damage: extend by 40 bytes of 78
    expect: damaged bad-header, survivors 0-4, end none
one_stray_byte: five_batches KDB-034 eof
    The file ends with one byte of garbage, which a reader must report.
    damage: truncate at 225
    damage: extend by 78
    expect: damaged bad-header, survivors 0-4, end none
    bug: Journal.ensureAvailable subtracts one from the limit at the end of the file
""")


@ENDING.valid("KDB-011", "KDB-012", "KDB-013")
def eof_record_only(log: KahaDBLog) -> None:
    """A file that contains only an EOF record."""
    log.eof()
    log.expect("intact", end=0)


@ENDING.valid("KDB-013")
def zeros_only(log: KahaDBLog) -> None:
    """A file of 100 zeros, as in an unused file preallocated by 5.11."""
    log.zeros(100)
    log.expect("intact", end=0)
    log.bug(CLEAN_FLAGGED)


@ENDING.valid("KDB-033")
def empty_batch(log: KahaDBLog) -> None:
    """An unchecked batch of size 0 is between two batches. A reader must continue after this
    batch."""
    log.batch(numbered(1))
    log.batch(checked=False)
    log.batch(numbered(2))
    log.eof()
    log.expect("intact", survivors=[0, 1], end=118)
    log.note("No writer creates such a batch. ActiveMQ treats it as the end of the file.")


@ENDING.valid("KDB-033", "KDB-007")
def empty_batch_with_the_checksum_of_nothing(log: KahaDBLog) -> None:
    """A batch of size 0 with the checksum 1, the Adler-32 of no bytes, is between two batches. A
    reader must continue after this batch."""
    log.batch(numbered(1))
    log.batch()
    log.batch(numbered(2))
    log.eof()
    log.expect("intact", survivors=[0, 1], end=118)
