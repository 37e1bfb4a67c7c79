"""Journals of several files: which belong to it, in which order, and what is between them."""

from conformance.recipes.kahadb_journal.log import BOOK, EOF, KahaDBLog, numbered, whole_batch
from conformance.recipes.kahadb_journal.siblings import JOURNAL_IO


@BOOK.valid("folder", "KDB-001", "KDB-003")
def two_files(log: KahaDBLog) -> None:
    """Two data files of two batches each."""
    for number in range(1, 5):
        log.batch(numbered(number), file=f"db-{1 + number // 3}.log")
    log.eof("db-1.log")
    log.eof("db-2.log")
    log.expect("intact", survivors=range(4))


@BOOK.valid("folder", "KDB-003")
def nine_before_ten(log: KahaDBLog) -> None:
    """Files are read by number, not by name; numbers may be missing."""
    for number in (2, 9, 10, 100):
        log.batch(numbered(number), file=f"db-{number}.log")
        log.eof(f"db-{number}.log")
    log.expect("intact", survivors=range(4))


@BOOK.valid("folder", "KDB-002")
def files_that_are_no_data_files(log: KahaDBLog) -> None:
    """The index, the lock, a template, backups and unrelated files are left alone."""
    log.batch(numbered(1), file="db-1.log")
    log.eof("db-1.log")
    batch = bytearray(whole_batch(b"stranger") + EOF)
    for name in ("db-2.log.bak", "db-3.LOG", "db-x.log", "db-.log", "db-4 .log", "db-0x5.log"):
        log.files[name] = batch
    log.files["db.data"] = bytearray(b"index")
    log.files["lock"] = bytearray()
    log.files["db-log.template"] = bytearray(EOF + bytes(59))
    log.expect("intact", survivors=[0])


@BOOK.valid("folder", "KDB-002", "KDB-003")
def signs_in_file_names(log: KahaDBLog) -> None:
    """A number may have a sign: db--3.log is read before db-+2.log, as Integer.parseInt does."""
    log.batch(numbered(1), file="db--3.log")
    log.eof("db--3.log")
    log.batch(numbered(2), file="db-+2.log")
    log.eof("db-+2.log")
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("folder", "KDB-002")
def number_beyond_32_bits(log: KahaDBLog) -> None:
    """A file whose number exceeds an int is not a data file."""
    log.batch(numbered(1), file="db-2147483647.log")
    log.eof("db-2147483647.log")
    log.files["db-2147483648.log"] = bytearray(whole_batch(b"stranger") + EOF)
    log.expect("intact", survivors=[0])


@BOOK.damaged(two_files, "folder", "KDB-004")
def empty_file_between(log: KahaDBLog) -> None:
    """A file of no bytes with the highest number: what a failed rotation leaves."""
    log.add_file("db-3.log", b"", "no bytes")
    log.expect("intact", survivors=range(4))


@BOOK.damaged(two_files, "folder", "KDB-004")
def two_names_for_one_number(log: KahaDBLog) -> None:
    """db-01.log beside db-1.log: one of them counts, and the other is reported."""
    log.add_file("db-01.log", bytes(log.files["db-1.log"]), "a copy of db-1.log")
    log.expect("damaged", "duplicate-id", survivors=range(4))
    log.bug("Journal.start puts both under one number: the last one listed wins, in silence")


@BOOK.valid("folder", "KDB-004", "KDB-002")
def number_with_zeros_in_front(log: KahaDBLog) -> None:
    """db-01.log alone is file number 1."""
    log.batch(numbered(1), file="db-01.log")
    log.eof("db-01.log")
    log.batch(numbered(2), file="db-2.log")
    log.eof("db-2.log")
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(two_files, "folder", "KDB-003", "KDB-050")
def first_file_missing(log: KahaDBLog) -> None:
    """The first file is gone, as when all its messages were consumed: nothing shows otherwise."""
    log.shows("lost-file")
    log.remove_file("db-1.log")
    log.expect("intact", survivors=[2, 3])


@BOOK.damaged(two_files, "folder", "KDB-013", "KDB-049")
def next_file_preallocated(log: KahaDBLog) -> None:
    """A next file that was made ahead: an EOF record and zeros."""
    log.add_file("db-3.log", EOF + bytes(251), "an EOF record and zeros")
    log.expect("intact", survivors=range(4))


@BOOK.damaged(two_files, "folder", "KDB-049", "KDB-042", kind="eof")
def torn_in_the_last_file(log: KahaDBLog) -> None:
    """The last file ends inside a batch."""
    log.truncate(80, "db-2.log")
    log.expect("torn", "torn-batch", survivors=[0, 1, 2])


@BOOK.damaged(two_files, "folder", "KDB-049", kind="eof")
def torn_before_a_preallocated_file(log: KahaDBLog) -> None:
    """The last file with batches ends inside one; the next was only made ahead: still torn."""
    log.truncate(80, "db-2.log")
    log.add_file("db-3.log", EOF + bytes(251), "an EOF record and zeros")
    log.expect("torn", "torn-batch", survivors=[0, 1, 2])


@BOOK.damaged(two_files, "folder", "KDB-049", kind="eof")
def torn_in_an_earlier_file(log: KahaDBLog) -> None:
    """The first file ends inside a batch, and the log goes on in the second: damaged."""
    log.truncate(80, "db-1.log")
    log.expect("damaged", "torn-batch", survivors=[0, 2, 3])


@BOOK.damaged(two_files, "folder", "KDB-036", "KDB-052")
def damage_in_the_first_file(log: KahaDBLog) -> None:
    """A flipped payload in the first file; strict reading loses the second file too."""
    log.flip("db-1.log:batches[1].records[0].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3])


@BOOK.damaged(two_files, "folder", "KDB-035", "KDB-052")
def negative_size_in_the_first_file(log: KahaDBLog) -> None:
    """A negative size in a file that is not the last."""
    log.hangs_upstream()
    log.number("db-1.log:batches[0].control.len_records", -1)
    log.expect("damaged", "bad-size", survivors=[1, 2, 3])
    log.bug("Journal.recoveryCheck loops for ever (findNextBatchRecord finds the same batch again)")


@BOOK.damaged(two_files, "folder", "KDB-039")
def early_eof_in_the_first_file(log: KahaDBLog) -> None:
    """An EOF record between two batches of the first file."""
    log.insert(45, EOF, "an EOF record", file="db-1.log")
    log.expect("damaged", "early-eof", survivors=range(4))


@BOOK.damaged(two_files, "folder", "KDB-034", "KDB-051")
def last_file_overwritten(log: KahaDBLog) -> None:
    """The last file holds text: lost as a whole, and a writer must begin a new one."""
    log.put(0, b"this is no journal at all. " * 4, "text", file="db-2.log")
    log.expect("damaged", "bad-header", survivors=[0, 1], end=None)


@BOOK.damaged(two_files, "folder", "KDB-055")
def a_sibling_among_the_files(log: KahaDBLog) -> None:
    """A file of Journal.IO among those of KahaDB: it is lost, the others are read."""
    log.add_file("db-3.log", JOURNAL_IO, "a file of Journal.IO")
    log.expect("damaged", "foreign-journal", survivors=range(4), end=None)


@BOOK.valid("folder", "KDB-021", "KDB-004")
def oversize_records(log: KahaDBLog) -> None:
    """Records larger than a file may be: each in a file of its own, the first file empty."""
    log.written([b"x" * 300], [b"y" * 400], folder=True, max_file_length=256)
    log.expect("intact", survivors=[0, 1])
