"""Damaged or missing heads: the checksum record at the start of a file."""

from conformance.recipes.etcd_wal.log import HEADS

HEADS.table("""
zeroed_head: basic ETW-040 ETW-030
    The head is zeroed. The metadata continues the checksum 0.
    damage: zero frames[0]
    expect: damaged missing-head, survivors 0-9, end none
head_of_55: basic ETW-040 ETW-030
    The head is overwritten with bytes 55.
    damage: fill frames[0] with 55
    expect: damaged missing-head, survivors 0-9, end none
removed_head: basic ETW-040
    The head is missing.
    damage: drop frames[0]
    expect: damaged missing-head, survivors 0-9, end none
wrong_checksum_in_the_head: basic ETW-041
    The head stores a checksum other than 0, but the metadata continues 0.
    damage: flip bit 0 of frames[0].record.crc.groups[0]
    expect: damaged bad-crc, survivors 0-9, end none
head_of_type_snapshot: basic ETW-040
    The type of the head becomes that of a marker. A marker always has data.
    damage: flip bit 0 of frames[0].record.type.groups[0]
    expect: damaged bad-type, survivors 0-9, end none
head_of_type_metadata: basic ETW-040
    The type of the head becomes that of metadata.
    damage: set frames[0].record.type.groups[0] to 1
    expect: damaged bad-type, survivors 0-9, end none
head_of_type_6: basic ETW-040
    The type of the head becomes 6, which is unknown.
    damage: flip bit 1 of frames[0].record.type.groups[0]
    expect: damaged bad-type, survivors 0-9, end none
head_of_type_0: basic ETW-040
    The type of the head becomes 0.
    damage: flip bit 2 of frames[0].record.type.groups[0]
    expect: damaged bad-type, survivors 0-9, end none
wrong_length_of_the_head: basic ETW-040 ETW-022
    The length of the head is wrong. The record itself shows where it ends.
    damage: flip bit 0 of frames[0].length.low
    expect: damaged bad-length, survivors 0-9, end none
wrong_padding_of_the_head: basic ETW-025
    The length of the head states too much padding.
    damage: flip bit 1 of frames[0].length.flags
    expect: damaged bad-length, survivors 0-9, end none
wrong_tag_in_the_head: basic ETW-040 ETW-022
    The first tag of the head is wrong.
    damage: flip bit 3 of frames[0].record.tag_type
    expect: damaged bad-record, survivors 0-9, end none
head_and_metadata_are_zeros: basic ETW-040 ETW-031
    The head and the metadata record are zeroed.
    damage: zero frames[0]
    damage: zero frames[1]
    expect: damaged missing-head, survivors 2-9, end none
head_and_data_of_metadata: basic ETW-040 ETW-024 ETW-031
    The head is zeroed, and a bit of the metadata is flipped. The marker proves the stored checksum
    of the metadata, but not its data.
    damage: zero frames[0]
    damage: flip bit 0 of frames[1].record.data
    expect: damaged missing-head, survivors 1-9, end none
removed_head_and_data_of_metadata: basic ETW-040 ETW-024
    The head is missing, and a bit of the metadata is flipped.
    damage: flip bit 0 of frames[1].record.data
    damage: drop frames[0]
    expect: damaged missing-head, survivors 1-9, end none
empty_file: basic ETW-040
    The file is empty.
    damage: truncate at 0
    expect: damaged missing-head, no survivors, end none
file_of_zeros: basic ETW-040
    The file consists of zeros.
    damage: truncate at 0
    damage: extend by 1024 zero bytes
    expect: damaged missing-head, no survivors, end none
file_ends_inside_the_head: no_preallocated_zeros ETW-040 ETW-051
    The file ends inside the head. This is damage, because the head was synced before the file got
    its name.
    damage: truncate at 13
    expect: damaged missing-head, no survivors, end none
file_ends_after_the_head: no_preallocated_zeros ETW-011 limit
    The file ends after the head.
    damage: truncate at 16
    expect: intact, no survivors, end 16
file_ends_inside_the_metadata: no_preallocated_zeros ETW-051
    The file ends inside the metadata. This is damage, because the metadata was synced before the
    file got its name.
    damage: truncate at 30
    expect: damaged bad-length, no survivors, end none
wrong_later_checksum_in_the_head: first_file_of_a_later_checksum ETW-041 ETW-024
    A first file should begin with a checksum other than 0, but its head stores a wrong one. The
    metadata continues neither the wrong checksum nor 0.
    damage: flip bit 0 of frames[0].record.crc.groups[0]
    expect: damaged checksum-mismatch, survivors 1-9, end none
zeroed_head_of_a_later_checksum: first_file_of_a_later_checksum ETW-040 ETW-031
    The head of a first file whose checksum is not 0 is zeroed. The metadata is not proven.
    damage: zero frames[0]
    expect: damaged missing-head, survivors 1-9, end none
later_checksum_of_type_state: first_file_of_a_later_checksum ETW-040
    The head of a first file that stores another checksum has the type of a state. The metadata
    continues its checksum.
    damage: set frames[0].record.type.groups[0] to 3
    expect: damaged bad-type, survivors 0-9, end none
later_checksum_with_a_wrong_tag: first_file_of_a_later_checksum ETW-024 ETW-040
    The first tag of the head of a first file that stores another checksum is wrong.
    damage: flip bit 3 of frames[0].record.tag_type
    expect: damaged checksum-mismatch, survivors 0-9, end none
head_with_empty_data: basic ETW-021 ETW-040
    The head is a checksum record with data of no bytes. It is no head, and it is lost.
    record: 0, 08 04 10 00 1a 00
    expect: damaged missing-head, survivors 0-9, end none
bytes_in_front_of_a_later_checksum: first_file_of_a_later_checksum ETW-031 ETW-032 ETW-040
    Eight bytes are inserted in front of the head of a first file that stores another checksum. The
    head is not proven, and all records follow.
    damage: insert 5555555555555555 at 0
    expect: damaged missing-head, survivors 0-9, end none
head_with_data: basic ETW-040 ETW-026
    The first frame is a checksum record with data. It is not a head, and it is lost.
    rewrite: 1, 5, 0x
    rewrite: 0, 4, 0x61
    expect: damaged missing-head, survivors "" 1-9
""")
