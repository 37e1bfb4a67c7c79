"""DATA and FIELD objects: payloads, hashes and sizes."""

from conformance.recipes.systemd_journal.combinations import regular_keyed_none
from conformance.recipes.systemd_journal.layouts import five_entries, thirty_entries_compact
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog

ALL = range(5)


@BOOK.damaged(five_entries, "data", "SDJ-023", "SDJ-043", "SDJ-044")
def payload_flipped(log: SystemdLog) -> None:
    """One bit of a payload is flipped. A reader returns the entry without this field."""
    log.shows("bit-in-a-payload")
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.expect(
        "damaged", "hash-mismatch", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4], end=None
    )
    log.note("journalctl returns the changed value without an error; --verify reports it.")


@BOOK.damaged(five_entries, "data", "SDJ-043", "SDJ-044")
def payload_of_all_entries_flipped(log: SystemdLog) -> None:
    """One bit of a payload that all entries share is flipped. A reader returns each entry without
    this field.
    """
    log.flip(f"{log.of('_HOSTNAME=host')}.body.payload", 83)
    survivors = [log.without(n, "_HOSTNAME") for n in ALL]
    log.expect("damaged", "hash-mismatch", survivors=survivors)


@BOOK.damaged(five_entries, "data", "SDJ-023", "SDJ-044")
def hash_flipped(log: SystemdLog) -> None:
    """One bit of the hash of a DATA is flipped. A reader cannot know whether the hash or the
    payload is wrong.
    """
    log.shows("bit-in-a-checksum")
    log.flip(f"{log.of('MESSAGE=delta')}.body.hash", 9)
    log.expect("damaged", "hash-mismatch", survivors=[0, 1, 2, log.without(3, "MESSAGE"), 4])


@BOOK.damaged(regular_keyed_none, "data", "SDJ-022", "SDJ-044")
def keyed_hash_flipped(log: SystemdLog) -> None:
    """One bit of a keyed hash is flipped."""
    log.flip(f"{log.of('PRIORITY=3')}.body.hash", 63)
    log.expect("damaged", "hash-mismatch", survivors=[0, log.without(1, "PRIORITY"), 2, 3])


@BOOK.damaged(regular_keyed_none, "data", "SDJ-022", "SDJ-044")
def file_id_changed(log: SystemdLog) -> None:
    """One bit of the file id, the key of all hashes, is flipped. Every field is lost."""
    log.flip("header.file_id", 0)
    log.expect("damaged", "hash-mismatch", survivors=[b""] * 4)


@BOOK.damaged(five_entries, "data", "SDJ-045")
def payload_without_equals_sign(log: SystemdLog) -> None:
    """A payload with a matching hash has no equals sign, so it is not a field."""
    path = f"{log.of('MESSAGE=bravo')}.body.payload"
    log.set(path, b"MESSAGE bravo")
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])
    log.note("journalctl up to 257 stops with 'Invalid field.'.")


@BOOK.damaged(five_entries, "data", "SDJ-045", "SDJ-086")
def field_name_in_lower_case(log: SystemdLog) -> None:
    """A payload with a matching hash has a field name in lower case, so it is not a field."""
    path = f"{log.of('MESSAGE=bravo')}.body.payload"
    log.set(path, b"message=bravo")
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-010", "SDJ-041")
def data_size_too_large(log: SystemdLog) -> None:
    """The size of a DATA extends into later objects. The walk continues at a known object."""
    log.shows("bit-in-a-length")
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 300)
    log.expect("damaged", "hash-mismatch", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-010", "SDJ-041", "SDJ-057")
def data_size_of_all_ones(log: SystemdLog) -> None:
    """The size of a DATA is 2^64 - 1. A reader avoids an overflow and does not allocate this many
    bytes.
    """
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 2**64 - 1)
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-011", "SDJ-041")
def data_size_of_a_header(log: SystemdLog) -> None:
    """The size of a DATA is 64 bytes, which leaves no room for a payload."""
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 64)
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-011", "SDJ-041")
def data_size_of_zero(log: SystemdLog) -> None:
    """The size of a DATA is 0. The walk neither stops nor loops."""
    log.zero(f"{log.of('MESSAGE=charlie')}.len_object")
    log.expect("damaged", "bad-object", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-011")
def data_type_of_zero(log: SystemdLog) -> None:
    """The type of a DATA is changed to 0 (an unused object)."""
    log.set(f"{log.of('MESSAGE=charlie')}.type", 0)
    log.expect("damaged", "bad-object", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-011")
def data_type_of_eight(log: SystemdLog) -> None:
    """The type of a DATA is changed to 8, which does not exist. A reader reports the object and
    does not skip it.
    """
    log.set(f"{log.of('MESSAGE=charlie')}.type", 8)
    log.expect("damaged", "bad-object", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-011", "SDJ-043")
def data_type_of_a_field(log: SystemdLog) -> None:
    """The type of a DATA is changed to FIELD, so the stored hash does not match the name."""
    log.set(f"{log.of('MESSAGE=charlie')}.type", 2)
    log.expect("damaged", "hash-mismatch", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-043")
def data_zeroed(log: SystemdLog) -> None:
    """A DATA is filled with zeros."""
    log.zero(log.of("PRIORITY=3"))
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "PRIORITY"), 2, 3, 4])


@BOOK.damaged(five_entries, "data", "SDJ-014", "SDJ-044")
def field_name_flipped(log: SystemdLog) -> None:
    """One bit of the name in a FIELD is flipped. No entry loses a field."""
    log.flip(f"{log.of('PRIORITY')}.body.payload", 3)
    log.expect("damaged", "hash-mismatch", survivors=ALL)


@BOOK.damaged(five_entries, "data", "SDJ-014", "SDJ-011")
def field_size_too_small(log: SystemdLog) -> None:
    """The size of a FIELD is 40 bytes, which leaves no room for a name."""
    log.set(f"{log.of('PRIORITY')}.len_object", 40)
    log.expect("damaged", "bad-object", survivors=ALL)


@BOOK.damaged(five_entries, "data", "SDJ-026")
def compressed_field_object(log: SystemdLog) -> None:
    """A FIELD has a compression flag, which is valid only for a DATA."""
    log.set(f"{log.of('PRIORITY')}.flags", 1)
    log.expect("damaged", "bad-object", survivors=ALL)


@BOOK.damaged(thirty_entries_compact, "data", "SDJ-013", "SDJ-036")
def tail_of_a_compact_data(log: SystemdLog) -> None:
    """A tail field of a compact DATA is wrong. No entry is lost."""
    log.set(f"{log.of('PRIORITY=0')}.body.num_tail_entries", 2)
    log.expect("damaged", "bad-index", survivors=range(30))


@BOOK.damaged(five_entries, "data", "SDJ-041", "SDJ-054")
def sector_of_objects_zeroed(log: SystemdLog) -> None:
    """A sector of 512 bytes is filled with zeros. Only bytes of this sector are lost."""
    log.shows("zeroed-sector")
    log.zero_sector(4)
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, b""])
    log.note("The fourth entry keeps only its boot id, which the ENTRY itself stores.")


@BOOK.damaged(five_entries, "data", "SDJ-041")
def two_sectors_swapped(log: SystemdLog) -> None:
    """Two adjacent sectors of 512 bytes are swapped. All objects in the two sectors are lost."""
    log.shows("swapped")
    log.swap_sectors(2, 3)
    log.expect("damaged", "hash-mismatch", survivors=[4])
