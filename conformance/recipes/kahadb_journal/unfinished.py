"""The end of the content: torn control records and batches, parts of EOF records, invalid sizes."""

from conformance.recipes.kahadb_journal.layout import five_batches, five_batches_without_checksums
from conformance.recipes.kahadb_journal.log import BOOK, EOF, HEADER, KahaDBLog
from conformance.recipes.kahadb_journal.preallocation import preallocated_by_5_12

FOUR = [0, 1, 2, 3]
ALL = range(5)


def _then(log: KahaDBLog, new: bytes, what: str, at: int = 180) -> None:
    log.truncate(at)
    log.extend(new, what)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", "KDB-035", kind="eof")
def cut_in_a_control_record_with_a_wrong_size(log: KahaDBLog) -> None:
    """The file ends inside the checksum of a control record of size -1. The code is `torn-header`,
    because the size is not checked.
    """
    log.number("batches[4].control.len_records", -1)
    log.truncate_in("batches[4].control.checksum", 3)
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", "KDB-042", kind="eof")
def content_that_ends_behind_the_size(log: KahaDBLog) -> None:
    """The content ends after the size of a control record, and zeros follow. The control record
    counts as complete, so the code is `torn-batch`.
    """
    log.truncate(200)
    log.extend(bytes(312), "zeros to 512 bytes")
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-033", "KDB-041", kind="eof")
def header_and_twelve_zeros(log: KahaDBLog) -> None:
    """The file ends with a control record of size 0, which is framing."""
    _then(log, HEADER + bytes(12), "a header and 12 zeros")
    log.expect("intact", survivors=FOUR, end=208)


@BOOK.damaged(five_batches, "torn-tail", "KDB-033", "KDB-041", kind="eof")
def header_and_thirteen_zeros(log: KahaDBLog) -> None:
    """The file ends with a control record of size 0 and one more zero. The code is
    `torn-header`.
    """
    _then(log, HEADER + bytes(13), "a header and 13 zeros")
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-033", "KDB-041", kind="eof")
def header_zeros_and_an_eof_record(log: KahaDBLog) -> None:
    """A control record of size 0 precedes an EOF record and zeros. The control record is
    framing.
    """
    _then(log, HEADER + bytes(12) + EOF + bytes(40), "a batch of size 0, an EOF record, zeros")
    log.expect("intact", survivors=FOUR, end=208)


@BOOK.damaged(five_batches, "torn-tail", "KDB-008", "KDB-041", kind="eof")
def unfinished_control_record_with_a_negative_checksum(log: KahaDBLog) -> None:
    """The last control record has the size 0 and the checksum -2^63, and zeros follow. The batch is
    unchecked, so the code is `torn-header`.
    """
    _then(log, HEADER + bytes(4) + b"\x80" + bytes(60), "a header, size 0, checksum -2^63, zeros")
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-033", "KDB-043", kind="eof")
def empty_batch_and_one_byte_of_an_eof_record(log: KahaDBLog) -> None:
    """The file ends with a batch of size 0 and the first byte of an EOF record. The code is
    `torn-eof`.
    """
    _then(log, HEADER + bytes(11) + b"\x01-", "a batch of size 0 and one byte of an EOF record")
    log.expect("torn", "torn-eof", survivors=FOUR, end=208)


@BOOK.damaged(five_batches, "torn-tail", "KDB-043", "KDB-013", kind="eof")
def eof_record_cut_in_preallocated_space(log: KahaDBLog) -> None:
    """The EOF record ends after four bytes, and zeros follow to the end of the file. Only these
    four bytes are lost.
    """
    _then(log, EOF[:4] + bytes(50), "four bytes of an EOF record and zeros", at=225)
    log.expect("torn", "torn-eof", survivors=ALL, end=225)


@BOOK.damaged(five_batches, "torn-tail", "KDB-042", "KDB-013", kind="eof")
def torn_batch_over_a_preallocated_eof_record(log: KahaDBLog) -> None:
    """The last batch ends inside its payload, and its claimed end is the end of a preallocated EOF
    record. The batch is torn.
    """
    log.truncate(216)
    log.extend(bytes(4) + EOF + bytes(60), "4 zeros, an EOF record, 60 zeros")
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-036", "KDB-042", "KDB-051", kind="eof")
def zero_at_the_end_of_a_file_without_eof_record(log: KahaDBLog) -> None:
    """The last byte of the last batch is zeroed, and the file ends with this byte. The batch is
    damaged, not torn.
    """
    log.put(224, b"\0", "a zero byte")
    log.truncate(225)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=225)


@BOOK.damaged(preallocated_by_5_12, "torn-tail", "KDB-042", kind="eof")
def last_payload_that_ends_with_a_zero_in_a_file_of_5_12(log: KahaDBLog) -> None:
    """The last byte of the last batch is zeroed in a file of 5.12, which has no EOF records. The
    batch is torn.
    """
    log.shows("size-before-data")
    log.put(134, b"\0", "a zero byte")
    log.expect("torn", "torn-batch", survivors=[0, 1], end=90)


@BOOK.damaged(five_batches, "torn-tail", "KDB-035", "KDB-046", kind="eof")
def impossible_size_in_a_torn_batch(log: KahaDBLog) -> None:
    """The last batch is cut, and its size is 2147483615. The batch is damaged, not torn, because
    this size is not possible.
    """
    log.hangs_upstream()
    log.number("batches[4].control.len_records", 2**31 - 33)
    log.truncate(216)
    log.expect("damaged", "bad-size", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "torn-tail", "KDB-042", "KDB-006", kind="eof")
def largest_size_in_a_torn_batch(log: KahaDBLog) -> None:
    """The last batch is cut, and its size is 2147483614. The batch is torn, because this size is
    the largest possible size.
    """
    log.number("batches[4].control.len_records", 2**31 - 34)
    log.truncate(216)
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-035", "KDB-046", kind="eof")
def negative_size_and_garbage(log: KahaDBLog) -> None:
    """The file ends with a control record of size -1 and 40 bytes of garbage. All these bytes are
    lost.
    """
    log.hangs_upstream()
    _then(log, HEADER + b"\xff" * 4 + bytes(8) + b"x" * 40, "a batch of size -1 and garbage")
    log.expect("damaged", "bad-size", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "torn-tail", "KDB-035", "KDB-046", "KDB-013", kind="eof")
def negative_size_and_zeros(log: KahaDBLog) -> None:
    """The last control record has the size -256, and zeros follow. The lost range ends inside the
    size field, where the fill begins.
    """
    log.hangs_upstream()
    _then(log, HEADER + b"\xff\xff\xff" + bytes(90), "a batch of size -256 and zeros")
    log.expect("damaged", "bad-size", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "torn-tail", "KDB-034", "KDB-013", kind="eof")
def garbage_in_front_of_fill(log: KahaDBLog) -> None:
    """Ten bytes of garbage precede zeros. The lost range ends where the fill begins."""
    _then(log, b"x" * 10 + bytes(90), "10 bytes of garbage and zeros", at=225)
    log.expect("damaged", "bad-header", survivors=ALL, end=None)


@BOOK.damaged(five_batches_without_checksums, "torn-tail", "KDB-042", "KDB-045", kind="eof")
def size_past_the_end_and_no_mark(log: KahaDBLog) -> None:
    """The last batch is unchecked, and its size leads past the end of the file. The batch is torn,
    because no EOF record marks its end.
    """
    log.number("batches[4].control.len_records", 1000)
    log.truncate(225)
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-035", "KDB-045", "KDB-051", kind="eof")
def size_past_the_end_and_a_checksum_that_holds(log: KahaDBLog) -> None:
    """The size of the last batch leads past the end of the file, and no EOF record follows. The
    batch is not torn, because its checksum holds.
    """
    log.number("batches[4].control.len_records", 1000)
    log.truncate(225)
    log.expect("damaged", "bad-size", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "ending", "KDB-013", kind="eof")
def one_byte_of_the_rest_of_an_eof_record(log: KahaDBLog) -> None:
    """The last byte of a preallocated EOF record and zeros follow the last batch. These bytes are
    fill.
    """
    _then(log, b"4" + bytes(20), "the last byte of an EOF record and zeros", at=225)
    log.expect("intact", survivors=ALL, end=225)


@BOOK.damaged(five_batches, "ending", "KDB-013", "KDB-034", kind="eof")
def middle_of_an_eof_record(log: KahaDBLog) -> None:
    """The file ends with three bytes from the middle of an EOF record. These bytes are garbage, not
    fill.
    """
    _then(log, b"qMa", "three bytes of an EOF record", at=225)
    log.expect("damaged", "bad-header", survivors=ALL, end=None)


@BOOK.valid("ending", "KDB-013")
def rest_of_an_eof_record_only(log: KahaDBLog) -> None:
    """A file that contains only the last four bytes of an EOF record. These bytes are fill."""
    log.data += EOF[1:]
    log.expect("intact", end=0)
