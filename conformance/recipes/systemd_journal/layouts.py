"""Undamaged files: basic layouts, unusual values, and bytes that a reader ignores."""

from typing import Any

from conformance.recipes.systemd_journal.log import FIVE, KEY, LAYOUT, SEALED_START, SystemdLog

LONG = "MESSAGE=" + "walproof " * 80
MIXED = (*FIVE[:2], (LONG, "PRIORITY=6"), ("MESSAGE=delta", b"BLOB=\x00\xff\n\x7f"))


def four_entries(log: SystemdLog, **options: Any) -> None:
    """Write four entries in the layout that the options select. One entry has a 728-byte field."""
    log.write(*MIXED, **options)
    end = None if options.get("state") else len(log.data) - options.get("spare", 0)
    log.expect("intact", survivors=range(4), end=end)


def four_sealed_entries(log: SystemdLog, **options: Any) -> None:
    """Write the same entries to a sealed file, and put the key into the context."""
    log.context["key"] = KEY
    four_entries(log, first=SEALED_START, key=KEY, **options)


@LAYOUT.valid("SDJ-001", "SDJ-010", "SDJ-033", "SDJ-040", "SDJ-042", "SDJ-058", "SDJ-063")
def five_entries(log: SystemdLog) -> None:
    """A regular file of five entries with Jenkins hashes, in the layout of systemd 252."""
    log.write(*FIVE)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=len(log.data))


@LAYOUT.valid("SDJ-002", "SDJ-080")
def no_entries(log: SystemdLog) -> None:
    """A new file has a header, two hash tables and no entries."""
    log.write()
    log.expect("intact", survivors=[], end=len(log.data))


@LAYOUT.valid("SDJ-008", "SDJ-088")
def no_entries_and_a_sequence_number(log: SystemdLog) -> None:
    """A new file continues the sequence numbers of another file. It has no entries yet, but its
    `tail_entry_seqnum` is not 0."""
    log.begin()
    log.made.header.tail_entry_seqnum = 41
    log.close()
    log.expect("intact", survivors=[])


@LAYOUT.valid("SDJ-033", "SDJ-035", "SDJ-036")
def thirty_entries(log: SystemdLog) -> None:
    """A file of thirty entries. Its main chain has arrays of 4, 8 and 26 slots."""
    log.write(*[(f"MESSAGE=hello {n}", f"PRIORITY={n % 3}") for n in range(30)])
    log.expect("intact", survivors=range(30))


@LAYOUT.valid("SDJ-017", "SDJ-033", "SDJ-036")
def thirty_entries_compact(log: SystemdLog) -> None:
    """A compact file of thirty entries. Its arrays have 32-bit slots."""
    log.write(*[(f"MESSAGE=hello {n}", f"PRIORITY={n % 3}") for n in range(30)], compact=True)
    log.expect("intact", survivors=range(30))


@LAYOUT.valid("SDJ-003")
def header_of_a_later_version(log: SystemdLog) -> None:
    """A 280-byte header has fields of a later version. A reader skips these fields."""
    log.write(*FIVE, header_size=280)
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("SDJ-006", "SDJ-055")
def unknown_compatible_flag(log: SystemdLog) -> None:
    """A reader ignores an unknown compatible flag, but no writer may continue the file."""
    log.begin()
    log.made.header.compatible_flags |= 0x80
    for number, fields in enumerate(FIVE):
        log.entry_at(1700000000000000 + number, fields)
    log.close()
    log.expect("intact", survivors=range(5), end=None)


@LAYOUT.valid("SDJ-012")
def padding_with_bytes(log: SystemdLog) -> None:
    """The padding between objects is not zero. A reader ignores its content."""
    log.write(*FIVE)
    view = log.view
    for at, _ in log.objects:
        end = at + view.object_size(at)
        log.data[end : (end + 7) & ~7] = b"\xaa" * (-end % 8)
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("SDJ-010", "SDJ-026")
def unknown_object_flags_and_reserved_bytes(log: SystemdLog) -> None:
    """A reader ignores the reserved bytes and an unknown flag of an object."""
    log.write(*FIVE)
    at = log.offset_of("PRIORITY=3")
    log.data[at + 1] = 0x40
    log.data[at + 2 : at + 8] = b"\xee" * 6
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("SDJ-019", "SDJ-020", "SDJ-082")
def field_given_twice(log: SystemdLog) -> None:
    """A field that is given twice is stored once. `xor_hash` covers the field twice, so a reader
    cannot recompute `xor_hash`."""
    log.write(("MULTI=a", "MULTI=a", "MESSAGE=alpha"), ("MESSAGE=bravo",))
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("SDJ-019")
def field_with_two_values(log: SystemdLog) -> None:
    """An entry has two values of one field. A reader returns both."""
    log.write(("MULTI=a", "MULTI=b", "MESSAGE=alpha"), ("MULTI=b",))
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("SDJ-020")
def xor_hash_of_nothing(log: SystemdLog) -> None:
    """`xor_hash` of an entry has an arbitrary value. A reader does not compare it."""
    log.write(*FIVE)
    at = log.offset_of("MESSAGE=bravo")
    entry = next(e for e, kind in log.objects if kind == 3 and e > at)
    log.data[entry + 56 : entry + 64] = b"\x55" * 8
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("SDJ-020")
def item_hash_of_nothing(log: SystemdLog) -> None:
    """The hash in an item has an arbitrary value. A reader does not compare it."""
    log.write(*FIVE)
    entry = next(e for e, kind in log.objects if kind == 3)
    log.data[entry + 72 : entry + 80] = b"\x55" * 8
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("SDJ-013")
def empty_value(log: SystemdLog) -> None:
    """A field has an empty value. Its payload still has an equals sign."""
    log.write(("MESSAGE=", "PRIORITY=6"))
    log.expect("intact", survivors=[0])


@LAYOUT.valid("SDJ-013", "SDJ-090")
def values_that_are_no_text(log: SystemdLog) -> None:
    """A reader returns values with newlines, zero bytes and invalid UTF-8 unchanged."""
    log.write(("MESSAGE=one\ntwo", b"BLOB=\x00\x01\xfe\xff", "TAB=a\tb", "UMLAUT=grün", "DEL=\x7f"))
    log.expect("intact", survivors=[0])


@LAYOUT.valid("SDJ-015")
def realtime_that_goes_back(log: SystemdLog) -> None:
    """The clock was set back between two entries. A reader returns the entries in file order."""
    log.begin()
    log.entry_at(1700000005000000, ["MESSAGE=later"])
    log.entry_at(1700000001000000, ["MESSAGE=earlier"])
    log.close()
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("SDJ-015")
def monotonic_that_goes_back(log: SystemdLog) -> None:
    """The monotonic time goes back within one boot, as systemd-journal-remote may write it."""
    log.begin()
    log.entry_at(1700000001000000, ["MESSAGE=one"], monotonic=9)
    log.entry_at(1700000002000000, ["MESSAGE=two"], monotonic=5)
    log.close()
    log.expect("intact", survivors=[0, 1])
    log.note("The verifier of systemd reports this file as corrupt.")


@LAYOUT.valid("SDJ-015", "SDJ-047")
def two_boots_and_a_gap_in_the_numbers(log: SystemdLog) -> None:
    """The entries belong to two boots, and their sequence numbers have a gap."""
    log.begin()
    log.entry_at(1700000001000000, ["MESSAGE=one"], monotonic=900)
    log.entry_at(1700000002000000, ["MESSAGE=two"], "f" * 32, monotonic=5, seqnum=700)
    log.close()
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("SDJ-024")
def every_object_in_one_bucket(log: SystemdLog) -> None:
    """Each hash table has one bucket, so one chain contains all its objects."""
    log.write(*FIVE, data_buckets=1, field_buckets=1)
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("SDJ-032")
def threshold_of_compression(log: SystemdLog) -> None:
    """A payload of 511 bytes is stored uncompressed, and a payload of 512 bytes is compressed."""
    log.write(("A=" + "x" * 509,), ("B=" + "x" * 510,), compression="zstd", keyed=True)
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("SDJ-032")
def payload_that_does_not_shrink(log: SystemdLog) -> None:
    """A payload that compression would not make smaller is stored uncompressed."""
    noise = bytes((n * n * 7919 + n * 104729 >> 3) & 0xFF for n in range(600))
    log.write((b"NOISE=" + noise,), compression="lz4", keyed=True)
    log.expect("intact", survivors=[0])


@LAYOUT.damaged(five_entries, "SDJ-059", kind="valid")
def garbage_behind_the_tail(log: SystemdLog) -> None:
    """333 bytes of garbage follow the tail object and the arena. A reader ignores them."""
    log.extend(b"\x03" * 333)
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("SDJ-090")
def values_with_noncharacters(log: SystemdLog) -> None:
    """In export format, values with the noncharacters U+FFFE, U+FDD0 and U+1FFFF are written in the
    binary form with a length, not as text lines."""
    odd = ("A=\ufffe", "B=\ufdd0", "C=\U0001ffff", "D=\ufdf0", "E=\ufffd", "F=\x7f", "G=\x85")
    log.write((*odd, "MESSAGE=tab\tbed"))
    log.expect("intact", survivors=[0])


@LAYOUT.valid("SDJ-036")
def data_that_no_entry_has(log: SystemdLog) -> None:
    """A DATA was written, but its entry was not. The DATA has an empty list of entries, which is
    valid."""
    log.begin()
    log.entry_at(1700000000000000, ["MESSAGE=alpha"])
    log.made._data(b"MESSAGE=never sent")
    log.close()
    log.expect("intact", survivors=[0])
