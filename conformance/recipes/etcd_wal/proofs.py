"""Frames with a flipped bit: what proves the record, its checksum and its length."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.recipes.etcd_wal.layout import basic
from conformance.recipes.etcd_wal.log import LENGTHS, PROOFS, EtcdLog
from conformance.recipes.recipe import Group

#: Bits are flipped in these frames of ``basic``. The values are the numbers of the frames.
FRAMES = {"metadata": 1, "entry": 5, "state": 6, "last": 10}
LENGTH = ("ETW-022", "ETW-021", "ETW-020")
#: Each row has a field, the bits to flip, the reason code, the requirements, and whether the record
#: is lost.
FLIPS: Sequence[tuple[str, Sequence[int], str, tuple[str, ...], bool]] = (
    ("length.low", (0, 1, 2, 3, 4, 5, 6, 7, 15, 31), "bad-length", LENGTH, False),
    ("length.middle", (0, 15), "bad-length", LENGTH, False),
    ("length.high", (0, 7), "bad-length", LENGTH, False),
    ("length.flags", (0, 1, 2, 7), "bad-length", ("ETW-025",), False),
    ("record.tag_type", (0, 3, 6), "bad-record", LENGTH, False),
    ("record.tag_crc", (1, 4, 7), "bad-record", LENGTH, False),
    ("record.tag_data", (0, 3, 7), "bad-record", LENGTH, False),
    ("record.len_data.groups[0]", (0, 6, 7), "bad-record", LENGTH, False),
    ("record.crc.groups[0]", (0, 6), "bad-crc", ("ETW-023",), False),
    ("record.crc.groups[0]", (7,), "bad-crc", ("ETW-023", "ETW-021"), False),
    ("record.crc.groups[3]", (3,), "bad-crc", ("ETW-023",), False),
    ("record.data", (0, 37), "checksum-mismatch", ("ETW-024", "ETW-063"), True),
)
#: In the last frame, only faults with these codes are tested. They leave the record proven,
#: although no frame follows.
IN_THE_LAST = {"bad-length", "bad-record"}
NOT_IN_THE_LAST = {"length.flags"}


def _group(field: str) -> Group[EtcdLog]:
    return LENGTHS if field.startswith("length") else PROOFS


def _flips() -> None:
    for name, number in FRAMES.items():
        for field, bits, code, requirements, costs in FLIPS:
            chosen = bits if name == "entry" else bits[:: len(bits) - 1 or 1]
            for bit in chosen:
                if name == "last" and (code not in IN_THE_LAST or field in NOT_IN_THE_LAST):
                    continue
                if name == "metadata" and field == "length.flags":
                    continue  # this frame has no padding, so its flags are not used
                _flip(name, number, field, bit, code, requirements, costs)


def _flip(
    name: str, number: int, field: str, bit: int, code: str, requirements: tuple[str, ...],
    costs: bool,
) -> None:  # fmt: skip
    words = field.replace("record.", "").replace(".groups", "").replace("[", "_").replace("]", "")
    slug = f"{name}_{words.replace('.', '_')}_bit_{bit}"
    outcome = "The record is lost." if costs else "All records are returned."
    title = f"Bit {bit} of `{field}` in the {name} frame is flipped. {outcome}"
    control = basic

    @_group(field).combination(slug, title, control, *requirements, kind="corrupt")
    def recipe(log: EtcdLog) -> None:
        log.flip(f"frames[{number}].{field}", bit)
        survivors = [each for each in range(10) if not (costs and each == number - 1)]
        log.expect("damaged", code, survivors=survivors, end=None)


_flips()

PROOFS.table("""
crc_of_the_last_frame: basic ETW-020 ETW-051 ETW-061
    A bit of the last frame's checksum is flipped. No next frame proves the data.
    damage: flip bit 0 of frames[10].record.crc.groups[0]
    expect: damaged checksum-mismatch, survivors 0-8, end none
data_of_the_last_frame: basic ETW-020 ETW-051 ETW-061
    A bit of the last frame's data is flipped. No sector of the frame is missing, so this is not a
    torn write.
    damage: flip bit 0 of frames[10].record.data
    expect: damaged checksum-mismatch, survivors 0-8, end none
    note: etcd reports a crc mismatch, and refuses to start (issue 11488).
    bug: https://github.com/etcd-io/etcd/issues/11488
data_of_two_frames_in_a_row: basic ETW-031
    A bit is flipped in the data of an entry and another in the state after it. The stored checksum
    of the state proves the next entry.
    damage: flip bit 0 of frames[5].record.data
    damage: flip bit 0 of frames[6].record.data
    expect: damaged checksum-mismatch, survivors 0-3 6-9
data_of_frames_apart: basic ETW-024 ETW-032
    One bit is flipped in the data of each of two entries.
    damage: flip bit 0 of frames[3].record.data
    damage: flip bit 0 of frames[7].record.data
    expect: damaged checksum-mismatch, survivors 0 1 3-5 7-9
crc_of_two_frames_in_a_row: basic ETW-023
    The stored checksums of an entry and of the state after it are wrong. Nothing proves these two
    records or the entry after them.
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    damage: flip bit 0 of frames[6].record.crc.groups[0]
    expect: damaged checksum-mismatch, survivors 0-3 7-9
length_and_crc: basic ETW-023 ETW-021
    The length and the stored checksum of an entry are wrong. The next frame proves the data.
    damage: flip bit 3 of frames[5].length.low
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    expect: damaged bad-length, survivors 0-9
tag_and_crc: basic ETW-023 ETW-021
    The last tag and the stored checksum of an entry are wrong. The next frame proves the data.
    damage: flip bit 3 of frames[5].record.tag_data
    damage: flip bit 0 of frames[5].record.crc.groups[0]
    expect: damaged bad-record, survivors 0-9
length_and_data: basic ETW-024 ETW-021
    The length and the data of an entry are wrong. The record itself shows where it ends, and the
    next frame proves the stored checksum.
    damage: flip bit 3 of frames[5].length.low
    damage: flip bit 0 of frames[5].record.data
    expect: damaged checksum-mismatch, survivors 0-3 5-9
tag_and_data: basic ETW-024 ETW-021
    A tag and the data of an entry are wrong.
    damage: flip bit 3 of frames[5].record.tag_crc
    damage: flip bit 0 of frames[5].record.data
    expect: damaged checksum-mismatch, survivors 0-3 5-9
padding_after_the_last_frame: basic ETW-025 limit
    The length of the last frame states too little padding. Zeros follow, so a reader cannot detect
    the fault.
    damage: flip bit 1 of frames[10].length.flags
    expect: intact, survivors 0-9
length_of_metadata_without_data: metadata_without_data ETW-021 ETW-022
    The length of a metadata record without data is wrong.
    damage: flip bit 4 of frames[1].length.low
    expect: damaged bad-length, survivors 0-4, end none
checksum_0_of_a_marker: metadata_without_data ETW-021 ETW-023
    The stored checksum of a marker becomes 0 in one byte. A record without data would match, but a
    marker always has data.
    damage: set frames[2].record.crc.groups[0] to 0
    expect: damaged bad-crc, survivors 0-4, end none
zero_length_of_the_last_frame: basic ETW-022
    The length of the last frame is zeroed. The record itself shows where it ends.
    damage: zero frames[10].length
    expect: damaged bad-length, survivors 0-9, end none
    note: etcd treats a length of zero as the end of the log, and overwrites the record without a
    copy.
zero_length_of_an_entry: basic ETW-022
    The length of an entry is zeroed.
    damage: zero frames[5].length
    expect: damaged bad-length, survivors 0-9, end none
    note: etcd treats a length of zero as the end of the log, and sets all later records to zero.
length_of_ff: basic ETW-022
    The length of an entry is overwritten with ff bytes.
    damage: fill frames[5].length with ff
    expect: damaged bad-length, survivors 0-9, end none
length_without_padding: no_padding ETW-022
    The length of a frame without padding is wrong. The next frame begins directly after the record.
    damage: flip bit 3 of frames[5].length.low
    expect: damaged bad-length, survivors 0-9, end none
length_of_the_last_frame_without_padding: no_padding ETW-022 ETW-021
    The length of the last frame, which has no padding, is wrong. Only one possible end is within
    the file.
    damage: flip bit 3 of frames[10].length.low
    expect: damaged bad-length, survivors 0-9, end none
crc_without_padding: no_padding ETW-023
    The stored checksum of a frame without padding is wrong.
    damage: flip bit 3 of frames[5].record.crc.groups[1]
    expect: damaged bad-crc, survivors 0-9, end none
data_without_padding: no_padding ETW-024
    A bit of the data in a frame without padding is flipped.
    damage: flip bit 3 of frames[5].record.data
    expect: damaged checksum-mismatch, survivors 0-3 5-9, end none
long_length_of_data: records_over_several_sectors ETW-021 ETW-022
    The length of a record's data has two bytes, and the first byte is wrong.
    damage: flip bit 0 of frames[5].record.len_data.groups[0]
    expect: damaged bad-record, survivors 0-9, end none
long_length_of_data_made_short: records_over_several_sectors ETW-021 ETW-022
    The length of a record's data has two bytes, and the first byte loses its continuation flag.
    damage: flip bit 7 of frames[5].record.len_data.groups[0]
    expect: damaged bad-record, survivors 0-9, end none
long_length_of_data_made_long: records_over_several_sectors ETW-021 ETW-022
    The length of a record's data has two bytes, and the second byte gets a continuation flag.
    damage: flip bit 7 of frames[5].record.len_data.groups[1]
    expect: damaged bad-record, survivors 0-9, end none
long_crc_made_short: records_over_several_sectors ETW-021 ETW-023
    A checksum has five bytes, and the third byte loses its continuation flag.
    damage: flip bit 7 of frames[5].record.crc.groups[2]
    expect: damaged bad-crc, survivors 0-9, end none
""")
