"""Checksums: the bytes that they cover, and the batches that are lost after a mismatch."""

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import CHECKSUM, KahaDBLog

ALL_BUT_2 = [0, 2, 3, 4]
SUM = "batches[1].control.checksum"


@CHECKSUM.damaged(five_batches, "KDB-007", "KDB-036", "KDB-044")
def payload_flipped(log: KahaDBLog) -> None:
    """One payload bit of the second batch is flipped. A reader loses only this batch."""
    log.shows("bit-in-a-payload")
    log.flip("batches[1].records[0].payload", 7)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@CHECKSUM.damaged(five_batches, "KDB-008")
def checksum_zeroed_and_payload_flipped(log: KahaDBLog) -> None:
    """The checksum of the second batch is zeroed and its payload is changed. The change is
    undetectable."""
    log.zero(SUM)
    log.fill("batches[1].records[0].payload", 0x21)
    log.expect("intact", survivors=[0, b"!" * 12, 2, 3, 4], end=225)


CHECKSUM.table("""
payload_of_the_last_batch_flipped: five_batches KDB-036 KDB-051
    One payload bit of the last batch is flipped, and an EOF record follows. The batch is damaged,
    not torn.
    damage: flip bit 7 of batches[4].records[0].payload
    expect: damaged checksum-mismatch, survivors 0-3, end 225
checksum_flipped: five_batches KDB-007 KDB-036
    One bit in the lower half of the checksum of the second batch is flipped.
    shows: bit-in-a-checksum
    damage: flip bit 56 of batches[1].control.checksum
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
checksum_with_a_high_half: five_batches KDB-008 KDB-036
    One bit in the upper half of the checksum of the second batch is flipped. A reader must compare
    all 64 bits.
    damage: flip bit 24 of batches[1].control.checksum
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
checksum_zeroed: five_batches KDB-008
    The checksum of the second batch is zeroed. The batch is now unchecked, and a reader returns its
    record.
    damage: zero batches[1].control.checksum
    expect: intact, survivors 0-4, end 225
checksum_negative: five_batches KDB-008
    The checksum of the second batch is -1. The batch is now unchecked, and a reader returns its
    record.
    number: batches[1].control.checksum, -1
    expect: intact, survivors 0-4, end 225
    note: ActiveMQ does not verify a negative checksum (KDB-008).
checksum_where_there_was_none: five_batches_without_checksums KDB-036
    One bit of a zero checksum is flipped. The batch is now checked, and its checksum is wrong.
    damage: flip bit 60 of batches[1].control.checksum
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
one_bit_costs_the_whole_batch: batch_of_five_records KDB-036
    One payload bit is flipped in a batch of five records. A reader loses all five records.
    damage: flip bit 0 of batches[0].records[3].payload
    expect: damaged checksum-mismatch, no survivors, end 65
damage_in_two_batches: batches_of_several_records KDB-036
    One payload bit is flipped in the first and in the last of three batches. A reader returns the
    second batch.
    damage: flip bit 1 of batches[0].records[1].payload
    damage: flip bit 1 of batches[2].records[0].payload
    expect: damaged checksum-mismatch, survivors 2-4
""")


@CHECKSUM.valid("KDB-007")
def checksum_with_the_highest_bit_of_32(log: KahaDBLog) -> None:
    """The checksum of a batch is above 2^31. This checksum is positive as a 64-bit number, so the
    batch is checked."""
    log.batch(b"z" * 24)  # Adler-32 0x92200b8f
    log.batch(b"behind")
    log.eof()
    log.expect("intact", survivors=[0, 1])


@CHECKSUM.damaged(checksum_with_the_highest_bit_of_32, "KDB-007", "KDB-008", "KDB-036")
def wrong_checksum_with_the_highest_bit_of_32(log: KahaDBLog) -> None:
    """One payload bit is flipped in a batch with a checksum above 2^31. A reader with signed 32-bit
    numbers treats the batch as unchecked."""
    log.flip("batches[0].records[0].payload", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[1])


@CHECKSUM.damaged(five_batches, "KDB-007", "KDB-036")
def two_bytes_swapped(log: KahaDBLog) -> None:
    """The first two payload bytes of the second batch are swapped. Only the upper half of the
    Adler-32 changes."""
    field = log.field("batches[1].records[0].payload")
    log.overwrite(field.start, b"er")
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)
