"""Torn writes at the end of the last file, and what proves that a fault is not a torn write."""

from conformance.recipes.etcd_wal.layout import (
    HEAD,
    no_preallocated_zeros,
)
from conformance.recipes.etcd_wal.log import (
    TAILS,
    EtcdLog,
    entry,
    marker,
    rows,
    saves,
    state,
)


@TAILS.valid("ETW-050")
def a_marker_and_a_state(log: EtcdLog) -> None:
    """The last Save has a large entry. A marker and a state of another term follow."""
    log.build(*HEAD, *saves(1, 1), entry(2, b"b" * 1400), marker(1, 2), state(1, 3),
              segment_size=4096)  # fmt: skip
    log.expect("intact", survivors=range(7))


@TAILS.valid("ETW-050")
def a_state_after_a_large_entry(log: EtcdLog) -> None:
    """The last Save has a large entry and a state. Another state follows."""
    log.build(*HEAD, *saves(1, 1), entry(2, b"b" * 1400), state(1, 3), state(2, 3),
              segment_size=4096)  # fmt: skip
    log.expect("intact", survivors=range(7))


@TAILS.valid("ETW-050")
def an_entry_after_a_large_entry(log: EtcdLog) -> None:
    """The last Save has two entries and a state."""
    log.build(*HEAD, *saves(1, 1), entry(2, b"b" * 1400), entry(3, b"c"), state(1, 3),
              segment_size=4096)  # fmt: skip
    log.expect("intact", survivors=range(7))


@TAILS.valid("ETW-050")
def states_alone(log: EtcdLog) -> None:
    """Three states follow a marker. They may not have been synced."""
    log.build(*HEAD, *saves(1, 1, 1300), marker(1, 2), state(1, 3), state(1, 4), state(1, 5),
              segment_size=4096)  # fmt: skip
    log.expect("intact", survivors=range(8))


@TAILS.valid("ETW-011")
def one_save(log: EtcdLog) -> None:
    """Metadata, a marker and a Save, in a preallocated segment of 4,096 bytes."""
    log.build(*HEAD, *saves(1, 1), segment_size=4096)
    log.expect("intact", survivors=range(4), end=160)


TAILS.table(
    rows(
        "One of the last frames contains a zeroed sector: {}.",
        "follow: -, {}\n    damage: zero sector 1 of 512 bytes",
        """
marker_at_the_end: one_save ETW-050
    e2:1400 m1 | torn torn-sector, survivors 0-3, end 160
marker_in_a_save: one_save ETW-050
    e2 m1 M:1400 s1.3 s1.4 | torn torn-sector, survivors 0-3 payload_of(e2) payload_of(m1), end 224
states_without_an_entry: one_save ETW-050
    M:1400 s1.3 s1.4 | torn torn-sector, survivors 0-3, end 160
states_after_a_save: one_save ETW-050
    e2 s1.3 M:1400 s1.4 s1.5 |
    torn torn-sector, survivors 0-3 payload_of(e2) payload_of(s1.3), end 240
bytes_in_a_save: one_save ETW-050 ETW-030
    e2 ~ M M:1400 s1.3 s1.4 |
    damaged bad-length, survivors 0-3 payload_of(e2) 0 payload_of(s1.3) payload_of(s1.4)
unknown_type_in_a_save: one_save ETW-050 ETW-026
    e2:1400 t6 s1.3 s1.4 | torn torn-sector, survivors 0-3, end 160
metadata_after_an_entry: one_save ETW-050
    e2:1400 M e3 | torn torn-sector, survivors 0-3, end 160
save_in_front_of_bytes: one_save ETW-050 ETW-051
    e2:1400 s1.3 ~ ~ | damaged checksum-mismatch, survivors 0-3 payload_of(s1.3)
unknown_type_with_zeros: one_save ETW-051 ETW-026
    t6:1400 s1.3 | damaged bad-type, survivors 0-3 payload_of(s1.3)
last_bytes_in_the_next_sector: one_save ETW-051
    e2:332 | torn torn-sector, survivors 0-3, end 160
type_0_with_zeros: one_save ETW-051 ETW-026
    t0:1400 s1.3 | damaged bad-type, survivors 0-3 payload_of(s1.3)
""",
    )
)


def _cuts() -> None:
    for at, code, words in (
        (393, "torn-record", "before the last byte of the last record"),
        (384, "torn-record", "inside the data of the last record"),
        (370, "torn-record", "inside the type of the last record"),
        (399, "torn-record", "inside the padding of the last frame"),
        (392, "torn-record", "inside the last record"),
        (376, "torn-record", "inside the checksum of the last record"),
        (368, "torn-record", "after the length of the last frame"),
        (367, "torn-length", "inside the length of the last frame"),
        (361, "torn-length", "after the first byte of the last frame"),
    ):

        @TAILS.combination(
            f"file_ends_at_{at}", f"The file ends {words}.", no_preallocated_zeros, "ETW-051",
            "ETW-052", "ETW-061", kind="eof",
        )  # fmt: skip
        def recipe(log: EtcdLog, at: int = at, code: str = code) -> None:
            log.truncate(at)
            log.expect("torn", code, survivors=range(9), end=360)


_cuts()

TAILS.table("""
file_ends_before_the_last_frame: no_preallocated_zeros ETW-011 limit
    The file ends before the last frame, which a reader cannot detect.
    damage: truncate at 360
    expect: intact, survivors 0-8, end 360
zeros_from_the_last_frame_on: basic ETW-011 limit
    The last frame is zeroed, which a reader cannot detect.
    damage: zero frames[10]
    expect: intact, survivors 0-8, end 360
zeros_from_an_entry_on: basic ETW-011 limit
    The log is zeroed from an entry on, which a reader cannot detect.
    damage: write 240 zero bytes at 160
    expect: intact, survivors 0-3, end 160
file_ends_inside_the_marker: no_preallocated_zeros ETW-051
    The file ends inside the marker, which follows the head and the metadata.
    damage: truncate at 70
    expect: torn torn-record, survivors 0, end 56
last_frame_without_padding_is_cut: no_padding ETW-051
    A file without padding ends inside its last frame.
    damage: truncate at 330
    expect: torn torn-record, survivors 0-8, end 308
one_byte_after_the_last_frame: no_preallocated_zeros ETW-051
    One byte follows the last frame.
    damage: extend by 01
    expect: torn torn-length, survivors 0-9, end 400
seven_bytes_after_the_last_frame: no_preallocated_zeros ETW-051
    Seven bytes follow the last frame.
    damage: extend by 00000000000001
    expect: torn torn-length, survivors 0-9, end 400
length_without_a_record: no_preallocated_zeros ETW-051
    A length follows the last frame.
    damage: extend by 1000000000000000
    expect: torn torn-record, survivors 0-9, end 400
sector_of_ff_after_the_last_frame: no_preallocated_zeros ETW-051
    512 ff bytes follow the last frame.
    damage: extend by 512 bytes of ff
    expect: torn torn-record, survivors 0-9, end 400
ff_in_the_preallocated_zeros: basic ETW-051
    The preallocated space after the last frame contains 64 ff bytes.
    damage: write 64 bytes of ff at 400
    expect: torn torn-record, survivors 0-9, end 400
bytes_of_a_preallocated_file: basic ETW-051
    The rest of the file is filled with bytes 55, as if etcd had not zeroed the file 0.tmp.
    damage: write 624 bytes of 55 at 400
    expect: torn torn-record, survivors 0-9, end 400
short_garbage_after_the_last_frame: basic ETW-051
    A length of 1 and a byte follow the last frame. No sector is missing, so this is damage.
    damage: write 010000000000000041 at 400
    expect: damaged bad-record, survivors 0-9, end none
garbage_before_a_new_sector: basic ETW-051
    The last frame is followed by a length, but the record is zero up to the next sector.
    damage: write 4000000000000000 at 400
    expect: torn torn-sector, survivors 0-9, end 400
byte_after_the_next_sector: basic ETW-051
    The sector of the last frame ends with zeros, and a non-zero byte follows in the next sector.
    damage: write 55 at 512
    expect: torn torn-sector, survivors 0-9, end 400
byte_before_the_next_sector: basic ETW-051
    In the sector of the last frame, zeros and then a non-zero byte follow the frame.
    damage: write 55 at 511
    expect: damaged zero-gap, survivors 0-9, end none
torn_in_the_last_save: records_over_several_sectors ETW-051 ETW-052
    The last Save lacks its last sector.
    shows: size-before-data
    damage: zero sector 11 of 512 bytes
    expect: torn torn-sector, survivors 0-7, end 4496
first_sectors_of_the_last_save: records_over_several_sectors ETW-050 ETW-051
    A sector of the entry in the last Save was never written. The state after it matches the stored
    checksum, but nothing proves that the entry was synced.
    damage: zero sector 9 of 512 bytes
    expect: torn torn-sector, survivors 0-7, end 4496
sector_with_the_beginning_of_the_last_save: records_over_several_sectors ETW-050 ETW-051
    A zeroed sector contains the end of one Save and the beginning of the last Save.
    damage: zero sector 8 of 512 bytes
    expect: torn torn-sector, survivors 0-5, end 3024
sector_of_the_save_before: records_over_several_sectors ETW-050
    A sector of an entry is zeroed. The Save of the entry was synced, because another Save follows.
    damage: zero sector 7 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0-5 7-9, end none
half_a_sector_of_the_last_save: records_over_several_sectors ETW-051
    200 bytes of an entry in the last Save are zeroed, but no sector is missing.
    damage: write 200 zero bytes at 4700
    expect: damaged checksum-mismatch, survivors 0-7 9, end none
    note: etcd reports a CRC mismatch and refuses to start (issue 11488).
sector_in_an_entry_of_three: a_save_of_three_entries ETW-050 ETW-051
    A sector with parts of the second and third entries of the last Save was never written.
    damage: zero sector 2 of 512 bytes
    expect: torn torn-sector, survivors 0-6, end 872
first_sector_in_a_save_of_three: a_save_of_three_entries ETW-050 ETW-052
    A sector with parts of the first and second entries of the last Save was never written. The
    third entry and the state were written, but never acknowledged.
    damage: zero sector 1 of 512 bytes
    expect: torn torn-sector, survivors 0-5, end 240
marker_proves_the_sync: a_marker_and_a_state ETW-050
    A sector of an entry is zeroed. A marker and another record follow, which proves that the entry
    was synced.
    damage: zero sector 1 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0-3 5 6, end none
last_marker_proves_nothing: an_entry_after_a_large_entry ETW-050
    A sector of an entry is zeroed. The entry and the state that follow may belong to the same Save.
    damage: zero sector 1 of 512 bytes
    expect: torn torn-sector, survivors 0-3, end 160
second_state_proves_the_sync: a_state_after_a_large_entry ETW-050
    A sector of an entry is zeroed. Two states follow, which proves that the Save with the first
    state was synced.
    damage: zero sector 1 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0-3 5 6, end none
sector_of_states: states_alone ETW-050 ETW-051
    The last state was not written completely. States alone are not synced.
    damage: truncate at 1560
    expect: torn torn-record, survivors 0-6, end 1552
torn_write_after_a_flipped_bit: no_preallocated_zeros ETW-060 ETW-061
    A bit of an entry is flipped, and the file ends inside the last frame.
    damage: flip bit 0 of frames[5].record.data
    damage: truncate at 392
    expect: damaged checksum-mismatch, survivors 0-3 5-8, end none
torn_write_after_a_gap: no_preallocated_zeros ETW-031 ETW-060
    An entry is zeroed, and the file ends inside the last frame. The frames between the two faults
    are accepted.
    damage: zero frames[3]
    damage: truncate at 392
    expect: damaged zero-gap, survivors 0 1 4-8, end none
garbage_after_a_gap: no_preallocated_zeros ETW-031
    An entry is zeroed, and the file ends with bytes that do not look like a frame.
    damage: zero frames[3]
    damage: extend by 64 bytes of 55
    expect: damaged zero-gap, survivors 0 1, end none
torn_sector_in_the_middle_of_the_log: records_over_several_sectors ETW-050
    A sector of the first entry is zeroed.
    damage: zero sector 1 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0 1 3-9, end none
gap_in_a_save: one_save ETW-050 ETW-031
    Zeros extend into the next sector, and states follow. The entry before the zeros does not prove
    a sync.
    follow: -, e2 M:1400 s1.3 s1.4
    damage: write 824 zero bytes at 200
    expect: torn torn-sector, survivors 0-3 payload_of(e2), end 200
unproven_frame_with_zeros: one_save ETW-051 ETW-031
    A frame that is not proven, after a gap, contains a zeroed sector. This is damage.
    follow: -, e2 e3:1400 s1.3
    damage: write 12 zero bytes at 160
    damage: zero sector 1 of 512 bytes
    expect: damaged zero-gap, survivors 0-3 payload_of(s1.3)
two_torn_sectors: one_save ETW-052
    Sectors of two entries in the last Save were never written. The log ends before the first of
    these entries.
    follow: -, e2:1400 e3 e4:1400 s4.3
    damage: zero sector 1 of 512 bytes
    damage: zero sector 4 of 512 bytes
    expect: torn torn-sector, survivors 0-3, end 160
states_after_lost_metadata: metadata_in_preallocated_space ETW-050
    A sector of a metadata record is zeroed, and two states follow. No entry precedes them.
    follow: -, M:1400 s1 s2
    damage: zero sector 1 of 512 bytes
    expect: torn torn-sector, survivors 0, end 56
byte_after_the_next_sector_and_padding: basic ETW-051
    The padding before a sector of zeros is not zero.
    damage: fill frames[10].padding with 55
    damage: write 55 at 512
    expect: torn torn-sector, survivors 0-9, end 400
length_of_zeros_at_the_end_of_a_sector: one_save ETW-051
    The last eight bytes of a sector, where a frame could begin, are zero. A non-zero byte follows.
    follow: -, e2:312
    damage: write 55 at 512
    expect: torn torn-sector, survivors 0-3 payload_of(e2:312), end 504
""")
