"""Recovery, an append and a second read, which must not lose acknowledged records."""

from conformance.recipes.kahadb_journal.folders import two_files
from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import APPENDING, KahaDBLog
from conformance.recipes.kahadb_journal.preallocation import sparse_file

ALL: list[int | bytes] = [0, 1, 2, 3, 4, b"delta", b"echo"]
OVERWRITES = "after Journal.recoveryCheck, the first append overwrites batches that are still valid"


@APPENDING.appending(five_batches, "KDB-023", "KDB-020")
def append_to_five_batches(log: KahaDBLog) -> None:
    """Two records are appended to an undamaged file and overwrite its EOF record."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL)


@APPENDING.appending(sparse_file, "KDB-023", "KDB-014")
def append_to_a_sparse_file(log: KahaDBLog) -> None:
    """Two records are appended to a sparse file."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, 2, b"delta", b"echo"])


@APPENDING.appending(two_files, "KDB-023")
def append_to_two_files(log: KahaDBLog) -> None:
    """Two records are appended to the last of two files."""
    log.context["folder"] = True
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"])


@APPENDING.appending(five_batches, "KDB-023", "KDB-042", control=append_to_five_batches, kind="eof")
def append_behind_a_torn_batch(log: KahaDBLog) -> None:
    """The last byte of the last batch is missing. A writer replaces the torn batch."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(224)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"])


@APPENDING.appending(five_batches, "KDB-023", "KDB-041", control=append_to_five_batches, kind="eof")
def append_behind_a_torn_header(log: KahaDBLog) -> None:
    """The file ends ten bytes into a control record. A writer replaces the torn control record."""
    log.truncate(190)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"])


@APPENDING.appending(five_batches, "KDB-025", control=append_to_five_batches, kind="corrupt")
def append_behind_a_damaged_batch(log: KahaDBLog) -> None:
    """One payload bit of the second batch is flipped. An append must keep the later batches."""
    log.flip("batches[1].records[0].payload", 0)
    log.append(b"delta", b"echo")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4, b"delta", b"echo"])


@APPENDING.appending(five_batches, "KDB-024", control=append_to_five_batches, kind="corrupt")
def append_behind_garbage(log: KahaDBLog) -> None:
    """The file ends with 40 bytes of garbage. A writer must refuse, because a log of one file
    cannot continue in another file."""
    log.truncate(225)
    log.extend(b"x" * 40)
    log.append(b"delta", b"echo")
    log.expect_refusal("damaged", "bad-header", survivors=range(5))


@APPENDING.appending(sparse_file, "KDB-025", control=append_to_a_sparse_file, kind="corrupt")
def append_behind_a_wrong_size_in_a_sparse_file(log: KahaDBLog) -> None:
    """One bit of the size of the second batch in a sparse file is flipped. An append must not
    overwrite the third batch."""
    log.context["write_batch_size"] = 1024
    log.flip("batches[1].control.len_records", 6)
    log.append(b"delta", b"echo")
    log.expect("damaged", "bad-size", survivors=[0, 2, b"delta", b"echo"])
    log.bug(OVERWRITES)


@APPENDING.appending(five_batches, "KDB-025", control=append_to_five_batches, kind="corrupt")
def append_behind_an_early_eof_record(log: KahaDBLog) -> None:
    """An EOF record separates the second and the third batch. An append must not overwrite the
    third batch."""
    log.insert(90, b"-qMa4")
    log.append(b"delta", b"echo")
    log.expect("damaged", "early-eof", survivors=ALL)
    log.bug(OVERWRITES)


@APPENDING.appending(two_files, "KDB-024", control=append_to_two_files, kind="corrupt")
def append_behind_a_file_that_is_lost(log: KahaDBLog) -> None:
    """The last file contains text instead of batches. A writer starts a new file."""
    log.context["folder"] = True
    log.overwrite(0, b"this is no journal at all. " * 4, file="db-2.log")
    log.append(b"delta", b"echo")
    log.expect("damaged", "bad-header", survivors=[0, 1, b"delta", b"echo"])
