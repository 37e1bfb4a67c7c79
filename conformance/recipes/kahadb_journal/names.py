"""Folders: which file counts for a number, and in which file a log ends."""

from conformance.recipes.kahadb_journal.folders import number_with_zeros_in_front, two_files
from conformance.recipes.kahadb_journal.log import BOOK, EOF, KahaDBLog, numbered, whole_batch
from conformance.recipes.kahadb_journal.siblings import JOURNAL_IO

STRANGER = whole_batch(b"stranger") + EOF
AHEAD = EOF + bytes(251)


@BOOK.damaged(number_with_zeros_in_front, "folder", "KDB-004")
def empty_file_of_the_plain_name(log: KahaDBLog) -> None:
    """db-1.log has no bytes, db-01.log has a batch: the empty one is skipped, nothing is lost."""
    log.add_file("db-1.log", b"", "no bytes")
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(two_files, "folder", "KDB-004")
def several_names_for_two_numbers(log: KahaDBLog) -> None:
    """No plain name: the shortest counts, then the order of bytes; the others by number."""
    log.rename_file("db-1.log", "db-+1.log")
    log.rename_file("db-2.log", "db-02.log")
    for name in ("db-01.log", "db-002.log", "db-001.log", "db-+2.log"):
        log.add_file(name, STRANGER, "a batch")
    survivors: list[int | bytes] = [0, 1, b"stranger"]
    log.expect("damaged", "duplicate-id", survivors=survivors)
    log.note("db-+1.log and db-+2.log count: + comes before 0.")


@BOOK.damaged(two_files, "folder", "KDB-004", "KDB-055")
def sibling_of_a_second_name(log: KahaDBLog) -> None:
    """A file of Journal.IO beside a data file of the same number: nobody looks into it."""
    log.add_file("db-01.log", JOURNAL_IO, "a file of Journal.IO")
    log.expect("damaged", "duplicate-id", survivors=range(4), end=90)


@BOOK.valid("folder", "KDB-004", "KDB-055")
def data_file_of_a_second_name_beside_a_sibling(log: KahaDBLog) -> None:
    """The only file that counts is of Journal.IO; a second name for its number changes nothing."""
    log.files = {"db-1.log": bytearray(JOURNAL_IO), "db-01.log": bytearray(STRANGER)}
    log.expect("refused", "foreign-journal", end=None)


@BOOK.damaged(two_files, "folder", "KDB-004", "KDB-052", kind="eof")
def torn_tail_and_a_second_name(log: KahaDBLog) -> None:
    """A torn tail, and two names for one number: the latter is the damage, and comes last."""
    log.truncate(80, "db-2.log")
    log.add_file("db-02.log", STRANGER, "a batch")
    log.expect("damaged", "duplicate-id", survivors=[0, 1, 2], end=45)


@BOOK.damaged(two_files, "folder", "KDB-051", "KDB-004", "KDB-041")
def torn_header_alone_and_a_second_name(log: KahaDBLog) -> None:
    """db-2.log is four bytes of a control record; cut off at 0, db-02.log would come back."""
    log.truncate(4, "db-2.log")
    log.add_file("db-02.log", STRANGER, "a batch")
    log.expect("damaged", "duplicate-id", survivors=[0, 1], end=None)


@BOOK.damaged(two_files, "folder", "KDB-051", "KDB-004", "KDB-013")
def no_content_and_a_second_name(log: KahaDBLog) -> None:
    """No data file has content, and the first shares its number: no place in it is safe."""
    log.files = {"db-1.log": bytearray(AHEAD), "db-2.log": bytearray(AHEAD)}
    log.add_file("db-01.log", STRANGER, "a batch")
    log.expect("damaged", "duplicate-id", survivors=[], end=None)


@BOOK.damaged(two_files, "folder", "KDB-051", "KDB-004", "KDB-041")
def torn_header_alone_beside_two_other_names(log: KahaDBLog) -> None:
    """Number 1 has two names, number 2 one and four bytes of a control record: `end` is 0."""
    log.truncate(4, "db-2.log")
    log.add_file("db-01.log", STRANGER, "a batch")
    log.expect("damaged", "duplicate-id", survivors=[0, 1], end=0)


@BOOK.damaged(two_files, "folder", "KDB-004", "KDB-052")
def damage_and_a_second_name(log: KahaDBLog) -> None:
    """A flipped payload in the second file: in strict reading the second name goes with it."""
    log.flip("db-2.log:batches[1].records[0].payload", 0)
    log.add_file("db-01.log", STRANGER, "a batch")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=90)


@BOOK.valid("folder", "KDB-051", "KDB-002")
def folder_without_data_files(log: KahaDBLog) -> None:
    """Only an index and a lock: a journal would begin in db-1.log."""
    log.files = {"db.data": bytearray(b"index"), "lock": bytearray()}
    log.expect("intact", end=0)


@BOOK.valid("folder", "KDB-004", "KDB-051")
def only_an_empty_file_of_number_five(log: KahaDBLog) -> None:
    """db-5.log has no bytes, and nothing else is there: a journal begins in db-1.log."""
    log.files = {"db-5.log": bytearray()}
    log.expect("intact", end=0)


@BOOK.valid("folder", "KDB-013", "KDB-051")
def two_files_without_content(log: KahaDBLog) -> None:
    """Two preallocated files and no batch: the journal begins in the first of them."""
    log.files = {"db-4.log": bytearray(AHEAD), "db-5.log": bytearray(AHEAD)}
    log.expect("intact", end=0)


@BOOK.valid("folder", "KDB-002")
def folder_with_the_name_of_a_data_file(log: KahaDBLog) -> None:
    """A folder called db-2.log is no data file."""
    log.batch(numbered(1), file="db-1.log")
    log.eof("db-1.log")
    log.files["db-2.log/db-3.log"] = bytearray(STRANGER)
    log.expect("intact", survivors=[0], end=38 + 7)


@BOOK.damaged(two_files, "folder", "KDB-055", "KDB-051")
def sibling_between_two_files(log: KahaDBLog) -> None:
    """A file of Journal.IO in the middle: lost as a whole, and the log ends in the last file."""
    log.rename_file("db-2.log", "db-3.log")
    log.add_file("db-2.log", JOURNAL_IO, "a file of Journal.IO")
    log.expect("damaged", "foreign-journal", survivors=range(4), end=90)


@BOOK.damaged(two_files, "folder", "KDB-051", "KDB-034")
def end_of_the_first_file_unknown(log: KahaDBLog) -> None:
    """Garbage at the end of the first file: the end of the log is in the second, and known."""
    log.truncate(90, "db-1.log")
    log.extend(b"x" * 40, "40 bytes of garbage", "db-1.log")
    log.expect("damaged", "bad-header", survivors=range(4), end=90)


@BOOK.damaged(two_files, "folder", "KDB-049", "KDB-043", kind="eof")
def eof_record_cut_in_an_earlier_file(log: KahaDBLog) -> None:
    """The first file ends inside its EOF record: damage in a file that is not the last."""
    log.truncate(93, "db-1.log")
    log.expect("damaged", "torn-eof", survivors=range(4), end=90)


@BOOK.damaged(two_files, "folder", "KDB-049", "KDB-041", kind="eof")
def header_cut_in_an_earlier_file(log: KahaDBLog) -> None:
    """The first file ends ten bytes into a control record: damage, not torn."""
    log.truncate(55, "db-1.log")
    log.expect("damaged", "torn-header", survivors=[0, 2, 3], end=90)


@BOOK.damaged(two_files, "folder", "KDB-049", kind="eof")
def torn_before_a_file_that_is_lost(log: KahaDBLog) -> None:
    """A torn batch, and a later file of text: that file has content, so the batch is damage."""
    log.truncate(80, "db-1.log")
    log.put(0, b"this is no journal at all. " * 4, "text", file="db-2.log")
    log.expect("damaged", "torn-batch", survivors=[0], end=None)


@BOOK.damaged(two_files, "folder", "KDB-052")
def damage_before_a_preallocated_file(log: KahaDBLog) -> None:
    """A flipped payload; in strict reading a later file is lost although it is all fill."""
    log.flip("db-2.log:batches[1].records[0].payload", 0)
    log.add_file("db-3.log", AHEAD, "an EOF record and zeros")
    log.add_file("db-4.log", b"", "no bytes")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=90)


@BOOK.damaged(two_files, "folder", "KDB-050", "KDB-038")
def two_faults_in_two_files(log: KahaDBLog) -> None:
    """An early EOF record in the first file, a wrong checksum in the second: the first counts."""
    log.flip("db-2.log:batches[0].records[0].payload", 0)
    log.insert(45, EOF, "an EOF record", file="db-1.log")
    log.expect("damaged", "early-eof", survivors=[0, 1, 3], end=90)
