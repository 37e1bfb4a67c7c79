"""Ends of invalid batches: evidence from the size, the chain and the next batch."""

import struct

from conformance.recipes.kahadb_journal.layout import five_batches, five_batches_without_checksums
from conformance.recipes.kahadb_journal.log import (
    END,
    ENDING,
    EOF,
    HEADER,
    HEADER_GROUP,
    LAYOUT,
    RESYNC,
    TORN_TAIL,
    KahaDBLog,
)

FOUR = [0, 1, 2, 3]
LAST = "batches[4]"


@LAYOUT.valid("KDB-009", "KDB-037")
def empty_payload_without_checksum(log: KahaDBLog) -> None:
    """A record with an empty payload in an unchecked batch."""
    log.batch(b"", checked=False)
    log.eof()
    log.expect("intact", survivors=[0], end=33)


@END.damaged(five_batches, "KDB-044", "KDB-008", "KDB-051")
def broken_magic_and_a_high_half_of_the_checksum(log: KahaDBLog) -> None:
    """The last batch has a damaged magic and no chain, and only the lower half of its checksum is
    correct. `end` is null."""
    log.set(f"{LAST}.records[0].header.type", 9)
    log.reseal(LAST)
    log.flip(f"{LAST}.control.checksum", 24)
    log.flip(f"{LAST}.control.magic", 0)
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@END.damaged(five_batches_without_checksums, "KDB-045", "KDB-051", kind="eof")
def broken_magic_and_a_size_past_the_end_without_checksum(log: KahaDBLog) -> None:
    """The last batch is unchecked and has a damaged magic, and its size leads past the end of the
    file. The chain needs no proof."""
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 1000)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@TORN_TAIL.damaged(five_batches, "KDB-041", "KDB-042")
def unfinished_control_record_with_a_checksum(log: KahaDBLog) -> None:
    """The last control record has the size 0 and the checksum 256, and zeros follow. The code is
    `torn-batch`, not `torn-header`."""
    log.truncate(180)
    log.extend(HEADER + bytes(10) + b"\1\0" + bytes(40))
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@ENDING.valid("KDB-011", "KDB-032")
def payload_that_ends_like_an_eof_record_begins(log: KahaDBLog) -> None:
    """A payload ends with the first two bytes of an EOF record, and a complete EOF record follows
    the batch."""
    log.batch(b"ends with -q")
    log.eof()
    log.expect("intact", survivors=[0], end=45)


@ENDING.damaged(payload_that_ends_like_an_eof_record_begins, "KDB-013", "KDB-046", kind="eof")
def last_batch_that_begins_an_eof_record(log: KahaDBLog) -> None:
    """The last two payload bytes and the three bytes after the batch form an EOF record. The three
    bytes are not fill."""
    log.truncate(45)
    log.extend(EOF[2:])
    log.expect("damaged", "bad-header", survivors=[0], end=None)


RESYNC.table("""
chain_over_an_empty_record: batches_of_several_records KDB-045 KDB-009
    The size of the second batch is -1, and one of its records is empty. The chain passes this
    record and leads to the third batch.
    hangs_upstream:
    number: batches[1].control.len_records, -1
    expect: damaged bad-size, survivors 0 1 5, end 140
damaged_batch_in_front_of_an_early_eof_record: five_batches KDB-031 KDB-039
    One payload bit of the second batch is flipped, and an early EOF record follows. The end of the
    batch is in step.
    damage: flip bit 0 of batches[1].records[0].payload
    damage: insert 2d 71 4d 61 34 at 90
    expect: damaged checksum-mismatch, survivors 0 2-4, end 230
damaged_batch_in_front_of_a_torn_header: five_batches KDB-031 KDB-041 eof
    One payload bit of the fourth batch is flipped, and ten bytes of a header end the file. The end
    of the batch is in step.
    damage: flip bit 0 of batches[3].records[0].payload
    damage: truncate at 190
    expect: damaged checksum-mismatch, survivors 0-2, end 180
damaged_record_size_in_front_of_a_torn_header: five_batches KDB-041 KDB-051 eof
    The record of the fourth batch has the size 4, so it has no chain. The header of the fifth batch
    is followed only by zeros. No plausible batch begins inside the fourth batch, so its end is
    settled.
    number: batches[3].records[0].header.len_record, 4
    damage: truncate at 196
    damage: extend by 52 bytes of 00
    expect: damaged checksum-mismatch, survivors 0-2, end 180
damaged_batch_in_front_of_a_torn_eof_record: five_batches KDB-031 KDB-043 eof
    One payload bit of the last batch is flipped, and three bytes of an EOF record end the file. The
    end of the batch is in step.
    damage: flip bit 0 of batches[4].records[0].payload
    damage: truncate at 228
    expect: damaged checksum-mismatch, survivors 0-3, end 225
size_past_the_end_of_a_sparse_file: sparse_file KDB-045 KDB-031
    The last batch of a sparse file has a flipped payload bit and a size past the end of the file.
    An EOF record marks its end.
    number: batches[2].control.len_records, 5000
    damage: flip bit 0 of batches[2].records[0].payload
    expect: damaged bad-size, survivors 0 1, end none
size_into_the_zeros_and_no_proof: preallocated_by_5_12 KDB-042 KDB-047
    The size of the last batch leads into zeros, and one payload bit is flipped. Zeros are no proof
    of the chain, so the batch is torn.
    number: batches[2].control.len_records, 100
    damage: flip bit 0 of batches[2].records[0].payload
    expect: torn torn-batch, survivors 0 1, end 90
phantom_in_a_last_batch_without_eof_record: payload_that_holds_a_batch KDB-044 KDB-048
    One payload bit is flipped in the last batch, whose payload contains a batch. The inner batch is
    not returned, because chain and size agree.
    damage: flip bit 0 of batches[1].records[0].payload
    damage: truncate at 128
    expect: damaged checksum-mismatch, survivors 0, end 128
garbage_on_both_sides_of_a_batch: five_batches KDB-046
    A batch with a correct checksum is between two ranges of garbage. A reader returns this batch.
    damage: insert 9 bytes of 79 at 135
    damage: insert 9 bytes of 78 at 90
    expect: damaged bad-header, survivors 0-4, end 243
garbage_in_front_of_a_damaged_batch: five_batches KDB-046 KDB-036
    Garbage precedes a batch with a wrong checksum. The header after the batch makes the batch
    plausible, so a reader reports two lost ranges.
    damage: flip bit 0 of batches[1].records[0].payload
    damage: insert 20 bytes of 78 at 45
    expect: damaged bad-header, survivors 0 2-4, end 245
garbage_in_front_of_records_that_do_not_fill: five_batches_without_checksums KDB-046 KDB-051
    Garbage precedes the last batch, which is unchecked and has a record of an incorrect size. The
    batch is not plausible.
    number: batches[4].records[0].header.len_record, 18
    damage: truncate at 225
    damage: insert 20 bytes of 78 at 180
    expect: damaged bad-header, survivors 0-3, end none
""")


@END.damaged(five_batches, "KDB-044", "KDB-051", kind="eof")
def broken_magic_and_a_size_65521_too_large(log: KahaDBLog) -> None:
    """The last batch has a damaged magic, and its size is 65,521 bytes too large. A checksum never
    holds past the end of the file.

    65,521 is the modulus of Adler-32.
    """
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 17 + 65521)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@HEADER_GROUP.damaged(five_batches, "KDB-034", "KDB-035", "KDB-045")
def broken_magic_and_a_negative_size(log: KahaDBLog) -> None:
    """The second batch has a damaged magic and the size -1. The chain leads to the third batch."""
    log.flip("batches[1].control.magic", 0)
    log.number("batches[1].control.len_records", -1)
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=225)


@END.damaged(five_batches, "KDB-039", "KDB-041", "KDB-051", kind="eof")
def header_cut_behind_an_eof_record(log: KahaDBLog) -> None:
    """The file ends after the size of a control record that directly follows the EOF record. A
    reader reports `early-eof` and `torn-header`."""
    log.extend(HEADER + b"\0\0\0\x11")
    log.expect("damaged", "early-eof", survivors=range(5), end=230)


@END.damaged(five_batches, "KDB-045", "KDB-051")
def header_directly_behind_a_size_and_the_checksum_of_nothing(log: KahaDBLog) -> None:
    """A control record has the size 1000 and the checksum 1, and a header directly follows. The
    checksum of no bytes holds, but `end` is null."""
    log.truncate(225)
    wrong = HEADER + struct.pack(">iq", 17, 7) + bytes(4) + b"\x11\x01record 00006"
    log.extend(
        HEADER + struct.pack(">iq", 1000, 1) + wrong + EOF,
    )
    log.expect("damaged", "bad-size", survivors=range(5), end=None)


@END.damaged(five_batches, "KDB-045", "KDB-051")
def checksum_that_holds_to_the_end_without_chain(log: KahaDBLog) -> None:
    """The size of the last batch is one byte too small. The checksum holds up to the end of the
    file, but there is no chain."""
    log.set(f"{LAST}.records[0].header.type", 9)
    log.reseal(LAST)
    log.number(f"{LAST}.control.len_records", 16)
    log.truncate(225)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


END.table("""
control_record_of_the_last_batch_zeroed: five_batches KDB-051 KDB-045
    The control record of the last batch is zeroed. The chain of its record is certain, so `end` is
    known.
    damage: zero batches[4].control
    expect: damaged bad-header, survivors 0-3, end 225
broken_magic_and_a_size_past_the_end: five_batches KDB-044 KDB-051 eof
    The last batch has a damaged magic, and its size leads past the end of the file. The chain gives
    the end of the batch.
    damage: flip bit 0 of batches[4].control.magic
    number: batches[4].control.len_records, 1000
    damage: truncate at 225
    expect: damaged bad-header, survivors 0-3, end 225
two_wrong_batches_the_first_without_chain: five_batches KDB-044 KDB-051
    The fourth batch has a record of type 9, and the fifth batch has a flipped payload bit. `end` is
    known, because neither batch contains a batch.
    damage: set batches[3].records[0].header.type to 9
    damage: flip bit 0 of batches[4].records[0].payload
    expect: damaged checksum-mismatch, survivors 0-2, end 225
""")


@RESYNC.damaged(five_batches, "KDB-040", "KDB-046", kind="limit")
def two_pages_of_zeros_and_garbage(log: KahaDBLog) -> None:
    """4,096 zeros and 4,095 bytes of garbage separate two batches. The code is `bad-header`, not
    `zero-gap`."""
    log.insert(90, bytes(4096) + b"x" * 4095)
    log.expect("damaged", "bad-header", survivors=range(5), end=225 + 8191)
