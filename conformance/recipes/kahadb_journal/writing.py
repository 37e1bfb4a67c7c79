"""Writer vectors, in which the records and their batches determine every byte."""

from conformance.recipes.kahadb_journal.log import WRITING, KahaDBLog, numbered

# Written by activemq-kahadb-store 5.17.2.
HELLO = "0000001c0257524954452042415443480000000a00000000067d02200000000a0168656c6c6f"


@WRITING.writing("KDB-005", "KDB-007", "KDB-011", "KDB-020")
def write_hello(log: KahaDBLog) -> None:
    """One record in a checked batch."""
    log.written([b"hello"])
    log.expect_bytes(bytes.fromhex(HELLO + "2d714d6134"))


@WRITING.writing("KDB-008", "KDB-020")
def write_hello_without_checksum(log: KahaDBLog) -> None:
    """One record in an unchecked batch."""
    log.written([b"hello"], checksum=False)
    log.expect_bytes(bytes.fromhex(HELLO.replace("067d0220", "00000000") + "2d714d6134"))


@WRITING.writing("KDB-009", "KDB-020")
def write_an_empty_record(log: KahaDBLog) -> None:
    """One record with an empty payload."""
    log.written([b""])


@WRITING.writing("KDB-006", "KDB-007", "KDB-020")
def write_a_batch_of_five(log: KahaDBLog) -> None:
    """Five records in one batch with the checksum 0x3bcf0459."""
    log.written([b"m0", b"m1", b"m2", b"m3", b"last"])
    assert log.data[16:28] == bytes.fromhex("00000025000000003bcf0459")


@WRITING.writing("KDB-020")
def write_three_batches(log: KahaDBLog) -> None:
    """Three batches, each of which overwrites the EOF record of the previous batch."""
    log.written([b"alpha", b"bravo"], [b"charlie"], [b"", b"delta"])


@WRITING.writing("KDB-020")
def write_nothing(log: KahaDBLog) -> None:
    """There are no records. A writer creates an empty file."""
    log.written()
    log.expect_bytes(b"")


@WRITING.writing("KDB-014", "KDB-020")
def write_into_a_sparse_file(log: KahaDBLog) -> None:
    """Two batches in a file preallocated with SPARSE_FILE."""
    log.written([numbered(1)], [numbered(2)], preallocation="sparse", max_file_length=1024)


@WRITING.writing("KDB-014", "KDB-020")
def write_into_zeros(log: KahaDBLog) -> None:
    """Two batches in a file preallocated with ZEROS."""
    log.written([numbered(1)], [numbered(2)], preallocation="zeros", max_file_length=1024)


@WRITING.writing("KDB-014", "KDB-020")
def write_into_a_kernel_copy(log: KahaDBLog) -> None:
    """Two batches in a file preallocated with OS_KERNEL_COPY."""
    log.written([numbered(1)], [numbered(2)], preallocation="kernel-copy", max_file_length=1024)


@WRITING.writing("KDB-014", "KDB-020")
def write_into_chunked_zeros(log: KahaDBLog) -> None:
    """Two batches in a file preallocated with CHUNKED_ZEROS, which is shorter than one chunk."""
    log.written([numbered(1)], [numbered(2)], preallocation="chunked-zeros", max_file_length=1024)


@WRITING.writing("KDB-021", "KDB-020")
def write_several_files(log: KahaDBLog) -> None:
    """Five batches of 45 bytes with a maximum file length of 128 bytes. The fourth batch begins a
    new file."""
    groups = [[numbered(number)] for number in range(1, 6)]
    log.written(*groups, folder=True, max_file_length=128)


@WRITING.writing("KDB-021")
def write_a_record_that_just_fits(log: KahaDBLog) -> None:
    """A record of 199 bytes with a maximum file length of 200 bytes. The record fits, and the file
    is 232 bytes long."""
    log.written([b"x" * 194], folder=True, max_file_length=200)
    assert len(log.files["db-1.log"]) == 232


@WRITING.writing("KDB-021")
def write_a_record_that_just_does_not_fit(log: KahaDBLog) -> None:
    """A record of 200 bytes with a maximum file length of 200 bytes. The record does not fit, and
    the first file is empty."""
    log.written([b"x" * 195], folder=True, max_file_length=200)
    assert sorted(log.files) == ["db-1.log", "db-2.log"]


@WRITING.writing("KDB-022", kind="limit")
def write_more_than_a_batch_takes(log: KahaDBLog) -> None:
    """Five records of 45 bytes have the same batch number, and the maximum batch size is 128 bytes.
    A writer creates batches of two, two and one record."""
    log.written([b"x" * 40] * 5, write_batch_size=128)


@WRITING.writing("KDB-022", kind="limit")
def write_a_batch_of_exactly_the_limit(log: KahaDBLog) -> None:
    """Two records and a control record are 128 bytes long, exactly the maximum batch size. The
    second record begins a new batch."""
    log.written([b"x" * 45] * 2, write_batch_size=128)
    assert len(log.data) == 2 * 78 + 5


@WRITING.writing("KDB-022", kind="limit")
def write_a_batch_of_one_less_than_the_limit(log: KahaDBLog) -> None:
    """Two records and a control record are one byte shorter than the maximum batch size. Both
    records go into one batch."""
    log.written([b"x" * 45] * 2, write_batch_size=129)
    assert len(log.data) == 128 + 5


@WRITING.writing("KDB-022", "KDB-021")
def write_a_batch_up_to_the_length_of_the_file(log: KahaDBLog) -> None:
    """The second record of a batch ends at the maximum file length. The third record begins a new
    file."""
    log.written([b"x" * 45] * 3, folder=True, max_file_length=128)
    assert {name: len(data) for name, data in log.files.items()} == {
        "db-1.log": 133,
        "db-2.log": 83,
    }


@WRITING.writing("KDB-022", "KDB-021")
def write_a_batch_past_the_length_of_the_file(log: KahaDBLog) -> None:
    """The second record of a batch would end one byte past the maximum file length. The record
    begins a new file."""
    log.written([b"x" * 45] * 2, folder=True, max_file_length=127)
    assert sorted(log.files) == ["db-1.log", "db-2.log"]


@WRITING.writing("KDB-022", "KDB-021")
def write_a_batch_up_to_the_length_of_the_second_file(log: KahaDBLog) -> None:
    """Two batches of two records are each as long as the maximum file length. The second batch
    fills the second file."""
    log.written([b"x" * 45] * 2, [b"x" * 45] * 2, folder=True, max_file_length=128)
    assert {name: len(data) for name, data in log.files.items()} == {
        "db-1.log": 133,
        "db-2.log": 133,
    }


@WRITING.writing("KDB-022", "KDB-021")
def write_a_batch_past_the_length_of_the_second_file(log: KahaDBLog) -> None:
    """The second record of the second batch would end one byte past the maximum length of the
    second file. The record begins a third file."""
    log.written([b"x" * 45], [b"x" * 45] * 2, folder=True, max_file_length=127)
    assert sorted(log.files) == ["db-1.log", "db-2.log", "db-3.log"]


@WRITING.writing("KDB-021")
def write_a_third_batch_into_the_second_file(log: KahaDBLog) -> None:
    """The first file has a short batch and a long batch. The third batch does not fit and begins a
    new file."""
    log.written([b"x"], [b"y" * 60], [b"z" * 45], folder=True, max_file_length=160)
    assert {name: len(data) for name, data in log.files.items()} == {
        "db-1.log": 34 + 93 + 5,
        "db-2.log": 83,
    }


@WRITING.writing("KDB-021")
def write_past_the_length_of_the_only_file(log: KahaDBLog) -> None:
    """Three batches in a log of one file exceed the maximum file length. The maximum applies only
    to folders."""
    log.written([numbered(1)], [numbered(2), numbered(3)], [numbered(4)], max_file_length=64)
    assert len(log.data) == 45 + 62 + 45 + 5


@WRITING.writing("KDB-020", "KDB-022")
def write_records_without_batch(log: KahaDBLog) -> None:
    """Each record without a batch number gets a separate batch."""
    log.written([b"alpha"], [b"bravo"], [b"charlie"])
    log.unbatched()


@WRITING.writing("KDB-012", "KDB-020")
def write_without_eof_record(log: KahaDBLog) -> None:
    """Two batches without an EOF record, as in releases up to 5.11."""
    log.written([numbered(1)], [numbered(2)], eof="none")
    assert len(log.data) == 90


@WRITING.writing("KDB-012", "KDB-020")
def write_five_zeros(log: KahaDBLog) -> None:
    """Two batches and five zeros, as in 5.12 and 5.13."""
    log.written([numbered(1)], [numbered(2)], eof="zeros")
    assert log.data[90:] == bytes(5)


@WRITING.writing("KDB-014", "KDB-012")
def write_into_a_file_of_5_12(log: KahaDBLog) -> None:
    """Two batches in a file preallocated with zeros, as in 5.12 and 5.13."""
    log.written(
        [numbered(1)],
        [numbered(2)],
        eof="zeros",
        preallocation="last-byte",
        max_file_length=512,
    )
    assert len(log.data) == 512


@WRITING.writing("KDB-014", "KDB-021", kind="limit")
def write_past_an_empty_file_of_5_11(log: KahaDBLog) -> None:
    """The only record does not fit into a file preallocated as in 5.11. A writer truncates this
    file to 0 bytes and begins a new file."""
    log.written(
        [b"x" * 64],
        folder=True,
        eof="none",
        preallocation="half-mebibyte-less",
        max_file_length=64,
    )
    assert {name: len(data) for name, data in log.files.items()} == {
        "db-1.log": 0,
        "db-2.log": 1 << 19,
    }


@WRITING.writing("KDB-014", "KDB-021", kind="limit")
def write_files_of_5_11(log: KahaDBLog) -> None:
    """Two files are preallocated as in 5.11. A writer truncates the first file to the end of its
    last batch before it begins the second file."""
    big = b"x" * ((1 << 19) + 64)
    log.written(
        [numbered(1)],
        [big],
        folder=True,
        eof="none",
        preallocation="half-mebibyte-less",
        max_file_length=(1 << 19) + 64,
    )
    assert {name: len(data) for name, data in log.files.items()} == {
        "db-1.log": 45,
        "db-2.log": 33 + len(big),
    }


@WRITING.writing("KDB-014", "KDB-021")
def write_kernel_copies(log: KahaDBLog) -> None:
    """Two files preallocated with OS_KERNEL_COPY, and their template."""
    groups = [[numbered(number)] for number in range(1, 4)]
    log.written(*groups, folder=True, preallocation="kernel-copy", max_file_length=100)
    assert sorted(log.files) == ["db-1.log", "db-2.log", "db-log.template"]
    assert log.files["db-log.template"] == b"-qMa4" + bytes(95)


@WRITING.writing("KDB-014", "KDB-020", kind="limit")
def write_into_two_chunks_of_zeros(log: KahaDBLog) -> None:
    """A file preallocated with CHUNKED_ZEROS is three bytes longer than one chunk. The file ends
    inside the second EOF record."""
    log.written([numbered(1)], preallocation="chunked-zeros", max_file_length=(1 << 20) + 3)
    assert log.data.endswith(bytes(10) + b"-qM")


@WRITING.writing("KDB-014", kind="limit")
def write_into_a_small_file_of_5_11(log: KahaDBLog) -> None:
    """The maximum file length is 1,024 bytes, but a file preallocated as in 5.11 has at least
    524,288 bytes."""
    log.written([numbered(1)], eof="none", preallocation="half-mebibyte-less", max_file_length=1024)
    assert len(log.data) == 1 << 19


@WRITING.writing("KDB-014")
def write_nothing_into_a_sparse_file(log: KahaDBLog) -> None:
    """There are no records. A file preallocated with SPARSE_FILE has an EOF record at each end."""
    log.written(preallocation="sparse", max_file_length=64)
    log.expect_bytes(b"-qMa4" + bytes(54) + b"-qMa4")


@WRITING.writing("KDB-014")
def write_nothing_into_zeros(log: KahaDBLog) -> None:
    """There are no records. A file preallocated with ZEROS has an EOF record and then zeros."""
    log.written(preallocation="zeros", max_file_length=64)
    log.expect_bytes(b"-qMa4" + bytes(59))
