"""Many records, large records, and logs that could cost a reader much time or memory."""

from conformance.recipes.leveldb_log.layout import log_ends_with_its_block, three_records
from conformance.recipes.leveldb_log.log import LIMITS, LevelDBLog, numbered, physical

MIDDLE = 3


@LIMITS.valid("LDB-041", kind="limit")
def two_thousand_empty_records(log: LevelDBLog) -> None:
    """A log with two thousand empty records of seven bytes each."""
    log.write(*[b""] * 2000)
    log.expect("intact", survivors=list(range(2000)))


@LIMITS.valid("LDB-003", "LDB-041", kind="limit")
def largest_payload_of_one_block(log: LevelDBLog) -> None:
    """A payload of 32,761 bytes fills a block as one FULL."""
    log.write(numbered(32761), b"bravo")
    log.expect("intact", survivors=[0, 1])


@LIMITS.valid("LDB-010", "LDB-012", kind="limit")
def one_byte_more_than_a_block(log: LevelDBLog) -> None:
    """A payload of 32,762 bytes leaves one byte for the LAST."""
    log.write(numbered(32762), b"bravo")
    log.expect("intact", survivors=[0, 1])


@LIMITS.damaged(three_records, "LDB-031", "LDB-041", kind="limit")
def thousands_of_orphans(log: LevelDBLog) -> None:
    """Four thousand empty orphans follow. Each orphan is a separate lost range, and reading time
    stays linear."""
    log.extend(physical(MIDDLE, b"") * 4000)
    log.expect("damaged", "orphan-fragment", survivors=[0, 1, 2])


@LIMITS.damaged(log_ends_with_its_block, "LDB-023", "LDB-041", kind="limit")
def large_lengths_in_every_block(log: LevelDBLog) -> None:
    """Each of four blocks begins with a header whose length is 65535. These lengths must not cost a
    reader memory or time."""
    log.extend((b"\xff" * 6 + b"\x01" + bytes(32761)) * 4)
    log.expect("damaged", "bad-length", survivors=[0, 1], end=5 * 32768)


@LIMITS.damaged(three_records, "LDB-042")
def log_that_readers_must_not_touch(log: LevelDBLog) -> None:
    """A reader must not repair a torn log or change it in any other way."""
    log.truncate_in("blocks[0].records[2].data", 2)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)
