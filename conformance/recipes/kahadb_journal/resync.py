"""Resynchronisation by size, by chain and by the next header, but never inside a payload."""

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import RESYNC, KahaDBLog, numbered, whole_batch


@RESYNC.damaged(five_batches, "KDB-050")
def batch_of_an_older_file(log: KahaDBLog) -> None:
    """A batch of an older file replaces the second batch, as after a lost write. The replacement is
    undetectable."""
    log.shows("lost-write")
    older = whole_batch(numbered(70)) + whole_batch(numbered(71))
    log.stale(45, 90, older)
    log.expect("intact", survivors=[0, numbered(71), 2, 3, 4], end=225)


@RESYNC.damaged(five_batches, "KDB-034", "KDB-036")
def end_of_an_older_batch(log: KahaDBLog) -> None:
    """The end of an older batch replaces the end of the second batch, as after a lost write. The
    second batch is lost."""
    older = whole_batch(numbered(70)) + whole_batch(numbered(71))
    log.stale(80, 90, older)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=225)


RESYNC.table("""
phantom_behind_a_broken_magic: payload_that_holds_a_batch KDB-034 KDB-048
    One bit of the magic is flipped in a batch whose payload contains a batch. A reader returns the
    outer batch.
    damage: flip bit 0 of batches[1].control.magic
    expect: damaged bad-header, survivors 0-2
    bug: Journal.findNextBatchRecord searches only for a header, so the inner batch is returned
phantom_behind_a_wrong_size: payload_that_holds_a_batch KDB-045 KDB-048
    The size of a batch whose payload contains a batch leads past the end of the file. A reader must
    not return the inner batch.
    number: batches[1].control.len_records, 5000
    expect: damaged bad-size, survivors 0 2
    bug: Journal.findNextBatchRecord searches only for a header, so the inner batch is returned
phantom_behind_a_zeroed_control_record: payload_that_holds_a_batch KDB-045 KDB-048
    The control record of a batch whose payload contains a batch is zeroed. A reader must not return
    the inner batch.
    damage: zero batches[1].control
    expect: damaged bad-header, survivors 0 2
    bug: Journal.findNextBatchRecord searches only for a header, so the inner batch is returned
phantom_behind_a_wrong_payload: payload_that_holds_a_batch KDB-036 KDB-048
    One payload bit is flipped in a batch whose payload contains a batch. A reader must not return
    the inner batch.
    damage: flip bit 0 of batches[1].records[0].payload
    expect: damaged checksum-mismatch, survivors 0 2
phantom_behind_a_negative_size: payload_that_holds_a_batch KDB-035 KDB-048
    The size of a batch whose payload contains a batch is -1. A reader must not return the inner
    batch.
    hangs_upstream:
    number: batches[1].control.len_records, -1
    expect: damaged bad-size, survivors 0 2
    bug: Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)
phantom_that_ends_where_its_record_does: payload_that_ends_with_a_batch KDB-034 KDB-048
    One bit of the magic is flipped in a batch whose payload ends with a batch. A reader returns the
    outer batch.
    damage: flip bit 0 of batches[1].control.magic
    expect: damaged bad-header, survivors 0-2
    bug: Journal.findNextBatchRecord searches only for a header, so the inner batch is returned
phantom_behind_a_wrong_record_size: payload_that_ends_with_a_batch KDB-036 KDB-044 KDB-048
    One bit of the record size is flipped in a batch whose payload ends with a batch. A reader must
    not return the inner batch.
    damage: flip bit 24 of batches[1].records[0].header.len_record
    expect: damaged checksum-mismatch, survivors 0 2
phantom_without_checksums: payload_that_holds_a_batch_without_checksums KDB-045 KDB-048
    One bit of the magic is flipped in an unchecked batch whose payload contains a batch. A reader
    must not return the inner batch.
    damage: flip bit 0 of batches[1].control.magic
    expect: damaged bad-header, survivors 0 2
    bug: Journal.findNextBatchRecord searches only for a header, so the inner batch is returned
bare_header_behind_a_broken_magic: payload_that_holds_a_header KDB-046 KDB-048
    One bit of the magic is flipped in a batch whose payload contains a header. A reader returns
    this batch and the next one.
    damage: flip bit 0 of batches[1].control.magic
    expect: damaged bad-header, survivors 0-2
garbage_in_front: five_batches KDB-034 KDB-046
    Forty bytes of garbage precede the first batch.
    damage: insert 40 bytes of 78 at 0
    expect: damaged bad-header, survivors 0-4, end 265
garbage_between_two_batches: five_batches KDB-032 KDB-046
    Twenty bytes of garbage separate two batches. The first batch is valid, although its end is not
    in step.
    damage: insert 20 bytes of 78 at 90
    expect: damaged bad-header, survivors 0-4, end 245
garbage_between_two_batches_without_checksums: five_batches_without_checksums KDB-032 KDB-046
    Twenty bytes of garbage separate two unchecked batches. The first batch is valid, because its
    record fills it.
    damage: insert 20 bytes of 78 at 90
    expect: damaged bad-header, survivors 0-4, end 245
one_byte_between_two_batches: five_batches KDB-034 KDB-046
    One byte of garbage separates two batches.
    damage: insert 78 at 90
    expect: damaged bad-header, survivors 0-4, end 226
one_byte_missing: five_batches KDB-036 KDB-046
    The type byte of a record is missing. The next batch begins one byte before the claimed end.
    damage: drop batches[1].records[0].header.type
    expect: damaged checksum-mismatch, survivors 0 2-4, end 224
control_record_missing: five_batches KDB-034 KDB-046
    The control record of the second batch is missing. A reader must not return the record of this
    batch.
    damage: drop batches[1].control
    expect: damaged bad-header, survivors 0 2-4, end 197
batch_dropped: five_batches KDB-050
    A complete batch is missing. The loss is undetectable.
    shows: missing-in-the-middle
    damage: drop batches[1]
    expect: intact, survivors 0 2-4, end 180
batch_twice: five_batches KDB-050
    A complete batch is repeated. The repetition is undetectable.
    shows: unit-twice
    damage: duplicate batches[1]
    expect: intact, survivors 0 1 1-4, end 270
sector_zeroed: five_batches KDB-046 KDB-040
    The bytes 64 to 127, in the second and the third batch, are zeroed. Both batches are lost.
    damage: zero sector 1 of 64 bytes
    expect: damaged bad-size, survivors 0 3 4, end 225
half_of_the_file_zeroed: five_batches KDB-046
    The first 128 bytes are zeroed. A reader returns the last two batches.
    shows: zeroed-sector
    damage: write 128 zero bytes at 0
    expect: damaged bad-header, survivors 3 4, end 225
""")
