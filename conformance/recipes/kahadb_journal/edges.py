"""Boundaries where one byte, one check or one search changes the answer."""

import struct
import zlib

from conformance.recipes.kahadb_journal.doubt import WRONG
from conformance.recipes.kahadb_journal.layout import (
    empty_file,
    five_batches,
    payload_that_ends_with_a_batch,
)
from conformance.recipes.kahadb_journal.log import (
    APPENDING,
    CHECKSUM,
    END,
    ENDING,
    EOF,
    HEADER,
    LAYOUT,
    LIMITS,
    RESYNC,
    TORN_TAIL,
    KahaDBLog,
)
from conformance.recipes.kahadb_journal.names import folder_without_data_files
from reference_impl.kahadb_journal.writer import record

FOUR = [0, 1, 2, 3]
ALL = range(5)
MANY = 2000


def _from(log: KahaDBLog, at: int, new: bytes) -> None:
    log.truncate(at)
    log.extend(new)


def _control(size: int, checksum: int) -> bytes:
    return HEADER + struct.pack(">iq", size, checksum)


@CHECKSUM.damaged(five_batches, "KDB-033", "KDB-036")
def size_0_with_a_checksum_of_2(log: KahaDBLog) -> None:
    """The last batch has the size 0 and the checksum 2, which is wrong, because the Adler-32 of no
    bytes is 1."""
    _from(log, 225, _control(0, 2) + EOF)
    log.expect("damaged", "checksum-mismatch", survivors=ALL, end=253)


@CHECKSUM.damaged(five_batches, "KDB-008", "KDB-036")
def checksum_of_1(log: KahaDBLog) -> None:
    """The checksum of the second batch is 1, the lowest value that a reader verifies. This checksum
    is wrong, because the batch has a record."""
    log.number("batches[1].control.checksum", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=225)


@ENDING.damaged(five_batches, "KDB-013", kind="eof")
def two_zeros_in_front_of_a_preallocated_eof_record(log: KahaDBLog) -> None:
    """The last batch ends two zero bytes before the EOF record at the end of the file."""
    _from(log, 225, bytes(2) + EOF)
    log.expect("intact", survivors=ALL, end=225)


@RESYNC.damaged(payload_that_ends_with_a_batch, "KDB-047", "KDB-048")
def phantom_that_ends_where_the_file_does(log: KahaDBLog) -> None:
    """One payload bit is flipped in the last batch, whose payload ends with a batch. Both batches
    end with the file, and neither is returned."""
    log.flip("batches[1].records[0].payload", 0)
    log.truncate(124)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=124)


@END.damaged(five_batches, "KDB-051", "KDB-047", kind="eof")
def plausible_batch_inside_that_is_not_sound(log: KahaDBLog) -> None:
    """A batch that ends with the file contains a plausible batch. The checksums of both batches are
    wrong, so `end` is null."""
    rest = b"x" * 9 + WRONG + EOF
    _from(
        log,
        180,
        _control(len(rest), 7) + rest,
    )
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@RESYNC.damaged(five_batches, "KDB-045", "KDB-013", kind="eof")
def record_that_ends_in_the_fill(log: KahaDBLog) -> None:
    """The size of the last batch is too small, and its record ends with zeros that belong to the
    fill. The lost range includes these zeros."""
    last = record(b"0123456789" + bytes(5))
    _from(
        log,
        180,
        _control(10, 7) + last + bytes(50),
    )
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-036")
def garbage_in_front_of_a_wrong_batch_with_a_mark(log: KahaDBLog) -> None:
    """Nine bytes of garbage precede a batch with a wrong checksum, which ends at a header. A reader
    reports two lost ranges."""
    log.insert(90, b"x" * 9 + WRONG)
    log.expect("damaged", "bad-header", survivors=ALL, end=225 + 9 + 45)


@END.damaged(five_batches, "KDB-045", "KDB-009", "KDB-051")
def chain_over_an_empty_record_at_the_end(log: KahaDBLog) -> None:
    """The size of the last batch is -1, and one of its records is empty. The chain passes this
    record and is certain, so `end` is known."""
    log.hangs_upstream()
    body = record(b"charlie") + record(b"") + record(b"delta")
    _from(log, 180, _control(-1, 7) + body + EOF)
    log.expect("damaged", "bad-size", survivors=FOUR, end=180 + 28 + 27)


@TORN_TAIL.damaged(five_batches, "KDB-008", "KDB-042", "KDB-045")
def size_past_the_end_and_a_sum_of_0(log: KahaDBLog) -> None:
    """The size of an unchecked last batch leads past the end of the file. The batch is torn,
    although the Adler-32 of its bytes is 0."""
    last = record(b"\xff" * 99 + b"\x59" + b"\xff" * 38 + bytes(143) + b"\xff" * 119)
    assert zlib.adler32(last) == 0
    _from(
        log,
        180,
        _control(len(last) + 9, 0) + last,
    )
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@LAYOUT.valid("KDB-016")
def command_of_127_bytes(log: KahaDBLog) -> None:
    """A command has a body of 127 bytes, the largest length in a varint of one byte."""
    log.batch(b"\x01\x7f" + b"b" * 127)
    log.eof()
    log.expect("intact", survivors=[0])


@LIMITS.damaged(five_batches, "KDB-045", "KDB-053", kind="limit")
def chains_that_lead_through_all_that_follows(log: KahaDBLog) -> None:
    """The records of 2,000 batches with wrong checksums form one long chain. A reader must not
    follow the whole chain for each batch."""
    one = _control(5, 7) + struct.pack(">iB", 33, 1)
    log.set("batches[0].records[0].header.type", 9)
    log.reseal("batches[0]")
    log.insert(0, one * MANY)
    log.expect("damaged", "checksum-mismatch", survivors=[1, 2, 3, 4], end=33 * MANY + 225)


@APPENDING.appending(folder_without_data_files, "KDB-014", "KDB-021")
def append_with_the_default_length(log: KahaDBLog) -> None:
    """The context has no file length. A writer preallocates the default of 32 MiB for a new
    file."""
    log.context["preallocation"] = "zeros"
    log.append(b"delta")
    log.expect("intact", survivors=[b"delta"], end=38)
    log.leaves({"db-1.log": 32 << 20, "db.data": 5, "lock": 0})


@APPENDING.appending(empty_file, "KDB-022", kind="limit")
def append_a_batch_just_below_the_default_size(log: KahaDBLog) -> None:
    """Two records and a control record are one byte shorter than the default batch size of 4 MiB.
    Both records go into one batch."""
    log.append(b"a" * (2 << 20), b"b" * ((2 << 20) - 28 - 10 - 1), batch=1)
    log.expect("intact", survivors=[one.payload for one in log.to_append], end=(4 << 20) - 1)


@APPENDING.appending(empty_file, "KDB-022", kind="limit")
def append_a_batch_of_just_the_default_size(log: KahaDBLog) -> None:
    """Two records and a control record are exactly as long as the default batch size, 4 MiB. The
    second record begins a new batch."""
    log.append(b"a" * (2 << 20), b"b" * ((2 << 20) - 28 - 10), batch=1)
    log.expect("intact", survivors=[one.payload for one in log.to_append], end=(4 << 20) + 28)
