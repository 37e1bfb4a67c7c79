"""Files that end inside a write, and writes that end inside preallocated space."""

from conformance.recipes.kahadb_journal.layout import (
    batches_of_several_records,
    five_batches,
    five_batches_without_checksums,
)
from conformance.recipes.kahadb_journal.log import TORN_TAIL, KahaDBLog, numbered

FOUR = [0, 1, 2, 3]


@TORN_TAIL.truncations(five_batches, "KDB-041", "KDB-042", "KDB-043", "KDB-012")
def every_prefix_of_five_batches(log: KahaDBLog) -> None:
    """Every prefix of a file with five batches."""


@TORN_TAIL.truncations(five_batches_without_checksums, "KDB-041", "KDB-042", "KDB-043", "KDB-008")
def every_prefix_of_five_batches_without_checksums(log: KahaDBLog) -> None:
    """Every prefix of a file with five unchecked batches."""


@TORN_TAIL.truncations(batches_of_several_records, "KDB-042")
def every_prefix_of_batches_of_several_records(log: KahaDBLog) -> None:
    """Every prefix of a file with batches of several records. A reader returns no record of an
    incomplete batch."""


@TORN_TAIL.damaged(five_batches, "KDB-041", "KDB-051")
def cut_in_the_header(log: KahaDBLog) -> None:
    """The file ends six bytes into a control record."""
    log.truncate_in("batches[4].control", 6)
    log.expect("torn", "torn-header", survivors=FOUR, end=180)


TORN_TAIL.table("""
cut_after_two_bytes: five_batches KDB-041 eof
    The file ends two bytes into a control record. The log is intact, because these two zeros are
    fill.
    damage: truncate 2 bytes into batches[4].control
    expect: intact, survivors 0-3, end 180
cut_in_the_checksum: five_batches KDB-041
    The file ends inside the checksum of a control record.
    damage: truncate 3 bytes into batches[4].control.checksum
    expect: torn torn-header, survivors 0-3, end 180
cut_behind_the_control_record: five_batches KDB-042
    The file ends directly after a control record.
    damage: truncate 0 bytes into batches[4].records[0]
    expect: torn torn-batch, survivors 0-3, end 180
cut_in_a_payload: five_batches KDB-042
    The file ends one byte before the end of a payload.
    shows: torn-last-record
    damage: truncate at 224
    expect: torn torn-batch, survivors 0-3, end 180
cut_in_a_payload_without_checksums: five_batches_without_checksums KDB-042
    The file ends inside the payload of an unchecked batch.
    damage: truncate at 216
    expect: torn torn-batch, survivors 0-3, end 180
cut_between_two_records_of_a_batch: batches_of_several_records KDB-042
    The file ends between two records of a batch. A reader returns no record of this batch.
    damage: truncate 0 bytes into batches[1].records[1]
    expect: torn torn-batch, survivors 0 1
cut_in_the_eof_record: five_batches KDB-043
    The file ends inside its EOF record. The log is torn, but no record is lost.
    damage: truncate at 228
    expect: torn torn-eof, survivors 0-4, end 225
torn_in_preallocated_space: five_batches KDB-042 KDB-013
    The last batch ends inside its payload, and zeros follow to the end of the file.
    damage: truncate at 216
    damage: extend by 296 zero bytes
    expect: torn torn-batch, survivors 0-3, end 180
torn_header_in_preallocated_space: five_batches KDB-041 KDB-013
    The last control record ends after ten bytes, and zeros follow to the end of the file.
    damage: truncate at 190
    damage: extend by 322 zero bytes
    expect: torn torn-header, survivors 0-3, end 180
torn_behind_the_magic_in_preallocated_space: five_batches KDB-041 KDB-033
    The last control record ends after its header, and zeros follow to the end of the file. The code
    is `torn-header`.
    damage: truncate at 196
    damage: extend by 316 zero bytes
    expect: torn torn-header, survivors 0-3, end 180
finished_and_then_damaged: five_batches KDB-036 KDB-042 eof
    The last byte of the last batch is zeroed, and an EOF record follows. The batch is damaged, not
    torn.
    damage: write 00 at 224
    damage: extend by 50 zero bytes
    expect: damaged checksum-mismatch, survivors 0-3, end 225
damage_and_a_torn_tail: five_batches KDB-036 KDB-041 KDB-050 eof
    One payload bit of the first batch is flipped, and the last control record is torn. The log is
    damaged, not torn.
    damage: flip bit 0 of batches[0].records[0].payload
    damage: truncate 16 bytes into batches[4].control
    expect: damaged checksum-mismatch, survivors 1-3, end 180
""")


@TORN_TAIL.damaged(five_batches, "KDB-047", "KDB-046")
def torn_batch_in_front_of_sound_ones(log: KahaDBLog) -> None:
    """The second batch is cut after 40 bytes, and three batches follow. A reader must return the
    third batch."""
    log.drop("batches[1]")
    log.insert(45, _part(40))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=220)
    log.bug("Journal.recoveryCheck continues after the claimed size and loses the third batch")


@TORN_TAIL.damaged(five_batches, "KDB-046", "KDB-034")
def torn_header_in_front_of_sound_batches(log: KahaDBLog) -> None:
    """The second batch is cut after 15 bytes, inside its header, and three batches follow."""
    log.drop("batches[1]")
    log.insert(45, _part(15))
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=195)


@TORN_TAIL.damaged(five_batches, "KDB-046", "KDB-047")
def torn_control_record_in_front_of_sound_batches(log: KahaDBLog) -> None:
    """The second batch is cut after 16 bytes, and three batches follow. The first bytes of the
    third batch are read as the size."""
    log.drop("batches[1]")
    log.insert(45, _part(16))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=196)


@TORN_TAIL.damaged(five_batches_without_checksums, "KDB-046", "KDB-047")
def torn_batch_in_front_of_sound_ones_without_checksums(log: KahaDBLog) -> None:
    """An unchecked batch is cut after 40 bytes, and three batches follow. A reader must not return
    a record with bytes of two batches."""
    log.drop("batches[1]")
    log.insert(45, _part(40, checked=False))
    log.expect("damaged", "bad-size", survivors=[0, 2, 3, 4], end=220)


def _part(length: int, checked: bool = True) -> bytes:
    whole = KahaDBLog(b"", [])
    whole.batch(numbered(2), checked=checked)
    return bytes(whole.data[:length])
