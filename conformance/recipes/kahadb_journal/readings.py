"""Logs for which different readings of the chapter give different answers."""

import struct

from conformance.recipes.kahadb_journal.appending import append_to_five_batches
from conformance.recipes.kahadb_journal.folders import two_files
from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import (
    APPENDING,
    BATCH_SIZE,
    END,
    EOF,
    FOLDER,
    HEADER,
    RECORD_GROUP,
    RESYNC,
    SIBLING,
    TORN_TAIL,
    WRITING,
    KahaDBLog,
    numbered,
    whole_batch,
)
from conformance.recipes.kahadb_journal.names import folder_without_data_files
from conformance.recipes.kahadb_journal.resuming import (
    append_to_a_folder_without_data_files,
    append_to_a_kernel_copy,
)
from conformance.recipes.kahadb_journal.siblings import HAWT, JOURNAL_IO, JOURNAL_IO_1_0, RECORD
from conformance.recipes.kahadb_journal.writing import write_into_a_sparse_file
from reference_impl.kahadb_journal.writer import batch, record

GARBAGE = b"garbage"
SPACE = bytes(64)
AHEAD = EOF + bytes(59)
THIRD = numbered(3)
FOURTH = numbered(4)


def _control(size: int, checksum: int) -> bytes:
    return HEADER + struct.pack(">iq", size, checksum)


def _second(checked: bool = True, size: int = 17) -> bytes:
    """Return batch 2 with this size in its control record."""
    whole = whole_batch(numbered(2), checked=checked)
    return whole[:16] + struct.pack(">i", size) + whole[20:]


def _without_magic(control: bytes) -> bytes:
    return control.replace(b"WRITE", b"VRITE", 1)


def _of_types(*types: int, checked: bool = True) -> bytes:
    """Return a batch with a record of each of these types, numbered from 2."""
    records = (record(numbered(number), record_type) for number, record_type in enumerate(types, 2))
    return batch(b"".join(records), checked)


def _after_the_first(log: KahaDBLog, *parts: bytes) -> None:
    """Replace all bytes after batch 1."""
    log.truncate(45)
    log.extend(b"".join(parts))


# The vectors below test offsets in step and the ends of batches.


@RESYNC.damaged(five_batches, "KDB-031", "KDB-041", "KDB-044")
def header_cut_by_fill_behind_a_damaged_batch(log: KahaDBLog) -> None:
    """Eight bytes of a header and fill follow a batch with a wrong checksum. The end of the batch
    is in step, and the header is torn."""
    flipped = bytearray(_second())
    flipped[-1] ^= 1
    parts = (bytes(flipped), HEADER[:8], SPACE)
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=90)


@END.damaged(five_batches, "KDB-034", "KDB-051")
def broken_magic_of_an_empty_batch_at_the_end(log: KahaDBLog) -> None:
    """The second and last batch has the size 0, the checksum 1 and a damaged magic. The checksum of
    no bytes holds, so `end` is known."""
    parts = (_without_magic(_control(0, 1)), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0], end=73)


@RESYNC.damaged(five_batches, "KDB-034", "KDB-039")
def broken_magic_of_an_empty_batch_in_front_of_an_eof_record(log: KahaDBLog) -> None:
    """A batch with the size 0, the checksum 1 and a damaged magic precedes an early EOF record. A
    reader continues at the EOF record."""
    parts = (_without_magic(_control(0, 1)), EOF, whole_batch(THIRD), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0, THIRD], end=123)


@END.damaged(five_batches, "KDB-045", "KDB-051", kind="eof")
def broken_magic_of_an_unchecked_batch_at_the_end(log: KahaDBLog) -> None:
    """The last batch is unchecked and has a damaged magic, and the file ends with this batch. The
    chain needs no proof."""
    whole = _without_magic(_second(checked=False))
    _after_the_first(log, whole)
    log.expect("damaged", "bad-header", survivors=[0], end=90)


@END.damaged(five_batches, "KDB-045", "KDB-041", kind="eof")
def broken_magic_in_front_of_a_cut_header(log: KahaDBLog) -> None:
    """An unchecked batch has a damaged magic, and the file ends eight bytes into the next header.
    The chain ends at this header."""
    parts = (_without_magic(_second(checked=False)), HEADER[:8])
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0], end=90)


@RESYNC.damaged(five_batches, "KDB-045", "KDB-009", "KDB-048")
def chain_over_an_empty_record_in_front_of_a_phantom(log: KahaDBLog) -> None:
    """An unchecked batch with a damaged magic has an empty record and a record that contains a
    batch. The chain leads past both records."""
    whole = whole_batch(b"", b"copy: " + whole_batch(b"phantom") + b"tail", checked=False)
    parts = (_without_magic(whole), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0], end=133)


@RESYNC.damaged(five_batches, "KDB-045", "KDB-034")
def eof_record_28_bytes_behind_garbage(log: KahaDBLog) -> None:
    """An EOF record and a batch follow 28 bytes of garbage. The EOF record is also lost, because
    only a header ends a chain without records."""
    parts = (b"g" * 28, EOF, whole_batch(THIRD), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0, THIRD], end=123)


# Sizes that are too large


@RESYNC.damaged(five_batches, "KDB-047", "KDB-045")
def checksum_that_holds_up_to_the_zeros(log: KahaDBLog) -> None:
    """The size of the last batch is ten bytes too large. The checksum holds up to the zeros after
    the batch, so this place is certain."""
    _after_the_first(log, _second(size=27), SPACE)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=90)


@END.damaged(five_batches, "KDB-047", "KDB-051")
def checksum_that_holds_up_to_an_eof_record(log: KahaDBLog) -> None:
    """The size of the last batch is ten bytes too large. The checksum holds up to the EOF record,
    so this place is certain."""
    parts = (_second(size=27), EOF, SPACE)
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=90)


@END.damaged(five_batches, "KDB-047", "KDB-051")
def chain_to_an_eof_record_without_checksum(log: KahaDBLog) -> None:
    """The size of an unchecked last batch is ten bytes too large. The chain to the EOF record after
    the batch is not certain."""
    parts = (_second(checked=False, size=27), EOF, SPACE)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-record", survivors=[0], end=None)


@END.damaged(five_batches, "KDB-045", "KDB-051")
def negative_size_of_the_last_batch_without_checksum(log: KahaDBLog) -> None:
    """The last batch is unchecked, and its size is -1. The chain is certain, because the size is
    not possible."""
    log.hangs_upstream()
    parts = (_second(checked=False, size=-1), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-size", survivors=[0], end=90)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-035")
def batch_between_a_negative_size_and_garbage(log: KahaDBLog) -> None:
    """A batch of size -1 is cut after 40 bytes, and a valid batch and garbage follow. The checksum
    proves the valid batch."""
    log.hangs_upstream()
    parts = (_second(size=-1)[:40], whole_batch(THIRD), GARBAGE * 3)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-size", survivors=[0, THIRD], end=None)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-042")
def batch_between_a_size_past_the_end_and_garbage(log: KahaDBLog) -> None:
    """A batch of size 1000 is cut after 40 bytes, and a proven batch and garbage follow. The cut
    batch is not torn."""
    parts = (_second(size=1000)[:40], whole_batch(THIRD), GARBAGE * 3)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-size", survivors=[0, THIRD], end=None)


# Batches inside a claimed range


@RESYNC.damaged(five_batches, "KDB-047", "KDB-046")
def claimed_end_in_the_zeros_of_a_payload(log: KahaDBLog) -> None:
    """A cut batch claims to end in the zeros at the end of the next payload. A reader returns the
    next batch, although it ends later."""
    payload = THIRD + bytes(10)
    parts = (_second(size=60)[:40], whole_batch(payload), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0, payload], end=140)


@RESYNC.damaged(five_batches, "KDB-047", "KDB-046", kind="eof")
def batch_cut_in_its_checksum_in_front_of_the_last(log: KahaDBLog) -> None:
    """A batch cut after 20 bytes claims the next batch, which ends with the file. A reader returns
    the next batch."""
    parts = (_control(37, 0)[:20], whole_batch(THIRD))
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0, THIRD], end=None)


@RESYNC.damaged(five_batches, "KDB-047", "KDB-044")
def batch_cut_in_its_checksum_with_a_marked_end(log: KahaDBLog) -> None:
    """A batch cut after 20 bytes claims the next batch, which ends at an EOF record. The next batch
    is lost, because the claimed end is marked."""
    parts = (_control(37, 0)[:20], whole_batch(THIRD), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)
    log.note("A reader cannot distinguish this log from a batch whose payload contains a batch.")


@RESYNC.damaged(five_batches, "KDB-047", "KDB-041")
def claimed_end_inside_a_control_record(log: KahaDBLog) -> None:
    """A cut batch claims to end in the zeros of the next control record, which is torn. A reader
    reports both faults."""
    parts = (_second(size=20)[:30], HEADER, bytes(40))
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-044", "KDB-047")
def marked_end_and_an_inner_batch_that_ends_later(log: KahaDBLog) -> None:
    """A batch with an invalid record size contains a header that claims the next batch. The next
    batch is returned, and `end` is known."""
    damaged = bytearray(whole_batch(b"xxxx" + _control(45, 0)))
    damaged[28:32] = struct.pack(">i", 1)
    parts = (bytes(damaged), whole_batch(THIRD), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0, THIRD], end=155)
    log.note(
        "A reader reaches the claimed end of the outer batch without a search, so `end` does not"
        " depend on the end that the header claims."
    )


@END.damaged(five_batches, "KDB-051", "KDB-044", "KDB-046")
def marked_end_and_a_proven_batch_inside(log: KahaDBLog) -> None:
    """A batch with an invalid record size contains a batch that is proven but not plausible. The
    marked end is certain."""
    damaged = bytearray(whole_batch(b"copy: " + whole_batch(b"phantom") + b"tail"))
    damaged[28:32] = struct.pack(">i", 1)
    parts = (bytes(damaged), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=128)


@RESYNC.damaged(five_batches, "KDB-047", "KDB-037")
def unchecked_batch_cut_in_its_control_record(log: KahaDBLog) -> None:
    """An unchecked batch is cut after 25 bytes, and a batch follows. The code is `bad-record`,
    because no batch begins in `[p + 28, c)`."""
    parts = (_second(checked=False)[:25], whole_batch(THIRD), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-record", survivors=[0, THIRD], end=115)


@RESYNC.damaged(five_batches, "KDB-037", "KDB-045")
def control_record_without_its_records(log: KahaDBLog) -> None:
    """An unchecked control record without records claims the next batch. A reader returns the next
    batch."""
    parts = (_second(checked=False, size=45)[:28], whole_batch(THIRD, checked=False), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-record", survivors=[0, THIRD], end=118)


@TORN_TAIL.damaged(five_batches, "KDB-042", "KDB-037")
def unchecked_batch_without_its_second_record(log: KahaDBLog) -> None:
    """The second record of an unchecked batch is missing, and zeros follow. The batch is torn, as a
    checked batch would be."""
    cut = whole_batch(numbered(2), THIRD, checked=False)[:45]
    _after_the_first(log, cut, SPACE)
    log.expect("torn", "torn-batch", survivors=[0], end=45)


# The vectors below test batches of size 0 and plausible batches.


@RESYNC.damaged(five_batches, "KDB-046", "KDB-038")
def garbage_in_front_of_an_unchecked_batch_of_an_unknown_type(log: KahaDBLog) -> None:
    """Garbage precedes an unchecked batch with a record of type 3, and zeros follow. The batch has
    no chain, so it is not plausible."""
    parts = (GARBAGE, _of_types(1, 3, checked=False), bytes(40))
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0], end=None)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-033")
def garbage_in_front_of_the_checksum_of_nothing(log: KahaDBLog) -> None:
    """Garbage precedes a batch with the size 0 and the checksum 1, and zeros follow. The batch is
    plausible, because the checksum of no bytes holds."""
    _after_the_first(log, GARBAGE, _control(0, 1), bytes(40))
    log.expect("damaged", "bad-header", survivors=[0], end=80)


@RESYNC.damaged(five_batches, "KDB-046", "KDB-008", "KDB-033")
def garbage_in_front_of_an_empty_batch_of_a_negative_checksum(log: KahaDBLog) -> None:
    """Garbage precedes a batch with the size 0 and the checksum -1, and zeros follow. The batch is
    plausible, because it is unchecked."""
    _after_the_first(log, GARBAGE, _control(0, -1), bytes(40))
    log.expect("damaged", "bad-header", survivors=[0], end=80)


@BATCH_SIZE.damaged(five_batches, "KDB-033", "KDB-008")
def size_zero_and_a_negative_checksum(log: KahaDBLog) -> None:
    """The second batch has the size 0 and the checksum -1, but a record follows. The code is
    `bad-size`."""
    negative = _control(0, -1) + record(numbered(2))
    _after_the_first(log, negative, whole_batch(THIRD), EOF)
    log.expect("damaged", "bad-size", survivors=[0, THIRD], end=135)


# Unsettled offsets


@END.damaged(five_batches, "KDB-051", "KDB-038")
def checked_batch_of_an_unknown_type_ends_the_doubt(log: KahaDBLog) -> None:
    """Garbage precedes a valid checked batch whose last record has type 3. This record is lost, but
    the checksum makes the batch plausible, so `end` is known."""
    parts = (GARBAGE, _of_types(1, 3), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0, numbered(2)], end=114)


@END.damaged(five_batches, "KDB-051", "KDB-032")
def batch_that_ends_out_of_step_ends_the_doubt(log: KahaDBLog) -> None:
    """A valid checked batch is between garbage and a batch with a damaged magic. The checked batch
    is returned although it ends out of step, and `end` is known."""
    parts = (GARBAGE, _second(), _without_magic(whole_batch(THIRD)), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0, numbered(2), THIRD], end=142)


@END.damaged(five_batches, "KDB-051", "KDB-033")
def empty_batch_in_front_of_a_claimed_end(log: KahaDBLog) -> None:
    """A search skips a header that claims 500 bytes and finds a batch of size 0. This batch ends
    before the claimed end, so `end` is null."""
    parts = (GARBAGE, _second(size=500)[:40], _control(0, 0), EOF)
    _after_the_first(log, *parts)
    log.expect("damaged", "bad-header", survivors=[0], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-039")
def two_doubts_of_which_the_first_reaches_further(log: KahaDBLog) -> None:
    """A search skips a header that claims 500 bytes, and an early EOF record follows later. The
    claim still applies, so `end` is null."""
    parts = (GARBAGE, _second(size=500)[:40], _of_types(3, checked=False), EOF)
    _after_the_first(
        log,
        *parts,
        whole_batch(FOURTH),
        EOF,
    )
    log.expect("damaged", "bad-header", survivors=[0, FOURTH], end=None)


# Records


@RECORD_GROUP.damaged(five_batches, "KDB-037")
def rest_of_three_zeros_in_a_batch(log: KahaDBLog) -> None:
    """Three zeros remain after the last record of a checked batch. The zeros are lost, because a
    batch has no padding."""
    padded = batch(record(numbered(2)) + bytes(3))
    _after_the_first(log, padded, whole_batch(THIRD), EOF)
    log.expect("damaged", "bad-record", survivors=[0, numbered(2), THIRD], end=138)


@RECORD_GROUP.damaged(five_batches, "KDB-038", "KDB-050")
def two_unknown_types_in_a_row(log: KahaDBLog) -> None:
    """A batch has records of the types 1, 2, 3 and 1. A reader reports two lost ranges."""
    _after_the_first(log, _of_types(1, 2, 3, 1), EOF)
    log.expect("damaged", "unknown-type", survivors=[0, numbered(2), numbered(5)], end=141)


@RECORD_GROUP.valid("KDB-016")
def length_of_a_command_beyond_32_bits(log: KahaDBLog) -> None:
    """A payload with a command length of 2^32 + 1 but only one more byte is not a command. A second
    payload is a command."""
    log.batch(bytes.fromhex("00 8180808010 78"), bytes.fromhex("01 02 0801"))
    log.eof()
    log.expect("intact", survivors=[0, 1], end=49)


# Siblings


def _replace(log: KahaDBLog, new: bytes) -> None:
    log.data = bytearray(new)


@SIBLING.damaged(five_batches, "KDB-055", "KDB-034")
def journal_io_of_1_0_cut_in_its_control_record(log: KahaDBLog) -> None:
    """The first 20 bytes of a file of Journal.IO 1.0 are one byte too few to identify the sibling
    format."""
    _replace(log, JOURNAL_IO_1_0[:20])
    log.expect("damaged", "bad-header")


@SIBLING.valid("KDB-055")
def journal_io_of_another_version(log: KahaDBLog) -> None:
    """A file of Journal.IO has the version 0x83 in its file header. The first four bytes identify
    the sibling format."""
    log.data += JOURNAL_IO[:7] + b"\x83" + JOURNAL_IO[8:]
    log.expect("refused", "foreign-journal", end=None)


@SIBLING.damaged(five_batches, "KDB-055", "KDB-034")
def journal_io_without_its_file_header(log: KahaDBLog) -> None:
    """A file of Journal.IO 1.3 has no file header. The control record alone does not identify the
    sibling format."""
    _replace(log, JOURNAL_IO[8:])
    log.expect("damaged", "bad-header")


@SIBLING.damaged(five_batches, "KDB-055", "KDB-034")
def hawtjournal_with_a_wrong_first_byte(log: KahaDBLog) -> None:
    """The first byte of a file of HawtJournal is changed. The magic alone does not identify the
    sibling format."""
    _replace(log, b"\1" + HAWT[1:] + RECORD)
    log.expect("damaged", "bad-header")


@FOLDER.damaged(two_files, "KDB-049", "KDB-055", kind="eof")
def torn_in_front_of_a_sibling(log: KahaDBLog) -> None:
    """The second file ends inside a batch, and the third file belongs to Journal.IO. The log is
    damaged, not torn."""
    log.truncate(85, "db-2.log")
    log.add_file("db-3.log", JOURNAL_IO)
    log.expect("damaged", "torn-batch", survivors=[0, 1, 2], end=None)


@FOLDER.damaged(two_files, "KDB-052", "KDB-055")
def damage_in_front_of_a_sibling(log: KahaDBLog) -> None:
    """One payload bit in db-2.log is flipped, and db-3.log belongs to Journal.IO. In the profile
    `strict`, both lost ranges have the code `checksum-mismatch`."""
    log.flip("db-2.log:batches[1].records[0].payload", 0)
    log.add_file("db-3.log", JOURNAL_IO)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@FOLDER.damaged(two_files, "KDB-055", "KDB-051")
def sibling_in_front_of_the_first_file(log: KahaDBLog) -> None:
    """The first file belongs to Journal.IO, but the other files do not. A reader loses only the
    first file."""
    log.add_file("db-0.log", JOURNAL_IO)
    log.expect("damaged", "foreign-journal", survivors=range(4), end=90)


@FOLDER.damaged(two_files, "KDB-055", "KDB-013")
def sibling_and_a_file_made_ahead(log: KahaDBLog) -> None:
    """One file belongs to Journal.IO, and the other file is only preallocated. A reader must not
    refuse the log."""
    log.files = {"db-1.log": bytearray(JOURNAL_IO), "db-2.log": bytearray(AHEAD)}
    log.expect("damaged", "foreign-journal", end=None)


@FOLDER.damaged(two_files, "KDB-055", "KDB-051", "KDB-013")
def sibling_that_ends_in_zeros(log: KahaDBLog) -> None:
    """The last file belongs to Journal.IO and ends with zeros. The lost range includes these
    zeros."""
    log.add_file("db-3.log", JOURNAL_IO + bytes(20))
    log.expect("damaged", "foreign-journal", survivors=range(4), end=None)


# Names


@FOLDER.valid("KDB-004", "KDB-051", "KDB-013")
def no_content_and_an_empty_second_name(log: KahaDBLog) -> None:
    """db-1.log is preallocated, and db-01.log is empty. An empty file is not a duplicate."""
    log.files = {"db-1.log": bytearray(AHEAD), "db-01.log": bytearray()}
    log.expect("intact", end=0)


@FOLDER.valid("KDB-002")
def number_of_eleven_digits(log: KahaDBLog) -> None:
    """db-00000000002.log has the number 2, because the count of leading zeros has no limit."""
    log.batch(numbered(1), file="db-1.log")
    log.eof("db-1.log")
    log.batch(numbered(2), file="db-00000000002.log")
    log.eof("db-00000000002.log")
    log.expect("intact", survivors=[0, 1], end=45)


@FOLDER.valid("KDB-002", "KDB-003")
def lowest_number_of_a_file(log: KahaDBLog) -> None:
    """db--2147483648.log has the lowest possible number, and a reader reads it first."""
    log.batch(numbered(1), file="db--2147483648.log")
    log.eof("db--2147483648.log")
    log.batch(numbered(2), file="db-1.log")
    log.eof("db-1.log")
    log.expect("intact", survivors=[0, 1], end=45)


# Writing


@WRITING.writing("KDB-022", "KDB-021")
def write_a_second_batch_up_to_the_length_of_the_file(log: KahaDBLog) -> None:
    """The second record of the second batch would end past the maximum file length. The record
    begins a new file."""
    log.written([b"x" * 100], [b"y" * 60, b"z" * 80], folder=True, max_file_length=300)
    assert {name: len(data) for name, data in log.files.items()} == {
        "db-1.log": 133 + 93 + 5,
        "db-2.log": 113 + 5,
    }


@WRITING.writing("KDB-014", kind="limit", control=write_into_a_sparse_file)
def write_nothing_into_a_sparse_file_of_seven_bytes(log: KahaDBLog) -> None:
    """In a sparse file of seven bytes, the EOF record at the end overwrites the last three bytes of
    the EOF record at 0."""
    log.written(preallocation="sparse", max_file_length=7)
    log.expect_bytes(b"-q-qMa4")


@APPENDING.appending(
    five_batches, "KDB-023", "KDB-024", control=append_to_five_batches, kind="corrupt"
)
def append_nothing_behind_garbage(log: KahaDBLog) -> None:
    """A log of one file ends with garbage, and there are no records to append. A writer must still
    refuse."""
    log.truncate(225)
    log.extend(b"x" * 40)
    log.expect_refusal("damaged", "bad-header", survivors=range(5))


@APPENDING.appending(
    folder_without_data_files,
    "KDB-023",
    "KDB-014",
    "KDB-051",
    control=append_to_a_folder_without_data_files,
)
def append_to_an_empty_first_file(log: KahaDBLog) -> None:
    """db-1.log is empty. A writer appends to this file and does not preallocate it."""
    log.context |= {"preallocation": "zeros", "max_file_length": 1000}
    log.add_file("db-1.log", b"")
    log.append(b"delta")
    log.expect("intact", survivors=[b"delta"], end=38)
    log.leaves({"db-1.log": 43, "db.data": 5, "lock": 0})


@APPENDING.appending(two_files, "KDB-014", "KDB-021", control=append_to_a_kernel_copy)
def append_beside_a_template_of_another_length(log: KahaDBLog) -> None:
    """A record begins a new file, preallocated with OS_KERNEL_COPY. A writer recreates the existing
    template, which has another length."""
    log.context |= {"max_file_length": 100, "preallocation": "kernel-copy"}
    log.add_file("db-log.template", EOF + bytes(251))
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta"], end=38)
    log.leaves({"db-1.log": 95, "db-2.log": 95, "db-3.log": 100, "db-log.template": 100})
