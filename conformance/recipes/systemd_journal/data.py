"""DATA and FIELD objects: payloads, hashes and sizes."""

from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import DATA, SystemdLog

ALL = range(5)


@DATA.damaged(five_entries, "SDJ-023", "SDJ-043", "SDJ-044")
def payload_flipped(log: SystemdLog) -> None:
    """One bit of a payload is flipped. A reader returns the entry without this field."""
    log.shows("bit-in-a-payload")
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.expect(
        "damaged", "hash-mismatch", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4], end=None
    )
    log.note("journalctl returns the changed value without an error; --verify reports it.")


@DATA.damaged(five_entries, "SDJ-043", "SDJ-044")
def payload_of_all_entries_flipped(log: SystemdLog) -> None:
    """One bit of a payload that all entries share is flipped. A reader returns each entry without
    this field."""
    log.flip(f"{log.of('_HOSTNAME=host')}.body.payload", 83)
    survivors = [log.without(n, "_HOSTNAME") for n in ALL]
    log.expect("damaged", "hash-mismatch", survivors=survivors)


@DATA.damaged(five_entries, "SDJ-045")
def payload_without_equals_sign(log: SystemdLog) -> None:
    """A payload with a matching hash has no equals sign, so it is not a field."""
    path = f"{log.of('MESSAGE=bravo')}.body.payload"
    log.set(path, b"MESSAGE bravo")
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])
    log.note("journalctl up to 257 stops with 'Invalid field.'.")


@DATA.damaged(five_entries, "SDJ-045", "SDJ-086")
def field_name_in_lower_case(log: SystemdLog) -> None:
    """A payload with a matching hash has a field name in lower case, so it is not a field."""
    path = f"{log.of('MESSAGE=bravo')}.body.payload"
    log.set(path, b"message=bravo")
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@DATA.damaged(five_entries, "SDJ-010", "SDJ-041", "SDJ-057")
def data_size_of_all_ones(log: SystemdLog) -> None:
    """The size of a DATA is 2^64 - 1. A reader avoids an overflow and does not allocate this many
    bytes."""
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 2**64 - 1)
    log.expect("damaged", "bad-object", survivors=ALL)


DATA.table("""
sector_of_objects_zeroed: five_entries SDJ-041 SDJ-054
    A sector of 512 bytes is filled with zeros. Only bytes of this sector are lost.
    shows: zeroed-sector
    damage: zero sector 4 of 512 bytes
    expect: damaged bad-object, survivors 0-2 ""
    note: The fourth entry keeps only its boot id, which the ENTRY itself stores.
hash_flipped: five_entries SDJ-023 SDJ-044 SDJ-105
    One bit of the hash of a DATA is flipped. An item repeats the hash and proves the payload.
    shows: bit-in-a-checksum
    damage: flip bit 9 of of(MESSAGE=delta).body.hash
    expect: damaged hash-mismatch, survivors 0-4
keyed_hash_flipped: regular_keyed_none SDJ-022 SDJ-044 SDJ-105
    One bit of a keyed hash is flipped. An item repeats the hash and proves the payload.
    damage: flip bit 63 of of(PRIORITY=3).body.hash
    expect: damaged hash-mismatch, survivors 0-3
file_id_changed: regular_keyed_none SDJ-022 SDJ-106
    One bit of the file id, the key of all hashes, is flipped. A FIELD proves the right id.
    damage: flip bit 0 of header.file_id
    expect: damaged bad-header, survivors 0-3
data_size_too_large: five_entries SDJ-010 SDJ-041
    The size of a DATA extends into later objects. The next known object gives the size.
    shows: bit-in-a-length
    damage: set of(MESSAGE=bravo).len_object to 300
    expect: damaged bad-object, survivors 0-4
data_size_of_a_header: five_entries SDJ-011 SDJ-041
    The size of a DATA is 64 bytes, which leaves no room for a payload. The payload is wrong too, so
    no size makes its hash match.
    damage: set of(MESSAGE=bravo).len_object to 64
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    expect: damaged bad-object, survivors 0 without(1, MESSAGE) 2-4
data_size_of_zero: five_entries SDJ-011 SDJ-041
    The size of a DATA is 0. The walk neither stops nor loops.
    damage: zero of(MESSAGE=charlie).len_object
    expect: damaged bad-object, survivors 0-4
data_type_of_zero: five_entries SDJ-011
    The type of a DATA is changed to 0 (an unused object).
    damage: set of(MESSAGE=charlie).type to 0
    expect: damaged bad-object, survivors 0 1 without(2, MESSAGE) 3 4
data_type_of_eight: five_entries SDJ-011
    The type of a DATA is changed to 8, which does not exist. A reader reports the object and does
    not skip it.
    damage: set of(MESSAGE=charlie).type to 8
    expect: damaged bad-object, survivors 0 1 without(2, MESSAGE) 3 4
data_type_of_a_field: five_entries SDJ-011 SDJ-043
    The type of a DATA is changed to FIELD, so the stored hash does not match the name.
    damage: set of(MESSAGE=charlie).type to 2
    expect: damaged hash-mismatch, survivors 0 1 without(2, MESSAGE) 3 4
data_zeroed: five_entries SDJ-043
    A DATA is filled with zeros.
    damage: zero of(PRIORITY=3)
    expect: damaged bad-object, survivors 0 without(1, PRIORITY) 2-4
field_name_flipped: five_entries SDJ-014 SDJ-044
    One bit of the name in a FIELD is flipped. No entry loses a field.
    damage: flip bit 3 of of(PRIORITY).body.payload
    expect: damaged hash-mismatch, survivors 0-4
field_size_too_small: five_entries SDJ-014 SDJ-011
    The size of a FIELD is 40 bytes, which leaves no room for a name.
    damage: set of(PRIORITY).len_object to 40
    expect: damaged bad-object, survivors 0-4
compressed_field_object: five_entries SDJ-026
    A FIELD has a compression flag, which is valid only for a DATA. The FIELD stays valid.
    damage: set of(PRIORITY).flags to 1
    expect: damaged bad-object, survivors 0-4
tail_of_a_compact_data: thirty_entries_compact SDJ-013 SDJ-036
    A tail field of a compact DATA is wrong. No entry is lost.
    damage: set of(PRIORITY=0).body.num_tail_entries to 2
    expect: damaged bad-index, survivors 0-29
two_sectors_swapped: five_entries SDJ-041
    Two adjacent sectors of 512 bytes are swapped. All objects in the two sectors are lost.
    shows: swapped
    damage: swap sectors 2 and 3 of 512 bytes
    expect: damaged hash-mismatch, survivors 4
""")
