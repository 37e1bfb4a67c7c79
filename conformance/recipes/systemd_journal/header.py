"""Headers that contradict the objects, and headers that a reader refuses."""

from conformance.recipes.systemd_journal.combinations import (
    header_of_272_bytes,
    preallocated_space,
)
from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog

ALL = range(5)


@BOOK.damaged(five_entries, "header", "SDJ-001", "SDJ-054")
def signature_flipped(log: SystemdLog) -> None:
    """One bit of the signature is flipped, so the file is not a journal."""
    log.flip("header.signature", 0)
    log.expect("refused", "not-a-journal")


@BOOK.damaged(five_entries, "header", "SDJ-005")
def incompatible_flag_of_the_segmented_format(log: SystemdLog) -> None:
    """Incompatible flag 32 is set, which was proposed for a format with other objects."""
    log.set("header.incompatible_flags", 32)
    log.expect("refused", "unsupported-flag")


@BOOK.damaged(five_entries, "header", "SDJ-005")
def highest_incompatible_flag(log: SystemdLog) -> None:
    """The highest incompatible flag (bit 31) is set, which is unknown."""
    log.set("header.incompatible_flags", 1 << 31)
    log.expect("refused", "unsupported-flag")


@BOOK.damaged(five_entries, "header", "SDJ-007")
def state_of_three(log: SystemdLog) -> None:
    """The state is 3, which does not exist."""
    log.set("header.state", 3)
    log.expect("refused", "unsupported-state")


@BOOK.damaged(five_entries, "header", "SDJ-004")
def header_size_too_small(log: SystemdLog) -> None:
    """The header size is 200 bytes, below the minimum of 208 bytes."""
    log.set("header.header_size", 200)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-004")
def header_size_unaligned(log: SystemdLog) -> None:
    """The header size is 260 bytes, which is not a multiple of 8."""
    log.set("header.header_size", 260)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-004")
def header_size_one_byte_off(log: SystemdLog) -> None:
    """The header size is 265 bytes, one byte more than a valid size."""
    log.set("header.header_size", 265)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-050")
def header_size_beyond_the_file(log: SystemdLog) -> None:
    """The header size is 1 MiB, larger than the file."""
    log.set("header.header_size", 1 << 20)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(five_entries, "header", "SDJ-004")
def sealed_in_a_header_without_tags(log: SystemdLog) -> None:
    """The sealed flag is set in a header of 208 bytes, which has no count of tags."""
    log.set("header.header_size", 208)
    log.set("header.compatible_flags", 1)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-041")
def header_size_of_an_older_version(log: SystemdLog) -> None:
    """The header size is 8 bytes too small. The walk continues at a known object."""
    log.set("header.header_size", 256)
    log.expect("damaged", "bad-object", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-008")
def reserved_not_zero(log: SystemdLog) -> None:
    """Every reserved byte of the header is 1."""
    log.fill("header.reserved", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-008")
def machine_id_changed(log: SystemdLog) -> None:
    """The machine id is changed. The change is undetectable, because no other value contradicts the
    id.
    """
    log.fill("header.machine_id", 0xAB)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(preallocated_space, "header", "SDJ-009")
def arena_smaller_than_the_file(log: SystemdLog) -> None:
    """The arena ends 4,096 bytes before the end of the file."""
    log.set("header.arena_size", log.header.arena_size - 4096)
    log.expect("intact", survivors=range(4))


@BOOK.damaged(five_entries, "header", "SDJ-009")
def arena_larger_than_the_file(log: SystemdLog) -> None:
    """The arena ends past the end of the file, although the file has every object."""
    log.set("header.arena_size", 1 << 30)
    log.expect("intact", survivors=ALL)
    log.note("systemd up to 257 refuses the file; 262 reduces the arena to the file.")


@BOOK.damaged(five_entries, "header", "SDJ-016")
def data_table_offset_off_by_8(log: SystemdLog) -> None:
    """`data_hash_table_offset` in the header is 8 bytes too high."""
    log.set("header.data_hash_table_offset", log.header.data_hash_table_offset + 8)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-016")
def data_table_size_halved(log: SystemdLog) -> None:
    """`data_hash_table_size` in the header is half of the correct size."""
    log.set("header.data_hash_table_size", 64)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-016")
def field_table_offset_of_nothing(log: SystemdLog) -> None:
    """`field_hash_table_offset` in the header is 0, although the file has a FIELD table."""
    log.zero("header.field_hash_table_offset")
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-016")
def data_table_far_away(log: SystemdLog) -> None:
    """`data_hash_table_offset` in the header points past the end of the file."""
    log.set("header.data_hash_table_offset", 1 << 62)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-098")
def tail_object_too_early(log: SystemdLog) -> None:
    """`tail_object_offset` names the second entry. The main chain links later entries."""
    log.set("header.tail_object_offset", log.start(log.entry(1)))
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-097")
def tail_object_unaligned(log: SystemdLog) -> None:
    """`tail_object_offset` is not a multiple of 8."""
    log.set("header.tail_object_offset", log.header.tail_object_offset + 4)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-097")
def tail_object_far_away(log: SystemdLog) -> None:
    """`tail_object_offset` points past the end of the file."""
    log.set("header.tail_object_offset", 1 << 40)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def too_many_objects(log: SystemdLog) -> None:
    """The header counts one object more than the file has."""
    log.set("header.n_objects", log.header.n_objects + 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def one_entry_too_many(log: SystemdLog) -> None:
    """The header counts six entries, but the file has five."""
    log.set("header.n_entries", 6)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def one_entry_too_few(log: SystemdLog) -> None:
    """The header counts four entries, but the main chain links five."""
    log.set("header.n_entries", 4)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-057")
def counts_of_all_ones(log: SystemdLog) -> None:
    """The header counts 2^64 - 1 entries. A reader does not allocate memory for this count."""
    log.set("header.n_entries", 2**64 - 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_data(log: SystemdLog) -> None:
    """The header counts three DATA objects, but the file has ten."""
    log.set("header.n_data", 3)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_fields(log: SystemdLog) -> None:
    """The header counts nine FIELD objects, but the file has four."""
    log.set("header.n_fields", 9)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_arrays(log: SystemdLog) -> None:
    """The header counts no entry arrays, but the file has five."""
    log.set("header.n_entry_arrays", 0)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_tags(log: SystemdLog) -> None:
    """The header counts one tag, but the file has none."""
    log.set("header.n_tags", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_head_sequence_number(log: SystemdLog) -> None:
    """`head_entry_seqnum` is not the sequence number of the first entry."""
    log.set("header.head_entry_seqnum", 2)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_tail_sequence_number(log: SystemdLog) -> None:
    """`tail_entry_seqnum` is not the sequence number of the last entry."""
    log.set("header.tail_entry_seqnum", 500)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_head_realtime(log: SystemdLog) -> None:
    """`head_entry_realtime` is not the realtime of the first entry."""
    log.set("header.head_entry_realtime", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_tail_realtime(log: SystemdLog) -> None:
    """`tail_entry_realtime` is not the realtime of the last entry."""
    log.set("header.tail_entry_realtime", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_tail_array(log: SystemdLog) -> None:
    """`tail_entry_array_offset` points to an ENTRY. The verifier of systemd does not check this
    field.
    """
    log.set("header.tail_entry_array_offset", log.start(log.entry(0)))
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_count_in_tail_array(log: SystemdLog) -> None:
    """`tail_entry_array_n_entries` is 3, but the last array has one used slot."""
    log.set("header.tail_entry_array_n_entries", 3)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-083")
def chain_depths_of_nothing(log: SystemdLog) -> None:
    """The chain depths in the header have arbitrary values. A reader ignores them."""
    log.set("header.data_hash_chain_depth", 1 << 50)
    log.set("header.field_hash_chain_depth", 77)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-022", "SDJ-044")
def keyed_flag_set(log: SystemdLog) -> None:
    """The flag for keyed hashes is set in a file with Jenkins hashes, so every hash is wrong."""
    log.set("header.incompatible_flags", 4)
    log.expect("damaged", "hash-mismatch", survivors=[b""] * 5)


@BOOK.damaged(five_entries, "header", "SDJ-005", "SDJ-057")
def compact_flag_set(log: SystemdLog) -> None:
    """The flag for compact files is set in a regular file. The objects are misread, and every field
    is lost.
    """
    log.set("header.incompatible_flags", 16)
    log.expect("damaged", "hash-mismatch", survivors=[b""] * 5)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def no_tail_array(log: SystemdLog) -> None:
    """`tail_entry_array_offset` and `tail_entry_array_n_entries` are 0, although the file has
    entries.
    """
    log.zero("header.tail_entry_array_offset")
    log.zero("header.tail_entry_array_n_entries")
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def tail_array_without_a_place(log: SystemdLog) -> None:
    """`tail_entry_array_offset` is 0, but `tail_entry_array_n_entries` is not."""
    log.zero("header.tail_entry_array_offset")
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-006", "SDJ-049")
def wrong_tail_boot_id(log: SystemdLog) -> None:
    """Compatible flag 2 is set, but `tail_entry_boot_id` is not the boot id of the last entry."""
    log.flip("header.tail_entry_boot_id", 0)
    log.set("header.tail_entry_monotonic", 1)
    log.expect("damaged", "bad-header", survivors=range(4))
    log.note("The boot id is wrong, so the monotonic time is not compared.")


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-006", "SDJ-049")
def wrong_tail_monotonic(log: SystemdLog) -> None:
    """Compatible flag 2 is set, but `tail_entry_monotonic` is not the monotonic time of the last
    entry.
    """
    log.set("header.tail_entry_monotonic", 1)
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(five_entries, "header", "SDJ-006", "SDJ-049")
def tail_monotonic_without_its_flag(log: SystemdLog) -> None:
    """Compatible flag 2 is not set. A reader does not compare `tail_entry_boot_id` and
    `tail_entry_monotonic` with the last entry.
    """
    log.fill("header.tail_entry_boot_id", 0xAB)
    log.set("header.tail_entry_monotonic", 1)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-049")
def wrong_tail_entry(log: SystemdLog) -> None:
    """`tail_entry_offset` points to the first entry instead of the last."""
    log.set("header.tail_entry_offset", log.start(log.entry(0)))
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-003", "SDJ-049")
def wrong_last_byte_of_tail_entry(log: SystemdLog) -> None:
    """The highest byte of `tail_entry_offset` is wrong. This byte is the last byte of the longest
    known header.
    """
    log.set("header.tail_entry_offset", log.start(log.entry(3)) | 1 << 56)
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-049")
def no_tail_entry(log: SystemdLog) -> None:
    """`tail_entry_offset` is 0, although the file has entries."""
    log.zero("header.tail_entry_offset")
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-098")
def tail_object_before_the_last_array(log: SystemdLog) -> None:
    """`tail_object_offset` names the last entry. Only `n_objects` shows that an array follows."""
    log.set("header.tail_object_offset", log.start(log.entry(4)))
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def tail_object_and_count_before_the_last_array(log: SystemdLog) -> None:
    """`tail_object_offset` names the last entry, and `n_objects` leaves out the array after the
    last entry. A reader does not read this array.
    """
    log.set("header.tail_object_offset", log.start(log.entry(4)))
    log.set("header.n_objects", log.header.n_objects - 1)
    log.expect("damaged", "bad-chain", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-001", "SDJ-050")
def five_bytes_of_something_else(log: SystemdLog) -> None:
    """A file of eight bytes differs from the signature only in its last byte."""
    log.set("header.signature", b"LPKSHHRX")
    log.truncate(8)
    log.expect("refused", "not-a-journal")


@BOOK.damaged(five_entries, "header", "SDJ-001", "SDJ-050")
def one_byte_of_something_else(log: SystemdLog) -> None:
    """A file of one byte, which is not the first byte of the signature."""
    log.set("header.signature", b"hello, w")
    log.truncate(1)
    log.expect("refused", "not-a-journal")


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-005")
def flag_and_header_size_unknown(log: SystemdLog) -> None:
    """The file has an unknown incompatible flag and an invalid header size. A reader checks the
    flags first.
    """
    log.set("header.incompatible_flags", 32)
    log.set("header.header_size", 100)
    log.expect("refused", "unsupported-flag")


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-007")
def state_and_header_size_unknown(log: SystemdLog) -> None:
    """The file has an unknown state and an invalid header size. A reader checks the state first."""
    log.set("header.state", 9)
    log.set("header.header_size", 100)
    log.expect("refused", "unsupported-state")


@BOOK.damaged(five_entries, "header", "SDJ-008")
def one_reserved_bit(log: SystemdLog) -> None:
    """One bit of the reserved bytes in the header is flipped."""
    log.flip("header.reserved", 3)
    log.expect("damaged", "bad-header", survivors=ALL)
