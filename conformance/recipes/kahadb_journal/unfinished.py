"""The end of the content: torn control records and batches, parts of EOF records, invalid sizes."""

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import ENDING, EOF, HEADER, TORN_TAIL, KahaDBLog

FOUR = [0, 1, 2, 3]
ALL = range(5)


def _then(log: KahaDBLog, new: bytes, at: int = 180) -> None:
    log.truncate(at)
    log.extend(new)


@TORN_TAIL.damaged(five_batches, "KDB-033", "KDB-041", kind="eof")
def header_and_twelve_zeros(log: KahaDBLog) -> None:
    """The file ends with a control record of size 0, which is framing."""
    _then(log, HEADER + bytes(12))
    log.expect("intact", survivors=FOUR, end=208)


@TORN_TAIL.damaged(five_batches, "KDB-033", "KDB-041")
def header_and_thirteen_zeros(log: KahaDBLog) -> None:
    """The file ends with a control record of size 0 and one more zero. The code is
    `torn-header`."""
    _then(log, HEADER + bytes(13))
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@TORN_TAIL.damaged(five_batches, "KDB-033", "KDB-041", kind="eof")
def header_zeros_and_an_eof_record(log: KahaDBLog) -> None:
    """A control record of size 0 precedes an EOF record and zeros. The control record is
    framing."""
    _then(log, HEADER + bytes(12) + EOF + bytes(40))
    log.expect("intact", survivors=FOUR, end=208)


@TORN_TAIL.damaged(five_batches, "KDB-008", "KDB-041")
def unfinished_control_record_with_a_negative_checksum(log: KahaDBLog) -> None:
    """The last control record has the size 0 and the checksum -2^63, and zeros follow. The batch is
    unchecked, so the code is `torn-header`."""
    _then(log, HEADER + bytes(4) + b"\x80" + bytes(60))
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@TORN_TAIL.damaged(five_batches, "KDB-033", "KDB-043")
def empty_batch_and_one_byte_of_an_eof_record(log: KahaDBLog) -> None:
    """The file ends with a batch of size 0 and the first byte of an EOF record. The code is
    `torn-eof`."""
    _then(log, HEADER + bytes(11) + b"\x01-")
    log.expect("torn", "torn-eof", survivors=FOUR, end=208)


@TORN_TAIL.damaged(five_batches, "KDB-043", "KDB-013")
def eof_record_cut_in_preallocated_space(log: KahaDBLog) -> None:
    """The EOF record ends after four bytes, and zeros follow to the end of the file. Only these
    four bytes are lost."""
    _then(log, EOF[:4] + bytes(50), at=225)
    log.expect("torn", "torn-eof", survivors=ALL, end=225)


@TORN_TAIL.damaged(five_batches, "KDB-042", "KDB-013")
def torn_batch_over_a_preallocated_eof_record(log: KahaDBLog) -> None:
    """The last batch ends inside its payload, and its claimed end is the end of a preallocated EOF
    record. The batch is torn."""
    log.truncate(216)
    log.extend(bytes(4) + EOF + bytes(60))
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@TORN_TAIL.damaged(five_batches, "KDB-035", "KDB-046", kind="eof")
def negative_size_and_garbage(log: KahaDBLog) -> None:
    """The file ends with a control record of size -1 and 40 bytes of garbage. All these bytes are
    lost."""
    log.hangs_upstream()
    _then(log, HEADER + b"\xff" * 4 + bytes(8) + b"x" * 40)
    log.expect("damaged", "bad-size", survivors=FOUR, end=None)


@TORN_TAIL.damaged(five_batches, "KDB-035", "KDB-046", "KDB-013", kind="eof")
def negative_size_and_zeros(log: KahaDBLog) -> None:
    """The last control record has the size -256, and zeros follow. The lost range ends inside the
    size field, where the fill begins."""
    log.hangs_upstream()
    _then(log, HEADER + b"\xff\xff\xff" + bytes(90))
    log.expect("damaged", "bad-size", survivors=FOUR, end=None)


@TORN_TAIL.damaged(five_batches, "KDB-034", "KDB-013", kind="eof")
def garbage_in_front_of_fill(log: KahaDBLog) -> None:
    """Ten bytes of garbage precede zeros. The lost range ends where the fill begins."""
    _then(log, b"x" * 10 + bytes(90), at=225)
    log.expect("damaged", "bad-header", survivors=ALL, end=None)


TORN_TAIL.table("""
cut_in_a_control_record_with_a_wrong_size: five_batches KDB-041 KDB-035
    The file ends inside the checksum of a control record of size -1. The code is `torn-header`,
    because the size is not checked.
    number: batches[4].control.len_records, -1
    damage: truncate 3 bytes into batches[4].control.checksum
    expect: torn torn-header, survivors 0-3, end 180
content_that_ends_behind_the_size: five_batches KDB-041 KDB-042
    The content ends after the size of a control record, and zeros follow. The control record counts
    as complete, so the code is `torn-batch`.
    damage: truncate at 200
    damage: extend by 312 zero bytes
    expect: torn torn-batch, survivors 0-3, end 180
zero_at_the_end_of_a_file_without_eof_record: five_batches KDB-036 KDB-042 KDB-051 eof
    The last byte of the last batch is zeroed, and the file ends with this byte. The batch is
    damaged, not torn.
    damage: write 00 at 224
    damage: truncate at 225
    expect: damaged checksum-mismatch, survivors 0-3, end 225
last_payload_that_ends_with_a_zero_in_a_file_of_5_12: preallocated_by_5_12 KDB-042
    The last byte of the last batch is zeroed in a file of 5.12, which has no EOF records. The batch
    is torn.
    shows: size-before-data
    damage: write 00 at 134
    expect: torn torn-batch, survivors 0 1, end 90
impossible_size_in_a_torn_batch: five_batches KDB-035 KDB-046 eof
    The last batch is cut, and its size is 2147483615. The batch is damaged, not torn, because this
    size is not possible.
    hangs_upstream:
    number: batches[4].control.len_records, 2147483615
    damage: truncate at 216
    expect: damaged bad-size, survivors 0-3, end none
largest_size_in_a_torn_batch: five_batches KDB-042 KDB-006
    The last batch is cut, and its size is 2147483614. The batch is torn, because this size is the
    largest possible size.
    number: batches[4].control.len_records, 2147483614
    damage: truncate at 216
    expect: torn torn-batch, survivors 0-3, end 180
size_past_the_end_and_no_mark: five_batches_without_checksums KDB-042 KDB-045
    The last batch is unchecked, and its size leads past the end of the file. The batch is torn,
    because no EOF record marks its end.
    number: batches[4].control.len_records, 1000
    damage: truncate at 225
    expect: torn torn-batch, survivors 0-3, end 180
size_past_the_end_and_a_checksum_that_holds: five_batches KDB-035 KDB-045 KDB-051 eof
    The size of the last batch leads past the end of the file, and no EOF record follows. The batch
    is not torn, because its checksum holds.
    number: batches[4].control.len_records, 1000
    damage: truncate at 225
    expect: damaged bad-size, survivors 0-3, end 225
""")


@ENDING.damaged(five_batches, "KDB-013", kind="eof")
def one_byte_of_the_rest_of_an_eof_record(log: KahaDBLog) -> None:
    """The last byte of a preallocated EOF record and zeros follow the last batch. These bytes are
    fill."""
    _then(log, b"4" + bytes(20), at=225)
    log.expect("intact", survivors=ALL, end=225)


@ENDING.damaged(five_batches, "KDB-013", "KDB-034", kind="eof")
def middle_of_an_eof_record(log: KahaDBLog) -> None:
    """The file ends with three bytes from the middle of an EOF record. These bytes are garbage, not
    fill."""
    _then(log, b"qMa", at=225)
    log.expect("damaged", "bad-header", survivors=ALL, end=None)


@ENDING.valid("KDB-013")
def rest_of_an_eof_record_only(log: KahaDBLog) -> None:
    """A file that contains only the last four bytes of an EOF record. These bytes are fill."""
    log.data += EOF[1:]
    log.expect("intact", end=0)
