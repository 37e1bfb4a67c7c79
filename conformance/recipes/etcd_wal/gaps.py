"""Faults without a known end: zeroed, overwritten, inserted, removed and repeated frames."""

from conformance.recipes.etcd_wal.layout import HEAD, basic
from conformance.recipes.etcd_wal.log import (
    GAPS,
    LIMITS,
    EtcdLog,
    chained,
    entry,
    frames_of,
    marker,
    rows,
    saves,
    state,
    typed,
)
from reference_impl.etcd_wal.layout import frame, record

INNER = (*HEAD, *saves(1, 2))
#: The number of nested frames. Their sizes add up to more than the size of a file that contains
#: them twice, and to less than twice that size.
NESTED = 16


@GAPS.valid("ETW-005", "ETW-010")
def value_that_holds_this_log(log: EtcdLog) -> None:
    """The third entry contains a copy of the log so far. The frames of the copy begin at multiples
    of eight."""
    copy = b"pad" + chained(typed(INNER))
    log.build(*INNER, entry(3, copy), state(3), *saves(4, 5), segment_size=2048)
    log.expect("intact", survivors=range(12))


@GAPS.valid("ETW-005", "ETW-010")
def value_that_holds_another_log(log: EtcdLog) -> None:
    """The third entry contains a part of a log with higher indexes and terms."""
    copy = b"pad" + chained(typed(saves(100, 104))[1:], 77)
    log.build(*INNER, entry(3, copy), state(3), *saves(4, 5), segment_size=2048)
    log.expect("intact", survivors=range(12))


def nested(count: int) -> bytes:
    """Return nested frames: each is in the data of the frame around it. A search counts each of
    them."""
    data = b""
    for _ in range(count):
        data = frame(record(2, 1, data))
    return data


@LIMITS.valid("ETW-005")
def value_of_frames_in_frames(log: EtcdLog) -> None:
    """The third entry contains 60 nested frames, each in the data of the frame around it."""
    log.build(*INNER, entry(3, b"pad" + nested(60)), state(3), *saves(4, 5), segment_size=4096)
    log.expect("intact", survivors=range(12))


@GAPS.damaged(basic, "ETW-030")
def other_head_without_data_in_front_of_an_entry(log: EtcdLog) -> None:
    """Garbage and a frame that cannot be parsed are inserted between two frames. No data is
    lost."""
    log.insert(160, b"\x05\0\0\0\0\0\0\0garbage!")
    log.expect("damaged", "bad-record", survivors=range(10), end=None)


@GAPS.valid("ETW-012", "ETW-032")
def a_marker_above_the_commit_index(log: EtcdLog) -> None:
    """The marker of a received snapshot is above the commit index. Later markers and states have
    lower numbers."""
    log.build(*HEAD, *saves(1, 4), marker(9, 4), marker(7, 3), state(3, 3), state(2, 1))
    log.expect("intact", survivors=range(14))


@LIMITS.valid("ETW-005")
def twelve_saves(log: EtcdLog) -> None:
    """Metadata, a marker and twelve Saves."""
    log.build(*HEAD, *saves(1, 12))
    log.expect("intact", survivors=range(26), end=1032)


def _search(log: EtcdLog, size: int) -> None:
    """Add frames of each kind that ETW-033 counts, in a file of ``size`` bytes.

    These are a run that ETW-032 removes, nested frames, a frame that the next frame does not prove,
    and a run that is not accepted. The search should find the last three frames.
    """
    log.follow(99, "e5 e6 e7 s1")
    log.data[560:] = nested(20) + b"\x55" * 8
    for seed, words in ((5, "e8"), (6, "e9"), (7, "e10 e11 e12 s1"), (8, "e20 e21 s21")):
        log.data += frames_of(words, seed)
    log.data += bytes(size - len(log.data))


@LIMITS.damaged(basic, "ETW-030", "ETW-033")
def inserted_bytes_above_the_budget(log: EtcdLog) -> None:
    """The last of the inserted frames exceeds the budget, so the next frame is not tried."""
    log.insert(160, nested(20) + b"\x55" * 8)
    log.extend(bytes(167))
    log.expect("damaged", "checksum-mismatch", survivors=range(4), end=None)


@LIMITS.damaged(basic, "ETW-030", "ETW-033")
def budget_of_two_searches(log: EtcdLog) -> None:
    """Nested frames are inserted at two offsets. The two searches together exceed the budget."""
    log.insert(320, nested(NESTED) + b"\x55" * 8)
    log.insert(160, nested(NESTED) + b"\x55" * 8)
    log.expect("damaged", "checksum-mismatch", survivors=range(8), end=None)


GAPS.table(
    rows(
        "Frames that continue another checksum follow the last frame: {}.",
        "follow: 99, {}",
        """
stray_entry_of_the_commit_index: basic ETW-032
    e5 e4 | damaged checksum-mismatch, survivors 0-9
stray_state_of_an_older_term: basic ETW-032
    e5 s5.1 | damaged checksum-mismatch, survivors 0-9
stray_state_of_the_same_commit_index: basic ETW-032 limit
    e5 s4.3 | damaged checksum-mismatch, survivors 0-9 payload_of(s4.3)
stray_state_that_is_equal: basic ETW-032
    e5 s4 | damaged checksum-mismatch, survivors 0-9
stray_marker_below_the_commit_index: basic ETW-032 limit
    e5 m3 | damaged checksum-mismatch, survivors 0-9 payload_of(m3)
stray_metadata: basic ETW-032
    e5 M | damaged checksum-mismatch, survivors 0-9
stray_checksum_record: basic ETW-032 limit
    e5 C e6 | damaged checksum-mismatch, survivors 0-9 payload_of(e6)
stray_entry_below_a_stray_state: basic ETW-032 limit
    e5 s9 e6 | damaged checksum-mismatch, survivors 0-9 payload_of(s9) payload_of(e6)
stray_candidate_of_the_commit_index: basic ETW-031 ETW-032
    _ e4 e5 | damaged zero-gap, survivors 0-9
stray_frame_alone: basic ETW-031
    e5 | damaged checksum-mismatch, survivors 0-9
stray_frames_and_an_old_frame: basic ETW-032 ETW-033
    e5 e6 e1 e7 e8 | damaged checksum-mismatch, survivors 0-9
entry_below_a_marker: a_marker_above_the_commit_index ETW-032 limit
    e5 e6.3 | damaged checksum-mismatch, survivors 0-13 payload_of(e6.3)
entry_below_the_highest_commit_index: a_marker_above_the_commit_index ETW-032
    e5 e4 | damaged checksum-mismatch, survivors 0-13
state_below_the_highest_term: a_marker_above_the_commit_index ETW-032
    e5 s5.1 | damaged checksum-mismatch, survivors 0-13
marker_of_the_highest_index: a_marker_above_the_commit_index ETW-032 limit
    e5 m9.2 | damaged checksum-mismatch, survivors 0-13 payload_of(m9.2)
marker_below_the_highest: a_marker_above_the_commit_index ETW-032
    e5 m8.9 | damaged checksum-mismatch, survivors 0-13
""",
    )
)


GAPS.table("""
zeroed_entry: basic ETW-020 ETW-031 ETW-062 ETW-063
    An entry is zeroed. The state after it is not proven, and all other records are returned.
    shows: zeroed-sector
    damage: zero frames[5]
    expect: damaged zero-gap, survivors 0-3 6-9, end none
    note: etcd treats the zeros as the end of the log, and sets all later records to zero without
    a copy or a message.
zeroed_entry_without_padding: no_padding ETW-031
    An entry is zeros, in a log without padding.
    damage: zero frames[5]
    expect: damaged zero-gap, survivors 0-3 6-9
zeroed_state: basic ETW-031
    A state is zeroed. The entry after it is not proven.
    damage: zero frames[4]
    expect: damaged zero-gap, survivors 0-2 5-9
zeroed_metadata: basic ETW-031
    The metadata record is zeroed. The marker after it is not proven.
    damage: zero frames[1]
    expect: damaged zero-gap, survivors 2-9
zeroed_marker: basic ETW-031
    The marker is zeroed.
    damage: zero frames[2]
    expect: damaged zero-gap, survivors 0 3-9
zeroed_save: basic ETW-031
    An entry and its state are zeroed.
    damage: zero frames[5]
    damage: zero frames[6]
    expect: damaged zero-gap, survivors 0-3 7-9
zeroed_beginning_of_an_entry: basic ETW-031
    The first twelve bytes of an entry's frame are zeroed.
    zeros: frames[5], 12
    expect: damaged zero-gap, survivors 0-3 6-9
zeroed_beginning_of_a_record: basic ETW-020 ETW-031
    The first eight bytes of a record are zeroed, but its length is correct.
    zeros: frames[5].record, 8
    expect: damaged bad-record, survivors 0-3 6-9
entry_of_ff: basic ETW-020 ETW-031
    An entry's frame is overwritten with ff bytes.
    damage: fill frames[5] with ff
    expect: damaged bad-length, survivors 0-3 6-9
record_of_55: basic ETW-020 ETW-031
    A record is overwritten with bytes 55, but its length is correct.
    damage: fill frames[5].record with 55
    expect: damaged bad-record, survivors 0-3 6-9
empty_record: basic ETW-020
    The record of an entry has the length 0, but the length field is not zero.
    damage: fill frames[5] with 00
    damage: write 0000000000000080 at 160
    expect: damaged bad-length, survivors 0-3 6-9
zeros_up_to_the_last_state: basic ETW-034 ETW-061 ETW-051
    The last entry is zeroed. The state after it is not proven, and the zeros do not end at a sector
    boundary.
    damage: zero frames[9]
    expect: damaged zero-gap, survivors 0-7, end none
two_gaps: basic ETW-031 ETW-034
    Two entries are zeroed. The frames between them end at a fault and are therefore not accepted.
    The frames after the second gap are accepted.
    damage: zero frames[3]
    damage: zero frames[7]
    expect: damaged zero-gap, survivors 0 1 8 9
gap_and_a_flipped_bit: basic ETW-031 ETW-024
    An entry is zeroed, and a bit of a later entry's data is flipped.
    damage: zero frames[3]
    damage: flip bit 0 of frames[7].record.data
    expect: damaged zero-gap, survivors 0 1 4 5 7-9
gap_and_a_wrong_length: basic ETW-031 ETW-022
    An entry is zeroed, and the length of a later entry is wrong.
    damage: zero frames[3]
    damage: flip bit 2 of frames[7].length.low
    expect: damaged zero-gap, survivors 0 1 4-9
inserted_bytes: basic ETW-030
    Eight bytes are inserted between two frames. No data is lost, so all records are proven.
    damage: insert 5555555555555555 at 160
    expect: damaged bad-length, survivors 0-9, end none
inserted_zeros: basic ETW-030
    Sixteen zeros are inserted between two frames.
    damage: insert 16 zero bytes at 160
    expect: damaged zero-gap, survivors 0-9, end none
inserted_at_an_odd_offset: basic ETW-030
    Five bytes are inserted. After them, no frame begins at a multiple of eight.
    damage: insert 5555555555 at 160
    expect: damaged bad-length, survivors 0-9, end none
removed_entry: basic ETW-024 ETW-032
    An entry is missing. The state after it does not match, but the next entry proves the state's
    checksum.
    shows: missing-in-the-middle
    damage: drop frames[5]
    expect: damaged checksum-mismatch, survivors 0-3 6-9, end none
removed_state: basic ETW-024
    A state is missing.
    damage: drop frames[4]
    expect: damaged checksum-mismatch, survivors 0-2 5-9
removed_save: basic ETW-024
    An entry and its state are missing.
    damage: drop [160, 240)
    expect: damaged checksum-mismatch, survivors 0-3 7-9
repeated_entry: basic ETW-024
    An entry occurs twice. The copy is lost.
    shows: unit-twice
    damage: duplicate frames[5]
    expect: damaged checksum-mismatch, survivors 0-9, end none
repeated_save: basic ETW-032 ETW-030
    An entry and its state occur twice. The copied state does not continue the log, but the entry
    after it continues the checksum.
    damage: insert [160, 240) of the-log at 240
    expect: damaged checksum-mismatch, survivors 0-9
removed_bytes_inside_an_entry: basic ETW-031
    Five bytes are missing inside an entry. After it, no frame begins at a multiple of eight.
    damage: drop [180, 185)
    expect: damaged checksum-mismatch, survivors 0-3 6-9
zeroed_sector_in_an_entry: records_over_several_sectors ETW-024 ETW-050 ETW-051
    A sector inside an entry is zeroed. A later Save proves that the entry was synced.
    shows: zeroed-sector
    damage: zero sector 4 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0-3 5-9, end none
    note: etcd treats the sector as a torn write and cuts off all later records.
zeroed_sector_over_two_frames: records_over_several_sectors ETW-031
    A zeroed sector contains the end of an entry and a part of the state after it.
    damage: zero sector 2 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0 1 5-9
first_sector_is_zeros: records_over_several_sectors ETW-040 ETW-031
    The first sector is zeroed. The state of the first Save is not proven.
    damage: zero sector 0 of 512 bytes
    expect: damaged missing-head, survivors 4-9, end none
swapped_sectors: records_over_several_sectors ETW-031
    Two sectors are swapped. The first of them contains the end of a state.
    shows: swapped
    damage: swap sectors 3 and 4 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0-2 6-9
sector_of_ff: records_over_several_sectors ETW-024
    A sector inside an entry is overwritten with ff bytes.
    damage: write 512 bytes of ff at 2048
    expect: damaged checksum-mismatch, survivors 0-3 5-9
beginning_of_a_value_with_this_log: value_that_holds_this_log ETW-031 ETW-032
    The beginning of an entry is zeroed, and its value contains a copy of the log. The copy does not
    continue the log.
    zeros: frames[7], 32
    expect: damaged zero-gap, survivors 0-5 8-11, end none
beginning_of_a_value_with_another_log: value_that_holds_another_log ETW-031
    The beginning of an entry is zeroed, and its value contains frames of another log. These frames
    end inside the value.
    zeros: frames[7], 32
    expect: damaged zero-gap, survivors 0-5 8-11, end none
wrong_length_of_a_value_with_this_log: value_that_holds_this_log ETW-022
    Only the length of an entry that contains a log is wrong. The entry is returned.
    damage: zero frames[7].length
    expect: damaged bad-length, survivors 0-11
beginning_of_a_value_of_frames_in_frames: value_of_frames_in_frames ETW-033 ETW-034 ETW-080 limit
    The beginning of an entry is zeroed. The frames in its value use up the search budget.
    zeros: frames[7], 32
    expect: damaged zero-gap, survivors 0-5, end none
frames_left_behind_that_continue_the_log: basic ETW-032 limit
    Frames of an earlier writer, with higher indexes, follow the last frame. The first of them is
    not proven, but it proves the second.
    follow: 99, e5 s5
    expect: damaged checksum-mismatch, survivors 0-9 payload_of(s5), end none
old_frames_with_an_old_state: basic ETW-032
    Entries with higher indexes follow the last frame, and then a state with an older commit index.
    None of these records is returned.
    follow: 99, e5 e6 e7 s1
    expect: damaged checksum-mismatch, survivors 0-9, end none
old_frames_after_the_last: basic ETW-032 ETW-034
    Older frames follow the last frame. They do not continue the log.
    shows: stale-tail
    follow: 99, e3 s3 e4 s4
    expect: damaged checksum-mismatch, survivors 0-9, end none
old_frames_after_zeros: basic ETW-032 ETW-034
    64 zeros and older frames follow the last frame.
    follow: 99, _ e3 s3 e4 s4
    expect: damaged zero-gap, survivors 0-9, end none
    note: etcd overwrites the older frames with zeros when it starts.
old_entry_after_a_wrong_length: basic ETW-032 limit
    A length is wrong, and an entry with an old index follows. The entry is returned, because no
    record before it is lost.
    follow: -, e3 s5
    damage: flip bit 3 of frames[5].length.low
    expect: damaged bad-length, survivors 0-9 payload_of(e3) payload_of(s5)
metadata_after_a_wrong_length: basic ETW-032 limit
    The length of an entry is wrong, and the metadata is there again later. No record is lost in
    front of it.
    add: 8, 1, 0x08cdd2918bd2b881cf8e0110b298eaf1948386fccd01
    damage: flip bit 3 of frames[5].length.low
    expect: damaged bad-length, survivors 0-6 0 7-9
entry_between_two_marks: basic ETW-032 limit
    Two entries are lost, and a later entry has an old index. It continues the records before the
    first loss, and only these count.
    follow: -, e2 s5
    damage: flip bit 0 of frames[3].record.data
    damage: flip bit 0 of frames[7].record.data
    expect: damaged checksum-mismatch, survivors 0 1 3-5 7-9 payload_of(e2) payload_of(s5)
entry_of_the_commit_index_after_a_wrong_length: basic ETW-032
    The length of the last state is wrong. Its commit index still counts.
    follow: 99, e5 e4
    damage: flip bit 3 of frames[10].length.low
    expect: damaged bad-length, survivors 0-9
inserted_before_the_last_frame: basic ETW-030
    Eight bytes are inserted before the last frame. The last frame continues the checksum, although
    no frame follows it.
    damage: insert 5555555555555555 at 360
    expect: damaged bad-length, survivors 0-9
zeroed_head_without_data: metadata_without_data ETW-030 ETW-040
    The head is zeroed. The metadata record has no data and continues the checksum 0.
    damage: zero frames[0]
    expect: damaged missing-head, survivors 0-4
inserted_zeros_in_front_of_the_last_frame: no_preallocated_zeros ETW-030 ETW-051
    Sectors of zeros are inserted before the last frame. The last frame continues the checksum, so
    this is not a torn write.
    damage: insert 1024 zero bytes at 360
    expect: damaged zero-gap, survivors 0-9
gap_and_one_byte_of_a_record: no_preallocated_zeros ETW-031
    An entry is zeroed, and the file ends after the first byte of a record.
    damage: zero frames[3]
    damage: truncate at 369
    expect: damaged zero-gap, survivors 0 1 4-8
gap_and_two_bytes_of_a_record: no_preallocated_zeros ETW-031
    An entry is zeroed, and the first two bytes of the last record are valid. The third byte is not.
    damage: zero frames[3]
    damage: extend by 4000000000000000080255
    expect: damaged zero-gap, survivors 0 1
frames_that_overlap: twelve_saves ETW-035 ETW-080
    A frame has wrong padding, and six frames state that they end at 1000. In front of the last of
    them, the sum is 8505 bytes. The file has 1064 bytes.
    long_lengths: 3, 8, 1000
    damage: write 81 at 23
    damage: extend by 32 zero bytes
    expect: damaged bad-length, survivors 0-25
frames_that_overlap_above_the_limit: twelve_saves ETW-035
    The same in a file of 1063 bytes: the sum is a byte above the limit. The last of the six frames
    is not tried.
    long_lengths: 3, 8, 1000
    damage: write 81 at 23
    damage: extend by 31 zero bytes
    expect: damaged bad-length, survivors 0-6
wrong_tag_above_the_limit: twelve_saves ETW-035
    After the six frames, the sum is above the limit. A frame with a wrong tag is not tried, and no
    search follows.
    long_lengths: 3, 8, 1000
    damage: write 81 at 23
    damage: flip bit 7 of frames[20].record.tag_type
    damage: extend by 32 zero bytes
    expect: damaged bad-length, survivors 0-18
wrong_padding_above_the_limit: twelve_saves ETW-035
    Above the limit, a frame with wrong padding has only its first end.
    long_lengths: 3, 8, 1000
    damage: write 81 at 23
    damage: write 82 at 447
    damage: extend by 32 zero bytes
    expect: damaged bad-length, survivors 0-11
removed_frames_within_the_limit: twelve_saves ETW-035 ETW-032 limit
    An entry is lost, and a later entry has an old index. With the frames that are removed, the sum
    is 9800 bytes, eight times the size of the file. A search finds the frames that follow.
    follow: -, e3
    follow: 8, e20 e21 s21
    long_lengths: 3, 8, 1000
    damage: flip bit 0 of frames[14].record.data
    damage: extend by 33 zero bytes
    expect: damaged bad-length, survivors 0-12 payload_of(e21) payload_of(s21)
removed_frames_above_the_limit: twelve_saves ETW-035 ETW-032
    The same in a file that is one byte shorter. No search follows.
    follow: -, e3
    follow: 8, e20 e21 s21
    long_lengths: 3, 8, 1000
    damage: flip bit 0 of frames[14].record.data
    damage: extend by 32 zero bytes
    expect: damaged bad-length, survivors 0-12
wrong_head_and_frames_that_overlap: twelve_saves ETW-035 ETW-040
    The first byte of the head is wrong, too. The head does not count.
    long_lengths: 3, 8, 1000
    damage: write 81 at 23
    damage: flip bit 7 of frames[0].record.tag_type
    damage: extend by 32 zero bytes
    expect: damaged bad-record, survivors 0-25
endless_checksum_of_a_candidate: basic ETW-030
    The data of an entry is lost, with its length. The varint of the next checksum has eleven bytes.
    record: 6, 08 03 10 ffffffffffffffffffff7f 1a 00
    zeros: frames[5], 32
    expect: damaged zero-gap, survivors 0-3 7-9
inserted_byte_and_a_wrong_length: basic ETW-021 ETW-030
    One byte is inserted, so that all later frames begin at odd offsets. The length of one of them
    is wrong.
    damage: flip bit 3 of frames[8].length.low
    damage: insert 55 at 160
    expect: damaged bad-length, survivors 0-9
field_after_the_data_of_a_candidate: basic ETW-030
    The data of an entry is lost, with its length. The next record ends with another field, so a
    search does not find it.
    record: 6, 08 03 10 crc 1a len data 20 01
    zeros: frames[5], 32
    expect: damaged zero-gap, survivors 0-3 7-9
budget_used_up_exactly: basic ETW-033 ETW-032
    Before a search finds a frame, it counts 4,240 bytes in vain. This is exactly twice the size of
    the file.
    search: 2120
    expect: damaged checksum-mismatch, survivors 0-9 payload_of(e21) payload_of(s21)
budget_exceeded_by_one_byte: basic ETW-033 ETW-032
    The same with two lengths that state a byte more of padding. One of the frames counts twice,
    so that the search counts 4,203 bytes of 4,202, and finds nothing.
    search: 2101
    damage: write 82 at 582
    damage: write 87 at 935
    expect: damaged checksum-mismatch, survivors 0-9
zeroed_metadata_and_a_checksum_record: basic ETW-031 ETW-032
    The metadata is zeros, and a checksum record follows. It is not proven, and all records follow.
    add_record: 2, 08 04 10 crc
    damage: zero frames[1]
    expect: damaged zero-gap, survivors 1-9
zeroed_metadata_and_type_4: basic ETW-031 ETW-032
    The metadata is zeros, and a record of type 4 with data follows.
    add: 2, 4, 0x61
    damage: zero frames[1]
    expect: damaged zero-gap, survivors 1-9
lost_entry_and_a_checksum_record: basic ETW-024 ETW-032
    An entry is lost, and a later checksum record continues the log.
    add: 8, 4
    damage: flip bit 0 of frames[3].record.data
    expect: damaged checksum-mismatch, survivors 0 1 3-9
lost_entry_and_a_lost_checksum_record: basic ETW-024 ETW-032
    An entry is lost, and so is a later checksum record.
    add: 8, 4
    damage: flip bit 0 of frames[8].record.crc.groups[0]
    damage: flip bit 0 of frames[3].record.data
    expect: damaged checksum-mismatch, survivors 0 1 3-9
lost_entry_and_type_4: basic ETW-026 ETW-032
    An entry is lost, and a later record of type 4 has data.
    add: 8, 4, 0x61
    damage: flip bit 0 of frames[3].record.data
    expect: damaged checksum-mismatch, survivors 0 1 3-9
lost_entry_and_lost_metadata: basic ETW-024 ETW-032
    An entry is lost, and so is a later record of type metadata. Lost frames are not compared.
    add: 8, 1, 0x61
    damage: flip bit 0 of frames[8].record.data
    damage: flip bit 0 of frames[3].record.data
    expect: damaged checksum-mismatch, survivors 0 1 3-9
inserted_byte: basic ETW-030
    One byte is inserted. The next frame begins at the first offset that a reader searches.
    damage: insert 55 at 160
    expect: damaged bad-length, survivors 0-9
gap_and_a_wrong_last_frame: basic ETW-031
    An entry is zeroed, and a bit of the last frame is flipped. The last frame is not a torn write.
    damage: zero frames[3]
    damage: flip bit 0 of frames[10].record.data
    expect: damaged zero-gap, survivors 0 1
gap_and_a_torn_metadata_record: no_preallocated_zeros ETW-031
    An entry is zeroed, and the file ends inside the beginning of a record of type 1.
    damage: zero frames[3]
    damage: extend by 4000000000000000080110
    expect: damaged zero-gap, survivors 0 1 4-9
gap_and_a_torn_marker: no_preallocated_zeros ETW-031
    An entry is zeroed, and the file ends inside the beginning of a record of type 5.
    damage: zero frames[3]
    damage: extend by 4000000000000000080510
    expect: damaged zero-gap, survivors 0 1 4-9
zero_length_and_two_records: basic ETW-020
    The length of an entry is zeroed, and one bit of its data and one bit of the next record are
    flipped.
    damage: zero frames[5].length
    damage: flip bit 0 of frames[5].record.data
    damage: flip bit 0 of frames[6].record.data
    expect: damaged zero-gap, survivors 0-3 6-9
""")
