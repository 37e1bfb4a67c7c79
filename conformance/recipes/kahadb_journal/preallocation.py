"""The bytes that each preallocation strategy leaves in a file, and damage in such files."""

from conformance.recipes.kahadb_journal.log import EOF, PREALLOCATION, KahaDBLog, numbered

LENGTH = 4096
BATCHES = [[numbered(number)] for number in range(1, 4)]
ALL = range(3)
CLEAN_FLAGGED = "since 5.16.0, Journal.recoveryCheck reports the zeros of older writers as corrupt"
LOSES_ALL = "Journal.recoveryCheck loses all later batches if the file ends with a full buffer"


def _preallocated(log: KahaDBLog, strategy: str, eof: str = "record") -> None:
    log.written(*BATCHES, preallocation=strategy, max_file_length=LENGTH, eof=eof)
    log.expect("intact", survivors=ALL, end=135)


@PREALLOCATION.valid("KDB-013", "KDB-014")
def sparse_file(log: KahaDBLog) -> None:
    """A file preallocated with SPARSE_FILE, the default, has zeros and then an EOF record in its
    last five bytes."""
    _preallocated(log, "sparse")


@PREALLOCATION.valid("KDB-013", "KDB-014")
def zeros_or_kernel_copy(log: KahaDBLog) -> None:
    """A file preallocated with ZEROS or OS_KERNEL_COPY ends with zeros."""
    _preallocated(log, "zeros")


@PREALLOCATION.valid("KDB-013", "KDB-014", kind="limit")
def chunked_zeros(log: KahaDBLog) -> None:
    """A file preallocated with CHUNKED_ZEROS has an EOF record at the start of the second
    mebibyte."""
    log.written(*BATCHES, preallocation="chunked-zeros", max_file_length=(1 << 20) + LENGTH)
    log.expect("intact", survivors=ALL, end=135)


@PREALLOCATION.valid("KDB-012", "KDB-013", "KDB-014")
def preallocated_by_5_12(log: KahaDBLog) -> None:
    """A file preallocated by 5.12 or 5.13 has five zeros after the last batch and ends with
    zeros."""
    _preallocated(log, "last-byte", "zeros")
    log.bug(CLEAN_FLAGGED)


@PREALLOCATION.valid("KDB-012", "KDB-013", "KDB-014")
def preallocated_by_5_11(log: KahaDBLog) -> None:
    """A file preallocated by 5.11 or earlier ends with zeros and has no end mark."""
    log.written(*BATCHES, preallocation="last-byte", max_file_length=2048, eof="none")
    log.expect("intact", survivors=ALL, end=135)
    log.note("5.11 preallocates at least 524,288 bytes. This file is shorter.")
    log.bug(CLEAN_FLAGGED)


@PREALLOCATION.valid("KDB-012", "KDB-013")
def caller_buffer_appender(log: KahaDBLog) -> None:
    """A sparse file, written by an appender without EOF records, has zeros after its last batch and
    an EOF record at its end."""
    _preallocated(log, "sparse", "none")
    log.bug("since 5.16.0, Journal.recoveryCheck reports this undamaged file as corrupt")


@PREALLOCATION.valid("KDB-013")
def last_batch_cuts_a_preallocated_eof_record(log: KahaDBLog) -> None:
    """The last batch ends inside the preallocated EOF record. The last three bytes of this EOF
    record remain."""
    log.batch(numbered(1))
    log.batch(b"x" * (512 - 45 - 33 - 3))
    log.data += EOF[2:]
    log.expect("intact", survivors=[0, 1], end=509)
    log.note("Only an appender that writes no EOF records leaves such a file.")


@PREALLOCATION.valid("KDB-013", "KDB-014")
def preallocated_and_not_written(log: KahaDBLog) -> None:
    """A sparse file is preallocated and contains no batch."""
    log.written(preallocation="sparse", max_file_length=512)
    log.expect("intact", end=0)


@PREALLOCATION.damaged(sparse_file, "KDB-035", "KDB-045", "KDB-025")
def high_bit_of_a_size_in_a_sparse_file(log: KahaDBLog) -> None:
    """One bit of the size of the second batch in a sparse file is flipped. A reader must return the
    third batch."""
    log.shows("bit-in-a-length")
    log.context["write_batch_size"] = 1024
    log.flip("batches[1].control.len_records", 6)
    log.expect("damaged", "bad-size", survivors=[0, 2], end=135)
    log.bug(LOSES_ALL)


@PREALLOCATION.damaged(sparse_file, "KDB-036", "KDB-045", "KDB-025")
def size_that_ends_in_the_zeros(log: KahaDBLog) -> None:
    """The size of the second batch in a sparse file leads into the preallocated zeros. A reader
    must return the third batch."""
    log.context["write_batch_size"] = 1024
    log.number("batches[1].control.len_records", 2000)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2], end=135)
    log.bug(LOSES_ALL)


PREALLOCATION.table("""
header_in_a_sparse_file: sparse_file KDB-034
    One bit of the magic of the second batch in a sparse file is flipped.
    damage: flip bit 5 of batches[1].control.magic
    expect: damaged bad-header, survivors 0-2, end 135
payload_in_a_file_of_5_12: preallocated_by_5_12 KDB-036 KDB-044
    One payload bit of the second batch is flipped in a file of 5.12, which has no EOF records.
    damage: flip bit 5 of batches[1].records[0].payload
    expect: damaged checksum-mismatch, survivors 0 2, end 135
last_payload_in_a_file_of_5_12: preallocated_by_5_12 KDB-036 KDB-042
    One payload bit of the last batch is flipped in a file of 5.12. The batch is not torn, because
    its last byte is not zero.
    damage: flip bit 5 of batches[2].records[0].payload
    expect: damaged checksum-mismatch, survivors 0 1, end 135
sector_of_the_last_batch_never_written: sparse_file KDB-042 corrupt
    The payload of the last batch and the EOF record after the batch are zeroed. The batch is torn.
    damage: write 17 zero bytes at 123
    expect: torn torn-batch, survivors 0 1, end 90
negative_size_in_chunked_zeros: chunked_zeros KDB-013 KDB-035 limit
    The size of the second batch in a large preallocated file is -1. A reader must continue in
    bounded time.
    hangs_upstream:
    number: batches[1].control.len_records, -1
    expect: damaged bad-size, survivors 0 2, end 135
    bug: Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)
""")
