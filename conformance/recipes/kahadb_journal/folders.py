"""Folders of data files: the names of the files, their order, and damage in one of them."""

from conformance.recipes.kahadb_journal.log import EOF, FOLDER, KahaDBLog, numbered, whole_batch
from conformance.recipes.kahadb_journal.siblings import JOURNAL_IO


@FOLDER.valid("KDB-001", "KDB-003")
def two_files(log: KahaDBLog) -> None:
    """Two data files of two batches each."""
    for number in range(1, 5):
        log.batch(numbered(number), file=f"db-{1 + number // 3}.log")
    log.eof("db-1.log")
    log.eof("db-2.log")
    log.expect("intact", survivors=range(4))


@FOLDER.valid("KDB-003")
def nine_before_ten(log: KahaDBLog) -> None:
    """A reader must order data files by number, not by name. Numbers may be missing."""
    for number in (2, 9, 10, 100):
        log.batch(numbered(number), file=f"db-{number}.log")
        log.eof(f"db-{number}.log")
    log.expect("intact", survivors=range(4))


@FOLDER.valid("KDB-002")
def files_that_are_no_data_files(log: KahaDBLog) -> None:
    """A folder contains a data file, an index, a lock, a template, backups and unrelated files. A
    reader reads only the data file."""
    log.batch(numbered(1), file="db-1.log")
    log.eof("db-1.log")
    batch = bytearray(whole_batch(b"stranger") + EOF)
    for name in ("db-2.log.bak", "db-3.LOG", "db-x.log", "db-.log", "db-4 .log", "db-0x5.log"):
        log.files[name] = batch
    log.files["db.data"] = bytearray(b"index")
    log.files["lock"] = bytearray()
    log.files["db-log.template"] = bytearray(EOF + bytes(59))
    log.expect("intact", survivors=[0])


@FOLDER.valid("KDB-002", "KDB-003")
def signs_in_file_names(log: KahaDBLog) -> None:
    """The number of a data file may have a sign. A reader reads db--3.log before db-+2.log."""
    log.batch(numbered(1), file="db--3.log")
    log.eof("db--3.log")
    log.batch(numbered(2), file="db-+2.log")
    log.eof("db-+2.log")
    log.expect("intact", survivors=[0, 1])


@FOLDER.valid("KDB-002")
def number_beyond_32_bits(log: KahaDBLog) -> None:
    """A file with a number above 2147483647 is not a data file."""
    log.batch(numbered(1), file="db-2147483647.log")
    log.eof("db-2147483647.log")
    log.files["db-2147483648.log"] = bytearray(whole_batch(b"stranger") + EOF)
    log.expect("intact", survivors=[0])


@FOLDER.damaged(two_files, "KDB-004")
def two_names_for_one_number(log: KahaDBLog) -> None:
    """db-1.log and db-01.log have the same number. A reader reads db-1.log and reports db-01.log as
    a duplicate."""
    log.add_file("db-01.log", bytes(log.files["db-1.log"]))
    log.expect("damaged", "duplicate-id", survivors=range(4))
    log.bug("Journal.start uses the file that is listed last and does not report the other file")


@FOLDER.valid("KDB-004", "KDB-002")
def number_with_zeros_in_front(log: KahaDBLog) -> None:
    """db-01.log has the number 1, and there is no db-1.log. A reader reads db-01.log."""
    log.batch(numbered(1), file="db-01.log")
    log.eof("db-01.log")
    log.batch(numbered(2), file="db-2.log")
    log.eof("db-2.log")
    log.expect("intact", survivors=[0, 1])


@FOLDER.damaged(two_files, "KDB-013", "KDB-049")
def next_file_preallocated(log: KahaDBLog) -> None:
    """The file with the highest number is preallocated and contains no batch."""
    log.add_file("db-3.log", EOF + bytes(251))
    log.expect("intact", survivors=range(4))


@FOLDER.damaged(two_files, "KDB-049")
def torn_before_a_preallocated_file(log: KahaDBLog) -> None:
    """The second file ends inside a batch, and the third file is only preallocated. The log is
    torn."""
    log.truncate(80, "db-2.log")
    log.add_file("db-3.log", EOF + bytes(251))
    log.expect("torn", "torn-batch", survivors=[0, 1, 2])


FOLDER.table("""
empty_file_between: two_files KDB-004
    The file with the highest number is empty, as after a failed file rotation. A reader skips this
    file.
    damage: add db-3.log: nothing
    expect: intact, survivors 0-3
first_file_missing: two_files KDB-003 KDB-050
    The first file is missing. The loss is undetectable, because a broker also removes files whose
    messages were consumed.
    shows: lost-file
    damage: remove db-1.log
    expect: intact, survivors 2 3
torn_in_the_last_file: two_files KDB-049 KDB-042
    The last file ends inside a batch.
    damage: truncate at 80 in db-2.log
    expect: torn torn-batch, survivors 0-2
torn_in_an_earlier_file: two_files KDB-049 eof
    The first file ends inside a batch, and the second file has content. The log is damaged, not
    torn.
    damage: truncate at 80 in db-1.log
    expect: damaged torn-batch, survivors 0 2 3
damage_in_the_first_file: two_files KDB-036 KDB-052
    One payload bit in the first file is flipped. In the profile `strict`, the second file is also
    lost.
    damage: flip bit 0 of db-1.log:batches[1].records[0].payload
    expect: damaged checksum-mismatch, survivors 0 2 3
negative_size_in_the_first_file: two_files KDB-035 KDB-052
    The size of the first batch in the first file is -1.
    hangs_upstream:
    number: db-1.log:batches[0].control.len_records, -1
    expect: damaged bad-size, survivors 1-3
    bug: Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)
early_eof_in_the_first_file: two_files KDB-039
    An EOF record separates the two batches of the first file.
    damage: insert 2d 71 4d 61 34 at 45 in db-1.log
    expect: damaged early-eof, survivors 0-3
""")


@FOLDER.damaged(two_files, "KDB-034", "KDB-051")
def last_file_overwritten(log: KahaDBLog) -> None:
    """The last file contains text instead of batches. The whole file is lost, and `end` is null."""
    log.overwrite(0, b"this is no journal at all. " * 4, file="db-2.log")
    log.expect("damaged", "bad-header", survivors=[0, 1], end=None)


@FOLDER.damaged(two_files, "KDB-055")
def a_sibling_among_the_files(log: KahaDBLog) -> None:
    """The last file belongs to Journal.IO. A reader loses only this file."""
    log.add_file("db-3.log", JOURNAL_IO)
    log.expect("damaged", "foreign-journal", survivors=range(4), end=None)


@FOLDER.valid("KDB-021", "KDB-004")
def oversize_records(log: KahaDBLog) -> None:
    """Two records are longer than the maximum file length. Each record gets a separate file, and
    the first file is empty."""
    log.written([b"x" * 300], [b"y" * 400], folder=True, max_file_length=256)
    log.expect("intact", survivors=[0, 1])
