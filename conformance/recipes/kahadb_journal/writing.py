"""Writer vectors: records and their batches determine every byte."""

from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog, words

# Written by activemq-kahadb-store 5.17.2.
HELLO = "0000001c0257524954452042415443480000000a00000000067d02200000000a0168656c6c6f"


@BOOK.writing("writing", "KDB-005", "KDB-007", "KDB-011", "KDB-020")
def write_hello(log: KahaDBLog) -> None:
    """One record."""
    log.written([b"hello"])
    log.expect_bytes(bytes.fromhex(HELLO + "2d714d6134"))


@BOOK.writing("writing", "KDB-008", "KDB-020")
def write_hello_without_checksum(log: KahaDBLog) -> None:
    """One record, without checksum."""
    log.written([b"hello"], checksum=False)
    log.expect_bytes(bytes.fromhex(HELLO.replace("067d0220", "00000000") + "2d714d6134"))


@BOOK.writing("writing", "KDB-009", "KDB-020")
def write_an_empty_record(log: KahaDBLog) -> None:
    """A record without payload."""
    log.written([b""])


@BOOK.writing("writing", "KDB-006", "KDB-007", "KDB-020")
def write_a_batch_of_five(log: KahaDBLog) -> None:
    """Five records in one batch: checksum 0x3bcf0459."""
    log.written([b"m0", b"m1", b"m2", b"m3", b"last"])
    assert log.data[16:28] == bytes.fromhex("00000025000000003bcf0459")


@BOOK.writing("writing", "KDB-020")
def write_three_batches(log: KahaDBLog) -> None:
    """Three batches, each over the EOF record of the one before."""
    log.written([b"alpha", b"bravo"], [b"charlie"], [b"", b"delta"])


@BOOK.writing("writing", "KDB-020")
def write_nothing(log: KahaDBLog) -> None:
    """No records: a file of no bytes."""
    log.written()
    log.expect_bytes(b"")


@BOOK.writing("writing", "KDB-014", "KDB-020")
def write_into_a_sparse_file(log: KahaDBLog) -> None:
    """Two batches in a file preallocated by SPARSE_FILE."""
    log.written([words(1)], [words(2)], preallocation="sparse", max_file_length=1024)


@BOOK.writing("writing", "KDB-014", "KDB-020")
def write_into_zeros(log: KahaDBLog) -> None:
    """Two batches in a file preallocated by ZEROS."""
    log.written([words(1)], [words(2)], preallocation="zeros", max_file_length=1024)


@BOOK.writing("writing", "KDB-014", "KDB-020")
def write_into_a_kernel_copy(log: KahaDBLog) -> None:
    """Two batches in a file preallocated by OS_KERNEL_COPY."""
    log.written([words(1)], [words(2)], preallocation="kernel-copy", max_file_length=1024)


@BOOK.writing("writing", "KDB-014", "KDB-020")
def write_into_chunked_zeros(log: KahaDBLog) -> None:
    """Two batches in a file preallocated by CHUNKED_ZEROS, of less than one chunk."""
    log.written([words(1)], [words(2)], preallocation="chunked-zeros", max_file_length=1024)


@BOOK.writing("writing", "KDB-021", "KDB-020")
def write_several_files(log: KahaDBLog) -> None:
    """Five batches of 45 bytes, at most 128 bytes a file: two fit, the third rotates."""
    groups = [[words(number)] for number in range(1, 6)]
    log.written(*groups, folder=True, max_file_length=128)


@BOOK.writing("writing", "KDB-021")
def write_a_record_that_just_fits(log: KahaDBLog) -> None:
    """A record of 199 bytes with a limit of 200: the file becomes 232 bytes long."""
    log.written([b"x" * 194], folder=True, max_file_length=200)
    assert len(log.files["db-1.log"]) == 232


@BOOK.writing("writing", "KDB-021")
def write_a_record_that_just_does_not_fit(log: KahaDBLog) -> None:
    """A record of 200 bytes with a limit of 200: the first file stays empty."""
    log.written([b"x" * 195], folder=True, max_file_length=200)
    assert sorted(log.files) == ["db-1.log", "db-2.log"]


@BOOK.writing("writing", "KDB-022", kind="limit")
def write_more_than_a_batch_takes(log: KahaDBLog) -> None:
    """Five records of 45 bytes together, batches of less than 128 bytes: two and two and one."""
    log.written([b"x" * 40] * 5, write_batch_size=128)
