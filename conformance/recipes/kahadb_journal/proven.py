"""Batches that only a checksum proves, and places where a reader must not search for them."""

import struct
import zlib

from conformance.recipes.kahadb_journal.layout import five_batches, five_batches_without_checksums
from conformance.recipes.kahadb_journal.log import (
    END,
    HEADER,
    RESYNC,
    TORN_TAIL,
    KahaDBLog,
    numbered,
    whole_batch,
)
from conformance.recipes.kahadb_journal.preallocation import preallocated_by_5_12

ALL = range(5)
GARBAGE = b"x" * 9


@RESYNC.damaged(five_batches, "KDB-046", "KDB-047")
def batch_between_a_torn_one_and_garbage(log: KahaDBLog) -> None:
    """A batch is cut after 40 bytes, and a valid batch and garbage follow. The checksum proves the
    valid batch."""
    log.insert(135, GARBAGE)
    log.drop("batches[1]")
    log.insert(45, whole_batch(numbered(2))[:40])
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=229)


@END.damaged(five_batches, "KDB-046", "KDB-051")
def last_batch_between_garbage(log: KahaDBLog) -> None:
    """The last batch is between two ranges of garbage, and no EOF record follows. A reader returns
    this batch, but `end` is null."""
    log.truncate(225)
    log.extend(GARBAGE)
    log.insert(180, GARBAGE)
    log.expect("damaged", "bad-header", survivors=ALL, end=None)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-033")
def empty_batch_between_garbage(log: KahaDBLog) -> None:
    """A batch of size 0 with the checksum 1 is between two ranges of garbage. The checksum of no
    bytes does not prove the batch."""
    empty = HEADER + bytes(11) + b"\x01"
    log.insert(90, GARBAGE + empty + GARBAGE)
    log.expect("damaged", "bad-header", survivors=ALL, end=271)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-037")
def batch_of_one_byte_between_garbage(log: KahaDBLog) -> None:
    """A batch of size 1 with a correct checksum is between two ranges of garbage. The batch is
    proven, but its byte is a bad record."""
    small = HEADER + struct.pack(">iq", 1, zlib.adler32(b"z")) + b"z"
    log.insert(90, GARBAGE + small + GARBAGE)
    log.expect("damaged", "bad-header", survivors=ALL, end=272)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-035")
def impossible_size_between_garbage(log: KahaDBLog) -> None:
    """A control record of size 2147483615 is between two ranges of garbage. The batch is neither
    plausible nor proven."""
    log.hangs_upstream()
    claim = HEADER + struct.pack(">iq", 2**31 - 33, 7)
    log.insert(90, GARBAGE + claim + GARBAGE)
    log.expect("damaged", "bad-header", survivors=ALL, end=271)


@END.damaged(five_batches, "KDB-015", "KDB-046")
def eof_record_and_remains_that_hold_a_batch(log: KahaDBLog) -> None:
    """A checked batch between two ranges of garbage follows the EOF record. The batch is not
    plausible, so the file ends at the EOF record."""
    log.extend(GARBAGE + whole_batch(numbered(6)) + GARBAGE)
    log.expect("intact", survivors=ALL, end=225)


@RESYNC.damaged(five_batches_without_checksums, "KDB-032", "KDB-047", "KDB-048")
def payload_with_a_batch_in_front_of_garbage(log: KahaDBLog) -> None:
    """The payload of an unchecked batch contains a checked batch, and garbage follows. A reader
    returns the outer batch."""
    payload = b"copy: " + whole_batch(b"phantom") + b"tail"
    log.insert(90, whole_batch(payload, checked=False) + GARBAGE)
    log.expect("damaged", "bad-header", survivors=[0, 1, payload, 2, 3, 4], end=317)


@TORN_TAIL.damaged(preallocated_by_5_12, "KDB-042", "KDB-047", "KDB-048")
def torn_batch_whose_payload_holds_one(log: KahaDBLog) -> None:
    """The first payload of a torn batch contains a batch. A reader must not return the inner
    batch."""
    torn = whole_batch(b"copy: " + whole_batch(b"phantom") + b"tail", numbered(4))
    log.overwrite(135, torn[:-17])
    log.expect("torn", "torn-batch", survivors=range(3), end=135)


RESYNC.table("""
wrong_checksum_between_garbage: five_batches KDB-046 KDB-036
    A batch with a wrong checksum is between two ranges of garbage. The batch is neither plausible
    nor proven.
    damage: flip bit 0 of batches[2].records[0].payload
    damage: insert 9 bytes of 78 at 135
    damage: insert 9 bytes of 78 at 90
    expect: damaged bad-header, survivors 0 1 3 4, end 243
unchecked_batch_between_garbage: five_batches_without_checksums KDB-046 KDB-008
    An unchecked batch is between two ranges of garbage. The sizes of its records are no proof, so
    the batch is lost.
    damage: insert 9 bytes of 78 at 135
    damage: insert 9 bytes of 78 at 90
    expect: damaged bad-header, survivors 0 1 3 4, end 243
phantom_behind_a_size_past_the_end: payload_that_holds_a_batch KDB-046 KDB-048
    A batch whose payload contains a batch has a wrong checksum and a size past the end of the file.
    The chain leads past the inner batch.
    number: batches[1].control.len_records, 5000
    damage: flip bit 0 of batches[1].control.checksum
    expect: damaged bad-size, survivors 0 2
    bug: Journal.findNextBatchRecord searches only for a header, so the inner batch is returned
""")
