"""Damaged record headers, in batches with correct checksums and in unchecked batches."""

import struct

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import HEADER, RECORD_GROUP, KahaDBLog, numbered
from reference_impl.kahadb_journal.writer import record

SIZE = "batches[1].records[1].header.len_record"
ALL = range(5)
REPEATS = "Journal.getNextLocation does not advance: it returns the same location again"


def _size(log: KahaDBLog, size: int) -> None:
    log.number(SIZE, size)
    log.reseal("batches[1]")


RECORD_GROUP.table("""
record_size_0: batches_of_several_records KDB-037
    A record of size 0 in a batch with a correct checksum. The rest of the batch is lost, and a
    reader must not loop.
    size: 0
    expect: damaged bad-record, survivors 0-2 5
    bug: Journal.getNextLocation does not advance: it returns the same location again
record_size_4: batches_of_several_records KDB-009 KDB-037
    A record of size 4, one byte less than a record header.
    size: 4
    expect: damaged bad-record, survivors 0-2 5
record_size_minus_1: batches_of_several_records KDB-037
    A record of size -1.
    size: -1
    expect: damaged bad-record, survivors 0-2 5
    bug: Journal.getNextLocation does not advance: it returns the same location again
record_size_minus_8: batches_of_several_records KDB-037
    A record of size -8, which leads back to earlier bytes.
    size: -8
    expect: damaged bad-record, survivors 0-2 5
record_size_leads_behind_its_batch: batches_of_several_records KDB-037
    A record extends one byte past the end of its batch.
    size: 16
    expect: damaged bad-record, survivors 0-2 5
record_size_swallows_the_next_batch: batches_of_several_records KDB-037
    A record extends to the end of the next batch. A reader must return the next batch.
    size: 52
    expect: damaged bad-record, survivors 0-2 5
record_size_2_31_minus_1: batches_of_several_records KDB-037 KDB-053
    A record of size 2147483647 in a file of 145 bytes.
    size: 2147483647
    expect: damaged bad-record, survivors 0-2 5
record_size_flipped: batches_of_several_records KDB-036 KDB-044
    One bit of a record size in a checked batch is flipped. The whole batch is lost.
    damage: flip bit 25 of batches[1].records[1].header.len_record
    expect: damaged checksum-mismatch, survivors 0 1 5
record_size_flipped_without_checksums: several_records_without_checksums KDB-037 KDB-044
    One bit of a record size in an unchecked batch is flipped. The records do not fill the batch, so
    the whole batch is lost.
    damage: flip bit 25 of batches[0].records[1].header.len_record
    expect: damaged bad-record, survivors 3 4
record_size_0_without_checksums: several_records_without_checksums KDB-037
    A record of size 0 in an unchecked batch. The whole batch is lost.
    number: batches[0].records[1].header.len_record, 0
    expect: damaged bad-record, survivors 3 4
    bug: Journal.getNextLocation does not advance: it returns the same location again
record_of_type_9: batches_of_several_records KDB-010 KDB-038
    A record of type 9 in a batch with a correct checksum. Only this record is lost.
    damage: set batches[1].records[1].header.type to 9
    damage: reseal batches[1]
    expect: damaged unknown-type, survivors 0-2 4 5
record_of_type_0: batches_of_several_records KDB-038
    A record of type 0 and size 5 in a batch with a correct checksum. This record is not the end of
    the file.
    damage: set batches[1].records[1].header.type to 0
    damage: reseal batches[1]
    expect: damaged unknown-type, survivors 0-2 4 5
record_of_type_2: batches_of_several_records KDB-038
    A record of type 2, the type of a control record, in a batch with a correct checksum.
    damage: set batches[1].records[1].header.type to 2
    damage: reseal batches[1]
    expect: damaged unknown-type, survivors 0-2 4 5
record_of_type_3: batches_of_several_records KDB-038
    A record of type 3, which marks deleted records in sibling formats. KahaDB has no such type.
    damage: set batches[1].records[1].header.type to 3
    damage: reseal batches[1]
    expect: damaged unknown-type, survivors 0-2 4 5
record_of_type_255_without_checksums: several_records_without_checksums KDB-038
    A record of type 255 in an unchecked batch. Only this record is lost.
    damage: set batches[0].records[1].header.type to 255
    expect: damaged unknown-type, survivors 0 2-4
eof_record_inside_a_batch: five_batches KDB-037 KDB-039
    An EOF record replaces a record header in a batch with a correct checksum. A reader must
    continue with the next batch.
    damage: write 2d 71 4d 61 34 at 73
    damage: reseal batches[1]
    expect: damaged bad-record, survivors 0 2-4, end 225
    bug: Journal.getNextLocation skips to the next file
five_zeros_inside_a_batch: five_batches KDB-037
    Five zeros replace a record header in a batch with a correct checksum. A reader must continue
    with the next batch.
    damage: write 00 00 00 00 00 at 73
    damage: reseal batches[1]
    expect: damaged bad-record, survivors 0 2-4, end 225
    bug: Journal.getNextLocation skips to the next file
""")


@RECORD_GROUP.damaged(five_batches, "KDB-036")
def update_that_overran_its_record(log: KahaDBLog) -> None:
    """An update of 17 bytes replaces a payload of 12 bytes and overwrites the next header. Both
    batches are lost."""
    log.overwrite(33, b"longer than it!!!")
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4], end=225)
    log.bug(
        "Journal.update: DataFileAccessor.updateRecord does not subtract the header from the size"
    )


@RECORD_GROUP.damaged(five_batches, "KDB-037", "KDB-053")
def many_records_of_size_0(log: KahaDBLog) -> None:
    """A batch with a correct checksum has 200 record headers of size 0 and type 1."""
    head = struct.pack(">iB", 0, 1) * 200
    body = KahaDBLog(b"", [])
    body.raw(head)
    log.insert(90, bytes(body.data))
    log.expect("damaged", "bad-record", survivors=range(5), end=1253)
    log.bug(REPEATS)


@RECORD_GROUP.damaged(five_batches, "KDB-037")
def rest_of_three_bytes_in_a_batch(log: KahaDBLog) -> None:
    """Three bytes remain after the last record of a checked batch. Only these bytes are lost."""
    _insert(log, record(numbered(7)) + record(numbered(8)) + b"xyz")
    log.expect(
        "damaged", "bad-record", survivors=[0, 1, numbered(7), numbered(8), 2, 3, 4], end=290
    )


@RECORD_GROUP.damaged(five_batches, "KDB-037")
def rest_of_three_bytes_without_checksum(log: KahaDBLog) -> None:
    """Three bytes remain after the last record of an unchecked batch. The whole batch is lost."""
    _insert(log, record(numbered(7)) + record(numbered(8)) + b"xyz", checked=False)
    log.expect("damaged", "bad-record", survivors=ALL, end=290)


@RECORD_GROUP.damaged(five_batches, "KDB-038", "KDB-048")
def control_record_as_a_record(log: KahaDBLog) -> None:
    """A control record is between the records of a batch with a correct checksum. Only the control
    record is lost, as a record of type 2."""
    _insert(log, record(numbered(7)) + HEADER + bytes(12) + record(numbered(8)))
    log.expect(
        "damaged",
        "unknown-type",
        survivors=[0, 1, numbered(7), numbered(8), 2, 3, 4],
        end=315,
    )


@RECORD_GROUP.damaged(five_batches, "KDB-037", "KDB-047")
def control_record_as_a_record_without_checksum(log: KahaDBLog) -> None:
    """A control record is between the records of an unchecked batch. The batch is invalid, and all
    its records are lost."""
    _insert(log, record(numbered(7)) + HEADER + bytes(12) + record(numbered(8)), checked=False)
    log.expect("damaged", "bad-record", survivors=ALL, end=315)


def _insert(log: KahaDBLog, records: bytes, checked: bool = True) -> None:
    body = KahaDBLog(b"", [])
    body.raw(records, checked)
    log.insert(90, bytes(body.data))
