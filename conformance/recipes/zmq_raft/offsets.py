"""Index files with invalid offsets or without the bytes of committed entries."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import (
    CHUNKS,
    OFFSETS,
    TORN_TAIL,
    UNDETECTED,
    ZmqRaftLog,
    entry,
)


@OFFSETS.valid("ZMR-011")
def five_entries(log: ZmqRaftLog) -> None:
    """An index file with five 25-byte entries and a capacity of seven."""
    words = (b"alpha", b"bravo", b"candy", b"delta", b"eager")
    log.index_file(*map(entry, words), capacity=8)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=245)


TORN_TAIL.table("""
last_entry_cut_by_a_byte: five_entries ZMR-047
    The last entry lacks its last byte, but its offset is in the table. The entry is torn.
    shows: torn-last-record
    damage: truncate at 244
    expect: torn torn-entry, survivors 0-3, end 220
    note: zmq-raft writes data and offset with one fdatasync, so a crash can leave this file.
last_entry_cut_in_its_header: five_entries ZMR-047
    The file ends after nine bytes of the last entry.
    damage: truncate 9 bytes into data.entries[4]
    expect: torn torn-entry, survivors 0-3, end 220
last_entry_missing: five_entries ZMR-047
    The file ends directly before the last entry, whose offset is in the table.
    damage: truncate 0 bytes into data.entries[4]
    expect: torn torn-entry, survivors 0-3, end 220
three_entries_cut: five_entries ZMR-047
    The file ends inside the third of five entries. The last three entries are torn.
    damage: truncate 12 bytes into data.entries[2]
    expect: torn torn-entry, survivors 0 1, end 170
all_entries_missing: five_entries ZMR-047
    The file ends directly after the marker, although the table commits five entries. All entries
    are torn.
    shows: index-survives-data
    damage: truncate 0 bytes into data.entries[0]
    expect: torn torn-entry, no survivors, end 120
torn_at_a_sector: five_entries ZMR-047
    The file ends at a multiple of 64 bytes, inside the third entry. The last three entries are
    torn.
    damage: torn at the last boundary of 64 bytes
    expect: torn torn-entry, survivors 0 1, end 170
""")


@OFFSETS.damaged(five_entries, "ZMR-046", "ZMR-013")
def offset_above_the_limit(log: ZmqRaftLog) -> None:
    """The last offset is 0x40000000, above the limit of 0x3fffffff. The code is bad-offset, not
    torn-entry."""
    log.set("offsets[4]", 0x40000000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 3], end=None)


@OFFSETS.damaged(five_entries, "ZMR-046", "ZMR-102")
def offset_that_falls(log: ZmqRaftLog) -> None:
    """The third offset is 10, below the second offset. A reader trusts neither offset."""
    log.set("offsets[2]", 10)
    log.expect("damaged", "bad-offset", survivors=[0, 4], end=None)


CHUNKS.table("""
neither_marker_nor_order: three_entries ZMR-045 ZMR-046
    The marker is damaged, and the offsets decrease. A reader looks for the marker first.
    damage: set chunks[1].token to 49 54 4d 58
    damage: set offsets[1] to 1
    expect: damaged missing-marker, no survivors, end none
    bug: zmq-raft does not handle a rejected promise, which ends the process
first_offset_twice: five_entries ZMR-045 ZMR-046
    The first offset is duplicated, so all later bytes move by four. A reader does not find the
    marker.
    damage: duplicate offsets[0]
    expect: damaged missing-marker, no survivors, end none
""")


UNDETECTED.table("""
lost_offset: five_entries ZMR-017 ZMR-051
    The third offset is zero, so the log ends after the second entry. The loss is undetectable.
    damage: zero offsets[2]
    expect: intact, survivors 0 1, end 170
    note: A reader does not return the last three entries.
lost_first_offset: five_entries ZMR-017 ZMR-051
    The first offset is zero, so the file has no committed entries. The loss is undetectable.
    damage: zero offsets[0]
    expect: intact, no survivors, end 120
""")


@UNDETECTED.damaged(five_entries, "ZMR-051", "ZMR-011")
def offset_one_too_high(log: ZmqRaftLog) -> None:
    """The last offset is one too high, and the file has one extra byte. A reader returns this byte
    as part of the last entry."""
    log.set("offsets[4]", 126)
    log.data += b"!"
    log.expect("intact", survivors=[0, 1, 2, 3, b"eager!"])


@TORN_TAIL.damaged(five_entries, "ZMR-013", "ZMR-047")
def last_offset_at_the_limit(log: ZmqRaftLog) -> None:
    """The last offset is 0x3fffffff, the limit, and points past the end of the file. The code is
    torn-entry, not bad-offset."""
    log.set("offsets[4]", 0x3FFFFFFF)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)


@OFFSETS.damaged(five_entries, "ZMR-046", "ZMR-047")
def offsets_beyond_the_file_up_to_the_limit(log: ZmqRaftLog) -> None:
    """The last two offsets point past the end of the file and increase, but the last exceeds the
    limit. The code is bad-offset, not torn-entry."""
    log.set("offsets[3]", 5000)
    log.set("offsets[4]", 0x40000000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


OFFSETS.table("""
offset_of_all_ones: five_entries ZMR-046
    The last offset is 0xffffffff. The code is bad-offset, not torn-entry.
    damage: fill offsets[4] with ff
    expect: damaged bad-offset, survivors 0-3, end none
    bug: zmq-raft tries to read an entry with a negative length
offset_beyond_the_file: five_entries ZMR-046
    Bit 24 of the second offset is flipped, so the offset points past the end of the file. Two
    entries are lost.
    shows: bit-in-a-length
    damage: flip bit 24 of offsets[1]
    expect: damaged bad-offset, survivors 0 3 4, end none
equal_offsets: five_entries ZMR-046
    The second and the third offset are equal. A reader trusts neither offset, because an entry
    cannot have 0 bytes.
    damage: set offsets[2] to 50
    expect: damaged bad-offset, survivors 0 4, end none
first_offset_too_high: five_entries ZMR-046
    The first offset is 60, above the second offset. A reader trusts neither offset.
    damage: set offsets[0] to 60
    expect: damaged bad-offset, survivors 3 4, end none
last_offset_of_one: five_entries ZMR-046
    The last offset is 1, below the offset before it. A reader trusts neither offset.
    damage: set offsets[4] to 1
    expect: damaged bad-offset, survivors 0-2, end none
offsets_swapped: five_entries ZMR-046
    The second and the third offset are swapped. A reader trusts neither offset.
    shows: swapped
    damage: set offsets[1] to 75
    damage: set offsets[2] to 50
    expect: damaged bad-offset, survivors 0 4, end none
offsets_beyond_the_file_that_fall: five_entries ZMR-046
    The last two offsets point past the end of the file and decrease. The code is bad-offset, not
    torn-entry.
    damage: set offsets[3] to 5000
    damage: set offsets[4] to 4000
    expect: damaged bad-offset, survivors 0-2, end none
equal_offsets_beyond_the_file: five_entries ZMR-046 ZMR-047
    The last two offsets point past the end of the file and are equal. The code is bad-offset, not
    torn-entry.
    damage: set offsets[3] to 5000
    damage: set offsets[4] to 5000
    expect: damaged bad-offset, survivors 0-2, end none
offset_that_falls_before_a_torn_entry: five_entries ZMR-046 ZMR-047
    The third offset is below the second, and the last entry lacks its last byte. A reader reports
    damage and a torn entry.
    damage: set offsets[2] to 10
    damage: truncate at 244
    expect: damaged bad-offset, survivors 0, end none
""")


@OFFSETS.damaged(three_entries, "ZMR-046", "ZMR-047")
def all_offsets_beyond_the_file_fall(log: ZmqRaftLog) -> None:
    """All offsets point past the end of the file and decrease. The code is bad-offset, not
    torn-entry."""
    for number, offset in enumerate((6000, 5000, 4000)):
        log.set(f"offsets[{number}]", offset)
    log.expect("damaged", "bad-offset", end=None)
