"""Appends to a journal: seals, stale bytes, later segments, and the segment that gets the next
record."""

from conformance.recipes.zeebe_journal.appending import (
    append_to_a_single_file,
    append_to_segments_of_45_bytes,
)
from conformance.recipes.zeebe_journal.descriptors import (
    descriptor_of_version_1_with_a_block_of_32_bytes,
)
from conformance.recipes.zeebe_journal.edges import journal_of_a_broker
from conformance.recipes.zeebe_journal.layout import (
    empty_last_segment,
    one_segment,
    prepared_segment_alone,
    segments_of_45_bytes,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    APPENDING,
    BRAVO,
    ECHO,
    INITIAL,
    Entry,
    ZeebeLog,
    application,
    segment,
)
from conformance.recipes.zeebe_journal.writing import append_to_three_segments
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

FIRST, SECOND, THIRD, FOURTH, FIFTH = (f"journal-{number}.log" for number in (1, 2, 3, 4, 5))
FOXTROT, GOLF = application(6, "foxtrot"), application(7, "golf")
SEAL_AT = 45
NO_SEAL = bytes(12)


def append_records(log: ZeebeLog, *entries: Entry) -> None:
    """Request an append of these records, each with its asqn."""
    for payload, asqn in entries:
        log.append(payload, asqn=str(asqn))


def _seal(last_index: int, last_position: int) -> bytes:
    return last_index.to_bytes(8, "little") + last_position.to_bytes(4, "little")


@APPENDING.appending(three_segments, "ZBJ-013", "ZBJ-049", "ZBJ-051")
def append_two_segments(log: ZeebeLog) -> None:
    """Three appended records need two new segments. A writer seals the old active segment and the
    first new segment, but not the second new segment."""
    append_records(log, FOXTROT, (INITIAL[0], -1), (ALPHA[0], 8))
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], INITIAL[0], ALPHA[0]])
    log.leaves({f"journal-{number}.log": 270 for number in (1, 2, 3, 4, 5, 6)})
    log.leaves_bytes(THIRD, SEAL_AT, _seal(6, 156))
    log.leaves_bytes(FOURTH, SEAL_AT, _seal(8, 158))
    log.leaves_bytes(FIFTH, SEAL_AT, NO_SEAL)


@APPENDING.appending(three_segments, "ZBJ-013", "ZBJ-051", control=append_to_three_segments)
def append_to_a_sealed_segment_with_room(log: ZeebeLog) -> None:
    """The active segment is missing, and the sealed segment before it has free space. A writer
    removes the seal and appends there.

    Bytes of an older log follow the records. The writer replaces these bytes with zeros.
    """
    log.remove_file(THIRD)
    log.remove_file(FOURTH)
    log.extend(bytes(29) + b"\1" * 201, file=SECOND)
    append_records(log, FOXTROT)
    log.flushed(4)
    log.expect("intact", survivors=[*range(4), FOXTROT[0]])
    log.leaves({FIRST: 270, SECOND: 500})
    log.leaves_bytes(SECOND, SEAL_AT, NO_SEAL)
    log.leaves_bytes(SECOND, 358, bytes(142))


@APPENDING.appending(one_segment, "ZBJ-013", "ZBJ-051", control=append_to_a_single_file)
def append_to_a_sealed_single_file(log: ZeebeLog) -> None:
    """Stale bytes follow the records of a sealed one-file log. A writer that appends sets the seal
    and the stale bytes to zero."""
    log.data[:57] = pack_descriptor(1, 1, 512, seal=(4, 321))
    log.data[430:] = b"\1" * 82
    append_records(log, (b"new", 7))
    log.flushed(4)
    log.expect("intact", survivors=[*range(4), b"new"], end=474)
    log.leaves({"": 512})
    log.leaves_bytes("", SEAL_AT, NO_SEAL)
    log.leaves_bytes("", 474, bytes(38))


@APPENDING.appending(three_segments, "ZBJ-013", "ZBJ-032", control=append_two_segments)
def append_and_seal_after_an_asqn_out_of_order(log: ZeebeLog) -> None:
    """The last record of the active segment has the fault `asqn-order`. A writer seals the segment
    at this record and appends to the next segment."""
    log.set(f"{THIRD}:records[1].data.asqn", 1)
    log.reseal(f"{THIRD}:records[1]")
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect("damaged", "asqn-order", survivors=[*range(6), FOXTROT[0]])
    log.leaves_bytes(THIRD, SEAL_AT, _seal(6, 156))


@APPENDING.appending(empty_last_segment, "ZBJ-023", "ZBJ-051")
def append_to_an_active_segment_without_records(log: ZeebeLog) -> None:
    """The active segment has only a descriptor. A writer gives the first appended record the index
    from the descriptor."""
    append_records(log, FOXTROT, GOLF)
    log.context["max_segment_size"] = 270
    log.expect("intact", survivors=[*range(4), FOXTROT[0], GOLF[0]])
    log.leaves({name: 270 for name in (FIRST, SECOND, THIRD)})


@APPENDING.appending(journal_of_a_broker, "ZBJ-001", "ZBJ-049", "ZBJ-051")
def append_to_the_journal_of_a_broker(log: ZeebeLog) -> None:
    """A writer appends to a journal named `raft-partition-partition-1`. New segments have the same
    name."""
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect("intact", survivors=[*range(6), FOXTROT[0]])
    log.leaves({f"raft-partition-partition-1-{number}.log": 270 for number in (1, 2, 3, 4, 5)})


@APPENDING.appending(three_segments, "ZBJ-003", "ZBJ-051", control=append_two_segments)
def append_to_one_of_two_journals(log: ZeebeLog) -> None:
    """A folder contains two journals, and the context has the name of one of them. A writer appends
    to this journal only."""
    log.add_file("other-7.log", segment((ALPHA, BRAVO), 300, id=7))
    log.context |= {"name": "other", "max_segment_size": 300}
    append_records(log, (INITIAL[0], -1))
    log.payloads = [ALPHA[0], BRAVO[0]]
    log.expect("intact", survivors=[0, 1, INITIAL[0]])
    mine = {name: 270 for name in (FIRST, SECOND, THIRD, FOURTH)}
    log.leaves({**mine, "other-7.log": 300, "other-8.log": 300, "other-9.log": 300})


@APPENDING.appending(three_segments, "ZBJ-049", "ZBJ-051", control=append_two_segments)
def append_with_segments_of_another_size(log: ZeebeLog) -> None:
    """The context has a segment size of 300 bytes. New segments have this size, and existing
    segments keep 270 bytes."""
    append_records(log, FOXTROT, GOLF)
    log.context["max_segment_size"] = 300
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], GOLF[0]])
    log.leaves({FIRST: 270, SECOND: 270, THIRD: 270, FOURTH: 300, FIFTH: 300})


@APPENDING.appending(three_segments, "ZBJ-049", "ZBJ-051", control=append_two_segments, kind="eof")
def append_to_a_cut_file_without_being_told_a_size(log: ZeebeLog) -> None:
    """The active segment is cut, and no segment size is given. A writer uses the full size of this
    segment, 270 bytes, for this segment and all new segments."""
    log.truncate(240, THIRD)
    log.flushed(5)
    append_records(log, FOXTROT, GOLF)
    log.expect("intact", survivors=[*range(5), FOXTROT[0], GOLF[0]])
    log.leaves({f"journal-{number}.log": 270 for number in (1, 2, 3, 4, 5)})


@APPENDING.appending(three_segments, "ZBJ-012", "ZBJ-051", control=append_two_segments, kind="eof")
def append_to_a_segment_cut_after_its_descriptor(log: ZeebeLog) -> None:
    """The only segment ends after its descriptor. A writer extends the file to its full size and
    appends a record."""
    for name in (SECOND, THIRD, FOURTH):
        log.remove_file(name)
    log.files[FIRST] = bytearray(pack_descriptor(1, 1, 270))
    append_records(log, FOXTROT)
    log.expect("intact", survivors=[FOXTROT[0]])
    log.leaves({FIRST: 270})


@APPENDING.appending(
    three_segments, "ZBJ-012", "ZBJ-051", control=append_two_segments, kind="limit"
)
def append_to_a_file_longer_than_its_descriptor_says(log: ZeebeLog) -> None:
    """The only segment is longer than its maximum segment size. A writer uses the whole file and
    keeps its length."""
    for name in (SECOND, THIRD, FOURTH):
        log.remove_file(name)
    log.files[FIRST] = bytearray(pack_descriptor(1, 1, 100).ljust(200, b"\0"))
    append_records(log, FOXTROT, GOLF)
    log.context["max_segment_size"] = 200
    log.expect("intact", survivors=[FOXTROT[0], GOLF[0]])
    log.leaves({FIRST: 200, SECOND: 200, THIRD: 200})


@APPENDING.appending(
    segments_of_45_bytes,
    "ZBJ-039",
    "ZBJ-051",
    control=append_to_segments_of_45_bytes,
    kind="corrupt",
)
def append_in_the_second_of_three_segments(log: ZeebeLog) -> None:
    """Record 4 in the second of three segments and the third descriptor are corrupt, and neither
    was flushed. A writer replaces the record and removes all later segments."""
    log.flip(f"{SECOND}:records[1].metadata.checksum", 0)
    log.flip(f"{THIRD}:descriptor.metadata.checksum", 0)
    log.flushed(3)
    append_records(log, ECHO)
    log.expect("intact", survivors=[0, 1, 2, ECHO[0]])
    log.leaves({FIRST: 270, SECOND: 270})


def no_segments(log: ZeebeLog) -> None:
    """Remove all segments and leave only a lock file."""
    for name in (FIRST, SECOND, THIRD, FOURTH):
        log.remove_file(name)
    log.add_file(".journal.lock", b"0")


@APPENDING.appending(three_segments, "ZBJ-051", control=append_to_three_segments, kind="eof")
def append_where_no_segment_is_and_no_size(log: ZeebeLog) -> None:
    """A folder has no segments, and no segment size is given. A writer creates a segment of 1048576
    bytes."""
    no_segments(log)
    append_records(log, (b"x", 1))
    log.expect("intact", survivors=[b"x"])
    log.leaves({".journal.lock": 1, FIRST: 1 << 20})


@APPENDING.appending(
    three_segments, "ZBJ-049", "ZBJ-051", control=append_to_three_segments, kind="limit"
)
def append_a_long_record_where_no_segment_is(log: ZeebeLog) -> None:
    """A folder has no segments, and a payload plus 106 bytes exceeds the default segment size. A
    writer creates segments 106 bytes longer than the payload."""
    no_segments(log)
    long = b"y" * ((1 << 20) - 105)
    append_records(log, (b"x", 1), (long, 2), (b"z", 3))
    log.expect("intact", survivors=[b"x", long, b"z"])
    size = (1 << 20) + 1
    log.leaves({".journal.lock": 1, FIRST: size, SECOND: size, THIRD: size, FOURTH: size})


@APPENDING.appending(
    three_segments, "ZBJ-048", "ZBJ-051", control=append_to_three_segments, kind="eof"
)
def append_two_segments_where_no_segment_is(log: ZeebeLog) -> None:
    """A writer appends three records to a folder without segments. The caller gives the first
    record the index 1."""
    no_segments(log)
    log.append(FOXTROT[0], index="1")
    append_records(log, GOLF, (INITIAL[0], -1))
    log.context["max_segment_size"] = 270
    log.expect("intact", survivors=[FOXTROT[0], GOLF[0], INITIAL[0]])
    log.leaves({".journal.lock": 1, **{name: 270 for name in (FIRST, SECOND, THIRD)}})


@APPENDING.appending(three_segments, "ZBJ-048")
def append_an_index_that_is_next(log: ZeebeLog) -> None:
    """The caller gives the appended records the indexes 7 and 8, which are the expected indexes."""
    log.append(FOXTROT[0], index="7", asqn="6")
    log.append(GOLF[0], index="8", asqn="7")
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], GOLF[0]])


@APPENDING.appending(three_segments, "ZBJ-051", control=append_to_three_segments, kind="eof")
def append_nothing_behind_a_torn_record(log: ZeebeLog) -> None:
    """A writer that appends no records does not remove a torn record or the prepared segment."""
    log.truncate(240, THIRD)
    log.flushed(5)
    log.expect("torn", "torn-record", survivors=range(5))


@APPENDING.appending(
    one_segment, "ZBJ-013", "ZBJ-051", control=append_to_a_single_file, kind="valid"
)
def append_nothing_to_a_sealed_single_file(log: ZeebeLog) -> None:
    """A writer that appends no records to a sealed one-file log keeps the seal and the bytes after
    the end."""
    log.data[:57] = pack_descriptor(1, 1, 512, seal=(4, 321))
    log.data[430:] = b"\1" * 82
    log.flushed(4)
    log.expect("intact", survivors=range(4))


@APPENDING.appending(
    prepared_segment_alone, "ZBJ-051", control=append_to_a_single_file, kind="limit"
)
def append_nothing_to_a_single_file_of_zeros(log: ZeebeLog) -> None:
    """A writer that appends no records to a one-file log without a descriptor succeeds and changes
    nothing."""
    log.expect("intact", survivors=[])


@APPENDING.appending(descriptor_of_version_1_with_a_block_of_32_bytes, "ZBJ-013", "ZBJ-051")
def append_to_a_block_of_32_bytes_without_a_seal(log: ZeebeLog) -> None:
    """A SegmentDescriptor of SBE version 1 has 12 additional bytes that look like a seal. A writer
    that appends leaves these bytes unchanged."""
    append_records(log, (b"new", 7))
    log.expect("intact", survivors=[*range(4), b"new"])
    log.leaves_bytes("", SEAL_AT, _seal(9, 9))


@APPENDING.appending(
    three_segments, "ZBJ-013", "ZBJ-049", control=append_two_segments, kind="limit"
)
def append_after_a_segment_of_negative_indexes(log: ZeebeLog) -> None:
    """A full segment ends with index -3. A writer sets the last index of this segment to -3, which
    is not a seal, and continues in a new segment."""
    for name in (SECOND, THIRD, FOURTH):
        log.remove_file(name)
    whole = pack_descriptor(1, -3, 180) + pack_record(-3, 6, log.payloads[1])
    log.files[FIRST] = bytearray(whole.ljust(180, b"\0"))
    append_records(log, (b"new", 7))
    log.expect("intact", survivors=[1, b"new"])
    log.leaves({FIRST: 180, SECOND: 180, THIRD: 180})
    log.leaves_bytes(FIRST, SEAL_AT, (-3).to_bytes(8, "little", signed=True) + b"\x39\0\0\0")


@APPENDING.appending(three_segments, "ZBJ-014", "ZBJ-049", control=append_two_segments)
def append_where_a_folder_has_the_name_of_the_segment_to_prepare(log: ZeebeLog) -> None:
    """A folder has the name of the segment to prepare. A writer appends to a new segment, leaves
    the folder, and prepares no segment."""
    log.add_file(f"{FIFTH}/readme.txt", b"not a segment")
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0]])
    segments = {name: 270 for name in (FIRST, SECOND, THIRD, FOURTH)}
    log.leaves({**segments, f"{FIFTH}/readme.txt": 13})


@APPENDING.appending(three_segments, "ZBJ-003", "ZBJ-051", control=append_two_segments)
def append_where_the_named_journal_has_no_segment(log: ZeebeLog) -> None:
    """The context has a name without segments. A writer begins a new journal with this name and
    leaves the other journal unchanged."""
    log.context |= {"name": "other", "max_segment_size": 270}
    append_records(log, FOXTROT)
    log.expect("intact", survivors=[FOXTROT[0]])
    log.leaves({**{name: 270 for name in (FIRST, SECOND, THIRD, FOURTH)}, "other-1.log": 270})
