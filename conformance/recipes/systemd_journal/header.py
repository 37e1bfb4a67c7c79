"""Headers that contradict the objects, and headers that a reader refuses."""

from conformance.recipes.systemd_journal.combinations import header_of_272_bytes, preallocated_space
from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import HEADER, SystemdLog

ALL = range(5)


@HEADER.damaged(five_entries, "SDJ-005")
def incompatible_flag_of_the_segmented_format(log: SystemdLog) -> None:
    """Incompatible flag 32 is set. It was proposed for a format with other objects."""
    log.set("header.incompatible_flags", 32)
    log.expect("refused", "unsupported-flag")


@HEADER.damaged(five_entries, "SDJ-005")
def highest_incompatible_flag(log: SystemdLog) -> None:
    """The highest incompatible flag (bit 31) is set. This flag is unknown."""
    log.set("header.incompatible_flags", 1 << 31)
    log.expect("refused", "unsupported-flag")


@HEADER.damaged(five_entries, "SDJ-004", "SDJ-050", kind="corrupt")
def header_size_beyond_the_file(log: SystemdLog) -> None:
    """The header size is 1 MiB, larger than the file."""
    log.set("header.header_size", 1 << 20)
    log.expect("torn", "torn-header", end=0)


@HEADER.damaged(preallocated_space, "SDJ-009")
def arena_smaller_than_the_file(log: SystemdLog) -> None:
    """The arena ends 4,096 bytes before the end of the file."""
    log.set("header.arena_size", log.header.arena_size - 4096)
    log.expect("intact", survivors=range(4))


@HEADER.damaged(five_entries, "SDJ-009")
def arena_larger_than_the_file(log: SystemdLog) -> None:
    """The arena ends past the end of the file, although the file has every object."""
    log.set("header.arena_size", 1 << 30)
    log.expect("intact", survivors=ALL)
    log.note("systemd up to 257 refuses the file; 262 reduces the arena to the file.")


@HEADER.damaged(five_entries, "SDJ-016")
def data_table_offset_off_by_8(log: SystemdLog) -> None:
    """`data_hash_table_offset` in the header is 8 bytes too high."""
    log.set("header.data_hash_table_offset", log.header.data_hash_table_offset + 8)
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-016")
def data_table_far_away(log: SystemdLog) -> None:
    """`data_hash_table_offset` in the header points past the end of the file."""
    log.set("header.data_hash_table_offset", 1 << 62)
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-049", "SDJ-098")
def tail_object_too_early(log: SystemdLog) -> None:
    """`tail_object_offset` points to the second entry, although the main chain links later
    entries."""
    log.set("header.tail_object_offset", log.start(log.entry(1)))
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-049", "SDJ-097")
def tail_object_unaligned(log: SystemdLog) -> None:
    """`tail_object_offset` is not a multiple of 8."""
    log.set("header.tail_object_offset", log.header.tail_object_offset + 4)
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-049", "SDJ-097")
def tail_object_far_away(log: SystemdLog) -> None:
    """`tail_object_offset` points past the end of the file."""
    log.set("header.tail_object_offset", 1 << 40)
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-049")
def too_many_objects(log: SystemdLog) -> None:
    """The header counts one object more than the file has."""
    log.set("header.n_objects", log.header.n_objects + 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-049", "SDJ-057")
def counts_of_all_ones(log: SystemdLog) -> None:
    """The header counts 2^64 - 1 entries. A reader does not allocate memory for this count."""
    log.set("header.n_entries", 2**64 - 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-049")
def wrong_tail_array(log: SystemdLog) -> None:
    """`tail_entry_array_offset` points to an ENTRY. The verifier of systemd does not check this
    field."""
    log.set("header.tail_entry_array_offset", log.start(log.entry(0)))
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-083")
def chain_depths_of_nothing(log: SystemdLog) -> None:
    """The chain depths in the header have arbitrary values. A reader ignores them."""
    log.set("header.data_hash_chain_depth", 1 << 50)
    log.set("header.field_hash_chain_depth", 77)
    log.expect("intact", survivors=ALL)


@HEADER.damaged(header_of_272_bytes, "SDJ-049")
def wrong_tail_entry(log: SystemdLog) -> None:
    """`tail_entry_offset` points to the first entry instead of the last."""
    log.set("header.tail_entry_offset", log.start(log.entry(0)))
    log.expect("damaged", "bad-header", survivors=range(4))


@HEADER.damaged(header_of_272_bytes, "SDJ-003", "SDJ-049")
def wrong_last_byte_of_tail_entry(log: SystemdLog) -> None:
    """The highest byte of `tail_entry_offset` is wrong. This byte is the last byte of the longest
    known header."""
    log.set("header.tail_entry_offset", log.start(log.entry(3)) | 1 << 56)
    log.expect("damaged", "bad-header", survivors=range(4))


@HEADER.damaged(five_entries, "SDJ-049", "SDJ-098")
def tail_object_before_the_last_array(log: SystemdLog) -> None:
    """`tail_object_offset` names the last entry. Only `n_objects` shows that an array follows."""
    log.set("header.tail_object_offset", log.start(log.entry(4)))
    log.expect("damaged", "bad-header", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-049")
def tail_object_and_count_before_the_last_array(log: SystemdLog) -> None:
    """`tail_object_offset` names the last entry, and `n_objects` leaves out the array after the
    last entry. A reader does not read this array."""
    log.set("header.tail_object_offset", log.start(log.entry(4)))
    log.set("header.n_objects", log.header.n_objects - 1)
    log.expect("damaged", "bad-chain", survivors=ALL)


@HEADER.damaged(five_entries, "SDJ-001", "SDJ-050")
def five_bytes_of_something_else(log: SystemdLog) -> None:
    """An eight-byte file differs from the signature only in its last byte."""
    log.set("header.signature", b"LPKSHHRX")
    log.truncate(8)
    log.expect("refused", "not-a-journal")


@HEADER.damaged(five_entries, "SDJ-001", "SDJ-050")
def one_byte_of_something_else(log: SystemdLog) -> None:
    """A one-byte file, whose only byte is not the first byte of the signature."""
    log.set("header.signature", b"hello, w")
    log.truncate(1)
    log.expect("refused", "not-a-journal")


HEADER.table("""
compact_flag_set: five_entries SDJ-005 SDJ-057
    The flag for compact files is set in a regular file. The objects are misread, and every field is
    lost.
    damage: set header.incompatible_flags to 16
    expect: damaged hash-mismatch, survivors "" "" "" "" ""
signature_flipped: five_entries SDJ-001 SDJ-054
    One bit of the signature is flipped, so the file is not a journal.
    damage: flip bit 0 of header.signature
    expect: refused not-a-journal, no survivors
state_of_three: five_entries SDJ-007
    The state is 3, which does not exist.
    damage: set header.state to 3
    expect: refused unsupported-state, no survivors
header_size_too_small: five_entries SDJ-004
    The header size is 200 bytes, below the minimum of 208 bytes.
    damage: set header.header_size to 200
    expect: refused bad-header-size, no survivors
header_size_unaligned: five_entries SDJ-004
    The header size is 260 bytes, which is not a multiple of 8.
    damage: set header.header_size to 260
    expect: refused bad-header-size, no survivors
header_size_one_byte_off: five_entries SDJ-004
    The header size is 265 bytes, one byte more than a valid size.
    damage: set header.header_size to 265
    expect: refused bad-header-size, no survivors
sealed_in_a_header_without_tags: five_entries SDJ-004
    The sealed flag is set in a 208-byte header, which has no field for the number of tags.
    damage: set header.header_size to 208
    damage: set header.compatible_flags to 1
    expect: refused bad-header-size, no survivors
header_size_of_an_older_version: five_entries SDJ-041
    The header size is 8 bytes too small. The walk continues at a known object.
    damage: set header.header_size to 256
    expect: damaged bad-object, survivors 0-4
reserved_not_zero: five_entries SDJ-008
    Every reserved byte of the header is 1.
    damage: fill header.reserved with 01
    expect: damaged bad-header, survivors 0-4
machine_id_changed: five_entries SDJ-008
    The machine id is changed. The change is undetectable, because no other value contradicts the
    id.
    damage: fill header.machine_id with ab
    expect: intact, survivors 0-4
data_table_size_halved: five_entries SDJ-016
    `data_hash_table_size` in the header is half of the correct size.
    damage: set header.data_hash_table_size to 64
    expect: damaged bad-header, survivors 0-4
field_table_offset_of_nothing: five_entries SDJ-016
    `field_hash_table_offset` in the header is 0, although the file has a FIELD table.
    damage: zero header.field_hash_table_offset
    expect: damaged bad-header, survivors 0-4
one_entry_too_many: five_entries SDJ-049
    The header counts six entries, but the file has five.
    damage: set header.n_entries to 6
    expect: damaged bad-header, survivors 0-4
one_entry_too_few: five_entries SDJ-049
    The header counts four entries, but the main chain links five.
    damage: set header.n_entries to 4
    expect: damaged bad-header, survivors 0-4
wrong_number_of_data: five_entries SDJ-049
    The header counts three DATA objects, but the file has ten.
    damage: set header.n_data to 3
    expect: damaged bad-header, survivors 0-4
wrong_number_of_fields: five_entries SDJ-049
    The header counts nine FIELD objects, but the file has four.
    damage: set header.n_fields to 9
    expect: damaged bad-header, survivors 0-4
wrong_number_of_arrays: five_entries SDJ-049
    The header counts no entry arrays, but the file has five.
    damage: set header.n_entry_arrays to 0
    expect: damaged bad-header, survivors 0-4
wrong_number_of_tags: five_entries SDJ-049
    The header counts one tag, but the file has none.
    damage: set header.n_tags to 1
    expect: damaged bad-header, survivors 0-4
wrong_head_sequence_number: five_entries SDJ-049
    `head_entry_seqnum` is not the sequence number of the first entry.
    damage: set header.head_entry_seqnum to 2
    expect: damaged bad-header, survivors 0-4
wrong_tail_sequence_number: five_entries SDJ-049
    `tail_entry_seqnum` is not the sequence number of the last entry.
    damage: set header.tail_entry_seqnum to 500
    expect: damaged bad-header, survivors 0-4
wrong_head_realtime: five_entries SDJ-049
    `head_entry_realtime` is not the realtime of the first entry.
    damage: set header.head_entry_realtime to 1
    expect: damaged bad-header, survivors 0-4
wrong_tail_realtime: five_entries SDJ-049
    `tail_entry_realtime` is not the realtime of the last entry.
    damage: set header.tail_entry_realtime to 1
    expect: damaged bad-header, survivors 0-4
wrong_count_in_tail_array: five_entries SDJ-049
    `tail_entry_array_n_entries` is 3, but the last array has one used slot.
    damage: set header.tail_entry_array_n_entries to 3
    expect: damaged bad-header, survivors 0-4
keyed_flag_set: five_entries SDJ-022 SDJ-106
    The flag for keyed hashes is set in a file with Jenkins hashes. Without the flag, every hash is
    right.
    damage: set header.incompatible_flags to 4
    expect: damaged bad-header, survivors 0-4
no_tail_array: five_entries SDJ-049
    `tail_entry_array_offset` and `tail_entry_array_n_entries` are 0, although the file has entries.
    damage: zero header.tail_entry_array_offset
    damage: zero header.tail_entry_array_n_entries
    expect: damaged bad-header, survivors 0-4
tail_array_without_a_place: five_entries SDJ-049
    `tail_entry_array_offset` is 0, but `tail_entry_array_n_entries` is not.
    damage: zero header.tail_entry_array_offset
    expect: damaged bad-header, survivors 0-4
wrong_tail_boot_id: header_of_272_bytes SDJ-006 SDJ-049
    Compatible flag 2 is set, but `tail_entry_boot_id` is not the boot id of the last entry.
    damage: flip bit 0 of header.tail_entry_boot_id
    damage: set header.tail_entry_monotonic to 1
    expect: damaged bad-header, survivors 0-3
    note: The boot id is wrong, so the monotonic time is not compared.
wrong_tail_monotonic: header_of_272_bytes SDJ-006 SDJ-049
    Compatible flag 2 is set, but `tail_entry_monotonic` is not the monotonic time of the last
    entry.
    damage: set header.tail_entry_monotonic to 1
    expect: damaged bad-header, survivors 0-3
tail_monotonic_without_its_flag: five_entries SDJ-006 SDJ-049
    Compatible flag 2 is not set. A reader does not compare `tail_entry_boot_id` and
    `tail_entry_monotonic` with the last entry.
    damage: fill header.tail_entry_boot_id with ab
    damage: set header.tail_entry_monotonic to 1
    expect: intact, survivors 0-4
no_tail_entry: header_of_272_bytes SDJ-049
    `tail_entry_offset` is 0, although the file has entries.
    damage: zero header.tail_entry_offset
    expect: damaged bad-header, survivors 0-3
flag_and_header_size_unknown: five_entries SDJ-004 SDJ-005
    The file has an unknown incompatible flag and an invalid header size. A reader checks the flags
    first.
    damage: set header.incompatible_flags to 32
    damage: set header.header_size to 100
    expect: refused unsupported-flag, no survivors
state_and_header_size_unknown: five_entries SDJ-004 SDJ-007
    The file has an unknown state and an invalid header size. A reader checks the state first.
    damage: set header.state to 9
    damage: set header.header_size to 100
    expect: refused unsupported-state, no survivors
one_reserved_bit: five_entries SDJ-008
    One bit of the reserved bytes in the header is flipped.
    damage: flip bit 3 of header.reserved
    expect: damaged bad-header, survivors 0-4
""")
