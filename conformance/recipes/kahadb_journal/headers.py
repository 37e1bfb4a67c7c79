"""Damage to the header, the first sixteen bytes of a batch."""

from conformance.recipes.kahadb_journal.layout import batches_of_several_records, five_batches
from conformance.recipes.kahadb_journal.log import HEADER_GROUP, KahaDBLog

ALL = range(5)


@HEADER_GROUP.damaged(five_batches, "KDB-005", "KDB-034")
def magic_with_an_underscore(log: KahaDBLog) -> None:
    """The magic of the second batch is `WRITE_BATCH`, as in the source document. Only the header is
    lost."""
    log.set("batches[1].control.magic", b"WRITE_BATCH")
    log.expect("damaged", "bad-header", survivors=ALL, end=225)


@HEADER_GROUP.damaged(five_batches, "KDB-034")
def magic_in_lower_case(log: KahaDBLog) -> None:
    """The magic of the second batch is in lower case."""
    log.set("batches[1].control.magic", b"write batch")
    log.expect("damaged", "bad-header", survivors=ALL, end=225)


@HEADER_GROUP.damaged(five_batches, "KDB-034", "KDB-040")
def header_zeroed(log: KahaDBLog) -> None:
    """The header of the second batch is zeroed, but its size and its checksum are not. A reader
    returns the record. The lost header is a `zero-gap`."""
    log.overwrite(45, bytes(16))
    log.expect("damaged", "zero-gap", survivors=ALL, end=225)


HEADER_GROUP.table("""
magic_flipped: five_batches KDB-034
    One bit of the magic of the second batch is flipped. Its checksum proves its record.
    damage: flip bit 3 of batches[1].control.magic
    expect: damaged bad-header, survivors 0-4, end 225
magic_zeroed_in_the_first_batch: five_batches KDB-034
    The magic of the first batch is zeroed.
    damage: zero batches[0].control.magic
    expect: damaged bad-header, survivors 0-4, end 225
magic_zeroed_in_the_last_batch: five_batches KDB-034 KDB-051
    The magic of the last batch is zeroed. The size and the checksum still give its record and its
    end.
    damage: zero batches[4].control.magic
    expect: damaged bad-header, survivors 0-4, end 225
length_of_the_control_record_changed: five_batches KDB-034
    The length of the control record of the second batch is 29 instead of 28.
    number: batches[1].control.len_control, 29
    expect: damaged bad-header, survivors 0-4, end 225
length_of_the_control_record_negative: five_batches KDB-034
    The length of the control record of the second batch is -1.
    number: batches[1].control.len_control, -1
    expect: damaged bad-header, survivors 0-4, end 225
control_record_of_type_1: five_batches KDB-034
    The control record of the second batch has type 1, the type of a record. A reader must not
    return the control record.
    damage: set batches[1].control.type to 1
    expect: damaged bad-header, survivors 0-4, end 225
magic_and_checksum_flipped: five_batches KDB-034 KDB-036
    One bit of the magic and one of the checksum are flipped in the second batch. Nothing proves its
    record.
    damage: flip bit 0 of batches[1].control.magic
    damage: flip bit 63 of batches[1].control.checksum
    expect: damaged bad-header, survivors 0 2-4, end 225
magic_flipped_and_a_high_half_of_the_checksum: five_batches KDB-034 KDB-008
    One bit of the magic of the second batch is flipped, and only the lower half of its checksum is
    correct. Nothing proves its record.
    damage: flip bit 0 of batches[1].control.magic
    damage: flip bit 24 of batches[1].control.checksum
    expect: damaged bad-header, survivors 0 2-4, end 225
control_record_zeroed: five_batches KDB-034 KDB-045
    The control record of the second batch is zeroed. The chain of its record leads to the third
    batch.
    damage: zero batches[1].control
    expect: damaged bad-header, survivors 0 2-4, end 225
control_record_filled_with_ff: five_batches KDB-034 KDB-045
    All 28 bytes of the control record of the fourth batch are 0xff.
    damage: fill batches[3].control with ff
    expect: damaged bad-header, survivors 0-2 4, end 225
magic_zeroed_without_checksums: five_batches_without_checksums KDB-034 KDB-045
    The magic of an unchecked batch is zeroed. The chain of its record leads to the next batch.
    damage: zero batches[1].control.magic
    expect: damaged bad-header, survivors 0 2-4, end 225
two_headers_in_a_row: five_batches KDB-034 KDB-050
    One bit of the magic is flipped in two successive batches. A reader reports two lost ranges.
    damage: flip bit 0 of batches[1].control.magic
    damage: flip bit 0 of batches[2].control.magic
    expect: damaged bad-header, survivors 0-4, end 225
magic_of_a_batch_of_three: batches_of_several_records KDB-034
    One bit of the magic of a batch with three records is flipped. A reader returns all three.
    damage: flip bit 80 of batches[1].control.magic
    expect: damaged bad-header, survivors 0-5
""")


@HEADER_GROUP.damaged(batches_of_several_records, "KDB-034", "KDB-037", "KDB-038")
def magic_of_a_batch_with_unusable_records(log: KahaDBLog) -> None:
    """The magic of a batch with a correct checksum is flipped. Its first record is valid, its
    second record has the type 9, and its third record extends past its end."""
    log.set("batches[1].records[1].header.type", 9)
    log.number("batches[1].records[2].header.len_record", 1000)
    log.reseal("batches[1]")
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 1, 2, 5])
