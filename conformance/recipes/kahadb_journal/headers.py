"""Damage to the header, the first sixteen bytes of a batch."""

from conformance.recipes.kahadb_journal.layout import (
    batches_of_several_records,
    five_batches,
    five_batches_without_checksums,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog

ALL_BUT_2 = [0, 2, 3, 4]


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-044")
def magic_flipped(log: KahaDBLog) -> None:
    """One bit of the magic of the second batch is flipped."""
    log.flip("batches[1].control.magic", 3)
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-044")
def magic_zeroed_in_the_first_batch(log: KahaDBLog) -> None:
    """The magic of the first batch is zeroed."""
    log.zero("batches[0].control.magic")
    log.expect("damaged", "bad-header", survivors=[1, 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-051")
def magic_zeroed_in_the_last_batch(log: KahaDBLog) -> None:
    """The magic of the last batch is zeroed. The size and the checksum still give the end of the
    batch.
    """
    log.zero("batches[4].control.magic")
    log.expect("damaged", "bad-header", survivors=[0, 1, 2, 3], end=225)


@BOOK.damaged(five_batches, "header", "KDB-005", "KDB-034")
def magic_with_an_underscore(log: KahaDBLog) -> None:
    """The magic of the second batch is `WRITE_BATCH`, as in the source document. The
    batch is lost.
    """
    log.set("batches[1].control.magic", b"WRITE_BATCH")
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034")
def magic_in_lower_case(log: KahaDBLog) -> None:
    """The magic of the second batch is in lower case."""
    log.set("batches[1].control.magic", b"write batch")
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034")
def length_of_the_control_record_changed(log: KahaDBLog) -> None:
    """The length of the control record of the second batch is 29 instead of 28."""
    log.number("batches[1].control.len_control", 29)
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034")
def length_of_the_control_record_negative(log: KahaDBLog) -> None:
    """The length of the control record of the second batch is -1."""
    log.number("batches[1].control.len_control", -1)
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034")
def control_record_of_type_1(log: KahaDBLog) -> None:
    """The control record of the second batch has type 1, the type of a record. A reader must not
    return the control record.
    """
    log.set("batches[1].control.type", 1)
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-045")
def control_record_zeroed(log: KahaDBLog) -> None:
    """The control record of the second batch is zeroed. The chain of its record leads to the third
    batch.
    """
    log.zero("batches[1].control")
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-045")
def control_record_filled_with_ff(log: KahaDBLog) -> None:
    """All 28 bytes of the control record of the fourth batch are 0xff."""
    log.fill("batches[3].control", 0xFF)
    log.expect("damaged", "bad-header", survivors=[0, 1, 2, 4], end=225)


@BOOK.damaged(five_batches_without_checksums, "header", "KDB-034", "KDB-045")
def magic_zeroed_without_checksums(log: KahaDBLog) -> None:
    """The magic of an unchecked batch is zeroed. The chain of its record leads to the
    next batch.
    """
    log.zero("batches[1].control.magic")
    log.expect("damaged", "bad-header", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-050")
def two_headers_in_a_row(log: KahaDBLog) -> None:
    """One bit of the magic is flipped in two successive batches. A reader reports two
    lost ranges.
    """
    log.flip("batches[1].control.magic", 0)
    log.flip("batches[2].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 3, 4], end=225)


@BOOK.damaged(batches_of_several_records, "header", "KDB-034", "KDB-044")
def magic_of_a_batch_of_three(log: KahaDBLog) -> None:
    """One bit of the magic of a batch with three records is flipped. A reader loses only these
    three records.
    """
    log.flip("batches[1].control.magic", 80)
    log.expect("damaged", "bad-header", survivors=[0, 1, 5])
