"""Damaged record headers, in batches with correct checksums and in unchecked batches."""

import struct

from conformance.recipes.kahadb_journal.layout import (
    batches_of_several_records,
    five_batches,
    several_records_without_checksums,
)
from conformance.recipes.kahadb_journal.log import BOOK, EOF, HEADER, KahaDBLog, numbered
from reference_impl.kahadb_journal.writer import record

SIZE = "batches[1].records[1].header.len_record"
TYPE = "batches[1].records[1].header.type"
PREFIX_OF_2 = [0, 1, 2, 5]
ALL = range(5)
REPEATS = "Journal.getNextLocation does not advance: it returns the same location again"


def _size(log: KahaDBLog, size: int) -> None:
    log.number(SIZE, size)
    log.reseal("batches[1]")


@BOOK.damaged(batches_of_several_records, "record", "KDB-037")
def record_size_0(log: KahaDBLog) -> None:
    """A record of size 0 in a batch with a correct checksum. The rest of the batch is lost, and a
    reader must not loop.
    """
    _size(log, 0)
    log.expect("damaged", "bad-record", survivors=PREFIX_OF_2)
    log.bug(REPEATS)


@BOOK.damaged(batches_of_several_records, "record", "KDB-009", "KDB-037")
def record_size_4(log: KahaDBLog) -> None:
    """A record of size 4, one byte less than a record header."""
    _size(log, 4)
    log.expect("damaged", "bad-record", survivors=PREFIX_OF_2)


@BOOK.damaged(batches_of_several_records, "record", "KDB-037")
def record_size_minus_1(log: KahaDBLog) -> None:
    """A record of size -1."""
    _size(log, -1)
    log.expect("damaged", "bad-record", survivors=PREFIX_OF_2)
    log.bug(REPEATS)


@BOOK.damaged(batches_of_several_records, "record", "KDB-037")
def record_size_minus_8(log: KahaDBLog) -> None:
    """A record of size -8, which leads back to earlier bytes."""
    _size(log, -8)
    log.expect("damaged", "bad-record", survivors=PREFIX_OF_2)


@BOOK.damaged(batches_of_several_records, "record", "KDB-037")
def record_size_leads_behind_its_batch(log: KahaDBLog) -> None:
    """A record extends one byte past the end of its batch."""
    _size(log, 16)
    log.expect("damaged", "bad-record", survivors=PREFIX_OF_2)


@BOOK.damaged(batches_of_several_records, "record", "KDB-037")
def record_size_swallows_the_next_batch(log: KahaDBLog) -> None:
    """A record extends to the end of the next batch. A reader must return the next batch."""
    _size(log, 15 + 37)
    log.expect("damaged", "bad-record", survivors=PREFIX_OF_2)


@BOOK.damaged(batches_of_several_records, "record", "KDB-037", "KDB-053")
def record_size_2_31_minus_1(log: KahaDBLog) -> None:
    """A record of size 2147483647 in a file of 145 bytes."""
    _size(log, 2**31 - 1)
    log.expect("damaged", "bad-record", survivors=PREFIX_OF_2)


@BOOK.damaged(batches_of_several_records, "record", "KDB-036", "KDB-044")
def record_size_flipped(log: KahaDBLog) -> None:
    """One bit of a record size in a checked batch is flipped. The whole batch is lost."""
    log.flip(SIZE, 25)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 5])


@BOOK.damaged(several_records_without_checksums, "record", "KDB-037", "KDB-044")
def record_size_flipped_without_checksums(log: KahaDBLog) -> None:
    """One bit of a record size in an unchecked batch is flipped. The records do not fill the batch,
    so the whole batch is lost.
    """
    log.flip("batches[0].records[1].header.len_record", 25)
    log.expect("damaged", "bad-record", survivors=[3, 4])


@BOOK.damaged(several_records_without_checksums, "record", "KDB-037")
def record_size_0_without_checksums(log: KahaDBLog) -> None:
    """A record of size 0 in an unchecked batch. The whole batch is lost."""
    log.number("batches[0].records[1].header.len_record", 0)
    log.expect("damaged", "bad-record", survivors=[3, 4])
    log.bug(REPEATS)


@BOOK.damaged(batches_of_several_records, "record", "KDB-010", "KDB-038")
def record_of_type_9(log: KahaDBLog) -> None:
    """A record of type 9 in a batch with a correct checksum. Only this record is lost."""
    log.set(TYPE, 9)
    log.reseal("batches[1]")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, 4, 5])


@BOOK.damaged(batches_of_several_records, "record", "KDB-038")
def record_of_type_0(log: KahaDBLog) -> None:
    """A record of type 0 and size 5 in a batch with a correct checksum. This record is not the end
    of the file.
    """
    log.set(TYPE, 0)
    log.reseal("batches[1]")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, 4, 5])


@BOOK.damaged(batches_of_several_records, "record", "KDB-038")
def record_of_type_2(log: KahaDBLog) -> None:
    """A record of type 2, the type of a control record, in a batch with a correct checksum."""
    log.set(TYPE, 2)
    log.reseal("batches[1]")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, 4, 5])


@BOOK.damaged(batches_of_several_records, "record", "KDB-038")
def record_of_type_3(log: KahaDBLog) -> None:
    """A record of type 3, which marks deleted records in sibling formats. KahaDB has no
    such type.
    """
    log.set(TYPE, 3)
    log.reseal("batches[1]")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, 4, 5])


@BOOK.damaged(several_records_without_checksums, "record", "KDB-038")
def record_of_type_255_without_checksums(log: KahaDBLog) -> None:
    """A record of type 255 in an unchecked batch. Only this record is lost."""
    log.set("batches[0].records[1].header.type", 255)
    log.expect("damaged", "unknown-type", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_batches, "record", "KDB-037", "KDB-039")
def eof_record_inside_a_batch(log: KahaDBLog) -> None:
    """An EOF record replaces a record header in a batch with a correct checksum. A reader must
    continue with the next batch.
    """
    log.put(73, EOF, "an EOF record")
    log.reseal("batches[1]")
    log.expect("damaged", "bad-record", survivors=[0, 2, 3, 4], end=225)
    log.bug("Journal.getNextLocation skips to the next file")


@BOOK.damaged(five_batches, "record", "KDB-037")
def five_zeros_inside_a_batch(log: KahaDBLog) -> None:
    """Five zeros replace a record header in a batch with a correct checksum. A reader must continue
    with the next batch.
    """
    log.put(73, bytes(5), "five zeros")
    log.reseal("batches[1]")
    log.expect("damaged", "bad-record", survivors=[0, 2, 3, 4], end=225)
    log.bug("Journal.getNextLocation skips to the next file")


@BOOK.damaged(five_batches, "record", "KDB-036")
def update_that_overran_its_record(log: KahaDBLog) -> None:
    """An update of 17 bytes replaces a payload of 12 bytes and overwrites the next header. Both
    batches are lost.
    """
    log.put(33, b"longer than it!!!", "17 bytes of payload for 12")
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4], end=225)
    log.bug(
        "Journal.update: DataFileAccessor.updateRecord does not subtract the header from the size"
    )


@BOOK.damaged(five_batches, "record", "KDB-037", "KDB-053")
def many_records_of_size_0(log: KahaDBLog) -> None:
    """A batch with a correct checksum has 200 record headers of size 0 and type 1."""
    head = struct.pack(">iB", 0, 1) * 200
    body = KahaDBLog(b"", [])
    body.raw(head)
    log.insert(90, bytes(body.data), "a batch of 200 records of size 0")
    log.expect("damaged", "bad-record", survivors=range(5), end=1253)
    log.bug(REPEATS)


@BOOK.damaged(five_batches, "record", "KDB-037")
def rest_of_three_bytes_in_a_batch(log: KahaDBLog) -> None:
    """Three bytes remain after the last record of a checked batch. Only these bytes are lost."""
    _insert(log, record(numbered(7)) + record(numbered(8)) + b"xyz")
    log.expect(
        "damaged", "bad-record", survivors=[0, 1, numbered(7), numbered(8), 2, 3, 4], end=290
    )


@BOOK.damaged(five_batches, "record", "KDB-037")
def rest_of_three_bytes_without_checksum(log: KahaDBLog) -> None:
    """Three bytes remain after the last record of an unchecked batch. The whole batch is lost."""
    _insert(log, record(numbered(7)) + record(numbered(8)) + b"xyz", checked=False)
    log.expect("damaged", "bad-record", survivors=ALL, end=290)


@BOOK.damaged(five_batches, "record", "KDB-038", "KDB-048")
def control_record_as_a_record(log: KahaDBLog) -> None:
    """A control record is between the records of a batch with a correct checksum. Only the control
    record is lost, as a record of type 2.
    """
    _insert(log, record(numbered(7)) + HEADER + bytes(12) + record(numbered(8)))
    log.expect(
        "damaged",
        "unknown-type",
        survivors=[0, 1, numbered(7), numbered(8), 2, 3, 4],
        end=315,
    )


@BOOK.damaged(five_batches, "record", "KDB-037", "KDB-047")
def control_record_as_a_record_without_checksum(log: KahaDBLog) -> None:
    """A control record is between the records of an unchecked batch. The batch is invalid, and all
    its records are lost.
    """
    _insert(log, record(numbered(7)) + HEADER + bytes(12) + record(numbered(8)), checked=False)
    log.expect("damaged", "bad-record", survivors=ALL, end=315)


def _insert(log: KahaDBLog, records: bytes, checked: bool = True) -> None:
    body = KahaDBLog(b"", [])
    body.raw(records, checked)
    log.insert(90, bytes(body.data), "a batch with two records and other bytes")
