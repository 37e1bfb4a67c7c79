"""Offsets where a reader may continue, and whether a later append could change them (KDB-051)."""

import struct
from zlib import adler32

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import (
    END,
    EOF,
    HEADER,
    KahaDBLog,
    numbered,
    whole_batch,
)
from conformance.recipes.kahadb_journal.preallocation import sparse_file

FOUR = [0, 1, 2, 3]
ALL = range(5)
EMPTY = HEADER + bytes(12)
TWO_TYPES = struct.pack(">iB", 6, 9) + b"x" + struct.pack(">iB", 9, 1) + b"echo"
WRONG = HEADER + struct.pack(">iq", 17, 7) + whole_batch(numbered(6))[28:]


def _from(log: KahaDBLog, at: int, new: bytes) -> None:
    log.truncate(at)
    log.extend(new)


@END.damaged(five_batches, "KDB-051", "KDB-033", "KDB-039")
def empty_batch_behind_an_early_eof_record(log: KahaDBLog) -> None:
    """A batch of size 0 directly follows an early EOF record, and `end` comes after it."""
    log.extend(EMPTY + EOF)
    log.expect("damaged", "early-eof", survivors=ALL, end=258)


@END.damaged(five_batches, "KDB-051", "KDB-039")
def damaged_batch_behind_an_early_eof_record(log: KahaDBLog) -> None:
    """A batch with a wrong checksum directly follows an early EOF record. No append can change
    where a reader continues, so `end` is known."""
    log.extend(WRONG + EOF)
    log.expect("damaged", "early-eof", survivors=ALL, end=275)


@END.damaged(five_batches, "KDB-039", "KDB-042")
def bare_header_behind_an_eof_record(log: KahaDBLog) -> None:
    """A header and garbage directly follow the EOF record. The EOF record is early, although the
    batch of this header is torn."""
    log.extend(HEADER + b"x" * 40)
    log.expect("damaged", "early-eof", survivors=ALL, end=230)


@END.damaged(five_batches, "KDB-039", "KDB-046")
def eof_record_zeros_and_an_unchecked_batch(log: KahaDBLog) -> None:
    """Zeros and an unchecked batch follow the EOF record. The batch is plausible, so the EOF record
    is early."""
    log.extend(bytes(20) + whole_batch(numbered(6), checked=False))
    log.expect("damaged", "early-eof", survivors=[*ALL, numbered(6)], end=295)


@END.damaged(five_batches, "KDB-015", "KDB-046")
def eof_record_zeros_and_a_batch_with_a_wrong_checksum(log: KahaDBLog) -> None:
    """Zeros and a batch with a wrong checksum follow the EOF record. The batch is not plausible, so
    the file ends at the EOF record."""
    log.extend(bytes(20) + WRONG)
    log.expect("intact", survivors=ALL, end=225)


@END.damaged(five_batches, "KDB-051", "KDB-045")
def header_directly_behind_a_lost_control_record(log: KahaDBLog) -> None:
    """A batch with a wrong checksum follows 28 bytes of garbage. A reader continues at the header
    of this batch, and `end` comes after it."""
    _from(log, 225, b"x" * 28 + WRONG + EOF)
    log.expect("damaged", "bad-header", survivors=ALL, end=298)


@END.damaged(five_batches, "KDB-051", "KDB-045")
def header_directly_behind_a_negative_size(log: KahaDBLog) -> None:
    """A batch with a wrong checksum follows a control record of size -1. A reader continues at the
    header of this batch, and `end` comes after it."""
    log.hangs_upstream()
    _from(
        log,
        225,
        HEADER + b"\xff" * 4 + bytes(8) + WRONG + EOF,
    )
    log.expect("damaged", "bad-size", survivors=ALL, end=298)


@END.damaged(five_batches, "KDB-051", "KDB-034")
def broken_magic_of_a_batch_of_size_0(log: KahaDBLog) -> None:
    """The sixth and last batch has the size 0, the checksum 1 and a damaged magic. The checksum of
    no bytes holds, so `end` is known."""
    broken = HEADER.replace(b"W", b"V") + bytes(11) + b"\x01"
    _from(log, 225, broken + EOF)
    log.expect("damaged", "bad-header", survivors=ALL, end=253)


@END.damaged(five_batches, "KDB-046", "KDB-051")
def garbage_in_front_of_a_batch_with_a_wrong_checksum(log: KahaDBLog) -> None:
    """Nine bytes of garbage precede a batch with a wrong checksum, which ends with the file. The
    batch is not plausible and is lost."""
    _from(log, 180, b"x" * 9 + WRONG)
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@END.damaged(five_batches, "KDB-046", "KDB-033")
def garbage_in_front_of_an_empty_batch(log: KahaDBLog) -> None:
    """Nine bytes of garbage precede a batch of size 0, which ends with the file. The batch is
    plausible and counts as framing."""
    _from(log, 225, b"x" * 9 + EMPTY)
    log.expect("damaged", "bad-header", survivors=ALL, end=262)


@END.damaged(sparse_file, "KDB-047", "KDB-046")
def size_that_ends_in_the_zeros_and_a_wrong_type(log: KahaDBLog) -> None:
    """The size of the second batch leads into the fill, and there is no chain. A reader continues
    at the first plausible batch in the claimed range."""
    log.context["write_batch_size"] = 1024
    log.number("batches[1].control.len_records", 2000)
    log.set("batches[1].records[0].header.type", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2], end=None)
    log.note("If a batch appended later ended at the claimed end, a reader would lose two batches.")


@END.damaged(five_batches, "KDB-051", "KDB-047")
def batch_in_a_batch_that_ends_with_the_file(log: KahaDBLog) -> None:
    """A batch with a wrong checksum contains a valid batch, and both end with the file. `end` is
    null, because an append would mark this end."""
    inner = whole_batch(numbered(6))
    record = struct.pack(">iB", 5 + 4 + len(inner), 9) + b"four" + inner
    _from(
        log,
        180,
        HEADER + struct.pack(">iq", len(record), 7) + record,
    )
    log.expect("damaged", "checksum-mismatch", survivors=[*FOUR, numbered(6)], end=None)


def _of_two_types(checksum: int) -> bytes:
    """Return a batch with records of the types 9 and 1, and an EOF record."""
    return HEADER + struct.pack(">iq", len(TWO_TYPES), checksum) + TWO_TYPES + EOF


@END.damaged(five_batches, "KDB-051", "KDB-046")
def unchecked_batch_that_its_eof_record_shows(log: KahaDBLog) -> None:
    """Garbage precedes an unchecked batch with a record of type 9. An EOF record makes the batch
    plausible, so `end` is null."""
    _from(log, 180, b"\xff" * 31 + _of_two_types(0))
    log.expect("damaged", "bad-header", survivors=[*FOUR, b"echo"], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-046", "KDB-038")
def checked_batch_of_two_types_after_garbage(log: KahaDBLog) -> None:
    """Garbage precedes a valid checked batch whose first record has type 9. The checksum makes the
    batch plausible, so `end` is known."""
    _from(log, 180, b"\xff" * 31 + _of_two_types(adler32(TWO_TYPES)))
    log.expect("damaged", "bad-header", survivors=[*FOUR, b"echo"], end=254)


@END.damaged(five_batches, "KDB-051", "KDB-038")
def unchecked_batch_of_two_types_after_sound_ones(log: KahaDBLog) -> None:
    """Valid batches precede an unchecked batch with a record of type 9. No offset is unsettled, so
    `end` is known."""
    _from(log, 180, _of_two_types(0))
    log.expect("damaged", "unknown-type", survivors=[*FOUR, b"echo"], end=223)


END.table("""
wrong_checksum_at_the_end_of_the_file: hello KDB-051 KDB-044
    One payload bit of the only batch is flipped, and no EOF record follows. The size still gives
    the end of the batch.
    damage: flip bit 0 of batches[0].records[0].payload
    damage: truncate at 38
    expect: damaged checksum-mismatch, no survivors, end 38
chain_to_the_end_that_the_checksum_confirms: five_batches KDB-051 KDB-045 eof
    The size of the last batch is one byte too small. The chain leads to the end of the file, and
    the checksum confirms this end.
    number: batches[4].control.len_records, 16
    damage: truncate at 225
    expect: damaged checksum-mismatch, survivors 0-3, end 225
chain_to_the_end_that_nothing_confirms: five_batches KDB-051 KDB-045 eof
    The last batch has a flipped payload bit and a size one byte too small. The chain to the end of
    the file is not certain.
    number: batches[4].control.len_records, 16
    damage: flip bit 0 of batches[4].records[0].payload
    damage: truncate at 225
    expect: damaged checksum-mismatch, survivors 0-3, end none
chain_to_a_mark_that_no_checksum_confirms: five_batches KDB-051 KDB-045
    The last batch has a flipped payload bit and a size one byte too small. The chain to the EOF
    record is not certain.
    number: batches[4].control.len_records, 16
    damage: flip bit 0 of batches[4].records[0].payload
    expect: damaged checksum-mismatch, survivors 0-3, end none
chain_inside_the_batch_that_no_checksum_confirms: five_batches KDB-051 KDB-047
    The size of the fourth batch covers the fifth batch, and both payloads are damaged. The chain
    leads to the fifth batch, and `end` comes after it.
    number: batches[3].control.len_records, 62
    damage: flip bit 0 of batches[3].records[0].payload
    damage: flip bit 0 of batches[4].records[0].payload
    expect: damaged checksum-mismatch, survivors 0-2, end 225
marked_end_of_a_batch_that_holds_another: five_batches KDB-051 KDB-044
    The size of the fourth batch covers the fifth batch, and there is no chain. A reader continues
    at the marked end, but `end` is null.
    number: batches[3].control.len_records, 62
    damage: set batches[3].records[0].header.type to 9
    expect: damaged checksum-mismatch, survivors 0-2, end none
marked_end_without_chain: five_batches KDB-051 KDB-044
    The record type of the last batch is damaged, so there is no chain. The size leads to an EOF
    record, and `end` is known.
    damage: set batches[4].records[0].header.type to 9
    expect: damaged checksum-mismatch, survivors 0-3, end 225
size_past_the_fill_and_no_chain: five_batches KDB-051 KDB-046
    The size of the last batch leads into the middle of the EOF record, and there is no chain. A
    reader finds no place to continue.
    number: batches[4].control.len_records, 19
    damage: set batches[4].records[0].header.type to 9
    expect: damaged checksum-mismatch, survivors 0-3, end none
broken_magic_of_the_last_batch: five_batches KDB-051 KDB-034
    One bit of the magic of the last batch is flipped, and no EOF record follows. The size and the
    checksum still give `end`.
    damage: flip bit 0 of batches[4].control.magic
    damage: truncate at 225
    expect: damaged bad-header, survivors 0-4, end 225
garbage_in_front_of_the_last_batch: five_batches KDB-051 KDB-046
    Nine bytes of garbage precede the last batch, which ends with the file. A correct checksum makes
    this batch plausible.
    damage: truncate at 225
    damage: insert 9 bytes of 78 at 180
    expect: damaged bad-header, survivors 0-4, end 234
searched_once_and_met_again: five_batches_without_checksums KDB-046 KDB-047 KDB-053
    The second batch ends out of step, and the third batch has the size -1. Both faults start a
    search that must find the fourth batch.
    hangs_upstream:
    number: batches[1].control.len_records, 120
    number: batches[2].control.len_records, -1
    damage: set batches[2].records[0].header.type to 9
    expect: damaged bad-size, survivors 0 3 4, end 225
unknown_type_and_a_wrong_checksum: five_batches KDB-050 KDB-038
    The second batch has a record of type 9, and the fourth batch has a wrong checksum. The reason
    is the code of the first damage.
    damage: set batches[1].records[0].header.type to 9
    damage: reseal batches[1]
    damage: flip bit 0 of batches[3].records[0].payload
    expect: damaged unknown-type, survivors 0 2 4, end 225
""")


@END.damaged(five_batches, "KDB-050", "KDB-041", kind="eof")
def damage_in_front_of_a_torn_tail_that_is_in_doubt(log: KahaDBLog) -> None:
    """A control record of size -1 precedes a control record that is cut after 17 bytes. `end` is
    where the torn control record begins."""
    log.hangs_upstream()
    negative = HEADER + b"\xff" * 4 + bytes(8)
    _from(log, 225, negative + EMPTY[:16] + b"\0")
    log.expect("damaged", "bad-size", survivors=ALL, end=253)
