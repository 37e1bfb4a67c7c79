"""Where one byte, one check or one search more or less gives another answer."""

import struct
import zlib

from conformance.recipes.kahadb_journal.doubt import WRONG
from conformance.recipes.kahadb_journal.layout import (
    empty_file,
    five_batches,
    payload_that_ends_with_a_batch,
)
from conformance.recipes.kahadb_journal.log import BOOK, EOF, HEADER, KahaDBLog
from conformance.recipes.kahadb_journal.names import folder_without_data_files
from reference_impl.kahadb_journal.writer import record

FOUR = [0, 1, 2, 3]
ALL = range(5)
MANY = 2000


def _from(log: KahaDBLog, at: int, new: bytes, what: str) -> None:
    log.truncate(at)
    log.extend(new, what)


def _control(size: int, checksum: int) -> bytes:
    return HEADER + struct.pack(">iq", size, checksum)


@BOOK.damaged(five_batches, "checksum", "KDB-033", "KDB-036")
def size_0_with_a_checksum_of_2(log: KahaDBLog) -> None:
    """A batch of size 0 with the checksum 2: that is not the sum of nothing."""
    _from(log, 225, _control(0, 2) + EOF, "a batch of size 0 with the checksum 2, an EOF record")
    log.expect("damaged", "checksum-mismatch", survivors=ALL, end=253)


@BOOK.damaged(five_batches, "checksum", "KDB-008", "KDB-036")
def checksum_of_1(log: KahaDBLog) -> None:
    """The smallest checksum that is one, of a batch with a record: it is wrong."""
    log.number("batches[1].control.checksum", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "ending", "KDB-013", kind="eof")
def two_zeros_in_front_of_a_preallocated_eof_record(log: KahaDBLog) -> None:
    """The last batch ends two bytes before the EOF record at the end of the file."""
    _from(log, 225, bytes(2) + EOF, "two zeros and an EOF record")
    log.expect("intact", survivors=ALL, end=225)


@BOOK.damaged(payload_that_ends_with_a_batch, "resync", "KDB-047", "KDB-048")
def phantom_that_ends_where_the_file_does(log: KahaDBLog) -> None:
    """A flipped bit before a batch in the last payload; all three end with the file."""
    log.flip("batches[1].records[0].payload", 0)
    log.truncate(124)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=124)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-047", kind="eof")
def plausible_batch_inside_that_is_not_sound(log: KahaDBLog) -> None:
    """A batch up to the end of the file holds one with a wrong checksum: all that is in doubt."""
    rest = b"x" * 9 + WRONG + EOF
    _from(log, 180, _control(len(rest), 7) + rest, "a batch that holds garbage and a wrong batch")
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "resync", "KDB-045", "KDB-013", kind="eof")
def record_that_ends_in_the_fill(log: KahaDBLog) -> None:
    """A size that ends out of step, and a record with zeros at its end: all of it is lost."""
    last = record(b"0123456789" + bytes(5))
    _from(log, 180, _control(10, 7) + last + bytes(50), "a batch of a wrong size, 50 zeros")
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-036")
def garbage_in_front_of_a_wrong_batch_with_a_mark(log: KahaDBLog) -> None:
    """Garbage, then a batch with a wrong checksum that ends at a header: two losses, not one."""
    log.insert(90, b"x" * 9 + WRONG, "9 bytes of garbage, a batch with a wrong checksum")
    log.expect("damaged", "bad-header", survivors=ALL, end=225 + 9 + 45)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-009", "KDB-051")
def chain_over_an_empty_record_at_the_end(log: KahaDBLog) -> None:
    """A size of -1 in the last batch, which has an empty record: its chain is certain."""
    log.hangs_upstream()
    body = record(b"charlie") + record(b"") + record(b"delta")
    _from(log, 180, _control(-1, 7) + body + EOF, "a batch of size -1, an EOF record")
    log.expect("damaged", "bad-size", survivors=FOUR, end=180 + 28 + 27)


@BOOK.damaged(five_batches, "torn-tail", "KDB-008", "KDB-042", "KDB-045", kind="eof")
def size_past_the_end_and_a_sum_of_0(log: KahaDBLog) -> None:
    """An unchecked size that leads past the end; the sum of what is there happens to be 0."""
    last = record(b"\xff" * 99 + b"\x59" + b"\xff" * 38 + bytes(143) + b"\xff" * 119)
    assert zlib.adler32(last) == 0
    _from(log, 180, _control(len(last) + 9, 0) + last, "an unchecked batch of a wrong size")
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.valid("layout", "KDB-016")
def command_of_127_bytes(log: KahaDBLog) -> None:
    """The largest length of a command that one byte holds."""
    log.batch(b"\x01\x7f" + b"b" * 127)
    log.eof()
    log.expect("intact", survivors=[0])


@BOOK.damaged(five_batches, "limits", "KDB-045", "KDB-053", kind="limit")
def chains_that_lead_through_all_that_follows(log: KahaDBLog) -> None:
    """Wrong batches whose records lead from each to the next, and nowhere: followed once."""
    one = _control(5, 7) + struct.pack(">iB", 33, 1)
    log.set("batches[0].records[0].header.type", 9)
    log.reseal("batches[0]")
    log.insert(0, one * MANY, f"{MANY} batches with a wrong checksum, each a record of 33 bytes")
    log.expect("damaged", "checksum-mismatch", survivors=[1, 2, 3, 4], end=33 * MANY + 225)


@BOOK.appending(folder_without_data_files, "appending", "KDB-014", "KDB-021")
def append_with_the_default_length(log: KahaDBLog) -> None:
    """Nothing says how long a file is: 32 MiB are preallocated."""
    log.context["preallocation"] = "zeros"
    log.append(b"delta")
    log.expect("intact", survivors=[b"delta"], end=38)
    log.leaves({"db-1.log": 32 << 20, "db.data": 5, "lock": 0})


@BOOK.appending(empty_file, "appending", "KDB-022", kind="limit")
def append_a_batch_just_below_the_default_size(log: KahaDBLog) -> None:
    """Nothing says how large a batch is: 4 MiB less one byte, with the control record, fit."""
    log.append(b"a" * (2 << 20), b"b" * ((2 << 20) - 28 - 10 - 1), batch=1)
    log.expect("intact", survivors=[one.payload for one in log.to_append], end=(4 << 20) - 1)


@BOOK.appending(empty_file, "appending", "KDB-022", kind="limit")
def append_a_batch_of_just_the_default_size(log: KahaDBLog) -> None:
    """The same with one byte more: the second record gets a batch of its own."""
    log.append(b"a" * (2 << 20), b"b" * ((2 << 20) - 28 - 10), batch=1)
    log.expect("intact", survivors=[one.payload for one in log.to_append], end=(4 << 20) + 28)
