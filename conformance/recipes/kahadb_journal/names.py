"""Folders in which several names have one number, and the file in which a log ends."""

from conformance.recipes.kahadb_journal.folders import two_files
from conformance.recipes.kahadb_journal.log import EOF, FOLDER, KahaDBLog, numbered, whole_batch
from conformance.recipes.kahadb_journal.siblings import JOURNAL_IO

STRANGER = whole_batch(b"stranger") + EOF
AHEAD = EOF + bytes(251)


@FOLDER.damaged(two_files, "KDB-004")
def several_names_for_two_numbers(log: KahaDBLog) -> None:
    """Two numbers have three files each. A reader reads the shortest name, or the first in byte
    order if two names are equally short."""
    log.rename_file("db-1.log", "db-+1.log")
    log.rename_file("db-2.log", "db-02.log")
    for name in ("db-01.log", "db-002.log", "db-001.log", "db-+2.log"):
        log.add_file(name, STRANGER)
    survivors: list[int | bytes] = [0, 1, b"stranger"]
    log.expect("damaged", "duplicate-id", survivors=survivors)
    log.note("A reader reads db-+1.log and db-+2.log, because + comes before 0.")


@FOLDER.damaged(two_files, "KDB-004", "KDB-055")
def sibling_of_a_second_name(log: KahaDBLog) -> None:
    """db-01.log is a duplicate of db-1.log and a file of Journal.IO. A reader reports
    `duplicate-id`, not `foreign-journal`."""
    log.add_file("db-01.log", JOURNAL_IO)
    log.expect("damaged", "duplicate-id", survivors=range(4), end=90)


@FOLDER.valid("KDB-004", "KDB-055")
def data_file_of_a_second_name_beside_a_sibling(log: KahaDBLog) -> None:
    """db-1.log belongs to Journal.IO, and the duplicate db-01.log has a batch. The log is refused,
    because duplicates do not count."""
    log.files = {"db-1.log": bytearray(JOURNAL_IO), "db-01.log": bytearray(STRANGER)}
    log.expect("refused", "foreign-journal", end=None)


@FOLDER.damaged(two_files, "KDB-004", "KDB-052", kind="eof")
def torn_tail_and_a_second_name(log: KahaDBLog) -> None:
    """db-2.log is torn and has a duplicate. The duplicate makes the log damaged, and a reader
    reports the duplicate last."""
    log.truncate(80, "db-2.log")
    log.add_file("db-02.log", STRANGER)
    log.expect("damaged", "duplicate-id", survivors=[0, 1, 2], end=45)


@FOLDER.damaged(two_files, "KDB-051", "KDB-004", "KDB-041")
def torn_header_alone_and_a_second_name(log: KahaDBLog) -> None:
    """db-2.log has a duplicate and only four bytes of a control record. `end` is null, because
    after a truncation a reader would read the duplicate."""
    log.truncate(4, "db-2.log")
    log.add_file("db-02.log", STRANGER)
    log.expect("damaged", "duplicate-id", survivors=[0, 1], end=None)


@FOLDER.damaged(two_files, "KDB-051", "KDB-004", "KDB-013")
def no_content_and_a_second_name(log: KahaDBLog) -> None:
    """No data file has content, and the first file has a duplicate. `end` is null, not offset 0 of
    the first file."""
    log.files = {"db-1.log": bytearray(AHEAD), "db-2.log": bytearray(AHEAD)}
    log.add_file("db-01.log", STRANGER)
    log.expect("damaged", "duplicate-id", survivors=[], end=None)


@FOLDER.damaged(two_files, "KDB-051", "KDB-004", "KDB-041")
def torn_header_alone_beside_two_other_names(log: KahaDBLog) -> None:
    """db-2.log has only four bytes of a control record, and db-1.log has a duplicate. `end` is
    offset 0 of db-2.log, which has no duplicate."""
    log.truncate(4, "db-2.log")
    log.add_file("db-01.log", STRANGER)
    log.expect("damaged", "duplicate-id", survivors=[0, 1], end=0)


@FOLDER.damaged(two_files, "KDB-004", "KDB-052")
def damage_and_a_second_name(log: KahaDBLog) -> None:
    """One payload bit in db-2.log is flipped, and db-1.log has a duplicate. In the profile
    `strict`, the duplicate has the code of the damage."""
    log.flip("db-2.log:batches[1].records[0].payload", 0)
    log.add_file("db-01.log", STRANGER)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=90)


@FOLDER.valid("KDB-051", "KDB-002")
def folder_without_data_files(log: KahaDBLog) -> None:
    """A folder has only an index and a lock. `end` is offset 0 of db-1.log."""
    log.files = {"db.data": bytearray(b"index"), "lock": bytearray()}
    log.expect("intact", end=0)


@FOLDER.valid("KDB-004", "KDB-051")
def only_an_empty_file_of_number_five(log: KahaDBLog) -> None:
    """The only data file is db-5.log, which is empty. `end` is offset 0 of db-1.log."""
    log.files = {"db-5.log": bytearray()}
    log.expect("intact", end=0)


@FOLDER.valid("KDB-013", "KDB-051")
def two_files_without_content(log: KahaDBLog) -> None:
    """Two files are preallocated and contain no batch. `end` is offset 0 of the first file."""
    log.files = {"db-4.log": bytearray(AHEAD), "db-5.log": bytearray(AHEAD)}
    log.expect("intact", end=0)


@FOLDER.valid("KDB-002")
def folder_with_the_name_of_a_data_file(log: KahaDBLog) -> None:
    """A folder with the name db-2.log is not a data file."""
    log.batch(numbered(1), file="db-1.log")
    log.eof("db-1.log")
    log.files["db-2.log/db-3.log"] = bytearray(STRANGER)
    log.expect("intact", survivors=[0], end=38 + 7)


@FOLDER.damaged(two_files, "KDB-055", "KDB-051")
def sibling_between_two_files(log: KahaDBLog) -> None:
    """The second of three files belongs to Journal.IO. A reader loses only this file, and `end` is
    in the third file."""
    log.rename_file("db-2.log", "db-3.log")
    log.add_file("db-2.log", JOURNAL_IO)
    log.expect("damaged", "foreign-journal", survivors=range(4), end=90)


@FOLDER.damaged(two_files, "KDB-049", kind="eof")
def torn_before_a_file_that_is_lost(log: KahaDBLog) -> None:
    """The first file ends inside a batch, and the second file contains text. The text is content,
    so the torn batch counts as damage."""
    log.truncate(80, "db-1.log")
    log.overwrite(0, b"this is no journal at all. " * 4, file="db-2.log")
    log.expect("damaged", "torn-batch", survivors=[0], end=None)


@FOLDER.damaged(two_files, "KDB-052")
def damage_before_a_preallocated_file(log: KahaDBLog) -> None:
    """One payload bit in db-2.log is flipped. In the profile `strict`, db-3.log is also lost,
    although db-3.log is only preallocated."""
    log.flip("db-2.log:batches[1].records[0].payload", 0)
    log.add_file("db-3.log", AHEAD)
    log.add_file("db-4.log", b"")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=90)


FOLDER.table("""
empty_file_of_the_plain_name: number_with_zeros_in_front KDB-004
    db-1.log is empty, and db-01.log has a batch. A reader skips db-1.log and reads db-01.log.
    damage: add db-1.log: nothing
    expect: intact, survivors 0 1
end_of_the_first_file_unknown: two_files KDB-051 KDB-034
    The first file ends with garbage. `end` is known, because it is in the second file.
    damage: truncate at 90 in db-1.log
    damage: extend by 40 bytes of 78 in db-1.log
    expect: damaged bad-header, survivors 0-3, end 90
eof_record_cut_in_an_earlier_file: two_files KDB-049 KDB-043 eof
    The first file ends inside its EOF record, and the second file has content. The log is damaged,
    not torn.
    damage: truncate at 93 in db-1.log
    expect: damaged torn-eof, survivors 0-3, end 90
header_cut_in_an_earlier_file: two_files KDB-049 KDB-041 eof
    The first file ends ten bytes into a control record, and the second file has content. The log is
    damaged, not torn.
    damage: truncate at 55 in db-1.log
    expect: damaged torn-header, survivors 0 2 3, end 90
two_faults_in_two_files: two_files KDB-050 KDB-038
    The first file has an early EOF record, and the second file has a wrong checksum. The reason is
    the code of the first damage.
    damage: flip bit 0 of db-2.log:batches[0].records[0].payload
    damage: insert 2d 71 4d 61 34 at 45 in db-1.log
    expect: damaged early-eof, survivors 0 1 3, end 90
""")
