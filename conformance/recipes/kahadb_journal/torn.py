"""Files that end inside a write, and writes that end inside preallocated space."""

from conformance.recipes.kahadb_journal.layout import (
    batches_of_several_records,
    five_batches,
    five_batches_without_checksums,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog, numbered

FOUR = [0, 1, 2, 3]


@BOOK.truncations(five_batches, "torn-tail", "KDB-041", "KDB-042", "KDB-043", "KDB-012")
def every_prefix_of_five_batches(log: KahaDBLog) -> None:
    """Every prefix of a file with five batches."""


@BOOK.truncations(
    five_batches_without_checksums, "torn-tail", "KDB-041", "KDB-042", "KDB-043", "KDB-008"
)
def every_prefix_of_five_batches_without_checksums(log: KahaDBLog) -> None:
    """Every prefix of a file with five unchecked batches."""


@BOOK.truncations(batches_of_several_records, "torn-tail", "KDB-042")
def every_prefix_of_batches_of_several_records(log: KahaDBLog) -> None:
    """Every prefix of a file with batches of several records. A reader returns no record of an
    incomplete batch.
    """


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", "KDB-051", kind="eof")
def cut_in_the_header(log: KahaDBLog) -> None:
    """The file ends six bytes into a control record."""
    log.truncate_in("batches[4].control", 6)
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", kind="eof")
def cut_after_two_bytes(log: KahaDBLog) -> None:
    """The file ends two bytes into a control record. The log is intact, because these two zeros are
    fill.
    """
    log.truncate_in("batches[4].control", 2)
    log.expect("intact", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", kind="eof")
def cut_in_the_checksum(log: KahaDBLog) -> None:
    """The file ends inside the checksum of a control record."""
    log.truncate_in("batches[4].control.checksum", 3)
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-042", kind="eof")
def cut_behind_the_control_record(log: KahaDBLog) -> None:
    """The file ends directly after a control record."""
    log.truncate_in("batches[4].records[0]", 0)
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-042", kind="eof")
def cut_in_a_payload(log: KahaDBLog) -> None:
    """The file ends one byte before the end of a payload."""
    log.shows("torn-last-record")
    log.truncate(224)
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(five_batches_without_checksums, "torn-tail", "KDB-042", kind="eof")
def cut_in_a_payload_without_checksums(log: KahaDBLog) -> None:
    """The file ends inside the payload of an unchecked batch."""
    log.truncate(216)
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(batches_of_several_records, "torn-tail", "KDB-042", kind="eof")
def cut_between_two_records_of_a_batch(log: KahaDBLog) -> None:
    """The file ends between two records of a batch. A reader returns no record of this batch."""
    log.truncate_in("batches[1].records[1]", 0)
    log.expect("torn", "torn-batch", survivors=[0, 1])


@BOOK.damaged(five_batches, "torn-tail", "KDB-043", kind="eof")
def cut_in_the_eof_record(log: KahaDBLog) -> None:
    """The file ends inside its EOF record. The log is torn, but no record is lost."""
    log.truncate(228)
    log.expect("torn", "torn-eof", survivors=range(5), end=225)


@BOOK.damaged(five_batches, "torn-tail", "KDB-042", "KDB-013", kind="eof")
def torn_in_preallocated_space(log: KahaDBLog) -> None:
    """The last batch ends inside its payload, and zeros follow to the end of the file."""
    log.truncate(216)
    log.extend(bytes(296), "zeros to 512 bytes")
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", "KDB-013", kind="eof")
def torn_header_in_preallocated_space(log: KahaDBLog) -> None:
    """The last control record ends after ten bytes, and zeros follow to the end of the file."""
    log.truncate(190)
    log.extend(bytes(322), "zeros to 512 bytes")
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", "KDB-033", kind="eof")
def torn_behind_the_magic_in_preallocated_space(log: KahaDBLog) -> None:
    """The last control record ends after its header, and zeros follow to the end of the file. The
    code is `torn-header`.
    """
    log.truncate(196)
    log.extend(bytes(316), "zeros to 512 bytes")
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-036", "KDB-042", kind="eof")
def finished_and_then_damaged(log: KahaDBLog) -> None:
    """The last byte of the last batch is zeroed, and an EOF record follows. The batch is damaged,
    not torn.
    """
    log.put(224, b"\0", "a zero byte")
    log.extend(bytes(50), "50 zero bytes")
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "torn-tail", "KDB-036", "KDB-041", "KDB-050", kind="eof")
def damage_and_a_torn_tail(log: KahaDBLog) -> None:
    """One payload bit of the first batch is flipped, and the last control record is torn. The log
    is damaged, not torn.
    """
    log.flip("batches[0].records[0].payload", 0)
    log.truncate_in("batches[4].control", 16)
    log.expect("damaged", "checksum-mismatch", survivors=[1, 2, 3], end=180)


@BOOK.damaged(five_batches, "torn-tail", "KDB-047", "KDB-046")
def torn_batch_in_front_of_sound_ones(log: KahaDBLog) -> None:
    """The second batch is cut after 40 bytes, and three batches follow. A reader must return the
    third batch.
    """
    log.drop("batches[1]")
    log.insert(45, _part(40), "40 bytes of batch 2")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=220)
    log.bug("Journal.recoveryCheck continues after the claimed size and loses the third batch")


@BOOK.damaged(five_batches, "torn-tail", "KDB-046", "KDB-034")
def torn_header_in_front_of_sound_batches(log: KahaDBLog) -> None:
    """The second batch is cut after 15 bytes, inside its header, and three batches follow."""
    log.drop("batches[1]")
    log.insert(45, _part(15), "15 bytes of batch 2")
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=195)


@BOOK.damaged(five_batches, "torn-tail", "KDB-046", "KDB-047")
def torn_control_record_in_front_of_sound_batches(log: KahaDBLog) -> None:
    """The second batch is cut after 16 bytes, and three batches follow. The first bytes of the
    third batch are read as the size.
    """
    log.drop("batches[1]")
    log.insert(45, _part(16), "16 bytes of batch 2")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=196)


@BOOK.damaged(five_batches_without_checksums, "torn-tail", "KDB-046", "KDB-047")
def torn_batch_in_front_of_sound_ones_without_checksums(log: KahaDBLog) -> None:
    """An unchecked batch is cut after 40 bytes, and three batches follow. A reader must not return
    a record with bytes of two batches.
    """
    log.drop("batches[1]")
    log.insert(45, _part(40, checked=False), "40 bytes of batch 2")
    log.expect("damaged", "bad-size", survivors=[0, 2, 3, 4], end=220)


def _part(length: int, checked: bool = True) -> bytes:
    whole = KahaDBLog(b"", [])
    whole.batch(numbered(2), checked=checked)
    return bytes(whole.data[:length])
