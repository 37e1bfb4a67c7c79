"""The offset where a writer appends, and the bytes that it truncates."""

from conformance.recipes.kahadb_journal.appending import (
    append_to_a_sparse_file,
    append_to_five_batches,
    append_to_two_files,
)
from conformance.recipes.kahadb_journal.folders import (
    next_file_preallocated,
    number_beyond_32_bits,
    two_files,
)
from conformance.recipes.kahadb_journal.layout import empty_file, five_batches
from conformance.recipes.kahadb_journal.log import APPENDING, EOF, HEADER, KahaDBLog, whole_batch
from conformance.recipes.kahadb_journal.names import (
    folder_with_the_name_of_a_data_file,
    folder_without_data_files,
    only_an_empty_file_of_number_five,
    two_files_without_content,
)
from conformance.recipes.kahadb_journal.preallocation import sparse_file
from conformance.recipes.kahadb_journal.siblings import JOURNAL_IO, folder_of_journal_io, journal_io

ALL: list[int | bytes] = [0, 1, 2, 3, 4, b"delta", b"echo"]
NEW: list[int | bytes] = [b"delta", b"echo"]
TEXT = b"this is no journal at all. " * 4
# Two batches have this size without the EOF record. One has a record of 10 bytes, the other a
# record of 9 bytes.
BYTES = 28 + 10 + 28 + 9


@APPENDING.appending(empty_file, "KDB-023", "KDB-020")
def append_to_an_empty_file(log: KahaDBLog) -> None:
    """Two records are appended to an empty file."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=NEW, end=BYTES)
    log.leaves({"": BYTES + 5})


@APPENDING.appending(five_batches, "KDB-022", "KDB-020")
def append_two_records_in_one_batch(log: KahaDBLog) -> None:
    """Two records are appended in one batch, and a third record in the next batch."""
    log.append(b"delta", b"echo", batch=1)
    log.append(b"foxtrot", batch=2)
    log.expect("intact", survivors=[*ALL, b"foxtrot"], end=225 + 28 + 19 + 28 + 12)


@APPENDING.appending(five_batches, "KDB-008", "KDB-012", "KDB-023")
def append_as_an_older_release(log: KahaDBLog) -> None:
    """Two records are appended without checksums and without EOF records, and overwrite the old EOF
    record."""
    log.context |= {"checksum": False, "eof": "none"}
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL, end=225 + BYTES)
    log.leaves({"": 225 + BYTES})


@APPENDING.appending(five_batches, "KDB-023", "KDB-015", control=append_to_five_batches, kind="eof")
def append_before_remains(log: KahaDBLog) -> None:
    """Remains of an older batch follow the EOF record. A writer removes these remains."""
    log.extend(whole_batch(b"never acknowledged" * 9)[60:])
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL, end=225 + BYTES)
    log.leaves({"": 225 + BYTES + 5})


@APPENDING.appending(five_batches, "KDB-023", "KDB-013", control=append_to_five_batches, kind="eof")
def append_into_the_rest_of_an_eof_record(log: KahaDBLog) -> None:
    """The last byte of a preallocated EOF record and zeros follow the last batch. These bytes are
    fill, so a writer does not remove them."""
    log.truncate(225)
    log.extend(b"4" + bytes(200))
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL, end=225 + BYTES)
    log.leaves({"": 426})


@APPENDING.appending(sparse_file, "KDB-023", "KDB-042", control=append_to_a_sparse_file, kind="eof")
def append_over_a_torn_batch_in_a_sparse_file(log: KahaDBLog) -> None:
    """The last batch in a sparse file is torn. A writer removes this batch and the preallocated
    space."""
    log.overwrite(123, bytes(12 + 5))
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"], end=90 + BYTES)
    log.leaves({"": 90 + BYTES + 5})


@APPENDING.appending(journal_io, "KDB-024", "KDB-055")
def append_to_a_sibling(log: KahaDBLog) -> None:
    """A log of one file belongs to Journal.IO. A writer must refuse."""
    log.append(b"delta")
    log.expect_refusal("refused", "foreign-journal")


@APPENDING.appending(folder_of_journal_io, "KDB-024", "KDB-055")
def append_to_a_folder_of_siblings(log: KahaDBLog) -> None:
    """All files of a folder belong to Journal.IO. A writer must refuse, and must not create a
    file."""
    log.append(b"delta")
    log.expect_refusal("refused", "foreign-journal")


@APPENDING.appending(folder_without_data_files, "KDB-051", "KDB-024")
def append_to_a_folder_without_data_files(log: KahaDBLog) -> None:
    """A folder has only an index and a lock. A writer creates and preallocates db-1.log."""
    log.context |= {"preallocation": "sparse", "max_file_length": 512}
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=NEW, end=BYTES)
    log.leaves({"db-1.log": 512, "db.data": 5, "lock": 0})


@APPENDING.appending(only_an_empty_file_of_number_five, "KDB-051", "KDB-004")
def append_beside_an_empty_file_of_number_five(log: KahaDBLog) -> None:
    """The only data file is db-5.log, which is empty. A writer creates db-1.log."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=NEW, end=BYTES)
    log.leaves({"db-1.log": BYTES + 5, "db-5.log": 0})


@APPENDING.appending(two_files_without_content, "KDB-051", "KDB-023")
def append_to_files_without_content(log: KahaDBLog) -> None:
    """Two files are preallocated and contain no batch. A writer appends to the first file."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=NEW, end=BYTES)
    log.leaves({"db-4.log": 256, "db-5.log": 256})


@APPENDING.appending(next_file_preallocated, "KDB-051", "KDB-023")
def append_before_a_file_made_ahead(log: KahaDBLog) -> None:
    """The last file is only preallocated. A writer appends to the last file with content."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"], end=90 + BYTES)
    log.leaves({"db-1.log": 95, "db-2.log": 90 + BYTES + 5, "db-3.log": 256})


@APPENDING.appending(two_files, "KDB-021", "KDB-024")
def append_until_the_file_is_full(log: KahaDBLog) -> None:
    """The first record fits into the last file. The second record begins a new file, which is not
    preallocated."""
    log.context["max_file_length"] = 128
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"], end=37)
    log.leaves({"db-1.log": 95, "db-2.log": 133, "db-3.log": 42})


@APPENDING.appending(two_files, "KDB-024", control=append_to_two_files, kind="corrupt")
def append_above_all_numbers(log: KahaDBLog) -> None:
    """db-2.log contains text, and db-7.log is empty. A writer creates db-8.log."""
    log.overwrite(0, TEXT, file="db-2.log")
    log.add_file("db-7.log", b"")
    log.append(b"delta", b"echo")
    log.expect("damaged", "bad-header", survivors=[0, 1, b"delta", b"echo"], end=BYTES)
    log.leaves({"db-1.log": 95, "db-2.log": 108, "db-7.log": 0, "db-8.log": BYTES + 5})


@APPENDING.appending(two_files, "KDB-024", control=append_to_two_files, kind="corrupt")
def append_after_a_sibling(log: KahaDBLog) -> None:
    """The last file belongs to Journal.IO. A writer does not change this file, and starts a new
    file."""
    log.add_file("db-3.log", JOURNAL_IO)
    log.append(b"delta", b"echo")
    survivors: list[int | bytes] = [0, 1, 2, 3, b"delta", b"echo"]
    log.expect("damaged", "foreign-journal", survivors=survivors, end=BYTES)
    log.leaves({"db-1.log": 95, "db-2.log": 95, "db-3.log": 39, "db-4.log": BYTES + 5})


@APPENDING.appending(number_beyond_32_bits, "KDB-023", "KDB-002")
def append_to_the_file_of_the_highest_number(log: KahaDBLog) -> None:
    """The last file has the highest possible number. A writer appends to this file, because the
    record fits."""
    log.append(b"delta")
    log.expect("intact", survivors=[0, b"delta"], end=45 + 38)


@APPENDING.appending(
    number_beyond_32_bits,
    "KDB-024",
    control=append_to_the_file_of_the_highest_number,
    kind="corrupt",
)
def append_after_the_highest_number(log: KahaDBLog) -> None:
    """The last file ends with garbage and has the highest possible number. A writer must refuse,
    because there is no next number."""
    log.truncate(45, "db-2147483647.log")
    log.extend(b"x" * 9, file="db-2147483647.log")
    log.append(b"delta")
    log.expect_refusal("damaged", "bad-header", survivors=[0])


@APPENDING.appending(two_files, "KDB-024", control=append_to_two_files, kind="corrupt")
def append_under_the_highest_number(log: KahaDBLog) -> None:
    """db-2147483646.log contains text. A writer creates db-2147483647.log, the file with the
    highest possible number."""
    log.overwrite(0, TEXT, file="db-2.log")
    log.rename_file("db-2.log", "db-2147483646.log")
    log.append(b"delta")
    log.expect("damaged", "bad-header", survivors=[0, 1, b"delta"], end=38)
    log.leaves({"db-1.log": 95, "db-2147483646.log": 108, "db-2147483647.log": 43})


@APPENDING.appending(two_files, "KDB-023", "KDB-004", control=append_to_two_files)
def append_beside_a_second_name(log: KahaDBLog) -> None:
    """db-2.log has a duplicate. A writer appends to db-2.log, the file that is read."""
    log.add_file("db-02.log", whole_batch(b"stranger") + EOF)
    log.append(b"delta", b"echo")
    survivors: list[int | bytes] = [0, 1, 2, 3, b"delta", b"echo"]
    log.expect("damaged", "duplicate-id", survivors=survivors, end=90 + BYTES)
    log.leaves({"db-02.log": 46, "db-1.log": 95, "db-2.log": 90 + BYTES + 5})


@APPENDING.appending(two_files, "KDB-024", "KDB-051", control=append_to_two_files, kind="eof")
def append_beside_a_second_name_of_a_torn_header(log: KahaDBLog) -> None:
    """db-2.log has a duplicate and contains only four bytes of a control record. A writer starts a
    new file."""
    log.truncate(4, "db-2.log")
    log.add_file("db-02.log", whole_batch(b"stranger") + EOF)
    log.append(b"delta")
    log.expect("damaged", "torn-header", survivors=[0, 1, b"delta"], end=38)
    log.leaves({"db-02.log": 46, "db-1.log": 95, "db-2.log": 4, "db-3.log": 43})


@APPENDING.appending(
    number_beyond_32_bits, "KDB-024", control=append_to_the_file_of_the_highest_number, kind="limit"
)
def append_past_the_highest_number(log: KahaDBLog) -> None:
    """The second of two records would need a number above 2147483647. A writer must refuse, and
    must not write the first record."""
    log.context["max_file_length"] = 64
    log.append(b"delta", b"echo")
    log.expect_refusal("intact", survivors=[0])


@APPENDING.appending(
    number_beyond_32_bits,
    "KDB-023",
    "KDB-024",
    control=append_to_the_file_of_the_highest_number,
    kind="limit",
)
def append_past_the_highest_number_behind_a_torn_header(log: KahaDBLog) -> None:
    """The record would need a number above 2147483647. A writer must refuse, and must not remove
    the torn tail."""
    log.truncate(45, "db-2147483647.log")
    log.extend(HEADER[:10], file="db-2147483647.log")
    log.context["max_file_length"] = 55
    log.append(b"delta")
    log.expect_refusal("torn", "torn-header", survivors=[0])


@APPENDING.appending(folder_with_the_name_of_a_data_file, "KDB-024", "KDB-002", may_refuse=True)
def append_beside_a_folder_of_the_next_number(log: KahaDBLog) -> None:
    """db-1.log is full, and db-2.log is a folder. A writer creates db-3.log or refuses."""
    log.context["max_file_length"] = 55
    log.append(b"delta")
    log.expect("intact", survivors=[0, b"delta"], end=38)
    log.leaves({"db-1.log": 50, "db-2.log/db-3.log": 46, "db-3.log": 43})


@APPENDING.appending(two_files, "KDB-024", "KDB-002", may_refuse=True, control=append_to_two_files)
def append_far_below_the_number_of_a_folder(log: KahaDBLog) -> None:
    """db-2.log is full, and db-7.log is a folder. A writer creates db-8.log or refuses."""
    log.context["max_file_length"] = 100
    log.add_file("db-7.log/db-3.log", whole_batch(b"stranger"))
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta"], end=38)
    log.leaves({"db-1.log": 95, "db-2.log": 95, "db-7.log/db-3.log": 41, "db-8.log": 43})


@APPENDING.appending(
    folder_without_data_files,
    "KDB-024",
    "KDB-051",
    may_refuse=True,
    control=append_to_a_folder_without_data_files,
    kind="corrupt",
)
def append_where_a_folder_has_the_first_name(log: KahaDBLog) -> None:
    """There are no data files, and db-1.log is a folder. A writer creates db-2.log or refuses."""
    log.add_file("db-1.log/db-7.log", whole_batch(b"stranger"))
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=NEW, end=BYTES)
    log.leaves({"db-1.log/db-7.log": 41, "db-2.log": BYTES + 5, "db.data": 5, "lock": 0})


@APPENDING.appending(two_files, "KDB-014", "KDB-021", kind="limit", control=append_to_two_files)
def append_to_a_full_file_of_5_11(log: KahaDBLog) -> None:
    """The first record fills a file preallocated by 5.11. A writer truncates this file before the
    second record begins a new file."""
    _of_5_11(log, 128)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"], end=37)
    log.leaves({"db-1.log": 95, "db-2.log": 128, "db-3.log": 1 << 19})


@APPENDING.appending(two_files, "KDB-014", "KDB-021", kind="limit", control=append_to_two_files)
def append_after_a_full_file_of_5_11(log: KahaDBLog) -> None:
    """A record begins a new file after a file preallocated by 5.11. A writer does not truncate the
    old file, because it has not written to that file."""
    _of_5_11(log, 99)
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta"], end=38)
    log.leaves({"db-1.log": 95, "db-2.log": 90 + 200, "db-3.log": 1 << 19})


def _of_5_11(log: KahaDBLog, limit: int) -> None:
    log.truncate(90, "db-2.log")
    log.extend(bytes(200), file="db-2.log")
    log.context |= {
        "eof": "none",
        "preallocation": "half-mebibyte-less",
        "max_file_length": limit,
    }


@APPENDING.appending(five_batches, "KDB-023", "KDB-024", kind="eof", control=append_to_five_batches)
def append_nothing_behind_a_torn_batch(log: KahaDBLog) -> None:
    """The last batch is torn, and there are no records to append. A writer does not truncate the
    file."""
    log.truncate(224)
    log.expect("torn", "torn-batch", survivors=range(4), end=180)
    log.leaves({"": 224})


@APPENDING.appending(two_files, "KDB-021", "KDB-024", kind="limit", control=append_to_two_files)
def append_a_large_record_behind_a_file_that_is_lost(log: KahaDBLog) -> None:
    """The last file contains text, and the record is as long as the maximum file length. The first
    new file stays empty."""
    log.context["max_file_length"] = 100
    log.overwrite(0, TEXT, file="db-2.log")
    log.append(b"x" * 95)
    log.expect("damaged", "bad-header", survivors=[0, 1, b"x" * 95], end=128)
    log.leaves({"db-1.log": 95, "db-2.log": 108, "db-3.log": 0, "db-4.log": 133})


@APPENDING.appending(two_files, "KDB-021", "KDB-023", control=append_to_two_files)
def append_past_a_torn_header(log: KahaDBLog) -> None:
    """The last file ends with a torn control record, and the record begins a new file. A writer
    removes the torn control record."""
    log.context["max_file_length"] = 100
    log.truncate(90, "db-2.log")
    log.extend(HEADER[:10], file="db-2.log")
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta"], end=38)
    log.leaves({"db-1.log": 95, "db-2.log": 90, "db-3.log": 43})


@APPENDING.appending(two_files, "KDB-014", "KDB-021")
def append_to_a_kernel_copy(log: KahaDBLog) -> None:
    """A record begins a new file, preallocated with OS_KERNEL_COPY. A writer also creates the
    template."""
    log.context |= {"max_file_length": 100, "preallocation": "kernel-copy"}
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta"], end=38)
    log.leaves({"db-1.log": 95, "db-2.log": 95, "db-3.log": 100, "db-log.template": 100})
