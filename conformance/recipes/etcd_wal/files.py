"""Folders of segments: names; missing, swapped and copied files; damage in one file."""

from conformance.recipes.etcd_wal.layout import HEAD, three_files
from conformance.recipes.etcd_wal.log import (
    FILES,
    FIRST,
    SECOND,
    THIRD,
    EtcdLog,
    entry,
    marker,
    saves,
    state,
)

FOURTH = "0000000000000003-0000000000000009.wal"
SECOND_OF_TWO = "0000000000000001-0000000000000003.wal"


@FILES.damaged(three_files, "ETW-041")
def copy_of_the_last_file(log: EtcdLog) -> None:
    """A copy of the last file has the next sequence number. The checksum in its head occurred
    before."""
    log.add_file(FOURTH, bytes(log.files[THIRD]))
    log.expect("damaged", "broken-chain", survivors=range(18), end=None)


@FILES.damaged(three_files, "ETW-041")
def copy_of_the_first_file(log: EtcdLog) -> None:
    """A copy of the first file has the next sequence number."""
    log.add_file(FOURTH, bytes(log.files[FIRST]))
    log.expect("damaged", "broken-chain", survivors=range(18), end=None)


@FILES.damaged(three_files, "ETW-002", "ETW-041")
def two_files_of_one_number(log: EtcdLog) -> None:
    """Two files have the sequence number 1. The file whose name sorts first by its bytes is read
    first."""
    log.rename_file(SECOND, "1-B0.wal")
    log.add_file("1-a.wal", bytes(log.files["1-B0.wal"]))
    log.expect("damaged", "broken-chain", survivors=range(18), end=None)


@FILES.damaged(three_files, "ETW-001", kind="limit")
def folder_with_the_name_of_a_segment(log: EtcdLog) -> None:
    """A folder has the name of a segment. It is not part of the log."""
    log.add_file(f"{FOURTH}/readme.txt", b"no segment")
    log.expect("intact", survivors=range(18), end=312)


@FILES.damaged(three_files, "ETW-028", "ETW-041")
def other_metadata_in_the_second_file(log: EtcdLog) -> None:
    """The metadata of the second file differs. The checksum of the third file does not match."""
    log.rewrite(1, 1, b"other".hex(), SECOND)
    survivors = [*range(8), b"other", state(3).payload, *range(8, 18)]
    log.expect("damaged", "metadata-conflict", survivors=survivors, end=None)


@FILES.damaged(three_files, "ETW-002", kind="limit")
def short_name_of_the_second_file(log: EtcdLog) -> None:
    """Sequence numbers, not names, determine the order of the files."""
    log.rename_file(SECOND, "1-4.wal")
    log.expect("intact", survivors=range(18), end=312)


@FILES.valid("ETW-001", "ETW-042")
def sequence_numbers_with_letters(log: EtcdLog) -> None:
    """The sequence numbers are 15 to 17, written as hexadecimal digits."""
    log.build(*HEAD, *saves(1, 8, 40), folder=True, segment_size=256)
    for name, number in ((FIRST, "0F"), (SECOND, "10"), (THIRD, "11")):
        log.files[f"{number:0>16}{name[16:]}"] = log.files.pop(name)
    log.expect("intact", survivors=range(18))


@FILES.valid("ETW-072")
def replaced_entries_and_an_old_marker(log: EtcdLog) -> None:
    """The last entry of a folder has a lower index than earlier entries, and the marker has a lower
    index than the last entry."""
    log.build(*HEAD, *saves(1, 3), entry(2, b"x", 3), state(3, 3), marker(1, 2), folder=True,
              segment_size=1024)  # fmt: skip
    log.expect("intact", survivors=range(11))


@FILES.valid("ETW-072")
def marker_above_the_last_entry(log: EtcdLog) -> None:
    """The last marker of a folder is above the last entry. Only the entry determines the name of
    the next file."""
    log.build(*HEAD, *saves(1, 2), marker(9, 2), folder=True, segment_size=1024)
    log.expect("intact", survivors=range(7))


@FILES.valid("ETW-009")
def heads_without_metadata(log: EtcdLog) -> None:
    """A folder has no metadata. The heads of its files repeat only the last state."""
    log.build(*saves(1, 4, 40), folder=True, segment_size=64)
    log.expect("intact", survivors=range(8))


@FILES.valid("ETW-072")
def folder_without_entries(log: EtcdLog) -> None:
    """A folder contains only metadata and a marker for the snapshot 0."""
    log.build(*HEAD, folder=True, segment_size=1024)
    log.expect("intact", survivors=range(2))


@FILES.valid("ETW-041")
def two_heads_of_one_checksum(log: EtcdLog) -> None:
    """The first file contains only its head. The head of the second file therefore stores the same
    checksum."""
    log.build(*HEAD, *saves(1, 2), folder=True, segment_size=1024)
    log.files["0000000000000001-0000000000000001.wal"] = log.files[FIRST]
    log.files[FIRST] = log.files[FIRST][:16]
    log.expect("intact", survivors=range(6))


@FILES.valid("ETW-001", kind="limit")
def name_with_a_blank(log: EtcdLog) -> None:
    """A file name begins with a blank, which no writer produces. The file is not a segment."""
    log.build(*HEAD, *saves(1, 8, 40), folder=True, segment_size=256)
    log.files[f" {THIRD}"] = log.files.pop(THIRD)
    log.expect("intact", survivors=range(14), end=424)


FILES.table(f"""
metadata_of_the_second_file_zeroed: three_files ETW-032 ETW-031
    The metadata in the head of the second file is zeroed. The state after it repeats the last
    state, as the second record after a head may. The state is not proven, and all records after it
    are returned.
    damage: zero {SECOND}:frames[1]
    expect: damaged zero-gap, survivors 0-17, end none
middle_file_missing: three_files ETW-042 ETW-041 ETW-063
    The second file is missing. The state in the head of the third file is therefore a record.
    shows: lost-file
    damage: remove {SECOND}
    expect: damaged missing-file, survivors 0-7 13-17, end none
first_file_missing: three_files ETW-002 ETW-009 ETW-041 limit
    The first file was deleted. The metadata and the state in the head of the second file are
    therefore records.
    damage: remove {FIRST}
    expect: intact, survivors 0 7-17, end 312
first_two_files_missing: three_files ETW-002 ETW-009 limit
    The first two files were deleted.
    damage: remove {FIRST}
    damage: remove {SECOND}
    expect: intact, survivors 0 13-17, end 312
last_file_missing: three_files ETW-061 limit
    The last file is missing, which a reader cannot detect.
    damage: remove {THIRD}
    expect: intact, survivors 0-13, end 424
files_swapped: three_files ETW-041 ETW-032
    The names of the second and third files are swapped. The third file continues the log, but the
    second file does not continue the third.
    shows: swapped
    damage: swap {SECOND} and {THIRD}
    expect: damaged broken-chain, survivors 0-7 13-17, end none
second_file_renamed: three_files ETW-042 ETW-041
    The second file is renamed to number 3, after the third file.
    damage: rename {SECOND} to {FOURTH}
    expect: damaged missing-file, survivors 0-7 13-17, end none
metadata_lost_in_the_first_file: three_files ETW-009 ETW-026
    The type of the metadata in the first file becomes 0. The metadata in the second file is
    therefore a record, but the state after it is framing.
    damage: flip bit 0 of {FIRST}:frames[1].record.type.groups[0]
    expect: damaged bad-type, survivors 1-7 0 8-17, end none
number_skipped: three_files ETW-042
    The third file has the number 4, although it continues the second file.
    damage: rename {THIRD} to 0000000000000004-0000000000000007.wal
    expect: damaged missing-file, survivors 0-17, end none
other_files: three_files ETW-001 limit
    The folder contains files that are not segments.
    damage: add 0.tmp: 55555555
    damage: add {THIRD}.broken: 55
    damage: add foo.wal: 55
    damage: add 0000000000000003-zz.wal: 55
    damage: add 0000000000000003.wal: 55
    damage: add 00000000000000003-0.wal: 55
    damage: add 3-4.wal.tmp: 55
    damage: add 3-00000000000000000.wal: 55
    damage: add 3-.wal: 55
    damage: add -4.wal: 55
    damage: add 3-4.WAL: 55
    damage: add 3-4xwal: 55
    damage: add +3-4.wal: 55
    expect: intact, survivors 0-17, end 312
upper_case_name: three_files ETW-001 limit
    The digits in a file name may be upper-case.
    damage: rename {THIRD} to 2-A.wal
    expect: intact, survivors 0-17, end 312
folder_without_segments: three_files ETW-001
    The folder contains only another file.
    damage: remove {FIRST}
    damage: remove {SECOND}
    damage: remove {THIRD}
    damage: add readme.txt: 55
    expect: refused no-segments, no survivors
last_record_of_the_first_file_missing: three_files ETW-041 ETW-009
    The first file lacks its last state. The head of the second file repeats it.
    damage: drop {FIRST}:frames[8]
    expect: damaged broken-chain, survivors 0-17, end none
last_entry_of_the_first_file_missing: three_files ETW-024 ETW-023
    The first file lacks its last entry. The head of the second file proves the checksum of the
    state.
    damage: drop {FIRST}:frames[7]
    expect: damaged checksum-mismatch, survivors 0-5 7-17, end none
first_file_ends_inside_a_record: three_files ETW-034 ETW-020
    The first file ends inside its last state. This is damage, because only the last file can have a
    torn write.
    damage: truncate at 400 in {FIRST}
    expect: damaged bad-length, survivors 0-17, end none
    note: etcd's Repair reports success and does nothing, because it repairs only the last file.
first_file_ends_inside_padding: three_files ETW-020 limit
    The first file ends before the padding of its last frame. Nothing is lost.
    damage: truncate at 409 in {FIRST}
    expect: intact, survivors 0-17, end 312
last_entry_of_the_first_file_zeroed: three_files ETW-031 ETW-023
    The last entry of the first file is zeroed. The state after it is not proven, but the next head
    repeats it.
    damage: zero {FIRST}:frames[7]
    expect: damaged zero-gap, survivors 0-5 7-17, end none
zeros_after_the_first_file: three_files ETW-011 limit
    The first file ends in zeros.
    damage: extend by 64 zero bytes in {FIRST}
    expect: intact, survivors 0-17, end 312
bytes_after_the_first_file: three_files ETW-034
    Eight non-zero bytes follow the last frame of the first file.
    damage: extend by 8 bytes of 55 in {FIRST}
    expect: damaged bad-length, survivors 0-17, end none
data_of_the_last_record_of_the_first_file: three_files ETW-024 ETW-023
    A bit of the last state of the first file is flipped. The head of the second file proves the
    stored checksum of the state, and repeats the state.
    damage: flip bit 8 of {FIRST}:frames[8].record.data
    expect: damaged checksum-mismatch, survivors 0-17, end none
crc_of_the_last_record_of_the_first_file: three_files ETW-023
    The stored checksum of the last record of the first file is wrong. The head of the second file
    proves the data.
    damage: flip bit 0 of {FIRST}:frames[8].record.crc.groups[0]
    expect: damaged bad-crc, survivors 0-17, end none
data_in_the_first_file: three_files ETW-024 ETW-034
    A bit of an entry's data in the first file is flipped.
    damage: flip bit 0 of {FIRST}:frames[3].record.data
    expect: damaged checksum-mismatch, survivors 0 1 3-17, end none
zeroed_head_of_the_second_file: three_files ETW-040 ETW-030
    The head of the second file is zeroed. The metadata continues the first file.
    damage: zero {SECOND}:frames[0]
    expect: damaged missing-head, survivors 0-17, end none
wrong_checksum_in_the_second_head: three_files ETW-041
    The head of the second file stores a wrong checksum, and the metadata continues the first file.
    damage: flip bit 0 of {SECOND}:frames[0].record.crc.groups[0]
    expect: damaged bad-crc, survivors 0-17, end none
repeated_metadata_of_type_snapshot: three_files ETW-009
    The type of the metadata in the head of the second file becomes that of a marker.
    damage: flip bit 2 of {SECOND}:frames[1].record.type.groups[0]
    expect: damaged bad-type, survivors 0-17, end none
repeated_state_of_type_entry: three_files ETW-009
    The type of the state in the head of the second file becomes that of an entry.
    damage: flip bit 0 of {SECOND}:frames[2].record.type.groups[0]
    expect: damaged bad-type, survivors 0-17, end none
repeated_metadata_of_type_0: three_files ETW-026
    The type of the metadata in the head of the second file becomes 0.
    damage: flip bit 0 of {SECOND}:frames[1].record.type.groups[0]
    expect: damaged bad-type, survivors 0-17, end none
second_head_of_type_snapshot: three_files ETW-040
    The type of the second file's head becomes that of a marker.
    damage: flip bit 0 of {SECOND}:frames[0].record.type.groups[0]
    expect: damaged bad-type, survivors 0-17, end none
second_file_without_a_head: three_files ETW-040
    The second file has no head and begins with its metadata.
    damage: drop {SECOND}:frames[0]
    expect: damaged missing-head, survivors 0-17, end none
second_file_without_head_and_metadata: three_files ETW-040 ETW-024
    The second file begins with the repeated state, which cannot be proven.
    damage: drop [0, 56) in {SECOND}
    expect: damaged missing-head, survivors 0-17, end none
second_file_of_zeros: three_files ETW-040 ETW-041
    The second file is zeroed. The third file does not continue the first.
    damage: zero sector 0 of 512 bytes in {SECOND}
    expect: damaged missing-head, survivors 0-7 13-17, end none
second_head_after_a_lost_end: three_files ETW-041 ETW-034
    The end of the first file is lost, and the head of the second file is wrong. The seed cannot be
    proven, so the metadata is also lost.
    damage: truncate at 400 in {FIRST}
    damage: flip bit 0 of {SECOND}:frames[0].record.crc.groups[0]
    expect: damaged bad-length, survivors 0-17, end none
third_file_empty: three_files ETW-040 ETW-061
    The last file is empty, as after etcd's repair of a file that was torn in its first frame.
    damage: truncate at 0 in {THIRD}
    expect: damaged missing-head, survivors 0-13, end none
third_file_torn: three_files ETW-051 ETW-061
    The last file ends inside its last record.
    shows: torn-last-record
    damage: truncate at 290 in {THIRD}
    expect: torn torn-record, survivors 0-16, end 272
third_file_torn_after_damage: three_files ETW-060 ETW-061
    The last file is torn, and a bit in the first file is flipped. A damaged log has no end.
    damage: flip bit 0 of {FIRST}:frames[3].record.data
    damage: truncate at 290 in {THIRD}
    expect: damaged checksum-mismatch, survivors 0 1 3-16, end none
gap_in_the_second_file: three_files ETW-031 ETW-034
    An entry of the second file is zeroed.
    damage: zero {SECOND}:frames[5]
    expect: damaged zero-gap, survivors 0-9 12-17, end none
data_in_front_of_a_head_of_type_metadata: three_files ETW-023 ETW-040
    A bit of the last state of the first file is flipped, and the second head has the type of
    metadata. It proves nothing, so that the rest of the first file is lost.
    damage: flip bit 8 of {FIRST}:frames[8].record.data
    damage: set {SECOND}:frames[0].record.type.groups[0] to 1
    expect: damaged checksum-mismatch, survivors 0-6 7-17
data_in_front_of_a_head_with_data: three_files ETW-023 ETW-040
    The same with a second head of type 4 with data. The state after it is not proven.
    damage: flip bit 8 of {FIRST}:frames[8].record.data
    rewrite: 1, 4, 0x, {SECOND}
    damage: drop {SECOND}:frames[0]
    expect: damaged checksum-mismatch, survivors 0-6 8-17
rest_of_the_second_file_lost: three_files ETW-034
    The second file ends inside its first entry.
    damage: truncate at 120 in {SECOND}
    expect: damaged bad-length, survivors 0-7 13-17, end none
short_bytes_after_the_first_file: three_files ETW-020
    Fewer than eight bytes follow the last frame of the first file. The last of them is not zero.
    damage: extend by 0000000055 in {FIRST}
    expect: damaged bad-length, survivors 0-17
last_state_of_the_first_file_of_type_entry: three_files ETW-009 limit
    The type of the last state of the first file becomes that of an entry. The head of the second
    file repeats the state.
    damage: flip bit 0 of {FIRST}:frames[8].record.type.groups[0]
    expect: intact, survivors 0-17
older_state_in_the_second_head: three_files ETW-009 ETW-041
    The head of the second file contains an older state, which is therefore a record. The chain is
    broken after it.
    rewrite: 2, 3, 0x{state(2).payload.hex()}, {SECOND}
    expect: damaged broken-chain, survivors 0-7 payload_of(s2) 8-17
older_state_after_a_lost_state: three_files ETW-009 ETW-024
    The last state of the first file is lost, and the head of the second file repeats the state
    before it.
    damage: flip bit 8 of {FIRST}:frames[8].record.data
    rewrite: 2, 3, 0x{state(2).payload.hex()}, {SECOND}
    expect: damaged checksum-mismatch, survivors 0-6 8-17
metadata_of_type_state_in_the_first_file: three_files ETW-009 ETW-027 limit
    The metadata of the first file has the type of a state, for which it is valid, too. So the
    metadata of the second file is the first, and a record.
    damage: flip bit 1 of {FIRST}:frames[1].record.type.groups[0]
    expect: intact, survivors 0-7 0 8-17
entry_in_front_of_the_repeated_state: heads_without_metadata ETW-009 ETW-041
    In a log without metadata, the second file begins with an entry. The state after it is a record.
    add: 1, 2, 0x{entry(9).payload.hex()}, 0000000000000001-0000000000000003.wal
    expect: damaged broken-chain, survivors 0-3 payload(0x{entry(9).payload.hex()}) 3-7
repeated_state_of_type_metadata: heads_without_metadata ETW-009
    The repeated state of the second file has the type of metadata, which the log does not have.
    damage: flip bit 1 of 0000000000000001-0000000000000003.wal:frames[1].record.type.groups[0]
    expect: damaged bad-type, survivors 0-7
state_with_a_type_of_another_field: unusual_messages ETW-006 limit
    The second of two types of a state becomes field 5, so the first counts. The payload is also a
    valid entry.
    damage: flip bit 5 of byte 389
    expect: intact, survivors 0-9
unproven_entry_in_front_of_the_repeated_state: three_files ETW-009 ETW-031
    The metadata of the second file is zeros, and an entry follows that nothing proves. It does not
    count, so that the state after it is the repeated one.
    add: 2, 2, 0x{entry(9).payload.hex()}, {SECOND}
    damage: zero {SECOND}:frames[1]
    expect: damaged zero-gap, survivors 0-17
repeated_entry_in_the_second_head: three_files ETW-009
    The last state of the first file is lost, and the second head has the entry before it in place
    of a state. It is a record.
    damage: flip bit 8 of {FIRST}:frames[8].record.data
    rewrite: 2, 2, 0x{saves(3, 3, 40)[0].payload.hex()}, {SECOND}
    expect: damaged checksum-mismatch, survivors 0-6 6 8-17
state_in_front_of_the_repeated_metadata: three_files ETW-009 ETW-041
    In the head of the second file, the state precedes the metadata. The metadata is therefore a
    record.
    rewrite: 1, 3, 0x{state(3).payload.hex()}, {SECOND}
    rewrite: 2, 1, 0x{HEAD[0].payload.hex()}, {SECOND}
    expect: damaged broken-chain, survivors 0-7 0 8-17
repeated_metadata_of_another_type_and_tag: three_files ETW-009 ETW-022
    The type of the metadata in the second file's head becomes that of a marker, and its last tag is
    wrong.
    damage: flip bit 2 of {SECOND}:frames[1].record.type.groups[0]
    damage: flip bit 0 of {SECOND}:frames[1].record.tag_data
    expect: damaged bad-type, survivors 0-17
unknown_checksum_and_no_head: three_files ETW-030 ETW-031 ETW-040
    The end of the first file is lost, and the second file has no head. The first frame of the
    second file is not a candidate.
    damage: truncate at 400 in {FIRST}
    damage: drop {SECOND}:frames[0]
    expect: damaged bad-length, survivors 0-6 8-17
first_file_of_zeros: three_files ETW-040 ETW-041
    The first file is empty. The checksum in the head of the second file is not compared.
    damage: truncate at 0 in {FIRST}
    expect: damaged missing-head, survivors 0 7-17
unknown_checksum_is_not_0: three_files ETW-040
    The first file is empty. The second file begins with a record that continues the checksum 0, but
    the seed is unknown.
    damage: swap {FIRST} and {SECOND}
    damage: drop [0, 16) in {SECOND}
    damage: truncate at 0 in {FIRST}
    expect: damaged missing-head, survivors 2-7 0 13-17
file_of_zeros_in_between: three_files ETW-040 ETW-063
    A file of zeros is inserted between the second and third files. No content counts as lost.
    damage: rename {THIRD} to {FOURTH}
    damage: add {THIRD}: 0000000000000000
    expect: damaged missing-head, survivors 0-17
gap_in_a_cut_file: three_files ETW-031 ETW-034
    An entry of the second file is zeroed, and the file ends inside its last frame. The frames
    before this end are accepted only in the last file.
    damage: zero {SECOND}:frames[3]
    damage: truncate at 400 in {SECOND}
    expect: damaged zero-gap, survivors 0-7 13-17
first_file_in_place_of_the_third: three_files ETW-042 ETW-041
    The names of the first and third files are swapped, and the second file is missing. The records
    of the first file do not continue the third.
    damage: swap {FIRST} and {THIRD}
    damage: remove {SECOND}
    expect: damaged missing-file, survivors 0 13-17
first_file_and_inserted_bytes_in_place_of_the_third: three_files ETW-032 ETW-041
    The names of the first and third files are swapped, and the second file is missing. Eight bytes
    are inserted behind the head of the first file. The records after them do not continue the
    third.
    damage: insert 5555555555555555 at 16 in {FIRST}
    damage: swap {FIRST} and {THIRD}
    damage: remove {SECOND}
    expect: damaged missing-file, survivors 0 13-17
old_entry_after_a_wrong_head: three_files ETW-041 ETW-032 limit
    The head of the third file stores a wrong checksum. A later entry with an old index is still a
    record.
    follow: -, e2 s9, {THIRD}
    damage: flip bit 0 of {THIRD}:frames[0].record.crc.groups[0]
    expect: damaged bad-crc, survivors 0-17 payload_of(e2) payload_of(s9)
copy_in_place_of_the_second_file: three_files ETW-041
    A copy of the first file replaces the second file. The third file does not continue the first.
    damage: remove {SECOND}
    damage: add {SECOND}: [0, 416) in {FIRST} of the-log
    expect: damaged broken-chain, survivors 0-7 13-17
broken_chain_and_a_torn_file: three_files ETW-041 ETW-051
    The second file lacks its last state, and the third file ends inside its metadata. Only the head
    of the third file precedes this fault.
    damage: drop {SECOND}:frames[8]
    damage: truncate at 30 in {THIRD}
    expect: damaged broken-chain, survivors 0-12
copy_of_a_file_without_states: no_head_record_but_the_checksum ETW-041
    A copy of the last file has the next number. Its records continue the log, but the checksum in
    its head occurred before.
    damage: add 2-5.wal: [0, 64) in {SECOND_OF_TWO} of the-log
    expect: damaged broken-chain, survivors 0-4
two_heads_and_a_wrong_tag: two_heads_of_one_checksum ETW-040 ETW-041
    The first tag of the first head is wrong, and bytes follow the first file. The second head
    stores the same checksum, like a copy.
    damage: zero {FIRST}:frames[0].record.tag_type
    damage: extend by ffffff in {FIRST}
    expect: damaged bad-record, no survivors
checksum_record_before_damaged_metadata: three_files ETW-032 ETW-024
    A checksum record precedes damaged metadata in the second file. The state after the metadata is
    equal to the last state, and counts as the second record of the file.
    damage: flip bit 0 of {SECOND}:frames[1].record.data
    add_record: 1, 08 04 10 crc, {SECOND}
    expect: damaged checksum-mismatch, survivors 0-17
unknown_types_before_an_equal_state: three_files ETW-032 ETW-026
    Two records of unknown types precede the state in the head of the second file. The state is
    equal to the last one, but it is the third record of the file.
    rewrite: 1, 6, 0x78, {SECOND}
    add: 1, 0, 0x78, {SECOND}
    expect: damaged checksum-mismatch, survivors 0-17
equal_state_after_two_markers: three_files ETW-032 ETW-031
    Two markers precede the state in the second file. The state is the third record, and is accepted
    only as a candidate.
    add: 2, 5, 0x, {SECOND}
    add: 2, 5, 0x, {SECOND}
    damage: zero {SECOND}:frames[1]
    expect: damaged zero-gap, survivors 0-17
""")
