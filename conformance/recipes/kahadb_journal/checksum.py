"""Checksums: what they cover, which count, and what a wrong one costs."""

from conformance.recipes.kahadb_journal.layout import (
    batch_of_five_records,
    batches_of_several_records,
    five_batches,
    five_batches_without_checksums,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog

ALL_BUT_2 = [0, 2, 3, 4]
SUM = "batches[1].control.checksum"


@BOOK.damaged(five_batches, "checksum", "KDB-007", "KDB-036", "KDB-044")
def payload_flipped(log: KahaDBLog) -> None:
    """One bit of a payload: its batch is lost."""
    log.shows("bit-in-a-payload")
    log.flip("batches[1].records[0].payload", 7)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-036", "KDB-051")
def payload_of_the_last_batch_flipped(log: KahaDBLog) -> None:
    """One bit in the last batch; the EOF record after it shows that the write was finished."""
    log.flip("batches[4].records[0].payload", 7)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2, 3], end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-007", "KDB-036")
def checksum_flipped(log: KahaDBLog) -> None:
    """One bit of a stored checksum."""
    log.shows("bit-in-a-checksum")
    log.flip(SUM, 56)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-008", "KDB-036")
def checksum_with_a_high_half(log: KahaDBLog) -> None:
    """Bits above the lowest 32 of a stored checksum: all 64 are compared."""
    log.flip(SUM, 24)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-008")
def checksum_zeroed(log: KahaDBLog) -> None:
    """A stored checksum of zero says that there is none: nothing is lost."""
    log.zero(SUM)
    log.expect("intact", survivors=range(5), end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-008")
def checksum_negative(log: KahaDBLog) -> None:
    """A negative stored checksum says that there is none, as in the real reader."""
    log.number(SUM, -1)
    log.expect("intact", survivors=range(5), end=225)
    log.note("The chapter says why: a journal of a foreign writer is not given up for it.")


@BOOK.damaged(five_batches, "checksum", "KDB-008")
def checksum_zeroed_and_payload_flipped(log: KahaDBLog) -> None:
    """Without a checksum nobody can tell that the payload is not what was written."""
    log.zero(SUM)
    log.fill("batches[1].records[0].payload", 0x21)
    log.expect("intact", survivors=[0, b"!" * 12, 2, 3, 4], end=225)


@BOOK.damaged(five_batches_without_checksums, "checksum", "KDB-036")
def checksum_where_there_was_none(log: KahaDBLog) -> None:
    """One bit in a checksum field of zeros: now there is one, and it is wrong."""
    log.flip(SUM, 60)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(batch_of_five_records, "checksum", "KDB-036")
def one_bit_costs_the_whole_batch(log: KahaDBLog) -> None:
    """One bit in the fourth record of a batch of five: all five are lost."""
    log.flip("batches[0].records[3].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[], end=65)


@BOOK.damaged(batches_of_several_records, "checksum", "KDB-036")
def damage_in_two_batches(log: KahaDBLog) -> None:
    """Payloads in the first and in the last batch: what lies between survives."""
    log.flip("batches[0].records[1].payload", 1)
    log.flip("batches[2].records[0].payload", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4])


@BOOK.valid("checksum", "KDB-007")
def checksum_with_the_highest_bit_of_32(log: KahaDBLog) -> None:
    """A checksum above 2^31 is a positive number of 64 bits, and is checked."""
    log.batch(b"z" * 24)  # Adler-32 0x92200b8f
    log.batch(b"behind")
    log.eof()
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(checksum_with_the_highest_bit_of_32, "checksum", "KDB-007", "KDB-008", "KDB-036")
def wrong_checksum_with_the_highest_bit_of_32(log: KahaDBLog) -> None:
    """A payload flipped under a checksum above 2^31: a reader with 32-bit numbers misses it."""
    log.flip("batches[0].records[0].payload", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[1])


@BOOK.damaged(five_batches, "checksum", "KDB-007", "KDB-036")
def two_bytes_swapped(log: KahaDBLog) -> None:
    """Two neighbouring bytes of a payload trade places: the second half of Adler-32 sees it."""
    field = log.field("batches[1].records[0].payload")
    log.put(field.start, b"er", "the first two payload bytes in reverse")
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)
