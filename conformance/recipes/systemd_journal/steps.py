"""The walk: where it ends, what it goes on at, and which links know of that."""

import struct

from conformance.recipes.systemd_journal.combinations import (
    compact_jenkins_none,
    regular_jenkins_zstd,
)
from conformance.recipes.systemd_journal.layouts import LONG, five_entries, thirty_entries
from conformance.recipes.systemd_journal.log import BOOK, FIVE, SystemdLog, body
from reference_impl.systemd_journal.layout import parse_header

ALL = range(5)
ARRAY = 1832
"""The array of PRIORITY=6 in the file of five entries: only its DATA knows of it."""


def _shorter(log: SystemdLog, size: int, **fields: int) -> None:
    """The start of the file, and a header that says so."""
    header = parse_header(bytes(log.data[:272]))
    header.arena_size = size - header.header_size
    for name, value in fields.items():
        setattr(header, name, value)
    log.data = bytearray(header.to_bytes() + log.data[header.header_size : size])
    log.expect("intact", survivors=[], end=size)


@BOOK.valid("layout", "SDJ-002", "SDJ-016", "SDJ-055")
def header_alone(log: SystemdLog) -> None:
    """A header, and no object."""
    log.write()
    _shorter(
        log, 264, tail_object_offset=0, n_objects=0,
        data_hash_table_offset=0, data_hash_table_size=0,
        field_hash_table_offset=0, field_hash_table_size=0,
    )  # fmt: skip


@BOOK.valid("layout", "SDJ-002", "SDJ-016", "SDJ-049")
def one_object(log: SystemdLog) -> None:
    """A header and the table of FIELDs, which is the tail object."""
    log.write()
    _shorter(
        log, 344, tail_object_offset=264, n_objects=1,
        data_hash_table_offset=0, data_hash_table_size=0,
    )  # fmt: skip


@BOOK.damaged(five_entries, "entry", "SDJ-015", "SDJ-041")
def entry_without_a_boot_id_and_no_object_after_it(log: SystemdLog) -> None:
    """An entry of wrong content and no object after it: each is lost for itself."""
    log.zero(f"{log.entry(1)}.body.boot_id")
    log.set(f"{log.array(1)}.type", 0)
    log.expect("damaged", "bad-entry", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-041", "SDJ-044")
def payload_flipped_before_a_tail_that_is_no_object(log: SystemdLog) -> None:
    """A DATA that ends at the tail pointer costs itself, though no object is there."""
    log.flip(f"{log.of('MESSAGE=alpha')}.body.payload", 70)
    log.set(f"{log.of('MESSAGE')}.type", 0)
    log.set("header.tail_object_offset", log.offset_of("MESSAGE"))
    log.expect("damaged", "hash-mismatch", survivors=[log.without(0, "MESSAGE"), 1, 2, 3, 4])


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-059")
def one_object_too_many_and_garbage_after_the_tail(log: SystemdLog) -> None:
    """The header counts an object more, and what follows the tail object is none."""
    log.extend(b"\x03" * 40, "40 bytes 03")
    log.set("header.n_objects", log.header.n_objects + 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(regular_jenkins_zstd, "data", "SDJ-027", "SDJ-041")
def known_object_whose_compression_is_hidden(log: SystemdLog) -> None:
    """After a lost array comes a DATA that the header hides the compression of: it is sound."""
    before = max(at for at, _ in log.objects if at < log.offset_of(LONG))
    log.set(f"{log.path(before)}.type", 0)
    log.set("header.incompatible_flags", 0)
    log.expect("damaged", "bad-object", survivors=range(4))


@BOOK.damaged(five_entries, "entry", "SDJ-015", "SDJ-041")
def entry_size_across_an_entry_without_a_number(log: SystemdLog) -> None:
    """The size of an ENTRY leads across one that is not sound: that does not speak against it."""
    log.zero(f"{log.entry(2)}.body.seqnum")
    log.set(f"{log.entry(1)}.len_object", 64 + 16 * 24)
    second = body("MESSAGE=bravo", "PRIORITY=3", "PRIORITY=6", "_HOSTNAME=host")
    log.expect("damaged", "bad-chain", survivors=[0, second, 3, 4])
    log.note("What lies between reads as items, one of which happens to lead to a DATA.")


def _last_message_is_the_first(log: SystemdLog) -> bytes:
    """No item leads to the message of the last entry any longer; returns that entry."""
    log.set(f"{log.entry(4)}.body.items[2].ofs_data", log.offset_of("MESSAGE=alpha"))
    return log.payloads[4].replace(b"echo", b"alpha")


@BOOK.damaged(five_entries, "index", "SDJ-024", "SDJ-041")
def object_known_by_a_link_that_leads_back(log: SystemdLog) -> None:
    """Only a link that leads back knows the object after a lost entry: it knows nothing."""
    log.set(f"{log.entry(3)}.type", 9)
    log.zero(log.bucket("MESSAGE=echo"))
    log.set(f"{log.of('PRIORITY=4')}.body.ofs_next_hash", log.offset_of("MESSAGE=echo"))
    last = _last_message_is_the_first(log)
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, last])


@BOOK.damaged(five_entries, "index", "SDJ-024", "SDJ-041")
def object_known_by_a_second_offset(log: SystemdLog) -> None:
    """Only the second offset of a bucket knows the object after a lost entry."""
    log.set(f"{log.entry(3)}.type", 9)
    log.zero(f"{log.bucket('MESSAGE=echo')}.ofs_head")
    last = _last_message_is_the_first(log)
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, last])


@BOOK.damaged(five_entries, "index", "SDJ-024", "SDJ-041")
def array_known_by_a_bucket(log: SystemdLog) -> None:
    """Only the first offset of a bucket leads to the array after a lost entry: no hash chain."""
    log.set(f"{log.entry(2)}.type", 9)
    log.set(f"{log.bucket('MESSAGE=echo')}.ofs_head", ARRAY)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "index", "SDJ-011", "SDJ-041")
def array_known_by_the_header(log: SystemdLog) -> None:
    """A bucket leads to ids in the header that read like a DATA of an entry: no object is there."""
    log.set(f"{log.entry(2)}.type", 9)
    log.set("header.file_id", struct.pack("<2Q", 1, 100))
    log.set("header.tail_entry_boot_id", struct.pack("<2Q", 0, ARRAY))
    log.set(f"{log.bucket('MESSAGE=echo')}.ofs_head", log.start("header.file_id"))
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.valid("layout", "SDJ-014", "SDJ-025")
def field_whose_name_reads_like_an_offset(log: SystemdLog) -> None:
    """The name of a FIELD may be of any bytes, such as those of the offset of an array."""
    log.begin()
    for number, fields in enumerate(FIVE):
        log.entry_at(1700000000000000 + number * 1_000_000, fields)
    log.made._field(ARRAY.to_bytes(2, "little"))
    log.close()
    log.expect("intact", survivors=ALL)


@BOOK.damaged(field_whose_name_reads_like_an_offset, "index", "SDJ-014", "SDJ-041")
def array_known_by_the_name_of_a_field(log: SystemdLog) -> None:
    """The name of a FIELD is where a DATA has its first entry: it is no link."""
    log.set(f"{log.entry(2)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.damaged(thirty_entries, "chain", "SDJ-033", "SDJ-041")
def entry_lost_before_an_array_of_the_main_chain(log: SystemdLog) -> None:
    """Only the main chain knows the array after a lost entry."""
    log.set(f"{log.entry(4)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[*range(4), *range(5, 30)])


@BOOK.damaged(five_entries, "index", "SDJ-041", "SDJ-057")
def table_beyond_the_file_and_an_entry_lost(log: SystemdLog) -> None:
    """The header gives a table a terabyte: nothing in it is known, and nobody reads that far."""
    log.set("header.data_hash_table_size", 1 << 40)
    log.set(f"{log.entry(2)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "index", "SDJ-041")
def table_at_the_end_of_the_file(log: SystemdLog) -> None:
    """The header places a table of one bucket at the very end, and that one knows an array."""
    log.extend(bytes(8) + ARRAY.to_bytes(8, "little"), "a bucket")
    log.set("header.data_hash_table_offset", len(log.control))
    log.set("header.data_hash_table_size", 16)
    log.set(f"{log.entry(2)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.valid("layout", "SDJ-015", "SDJ-019")
def four_entries_of_seven_fields(log: SystemdLog) -> None:
    """Four entries of the same fields: after the second come arrays, then entries only."""
    log.write(*[tuple(f"FIELD_{n}=same" for n in range(7))] * 4)
    log.expect("intact", survivors=range(4))


@BOOK.damaged(four_entries_of_seven_fields, "entry", "SDJ-041", "SDJ-057")
def entry_inside_an_entry(log: SystemdLog) -> None:
    """The main chain leads into an entry, to what may be one, so that the outer one is none."""
    outer, array = log.entry(0), log.array(2)
    items = ((3, 80), (1, 5), (6, 7), (8, 9), (log.start(array), 0))
    for number, (offset, hash) in enumerate(items, 1):
        log.set(f"{outer}.body.items[{number}].ofs_data", offset)
        log.set(f"{outer}.body.items[{number}].hash", hash)
    log.set(f"{log.array(0)}.body.slots[1]", log.start(outer) + 64 + 16)
    log.set(f"{log.entry(1)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[b"", 2, 3])
    log.note("Links in both of them would know of each other: of those that overlap one is read.")


@BOOK.damaged(four_entries_of_seven_fields, "entry", "SDJ-041")
def array_known_by_an_entry_inside_an_entry(log: SystemdLog) -> None:
    """The main chain leads to an entry among the hashes of another: what is in it is not known."""
    outer, array = log.entry(0), log.start(log.array(2))
    inner = struct.pack("<10Q", 3, 80, 1, 5, 6, 7, 8, 9, array, 0)
    at = log.start(outer) + 64 + 8
    log.data[at : at + len(inner)] = inner
    log.did("write an entry over items of the first one")
    log.set(f"{log.array(0)}.body.slots[1]", at)
    log.set(f"{log.entry(1)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[b"", 2, 3])


@BOOK.damaged(four_entries_of_seven_fields, "entry", "SDJ-041", "SDJ-043")
def array_known_by_the_item_of_an_entry(log: SystemdLog) -> None:
    """An item of the last entry leads to an array: it knows it, though it is no DATA."""
    log.set(f"{log.entry(3)}.body.items[1].ofs_data", log.start(log.array(2)))
    log.set(f"{log.entry(1)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[0, 2, log.without(3, "FIELD_0")])


@BOOK.valid("layout", "SDJ-013")
def value_with_a_copy_of_an_array(log: SystemdLog) -> None:
    """A value holds what may be an array, at an offset that is no multiple of 8."""
    copy = bytes([6]) + bytes(7) + (32).to_bytes(8, "little") + bytes(16)
    log.write((b"BLOB=1234" + copy, "MESSAGE=alpha"))
    log.expect("intact", survivors=[0])


@BOOK.damaged(value_with_a_copy_of_an_array, "data", "SDJ-011", "SDJ-041")
def copy_of_an_array_known_by_an_item(log: SystemdLog) -> None:
    """The value is lost, and an item leads to the copy in it: no object begins there."""
    at = next(at for at, kind in log.objects if kind == 1 and b"BLOB" in log.view.payload(at))
    items = list(log.view.items(log.start(log.entry(0))))
    other = items.index(log.offset_of("MESSAGE=alpha"))
    log.set(f"{log.entry(0)}.body.items[{other}].ofs_data", at + 64 + 9)
    log.set(f"{log.path(at)}.type", 0)
    log.expect("damaged", "bad-object", survivors=[b""])


@BOOK.damaged(compact_jenkins_none, "data", "SDJ-011", "SDJ-013")
def compact_data_without_a_payload(log: SystemdLog) -> None:
    """A compact DATA of 72 bytes has no payload: too small."""
    log.set(f"{log.of('PRIORITY=3')}.len_object", 72)
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "PRIORITY"), 2, 3])


@BOOK.damaged(five_entries, "index", "SDJ-011", "SDJ-016")
def table_size_no_multiple_of_a_bucket(log: SystemdLog) -> None:
    """The size of a table is not a whole number of buckets."""
    log.set(f"{log.path(log.all_of(5)[0])}.len_object", 72)
    log.expect("damaged", "bad-object", survivors=ALL)


@BOOK.valid("layout", "SDJ-015")
def earliest_time_and_a_boot_id_with_zeros(log: SystemdLog) -> None:
    """The first microsecond is a time, and a boot id may have bytes of zero."""
    log.begin()
    log.entry_at(1, ["MESSAGE=alpha"], boot="00" * 15 + "01", monotonic=0)
    log.close()
    log.expect("intact", survivors=[0])


@BOOK.damaged(five_entries, "data", "SDJ-045", "SDJ-086")
def field_name_with_a_letter_in_lower_case(log: SystemdLog) -> None:
    """A name that begins like one and is none, with a hash to match."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.payload", b"MESSaGE=bravo")
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@BOOK.damaged(five_entries, "header", "SDJ-044", "SDJ-097")
def tail_object_at_the_end_and_a_payload_flipped(log: SystemdLog) -> None:
    """The tail pointer leaves eight bytes for an object: that is wrong whatever else is lost."""
    log.set("header.tail_object_offset", len(log.control) - 8)
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.expect("damaged", "bad-header", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@BOOK.damaged(five_entries, "header", "SDJ-044", "SDJ-097")
def tail_object_one_byte_off_and_a_payload_flipped(log: SystemdLog) -> None:
    """The tail pointer is off by one: that is wrong whatever else is lost."""
    log.set("header.tail_object_offset", log.header.tail_object_offset + 1)
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.expect("damaged", "bad-header", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


def _states(log: SystemdLog, size: int) -> None:
    """The payload of the long field becomes a frame that states a size, with a broken block."""
    path = f"{log.of(LONG)}.body.payload"
    frame = bytes.fromhex("28b52ffda0") + size.to_bytes(4, "little") + b"\x07\x00\x00"
    place = log.field(path)
    log.set(path, frame + log.control[place.start + len(frame) : place.end])


@BOOK.damaged(regular_jenkins_zstd, "compression", "SDJ-030", "SDJ-031")
def zstd_size_of_the_limit(log: SystemdLog) -> None:
    """A broken frame states 64 MiB, which a field may have: it is not too large."""
    _states(log, 64 << 20)
    log.expect("damaged", "bad-compression", survivors=[0, 1, log.without(2, "MESSAGE"), 3])


@BOOK.damaged(regular_jenkins_zstd, "compression", "SDJ-030", "SDJ-031")
def zstd_size_above_the_limit(log: SystemdLog) -> None:
    """A broken frame states 64 MiB and one byte: too large comes before broken."""
    _states(log, (64 << 20) + 1)
    log.expect("damaged", "too-large", survivors=[0, 1, log.without(2, "MESSAGE"), 3])
