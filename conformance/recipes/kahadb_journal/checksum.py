"""Checksums: the bytes that they cover, and the batches that are lost after a mismatch."""

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
    """One payload bit of the second batch is flipped. A reader loses only this batch."""
    log.shows("bit-in-a-payload")
    log.flip("batches[1].records[0].payload", 7)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-036", "KDB-051")
def payload_of_the_last_batch_flipped(log: KahaDBLog) -> None:
    """One payload bit of the last batch is flipped, and an EOF record follows. The batch is
    damaged, not torn.
    """
    log.flip("batches[4].records[0].payload", 7)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2, 3], end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-007", "KDB-036")
def checksum_flipped(log: KahaDBLog) -> None:
    """One bit in the lower half of the checksum of the second batch is flipped."""
    log.shows("bit-in-a-checksum")
    log.flip(SUM, 56)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-008", "KDB-036")
def checksum_with_a_high_half(log: KahaDBLog) -> None:
    """One bit in the upper half of the checksum of the second batch is flipped. A reader must
    compare all 64 bits.
    """
    log.flip(SUM, 24)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-008")
def checksum_zeroed(log: KahaDBLog) -> None:
    """The checksum of the second batch is zeroed. The batch is now unchecked, and a reader returns
    its record.
    """
    log.zero(SUM)
    log.expect("intact", survivors=range(5), end=225)


@BOOK.damaged(five_batches, "checksum", "KDB-008")
def checksum_negative(log: KahaDBLog) -> None:
    """The checksum of the second batch is -1. The batch is now unchecked, and a reader returns its
    record.
    """
    log.number(SUM, -1)
    log.expect("intact", survivors=range(5), end=225)
    log.note("ActiveMQ does not verify a negative checksum (KDB-008).")


@BOOK.damaged(five_batches, "checksum", "KDB-008")
def checksum_zeroed_and_payload_flipped(log: KahaDBLog) -> None:
    """The checksum of the second batch is zeroed and its payload is changed. The change is
    undetectable.
    """
    log.zero(SUM)
    log.fill("batches[1].records[0].payload", 0x21)
    log.expect("intact", survivors=[0, b"!" * 12, 2, 3, 4], end=225)


@BOOK.damaged(five_batches_without_checksums, "checksum", "KDB-036")
def checksum_where_there_was_none(log: KahaDBLog) -> None:
    """One bit of a zero checksum is flipped. The batch is now checked, and its checksum
    is wrong.
    """
    log.flip(SUM, 60)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(batch_of_five_records, "checksum", "KDB-036")
def one_bit_costs_the_whole_batch(log: KahaDBLog) -> None:
    """One payload bit is flipped in a batch of five records. A reader loses all five records."""
    log.flip("batches[0].records[3].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[], end=65)


@BOOK.damaged(batches_of_several_records, "checksum", "KDB-036")
def damage_in_two_batches(log: KahaDBLog) -> None:
    """One payload bit is flipped in the first and in the last of three batches. A reader returns
    the second batch.
    """
    log.flip("batches[0].records[1].payload", 1)
    log.flip("batches[2].records[0].payload", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4])


@BOOK.valid("checksum", "KDB-007")
def checksum_with_the_highest_bit_of_32(log: KahaDBLog) -> None:
    """The checksum of a batch is above 2^31. This checksum is positive as a 64-bit number, so the
    batch is checked.
    """
    log.batch(b"z" * 24)  # Adler-32 0x92200b8f
    log.batch(b"behind")
    log.eof()
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(checksum_with_the_highest_bit_of_32, "checksum", "KDB-007", "KDB-008", "KDB-036")
def wrong_checksum_with_the_highest_bit_of_32(log: KahaDBLog) -> None:
    """One payload bit is flipped in a batch with a checksum above 2^31. A reader with signed 32-bit
    numbers treats the batch as unchecked.
    """
    log.flip("batches[0].records[0].payload", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[1])


@BOOK.damaged(five_batches, "checksum", "KDB-007", "KDB-036")
def two_bytes_swapped(log: KahaDBLog) -> None:
    """The first two payload bytes of the second batch are swapped. Only the upper half of the
    Adler-32 changes.
    """
    field = log.field("batches[1].records[0].payload")
    log.put(field.start, b"er", "the first two payload bytes in reverse")
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)
