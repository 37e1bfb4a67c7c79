"""Logs that tell one reading of the chapter from another, each the answer to one question."""

import struct

from conformance.recipes.kahadb_journal.appending import (
    append_to_five_batches,
)
from conformance.recipes.kahadb_journal.folders import two_files
from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import (
    BOOK,
    EOF,
    HEADER,
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
from conformance.recipes.variation import vary
from reference_impl.kahadb_journal.writer import batch, record

GARBAGE = b"garbage"
SPACE = bytes(64)
AHEAD = EOF + bytes(59)
THIRD = numbered(3)
FOURTH = numbered(4)


def _control(size: int, checksum: int) -> bytes:
    return HEADER + struct.pack(">iq", size, checksum)


def _second(checked: bool = True, size: int = 17) -> bytes:
    """Batch 2, which claims this size."""
    whole = whole_batch(numbered(2), checked=checked)
    return whole[:16] + struct.pack(">i", size) + whole[20:]


def _without_magic(control: bytes) -> bytes:
    return control.replace(b"WRITE", b"VRITE", 1)


def _of_types(*types: int, checked: bool = True) -> bytes:
    """A batch of records of these types, numbered from 2."""
    records = (
        record(vary(numbered(number)), record_type) for number, record_type in enumerate(types, 2)
    )
    return batch(b"".join(records), checked)


def _after_the_first(log: KahaDBLog, *parts: bytes, what: str) -> None:
    """Replace all that follows batch 1."""
    log.truncate(45)
    log.extend(b"".join(parts), what)


# Places in step, and what counts as the end of a batch


@BOOK.damaged(five_batches, "resync", "KDB-031", "KDB-041", "KDB-044")
def header_cut_by_fill_behind_a_damaged_batch(log: KahaDBLog) -> None:
    """A wrong checksum, eight bytes of a header, zeros: a cut header in fill is not in step."""
    flipped = bytearray(_second())
    flipped[-1] ^= 1
    parts = (bytes(flipped), HEADER[:8], SPACE)
    _after_the_first(log, *parts, what="a damaged batch, 8 bytes of a header, 64 zeros")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-051")
def broken_magic_of_an_empty_batch_at_the_end(log: KahaDBLog) -> None:
    """A batch of size 0 with the checksum 1 and a broken magic is the last: no certain place."""
    parts = (_without_magic(_control(0, 1)), EOF)
    _after_the_first(log, *parts, what="an empty batch with a broken magic, an EOF record")
    log.expect("damaged", "bad-header", survivors=[0], end=None)


@BOOK.damaged(five_batches, "resync", "KDB-044", "KDB-039")
def broken_magic_of_an_empty_batch_in_front_of_an_eof_record(log: KahaDBLog) -> None:
    """The same in front of an EOF record and a batch: the size of 0 leads to the EOF record."""
    parts = (_without_magic(_control(0, 1)), EOF, whole_batch(THIRD), EOF)
    _after_the_first(log, *parts, what="an empty batch with a broken magic, an EOF record, a batch")
    log.expect("damaged", "bad-header", survivors=[0, THIRD], end=123)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-051", kind="eof")
def broken_magic_of_an_unchecked_batch_at_the_end(log: KahaDBLog) -> None:
    """A broken magic, no checksum, no EOF record: the chain to the end needs no proof."""
    whole = _without_magic(_second(checked=False))
    _after_the_first(log, whole, what="an unchecked batch with a broken magic")
    log.expect("damaged", "bad-header", survivors=[0], end=90)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-041", kind="eof")
def broken_magic_in_front_of_a_cut_header(log: KahaDBLog) -> None:
    """A broken magic, no checksum, then eight bytes of a header at the end: it is in step."""
    parts = (_without_magic(_second(checked=False)), HEADER[:8])
    _after_the_first(log, *parts, what="an unchecked batch with a broken magic, a cut header")
    log.expect("damaged", "bad-header", survivors=[0], end=90)


@BOOK.damaged(five_batches, "resync", "KDB-045", "KDB-009", "KDB-048")
def chain_over_an_empty_record_in_front_of_a_phantom(log: KahaDBLog) -> None:
    """A broken magic, a record of size 5, one that holds a batch: the chain passes over both."""
    whole = whole_batch(b"", b"copy: " + whole_batch(b"phantom") + b"tail", checked=False)
    parts = (_without_magic(whole), EOF)
    _after_the_first(log, *parts, what="an unchecked batch with a broken magic, an EOF record")
    log.expect("damaged", "bad-header", survivors=[0], end=133)


@BOOK.damaged(five_batches, "resync", "KDB-045", "KDB-034")
def eof_record_28_bytes_behind_garbage(log: KahaDBLog) -> None:
    """28 bytes of garbage, an EOF record, a batch: only a header ends a chain without records."""
    parts = (b"g" * 28, EOF, whole_batch(THIRD), EOF)
    _after_the_first(log, *parts, what="28 bytes of garbage, an EOF record, a batch")
    log.expect("damaged", "bad-header", survivors=[0, THIRD], end=123)


# Sizes that are too large


@BOOK.damaged(five_batches, "resync", "KDB-047", "KDB-045")
def checksum_that_holds_up_to_the_zeros(log: KahaDBLog) -> None:
    """A size ten too large, then zeros: the checksum holds up to the end of the record."""
    _after_the_first(log, _second(size=27), SPACE, what="a batch of a larger size, 64 zeros")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=90)


@BOOK.damaged(five_batches, "end", "KDB-047", "KDB-051")
def checksum_that_holds_up_to_an_eof_record(log: KahaDBLog) -> None:
    """A size ten too large, an EOF record where the checksum holds up to: it is certain."""
    parts = (_second(size=27), EOF, SPACE)
    _after_the_first(log, *parts, what="a batch of a larger size, an EOF record, 64 zeros")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=90)


@BOOK.damaged(five_batches, "end", "KDB-047", "KDB-051")
def chain_to_an_eof_record_without_checksum(log: KahaDBLog) -> None:
    """A size ten too large without checksum, an EOF record after the record: not certain."""
    parts = (_second(checked=False, size=27), EOF, SPACE)
    _after_the_first(log, *parts, what="an unchecked batch of a larger size, an EOF record, zeros")
    log.expect("damaged", "bad-record", survivors=[0], end=None)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-051")
def negative_size_of_the_last_batch_without_checksum(log: KahaDBLog) -> None:
    """A size of -1 and no checksum: where the size is impossible, the chain is certain."""
    log.hangs_upstream()
    parts = (_second(checked=False, size=-1), EOF)
    _after_the_first(log, *parts, what="an unchecked batch of size -1, an EOF record")
    log.expect("damaged", "bad-size", survivors=[0], end=90)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-035")
def batch_between_a_negative_size_and_garbage(log: KahaDBLog) -> None:
    """Forty bytes of a batch of size -1, a batch, garbage: the checksum proves the whole batch."""
    log.hangs_upstream()
    parts = (_second(size=-1)[:40], whole_batch(THIRD), GARBAGE * 3)
    _after_the_first(log, *parts, what="40 bytes of a batch of size -1, a batch, garbage")
    log.expect("damaged", "bad-size", survivors=[0, THIRD], end=None)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-042")
def batch_between_a_size_past_the_end_and_garbage(log: KahaDBLog) -> None:
    """The same with a size of 1000: a proven batch follows, so the first one is not torn."""
    parts = (_second(size=1000)[:40], whole_batch(THIRD), GARBAGE * 3)
    _after_the_first(log, *parts, what="40 bytes of a batch of size 1000, a batch, garbage")
    log.expect("damaged", "bad-size", survivors=[0, THIRD], end=None)


# Batches inside the range that a size claims


@BOOK.damaged(five_batches, "resync", "KDB-047", "KDB-046")
def claimed_end_in_the_zeros_of_a_payload(log: KahaDBLog) -> None:
    """A cut batch claims to end inside the next one, which ends later and is returned."""
    payload = THIRD + bytes(10)
    parts = (_second(size=60)[:40], whole_batch(payload), EOF)
    _after_the_first(log, *parts, what="40 bytes of a batch of size 60, a batch, an EOF record")
    log.expect("damaged", "checksum-mismatch", survivors=[0, payload], end=140)


@BOOK.damaged(five_batches, "resync", "KDB-047", "KDB-046", kind="eof")
def batch_cut_in_its_checksum_in_front_of_the_last(log: KahaDBLog) -> None:
    """The first 20 bytes of a batch that claims to end with the file, where another one ends."""
    parts = (_control(37, 0)[:20], whole_batch(THIRD))
    _after_the_first(log, *parts, what="a control record cut after the size, a batch")
    log.expect("damaged", "checksum-mismatch", survivors=[0, THIRD], end=None)


@BOOK.damaged(five_batches, "resync", "KDB-047", "KDB-044")
def batch_cut_in_its_checksum_with_a_marked_end(log: KahaDBLog) -> None:
    """The same with an EOF record after it: the claimed end is marked, and counts."""
    parts = (_control(37, 0)[:20], whole_batch(THIRD), EOF)
    _after_the_first(
        log, *parts, what="a control record cut after the size, a batch, an EOF record"
    )
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)
    log.note("The format cannot tell this from a batch whose payload holds a batch.")


@BOOK.damaged(five_batches, "resync", "KDB-047", "KDB-041")
def claimed_end_inside_a_control_record(log: KahaDBLog) -> None:
    """A cut batch claims to end among the zeros of a control record, which is torn itself."""
    parts = (_second(size=20)[:30], HEADER, bytes(40))
    _after_the_first(log, *parts, what="30 bytes of a batch of size 20, a header, 40 zeros")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-044", "KDB-047")
def marked_end_and_an_inner_batch_that_ends_later(log: KahaDBLog) -> None:
    """A wrong record size; the payload holds a header that claims all of the next batch."""
    damaged = bytearray(whole_batch(b"xxxx" + _control(45, 0)))
    damaged[28:32] = struct.pack(">i", 1)
    parts = (bytes(damaged), whole_batch(THIRD), EOF)
    _after_the_first(log, *parts, what="a batch with a wrong record size, a batch, an EOF record")
    log.expect("damaged", "checksum-mismatch", survivors=[0, THIRD], end=155)
    log.note("The reader goes on at the claimed end without a search: what follows ends the doubt.")


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-044", "KDB-046")
def marked_end_and_a_proven_batch_inside(log: KahaDBLog) -> None:
    """A wrong record size; the payload holds a batch that is proven, but not plausible."""
    damaged = bytearray(whole_batch(b"copy: " + whole_batch(b"phantom") + b"tail"))
    damaged[28:32] = struct.pack(">i", 1)
    parts = (bytes(damaged), EOF)
    _after_the_first(log, *parts, what="a batch with a wrong record size, an EOF record")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=128)


@BOOK.damaged(five_batches, "resync", "KDB-047", "KDB-037")
def unchecked_batch_cut_in_its_control_record(log: KahaDBLog) -> None:
    """25 bytes of an unchecked batch, then a batch: no batch begins in `[p + 28, c)`."""
    parts = (_second(checked=False)[:25], whole_batch(THIRD), EOF)
    _after_the_first(log, *parts, what="25 bytes of an unchecked batch, a batch, an EOF record")
    log.expect("damaged", "bad-record", survivors=[0, THIRD], end=115)


@BOOK.damaged(five_batches, "resync", "KDB-037", "KDB-045")
def control_record_without_its_records(log: KahaDBLog) -> None:
    """An unchecked control record that claims all of the next batch: no record of its own."""
    parts = (_second(checked=False, size=45)[:28], whole_batch(THIRD, checked=False), EOF)
    _after_the_first(log, *parts, what="28 bytes of an unchecked batch of size 45, a batch")
    log.expect("damaged", "bad-record", survivors=[0, THIRD], end=118)


@BOOK.damaged(five_batches, "torn-tail", "KDB-042", "KDB-037", kind="eof")
def unchecked_batch_without_its_second_record(log: KahaDBLog) -> None:
    """The first of two records of an unchecked batch, then zeros: torn, as with a checksum."""
    cut = whole_batch(numbered(2), THIRD, checked=False)[:45]
    _after_the_first(log, cut, SPACE, what="an unchecked batch without its last record, 64 zeros")
    log.expect("torn", "torn-batch", survivors=[0], end=45)


# Batches of size 0, and those that are plausible


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-038")
def garbage_in_front_of_an_unchecked_batch_of_an_unknown_type(log: KahaDBLog) -> None:
    """Garbage, an unchecked batch with a record of type 3, zeros: its chain does not fill it."""
    parts = (GARBAGE, _of_types(1, 3, checked=False), bytes(40))
    _after_the_first(log, *parts, what="garbage, an unchecked batch with types 1 and 3, 40 zeros")
    log.expect("damaged", "bad-header", survivors=[0], end=None)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-033")
def garbage_in_front_of_the_checksum_of_nothing(log: KahaDBLog) -> None:
    """Garbage, a batch of size 0 with the checksum 1, zeros: the checksum of nothing holds."""
    _after_the_first(
        log, GARBAGE, _control(0, 1), bytes(40), what="garbage, a batch of size 0, 40 zeros"
    )
    log.expect("damaged", "bad-header", survivors=[0], end=80)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-008", "KDB-033")
def garbage_in_front_of_an_empty_batch_of_a_negative_checksum(log: KahaDBLog) -> None:
    """Garbage, a batch of size 0 with the checksum -1, zeros: unchecked, as with 0."""
    _after_the_first(
        log, GARBAGE, _control(0, -1), bytes(40), what="garbage, a batch of size 0, 40 zeros"
    )
    log.expect("damaged", "bad-header", survivors=[0], end=80)


@BOOK.damaged(five_batches, "batch-size", "KDB-033", "KDB-008")
def size_zero_and_a_negative_checksum(log: KahaDBLog) -> None:
    """A size of 0 and a checksum of -1, and a record follows: the size is wrong."""
    negative = _control(0, -1) + record(vary(numbered(2)))
    _after_the_first(
        log, negative, whole_batch(THIRD), EOF, what="a batch of size 0 and checksum -1, a batch"
    )
    log.expect("damaged", "bad-size", survivors=[0, THIRD], end=135)


# Doubt


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-038")
def checked_batch_of_an_unknown_type_ends_the_doubt(log: KahaDBLog) -> None:
    """Garbage, a checked batch of which a record is lost: its checksum ends the doubt."""
    parts = (GARBAGE, _of_types(1, 3), EOF)
    _after_the_first(log, *parts, what="garbage, a batch with types 1 and 3, an EOF record")
    log.expect("damaged", "bad-header", survivors=[0, numbered(2)], end=114)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-032")
def batch_that_ends_out_of_step_ends_the_doubt(log: KahaDBLog) -> None:
    """Garbage, a checked batch, one with a broken magic: the first ends the doubt all the same."""
    parts = (GARBAGE, _second(), _without_magic(whole_batch(THIRD)), EOF)
    _after_the_first(log, *parts, what="garbage, a batch, a batch with a broken magic")
    log.expect("damaged", "bad-header", survivors=[0, numbered(2)], end=142)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-033")
def empty_batch_in_front_of_a_claimed_end(log: KahaDBLog) -> None:
    """Garbage, a header that claims 500 bytes, a batch of size 0: it ends before that claim."""
    parts = (GARBAGE, _second(size=500)[:40], _control(0, 0), EOF)
    _after_the_first(log, *parts, what="garbage, a cut batch of size 500, a batch of size 0")
    log.expect("damaged", "bad-header", survivors=[0], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-039")
def two_doubts_of_which_the_first_reaches_further(log: KahaDBLog) -> None:
    """A search passes over a claim of 500 bytes; an early EOF record later adds no less."""
    parts = (GARBAGE, _second(size=500)[:40], _of_types(3, checked=False), EOF)
    _after_the_first(
        log, *parts, whole_batch(FOURTH), EOF, what="two places that are not certain, a batch"
    )
    log.expect("damaged", "bad-header", survivors=[0, FOURTH], end=None)


# Records


@BOOK.damaged(five_batches, "record", "KDB-037")
def rest_of_three_zeros_in_a_batch(log: KahaDBLog) -> None:
    """A checked batch of a record and three zeros: the zeros are no padding, they are lost."""
    padded = batch(record(vary(numbered(2))) + bytes(3))
    _after_the_first(
        log, padded, whole_batch(THIRD), EOF, what="a batch that ends in three zeros, a batch"
    )
    log.expect("damaged", "bad-record", survivors=[0, numbered(2), THIRD], end=138)


@BOOK.damaged(five_batches, "record", "KDB-038", "KDB-050")
def two_unknown_types_in_a_row(log: KahaDBLog) -> None:
    """Records of the types 1, 2, 3 and 1: the two in the middle are two ranges."""
    _after_the_first(log, _of_types(1, 2, 3, 1), EOF, what="a batch of types 1, 2, 3 and 1")
    log.expect("damaged", "unknown-type", survivors=[0, numbered(2), numbered(5)], end=141)


@BOOK.valid("record", "KDB-016")
def length_of_a_command_beyond_32_bits(log: KahaDBLog) -> None:
    """A length of 2^32 + 1 in front of one byte: no command. A command with two bytes is one."""
    log.batch(bytes.fromhex("00 8180808010 78"), bytes.fromhex("01 02 0801"))
    log.eof()
    log.expect("intact", survivors=[0, 1], end=49)


# Siblings


def _replace(log: KahaDBLog, new: bytes, what: str) -> None:
    log.data = bytearray(new)
    log.did(f"replace the file by {what}")


@BOOK.damaged(five_batches, "sibling", "KDB-055", "KDB-034")
def journal_io_of_1_0_cut_in_its_control_record(log: KahaDBLog) -> None:
    """The first 20 bytes of a file of Journal.IO 1.0: one too few to know it."""
    _replace(log, JOURNAL_IO_1_0[:20], "20 bytes of Journal.IO 1.0")
    log.expect("damaged", "bad-header")


@BOOK.valid("sibling", "KDB-055")
def journal_io_of_another_version(log: KahaDBLog) -> None:
    """A file header of Journal.IO with the version 0x83: the four letters decide."""
    log.data += JOURNAL_IO[:7] + b"\x83" + JOURNAL_IO[8:]
    log.expect("refused", "foreign-journal", end=None)


@BOOK.damaged(five_batches, "sibling", "KDB-055", "KDB-034")
def journal_io_without_its_file_header(log: KahaDBLog) -> None:
    """A file of Journal.IO 1.3 without file header: its control record alone is no mark."""
    _replace(log, JOURNAL_IO[8:], "one of Journal.IO 1.3 without file header")
    log.expect("damaged", "bad-header")


@BOOK.damaged(five_batches, "sibling", "KDB-055", "KDB-034")
def hawtjournal_with_a_wrong_first_byte(log: KahaDBLog) -> None:
    """WRITE BATCH stands where HawtJournal has it, but the length in front of it is wrong."""
    _replace(log, b"\1" + HAWT[1:] + RECORD, "one of HawtJournal with another first byte")
    log.expect("damaged", "bad-header")


@BOOK.damaged(two_files, "folder", "KDB-049", "KDB-055", kind="eof")
def torn_in_front_of_a_sibling(log: KahaDBLog) -> None:
    """A torn batch, and a later file of Journal.IO: that one has content, so it is damage."""
    log.truncate(85, "db-2.log")
    log.add_file("db-3.log", JOURNAL_IO, "a file of Journal.IO")
    log.expect("damaged", "torn-batch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_files, "folder", "KDB-052", "KDB-055")
def damage_in_front_of_a_sibling(log: KahaDBLog) -> None:
    """A flipped payload, then a file of Journal.IO: strict reading has one code for both."""
    log.flip("db-2.log:batches[1].records[0].payload", 0)
    log.add_file("db-3.log", JOURNAL_IO, "a file of Journal.IO")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_files, "folder", "KDB-055", "KDB-051")
def sibling_in_front_of_the_first_file(log: KahaDBLog) -> None:
    """The first file is of Journal.IO, the others are not: the log is read."""
    log.add_file("db-0.log", JOURNAL_IO, "a file of Journal.IO")
    log.expect("damaged", "foreign-journal", survivors=range(4), end=90)


@BOOK.damaged(two_files, "folder", "KDB-055", "KDB-013")
def sibling_and_a_file_made_ahead(log: KahaDBLog) -> None:
    """A file of Journal.IO and one without content: not all files are of a sibling."""
    log.files = {"db-1.log": bytearray(JOURNAL_IO), "db-2.log": bytearray(AHEAD)}
    log.did("replace the files by one of Journal.IO and one without content")
    log.expect("damaged", "foreign-journal", end=None)


@BOOK.damaged(two_files, "folder", "KDB-055", "KDB-051", "KDB-013")
def sibling_that_ends_in_zeros(log: KahaDBLog) -> None:
    """The last file is of Journal.IO and ends in zeros: they are lost with it."""
    log.add_file("db-3.log", JOURNAL_IO + bytes(20), "a file of Journal.IO and 20 zeros")
    log.expect("damaged", "foreign-journal", survivors=range(4), end=None)


# Names


@BOOK.valid("folder", "KDB-004", "KDB-051", "KDB-013")
def no_content_and_an_empty_second_name(log: KahaDBLog) -> None:
    """db-1.log has no content and db-01.log has no bytes: an empty file is no second name."""
    log.files = {"db-1.log": bytearray(AHEAD), "db-01.log": bytearray()}
    log.expect("intact", end=0)


@BOOK.valid("folder", "KDB-002")
def number_of_eleven_digits(log: KahaDBLog) -> None:
    """db-00000000002.log is the file 2: zeros in front have no limit."""
    log.batch(numbered(1), file="db-1.log")
    log.eof("db-1.log")
    log.batch(numbered(2), file="db-00000000002.log")
    log.eof("db-00000000002.log")
    log.expect("intact", survivors=[0, 1], end=45)


@BOOK.valid("folder", "KDB-002", "KDB-003")
def lowest_number_of_a_file(log: KahaDBLog) -> None:
    """db--2147483648.log has the lowest number, and is read first."""
    log.batch(numbered(1), file="db--2147483648.log")
    log.eof("db--2147483648.log")
    log.batch(numbered(2), file="db-1.log")
    log.eof("db-1.log")
    log.expect("intact", survivors=[0, 1], end=45)


# Writing


@BOOK.writing("writing", "KDB-022", "KDB-021")
def write_a_second_batch_up_to_the_length_of_the_file(log: KahaDBLog) -> None:
    """The second record of the second batch would end past the limit: it begins a file."""
    log.written([b"x" * 100], [b"y" * 60, b"z" * 80], folder=True, max_file_length=300)
    assert {name: len(data) for name, data in log.files.items()} == {
        "db-1.log": 133 + 93 + 5,
        "db-2.log": 113 + 5,
    }


@BOOK.writing("writing", "KDB-014", kind="limit", control=write_into_a_sparse_file)
def write_nothing_into_a_sparse_file_of_seven_bytes(log: KahaDBLog) -> None:
    """The EOF record at the end overwrites the last three bytes of the one at 0."""
    log.written(preallocation="sparse", max_file_length=7)
    log.expect_bytes(b"-q-qMa4")


@BOOK.appending(
    five_batches,
    "appending",
    "KDB-023",
    "KDB-024",
    control=append_to_five_batches,
    kind="corrupt",
)
def append_nothing_behind_garbage(log: KahaDBLog) -> None:
    """No records after garbage in a log of one file: refused, as with records."""
    log.truncate(225)
    log.extend(b"x" * 40, "40 bytes of garbage")
    log.expect_refusal("damaged", "bad-header", survivors=range(5))


@BOOK.appending(
    folder_without_data_files,
    "appending",
    "KDB-023",
    "KDB-014",
    "KDB-051",
    control=append_to_a_folder_without_data_files,
)
def append_to_an_empty_first_file(log: KahaDBLog) -> None:
    """db-1.log has no bytes: it takes the records, and is not preallocated."""
    log.context |= {"preallocation": "zeros", "max_file_length": 1000}
    log.add_file("db-1.log", b"", "no bytes")
    log.append(b"delta")
    log.expect("intact", survivors=[b"delta"], end=38)
    log.leaves({"db-1.log": 43, "db.data": 5, "lock": 0})


@BOOK.appending(two_files, "appending", "KDB-014", "KDB-021", control=append_to_a_kernel_copy)
def append_beside_a_template_of_another_length(log: KahaDBLog) -> None:
    """The next file is a kernel copy: an older template is made anew."""
    log.context |= {"max_file_length": 100, "preallocation": "kernel-copy"}
    log.add_file("db-log.template", EOF + bytes(251), "a template of 256 bytes")
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta"], end=38)
    log.leaves({"db-1.log": 95, "db-2.log": 95, "db-3.log": 100, "db-log.template": 100})
