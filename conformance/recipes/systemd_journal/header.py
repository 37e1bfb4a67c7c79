"""The header lies: the objects say otherwise."""

from conformance.recipes.systemd_journal.combinations import (
    header_of_272_bytes,
    preallocated_space,
)
from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog

ALL = range(5)


@BOOK.damaged(five_entries, "header", "SDJ-001", "SDJ-054")
def signature_flipped(log: SystemdLog) -> None:
    """One bit of the signature: not a journal file."""
    log.flip("header.signature", 0)
    log.expect("refused", "not-a-journal")


@BOOK.damaged(five_entries, "header", "SDJ-005")
def incompatible_flag_of_the_segmented_format(log: SystemdLog) -> None:
    """Incompatible flag 32, proposed for a format with other objects."""
    log.set("header.incompatible_flags", 32)
    log.expect("refused", "unsupported-flag")


@BOOK.damaged(five_entries, "header", "SDJ-005")
def highest_incompatible_flag(log: SystemdLog) -> None:
    """The highest incompatible flag."""
    log.set("header.incompatible_flags", 1 << 31)
    log.expect("refused", "unsupported-flag")


@BOOK.damaged(five_entries, "header", "SDJ-007")
def state_of_three(log: SystemdLog) -> None:
    """A state that does not exist."""
    log.set("header.state", 3)
    log.expect("refused", "unsupported-state")


@BOOK.damaged(five_entries, "header", "SDJ-004")
def header_size_too_small(log: SystemdLog) -> None:
    """A header smaller than any has ever been."""
    log.set("header.header_size", 200)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-004")
def header_size_unaligned(log: SystemdLog) -> None:
    """A header size that is no multiple of 8."""
    log.set("header.header_size", 260)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-004")
def header_size_one_byte_off(log: SystemdLog) -> None:
    """An odd header size."""
    log.set("header.header_size", 265)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-050")
def header_size_beyond_the_file(log: SystemdLog) -> None:
    """A header that ends past the end of the file."""
    log.set("header.header_size", 1 << 20)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(five_entries, "header", "SDJ-004")
def sealed_in_a_header_without_tags(log: SystemdLog) -> None:
    """The flag for seals in a header of 208 bytes, which cannot count tags."""
    log.set("header.header_size", 208)
    log.set("header.compatible_flags", 1)
    log.expect("refused", "bad-header-size")


@BOOK.damaged(five_entries, "header", "SDJ-041")
def header_size_of_an_older_version(log: SystemdLog) -> None:
    """The header size is too small by 8: the walk gets into step at a known object."""
    log.set("header.header_size", 256)
    log.expect("damaged", "bad-object", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-008")
def reserved_not_zero(log: SystemdLog) -> None:
    """A reserved byte of the header is not zero."""
    log.fill("header.reserved", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-008")
def machine_id_changed(log: SystemdLog) -> None:
    """Another machine id: nothing in the file contradicts it."""
    log.fill("header.machine_id", 0xAB)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(preallocated_space, "header", "SDJ-009")
def arena_smaller_than_the_file(log: SystemdLog) -> None:
    """An arena that ends before the file does."""
    log.set("header.arena_size", log.header.arena_size - 4096)
    log.expect("intact", survivors=range(4))


@BOOK.damaged(five_entries, "header", "SDJ-009")
def arena_larger_than_the_file(log: SystemdLog) -> None:
    """An arena that ends past the end of the file, although every object is there."""
    log.set("header.arena_size", 1 << 30)
    log.expect("intact", survivors=ALL)
    log.note("systemd up to 257 refuses the file; 262 clamps the arena.")


@BOOK.damaged(five_entries, "header", "SDJ-016")
def data_table_offset_off_by_8(log: SystemdLog) -> None:
    """The DATA table is elsewhere than the header says."""
    log.set("header.data_hash_table_offset", log.header.data_hash_table_offset + 8)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-016")
def data_table_size_halved(log: SystemdLog) -> None:
    """The DATA table has more buckets than the header says."""
    log.set("header.data_hash_table_size", 64)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-016")
def field_table_offset_of_nothing(log: SystemdLog) -> None:
    """The header says that there is no FIELD table."""
    log.zero("header.field_hash_table_offset")
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-016")
def data_table_far_away(log: SystemdLog) -> None:
    """The DATA table is past the end of the file."""
    log.set("header.data_hash_table_offset", 1 << 62)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-098")
def tail_object_too_early(log: SystemdLog) -> None:
    """The tail pointer stops at the second entry: the main chain knows of more."""
    log.set("header.tail_object_offset", log.start(log.entry(1)))
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-097")
def tail_object_unaligned(log: SystemdLog) -> None:
    """The tail pointer is not the offset of an object."""
    log.set("header.tail_object_offset", log.header.tail_object_offset + 4)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-097")
def tail_object_far_away(log: SystemdLog) -> None:
    """The tail pointer leads past the end of the file."""
    log.set("header.tail_object_offset", 1 << 40)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def too_many_objects(log: SystemdLog) -> None:
    """One object fewer than the header counts."""
    log.set("header.n_objects", log.header.n_objects + 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def one_entry_too_many(log: SystemdLog) -> None:
    """One entry fewer than the header counts."""
    log.set("header.n_entries", 6)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def one_entry_too_few(log: SystemdLog) -> None:
    """The header counts four entries; the main chain links five."""
    log.set("header.n_entries", 4)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-057")
def counts_of_all_ones(log: SystemdLog) -> None:
    """A count of 2^64 - 1 entries must not be believed, nor allocated for."""
    log.set("header.n_entries", 2**64 - 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_data(log: SystemdLog) -> None:
    """The number of DATA objects is wrong."""
    log.set("header.n_data", 3)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_fields(log: SystemdLog) -> None:
    """The number of FIELD objects is wrong."""
    log.set("header.n_fields", 9)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_arrays(log: SystemdLog) -> None:
    """The number of entry arrays is wrong."""
    log.set("header.n_entry_arrays", 0)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_number_of_tags(log: SystemdLog) -> None:
    """The header counts tags, but there are none."""
    log.set("header.n_tags", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_head_sequence_number(log: SystemdLog) -> None:
    """The first entry has another sequence number than the header says."""
    log.set("header.head_entry_seqnum", 2)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_tail_sequence_number(log: SystemdLog) -> None:
    """The last entry has another sequence number than the header says."""
    log.set("header.tail_entry_seqnum", 500)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_head_realtime(log: SystemdLog) -> None:
    """The first entry has another time than the header says."""
    log.set("header.head_entry_realtime", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_tail_realtime(log: SystemdLog) -> None:
    """The last entry has another time than the header says."""
    log.set("header.tail_entry_realtime", 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_tail_array(log: SystemdLog) -> None:
    """The shortcut to the last entry array leads elsewhere: real verifiers do not look."""
    log.set("header.tail_entry_array_offset", log.start(log.entry(0)))
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def wrong_count_in_tail_array(log: SystemdLog) -> None:
    """The shortcut counts more or fewer slots than are used."""
    log.set("header.tail_entry_array_n_entries", 3)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-083")
def chain_depths_of_nothing(log: SystemdLog) -> None:
    """The chain depths are a writer's notes: any value will do."""
    log.set("header.data_hash_chain_depth", 1 << 50)
    log.set("header.field_hash_chain_depth", 77)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-022", "SDJ-044")
def keyed_flag_set(log: SystemdLog) -> None:
    """The flag for keyed hashes in a file that has none: every hash is wrong."""
    log.set("header.incompatible_flags", 4)
    log.expect("damaged", "hash-mismatch", survivors=[b""] * 5)


@BOOK.damaged(five_entries, "header", "SDJ-005", "SDJ-057")
def compact_flag_set(log: SystemdLog) -> None:
    """The flag for compact files in a regular one: nothing means what it says."""
    log.set("header.incompatible_flags", 16)
    log.expect("damaged", "hash-mismatch", survivors=[b""] * 5)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def no_tail_array(log: SystemdLog) -> None:
    """The shortcut to the last entry array is not set, though there are entries."""
    log.zero("header.tail_entry_array_offset")
    log.zero("header.tail_entry_array_n_entries")
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def tail_array_without_a_place(log: SystemdLog) -> None:
    """The shortcut counts slots of no array."""
    log.zero("header.tail_entry_array_offset")
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-006", "SDJ-049")
def wrong_tail_boot_id(log: SystemdLog) -> None:
    """With compatible flag 2, the boot id in the header is that of the last entry."""
    log.flip("header.tail_entry_boot_id", 0)
    log.set("header.tail_entry_monotonic", 1)
    log.expect("damaged", "bad-header", survivors=range(4))
    log.note("The boot id is wrong, so the monotonic time is not compared.")


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-006", "SDJ-049")
def wrong_tail_monotonic(log: SystemdLog) -> None:
    """With compatible flag 2, the monotonic time in the header is that of the last entry."""
    log.set("header.tail_entry_monotonic", 1)
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(five_entries, "header", "SDJ-006", "SDJ-049")
def tail_monotonic_without_its_flag(log: SystemdLog) -> None:
    """Without compatible flag 2, the header speaks of the last writer: nothing is compared."""
    log.fill("header.tail_entry_boot_id", 0xAB)
    log.set("header.tail_entry_monotonic", 1)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-049")
def wrong_tail_entry(log: SystemdLog) -> None:
    """The shortcut to the last entry leads to the first."""
    log.set("header.tail_entry_offset", log.start(log.entry(0)))
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-003", "SDJ-049")
def wrong_last_byte_of_tail_entry(log: SystemdLog) -> None:
    """The last byte of the largest header that is known belongs to a field too."""
    log.set("header.tail_entry_offset", log.start(log.entry(3)) | 1 << 56)
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(header_of_272_bytes, "header", "SDJ-049")
def no_tail_entry(log: SystemdLog) -> None:
    """The shortcut to the last entry is not set, though there are entries."""
    log.zero("header.tail_entry_offset")
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(five_entries, "header", "SDJ-049", "SDJ-098")
def tail_object_before_the_last_array(log: SystemdLog) -> None:
    """The tail pointer stops at the last entry: only the number of objects tells of one more."""
    log.set("header.tail_object_offset", log.start(log.entry(4)))
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-049")
def tail_object_and_count_before_the_last_array(log: SystemdLog) -> None:
    """Tail pointer and number of objects stop at the last entry: the array after it is lost."""
    log.set("header.tail_object_offset", log.start(log.entry(4)))
    log.set("header.n_objects", log.header.n_objects - 1)
    log.expect("damaged", "bad-chain", survivors=ALL)


@BOOK.damaged(five_entries, "header", "SDJ-001", "SDJ-050")
def five_bytes_of_something_else(log: SystemdLog) -> None:
    """A file too short for a signature, which does not begin like one."""
    log.set("header.signature", b"LPKSHHRX")
    log.truncate(8)
    log.expect("refused", "not-a-journal")


@BOOK.damaged(five_entries, "header", "SDJ-001", "SDJ-050")
def one_byte_of_something_else(log: SystemdLog) -> None:
    """One byte that no signature begins with."""
    log.set("header.signature", b"hello, w")
    log.truncate(1)
    log.expect("refused", "not-a-journal")


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-005")
def flag_and_header_size_unknown(log: SystemdLog) -> None:
    """Two reasons to refuse: flags come before the header size."""
    log.set("header.incompatible_flags", 32)
    log.set("header.header_size", 100)
    log.expect("refused", "unsupported-flag")


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-007")
def state_and_header_size_unknown(log: SystemdLog) -> None:
    """Two reasons to refuse: the state comes before the header size."""
    log.set("header.state", 9)
    log.set("header.header_size", 100)
    log.expect("refused", "unsupported-state")


@BOOK.damaged(five_entries, "header", "SDJ-008")
def one_reserved_bit(log: SystemdLog) -> None:
    """One of the reserved bytes is not zero."""
    log.flip("header.reserved", 3)
    log.expect("damaged", "bad-header", survivors=ALL)
