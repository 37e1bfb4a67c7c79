"""Unusual records, and the readings of a frame (ETW-021) that find their data."""

from conformance.recipes.etcd_wal.log import LAYOUT, PROOFS, rows

#: ``WHOLE`` describes the record of an entry for :meth:`EtcdLog.record`. ``FAR`` is not a valid
#: varint.
WHOLE = "08 02 10 crc 1a len data"
FAR = "ff" * 20

LAYOUT.table(
    rows(
        "The record of an entry consists of {}.",
        "record: 5, {}",
        f"""
repeated_checksum: basic ETW-006 limit
    08 02 10 07 10 crc 1a len data | intact, survivors 0-9
repeated_data: basic ETW-006 limit
    1a 02 6161 {WHOLE} | intact, survivors 0-9
record_without_a_type: basic ETW-006 ETW-026
    10 crc 1a len data | damaged bad-type, survivors 0-3 5-9
record_without_a_checksum: basic ETW-006 ETW-023
    08 02 1a len data | damaged bad-crc, survivors 0-9
varint_of_ten_bytes: basic ETW-006 limit
    48 80808080808080808000 {WHOLE} | intact, survivors 0-9
varint_of_eleven_bytes: basic ETW-006
    48 8080808080808080808000 {WHOLE} | damaged bad-record, survivors 0-3 6-9
field_4_of_bytes: basic ETW-006 limit
    22 01 61 {WHOLE} | intact, survivors 0-9
field_of_number_0: basic ETW-006
    00 00 {WHOLE} | damaged bad-record, survivors 0-3 6-9
field_of_a_too_high_number: basic ETW-006
    8080808010 00 {WHOLE} | damaged bad-record, survivors 0-3 6-9
type_of_eight_bytes: basic ETW-006
    09 0000000000000002 {WHOLE} | damaged bad-record, survivors 0-3 6-9
checksum_of_four_bytes: basic ETW-006
    15 00000000 {WHOLE} | damaged bad-record, survivors 0-3 6-9
data_as_a_number: basic ETW-006
    18 00 {WHOLE} | damaged bad-record, survivors 0-3 6-9
group_in_a_record: basic ETW-006
    4b 4c {WHOLE} | damaged bad-record, survivors 0-3 6-9
end_of_a_group_in_a_record: basic ETW-006
    4c {WHOLE} | damaged bad-record, survivors 0-3 6-9
field_beyond_the_record: basic ETW-006
    48 00 {WHOLE} 4a 05 61 | damaged bad-record, survivors 0-3 6-9
""",
    )
)
PROOFS.table(
    rows(
        "The record of an entry consists of {}.",
        "record: 5, {}",
        f"""
tag_and_a_long_type: basic ETW-021 ETW-022
    0b 8200 10 crc 1a len data | damaged bad-record, survivors 0-9
tag_and_a_long_length: basic ETW-021 ETW-023
    08 02 14 crc 1a 9000 data | damaged bad-crc, survivors 0-9
type_6_after_the_data: basic ETW-022
    {WHOLE} 08 06 | damaged bad-length, survivors 0-9
type_4_after_the_data: basic ETW-022
    {WHOLE} 08 04 | damaged bad-length, survivors 0-9
data_in_place_of_the_checksum: basic ETW-021
    08 02 10 1a len data | damaged bad-crc, survivors 0-9
data_at_the_last_place: basic ETW-021
    08 02 10 {FAR} 1a len data | damaged bad-crc, survivors 0-9
data_after_the_last_place: basic ETW-021
    08 02 10 {FAR} ff 1a len data | damaged bad-record, survivors 0-3 6-9
another_1a_before_the_data: basic ETW-021
    08 02 10 ff 1a 00 1a len data | damaged bad-crc, survivors 0-9
endless_1a_before_the_data: basic ETW-021
    08 02 10 1a ffffffffffffffffffffff 1a len data | damaged bad-crc, survivors 0-9
endless_length_of_the_data: basic ETW-021
    08 02 10 crc 1a ffffffffffffffffffffff | damaged checksum-mismatch, survivors 0-3 5-9
no_tag_of_the_checksum: basic ETW-021
    08 02 00 ff 1a 00 1a len data | damaged bad-crc, survivors 0-9
no_tag_of_the_data: basic ETW-021
    08 02 10 ff 2b len data | damaged bad-record, survivors 0-3 6-9
no_tag_of_the_type: basic ETW-021
    0c 02 10 ff 1a 00 1a len data | damaged bad-record, survivors 0-3 6-9
type_0_without_a_checksum: basic ETW-021 ETW-026
    08 00 10 ff 1a 00 1a len data | damaged bad-type, survivors 0-3 5-9
type_6_without_a_checksum: basic ETW-021
    08 06 10 ff 1a 00 1a len data | damaged bad-record, survivors 0-3 6-9
""",
    )
)
PROOFS.table(
    rows(
        "A record is inserted between two others: {}.",
        "add_record: 5, {}",
        """
checksum_record_with_empty_data: basic ETW-008 ETW-026
    08 04 10 crc 1a 00 | damaged bad-type, survivors 0-9
entry_without_data_by_position: basic ETW-021 ETW-030
    08 02 14 crc | damaged bad-record, survivors 0-9
checksum_record_by_position: basic ETW-021 ETW-022
    08 04 14 crc | damaged bad-record, survivors 0-9
empty_marker_by_position: basic ETW-021 ETW-022
    08 05 14 crc 1a 00 | damaged bad-record, survivors 0-3 "" 4-9
""",
    )
)
PROOFS.table("""
head_without_a_checksum: basic ETW-006 limit
    The record of the head lacks its checksum, so the checksum is 0.
    record: 0, 08 04
    expect: intact, survivors 0-9
data_that_ends_in_data: basic ETW-021
    The checksum of an entry is unreadable, and the data of the entry ends with another field 3.
    rewrite: 5, 2, 0x08001002180222041a026161
    record: 5, 08 02 10 ff 1a len data
    expect: damaged bad-crc, survivors 0-3 payload(0x08001002180222041a026161) 5-9
long_length_of_127_bytes: one_save ETW-021 ETW-023
    A tag is wrong in the record of an entry of 127 bytes. The length of the entry has two bytes,
    although a writer needs one.
    follow: -, e2:119 s1.3
    record: 5, 08 02 14 crc 1a ff00 data
    expect: damaged bad-crc, survivors 0-3 payload_of(e2:119) payload_of(s1.3)
length_of_data_beyond_the_file: no_padding ETW-021 ETW-051
    The length of the last frame is wrong, and the length of its data extends past the end of the
    file.
    damage: flip bit 4 of frames[10].length.low
    damage: flip bit 6 of frames[10].record.len_data.groups[0]
    expect: damaged bad-record, survivors 0-8
tag_of_metadata_without_data: metadata_without_data ETW-021 ETW-022
    A tag of a metadata record without data is wrong.
    damage: flip bit 2 of frames[1].record.tag_crc
    expect: damaged bad-record, survivors 0-4
checksum_above_32_bits: basic ETW-005 limit
    Bit 32 of a stored checksum is set. A reader uses the low 32 bits.
    damage: flip bit 4 of frames[5].record.crc.groups[4]
    expect: intact, survivors 0-9
checksum_above_32_bits_and_a_tag: basic ETW-005 ETW-021
    Bit 32 of the checksum of the last record is set, and its last tag is wrong.
    damage: flip bit 4 of frames[10].record.crc.groups[4]
    damage: flip bit 0 of frames[10].record.tag_data
    expect: damaged bad-record, survivors 0-9
checksum_above_32_bits_and_a_length: basic ETW-005 ETW-021
    Bit 32 of the checksum of the last record is set, and the length of the record is wrong.
    damage: flip bit 4 of frames[10].record.crc.groups[4]
    damage: flip bit 2 of frames[10].length.low
    expect: damaged bad-length, survivors 0-9
type_and_length_of_an_entry: basic ETW-021 ETW-020
    The type of an entry is 0, and its length is wrong. A reader cannot find its end.
    damage: set frames[5].record.type.groups[0] to 0
    damage: flip bit 15 of frames[5].length.low
    expect: damaged bad-length, survivors 0-3 6-9
padding_beyond_the_file: no_preallocated_zeros ETW-021 ETW-022
    The padding of the last frame extends past the end of the file. The record itself shows where it
    ends.
    damage: flip bit 0 of frames[2].length.flags
    damage: truncate at 80
    expect: damaged bad-length, survivors 0 1
crc_and_the_next_tag: basic ETW-023
    The checksum of an entry is wrong, as is a tag of the state after it. The state cannot prove the
    entry, because it is not a valid message.
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    damage: flip bit 0 of frames[6].record.tag_data
    expect: damaged checksum-mismatch, survivors 0-3 7-9
crc_and_the_next_type: basic ETW-023 ETW-026
    The checksum of an entry is wrong. A record of type 6 follows and proves the entry.
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    damage: set frames[6].record.type.groups[0] to 6
    expect: damaged bad-crc, survivors 0-4 6-9
crc_in_front_of_a_checksum_record: basic ETW-023
    The checksum of an entry is wrong. A checksum record follows and proves the entry.
    add: 6, 4
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    expect: damaged bad-crc, survivors 0-9
length_and_crc_without_padding: no_padding ETW-023
    The length and the checksum of a frame without padding are wrong.
    damage: flip bit 3 of frames[5].length.low
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    expect: damaged bad-length, survivors 0-9
length_and_data_without_padding: no_padding ETW-024
    The length and the data of a frame without padding are wrong.
    damage: flip bit 3 of frames[5].length.low
    damage: flip bit 0 of frames[5].record.data
    expect: damaged checksum-mismatch, survivors 0-3 5-9
padding_of_the_last_frame_with_bytes: basic ETW-025
    The length of the last frame states too little padding, and the padding bytes are not zero.
    damage: fill frames[10].padding with 55
    damage: flip bit 2 of frames[10].length.flags
    expect: damaged bad-length, survivors 0-9
tag_and_padding: basic ETW-025 ETW-022
    The last tag of an entry and its padding are wrong. The frame is listed with the first of the
    two codes.
    damage: flip bit 0 of frames[5].record.tag_data
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged bad-record, survivors 0-9
payload_and_padding: basic ETW-025 ETW-027
    The type of an entry becomes that of a state, and its padding is wrong.
    damage: flip bit 0 of frames[5].record.type.groups[0]
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged bad-length, survivors 0-9
unknown_type_and_padding: basic ETW-025 ETW-026
    The type of an entry becomes 6, and its padding is wrong.
    damage: set frames[5].record.type.groups[0] to 6
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged bad-type, survivors 0-3 5-9
type_and_padding_of_the_head: basic ETW-025 ETW-040
    The head has the type of a marker, and its padding is wrong. The changed type counts.
    damage: flip bit 0 of frames[0].record.type.groups[0]
    damage: flip bit 1 of frames[0].length.flags
    expect: damaged bad-type, survivors 0-9
crc_and_padding: basic ETW-021 ETW-023
    The stored checksum of an entry is wrong, and so is its padding. The next frame proves the data.
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged bad-crc, survivors 0-9
data_and_padding: basic ETW-021 ETW-024
    A bit of the data of an entry is flipped, and its padding is wrong.
    damage: flip bit 0 of frames[5].record.data
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged checksum-mismatch, survivors 0-3 5-9
tag_and_crc_and_padding: basic ETW-021 ETW-023
    The last tag, the checksum and the padding of an entry are wrong. The data is found by position.
    damage: flip bit 0 of frames[5].record.tag_data
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged bad-record, survivors 0-9
long_crc_and_padding: basic ETW-021 ETW-023
    The stored checksum of an entry is unreadable, and its padding is wrong.
    damage: flip bit 7 of frames[5].record.crc.groups[2]
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged bad-crc, survivors 0-9
padding_and_the_next_data: basic ETW-022 ETW-025
    The padding of an entry is wrong, and a bit of the data after it is flipped. Neither end is
    proven, so the frame ends where its length states. The search finds the next frame.
    damage: flip bit 1 of frames[5].length.flags
    damage: flip bit 0 of frames[6].record.data
    expect: damaged bad-length, survivors 0-4 6-9
length_and_the_next_data: basic ETW-022 ETW-024
    The length of an entry is wrong, and a bit of the data after it is flipped. Neither end is
    proven, so the frame has the usual padding.
    damage: flip bit 3 of frames[5].length.low
    damage: flip bit 0 of frames[6].record.data
    expect: damaged bad-length, survivors 0-4 6-9
length_of_the_last_frame_and_other_bytes: basic ETW-022 ETW-034
    The length of the last frame is wrong, and ends in the zeros. Bytes follow the frame.
    damage: flip bit 6 of frames[10].length.low
    damage: write 5555555555555555 at 400
    expect: damaged bad-length, survivors 0-9
two_wrong_paddings: basic ETW-025
    The padding of two frames is wrong.
    damage: flip bit 1 of frames[5].length.flags
    damage: flip bit 1 of frames[7].length.flags
    expect: damaged bad-length, survivors 0-9
tag_and_payload: basic ETW-022 ETW-027
    The last tag of an entry is wrong, and its type becomes that of a state.
    damage: flip bit 0 of frames[5].record.type.groups[0]
    damage: flip bit 0 of frames[5].record.tag_data
    expect: damaged bad-record, survivors 0-9
tag_and_unknown_type: basic ETW-022 ETW-026
    The last tag of an entry is wrong, and its type becomes 6.
    damage: set frames[5].record.type.groups[0] to 6
    damage: flip bit 0 of frames[5].record.tag_data
    expect: damaged bad-type, survivors 0-3 5-9
tag_and_metadata: basic ETW-022 ETW-028
    The last tag of a state is wrong, and its type becomes that of metadata.
    damage: flip bit 1 of frames[6].record.type.groups[0]
    damage: flip bit 0 of frames[6].record.tag_data
    expect: damaged bad-record, survivors 0-9
type_and_data_of_the_last_frame: basic ETW-020
    The type of the last record becomes 6, and a bit of its data is flipped.
    damage: set frames[10].record.type.groups[0] to 6
    damage: flip bit 0 of frames[10].record.data
    expect: damaged checksum-mismatch, survivors 0-8
type_0_and_inserted_bytes: basic ETW-026 ETW-030
    The type of the last entry becomes 0, and bytes are inserted after it. The checksum of the entry
    is still the seed.
    damage: set frames[9].record.type.groups[0] to 0
    damage: insert 5555555555555555 at 360
    expect: damaged bad-type, survivors 0-7 9
type_0_and_padding: basic ETW-025 ETW-026
    The type of an entry becomes 0, and its padding is wrong.
    damage: set frames[5].record.type.groups[0] to 0
    damage: flip bit 1 of frames[5].length.flags
    expect: damaged bad-type, survivors 0-3 5-9
lost_state_and_a_seed_of_0: basic ETW-024 ETW-031
    The last state has other data and an unreadable checksum. Frames that continue the checksum 0
    follow.
    follow: 0, e9 s9
    record: 10, 08 03 10 ff 1a 02 0000
    expect: damaged bad-record, survivors 0-8 payload_of(s9)
lost_state_and_a_seed_of_1: basic ETW-024 ETW-031
    The last state has other data and an unreadable checksum. Frames that continue the checksum 1
    follow.
    follow: 1, e9 s9
    record: 10, 08 03 10 ff 1a 02 0000
    expect: damaged bad-record, survivors 0-8 payload_of(s9)
lost_state_with_a_checksum_of_0: basic ETW-024
    The last state has other data and the checksum 0. Frames that continue the checksum 0 follow.
    follow: 0, e9 s9
    record: 10, 08 03 10 00 1a 02 0000
    expect: damaged checksum-mismatch, survivors 0-8 payload_of(e9) payload_of(s9)
""")
