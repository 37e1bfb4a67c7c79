"""Writes and appends to single files and under older descriptors, and requests that a writer must
refuse."""

from conformance.recipes.zeebe_journal.descriptors import descriptor_with_newer_fields
from conformance.recipes.zeebe_journal.layout import (
    descriptor_of_45_bytes,
    descriptor_of_version_1,
    exactly_full_segment,
    one_segment,
    segments_of_45_bytes,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import (
    APPENDING,
    FOUR,
    WRITING,
    Entry,
    ZeebeLog,
    application,
)
from conformance.recipes.zeebe_journal.writing import append_to_three_segments, write_one_segment
from reference_impl.answer import NewRecord
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

FOXTROT, GOLF = application(6, "foxtrot"), application(7, "golf")


def _append(log: ZeebeLog, *entries: Entry) -> None:
    for payload, asqn in entries:
        log.append(payload, asqn=str(asqn))


def _file(log: ZeebeLog, *entries: Entry, size: int = 512, version: str = "2/2") -> None:
    log.segment(*entries, size=size, version=version)
    log.written = [NewRecord(payload, {"asqn": str(asqn)}) for payload, asqn in entries]
    log.context["max_segment_size"] = size
    if version != "2/2":
        log.context["descriptor"] = version


def _refused(log: ZeebeLog, *entries: Entry) -> None:
    log.written = [NewRecord(payload, {"asqn": str(asqn)}) for payload, asqn in entries]
    log.context["max_segment_size"] = 512
    log.suffix = ""  # without a suffix, the writer would create a folder
    log.expect_refusal()


@WRITING.writing("ZBJ-048")
def write_a_single_file(log: ZeebeLog) -> None:
    """A new one-file log with four records. A writer prepares no further segment."""
    _file(log, *FOUR)


@WRITING.writing("ZBJ-048")
def write_a_single_file_of_version_1(log: ZeebeLog) -> None:
    """A new one-file log with a 29-byte descriptor and records of version 1."""
    _file(log, *FOUR, version="1")


@WRITING.writing("ZBJ-049", control=write_one_segment)
def write_a_record_that_no_segment_takes(log: ZeebeLog) -> None:
    """A writer must refuse all four records, because the fourth record does not fit into a new
    segment."""
    _refused(log, *FOUR[:3], (b"x" * 407, 9))


@WRITING.writing("ZBJ-049", "ZBJ-020", control=write_one_segment)
def write_a_record_that_fills_a_segment(log: ZeebeLog) -> None:
    """A new journal whose fourth record fills a segment exactly."""
    log.journal(*FOUR[:3], (b"x" * 406, 9), size=512)
    log.context["max_segment_size"] = 512


@WRITING.writing("ZBJ-053", control=write_one_segment)
def write_an_asqn_that_goes_down(log: ZeebeLog) -> None:
    """A writer must refuse all four records, because the asqn of the last record decreases from 2
    to 1."""
    _refused(log, *FOUR[:3], (FOUR[3][0], 1))


@WRITING.writing("ZBJ-053", control=write_one_segment, kind="limit")
def write_an_asqn_beyond_the_largest(log: ZeebeLog) -> None:
    """A writer must refuse all four records, because the last record has the asqn 2^63, which is
    too large."""
    _refused(log, *FOUR[:3], (FOUR[3][0], 2**63))


@WRITING.writing("ZBJ-049", control=write_one_segment, kind="limit")
def write_into_segments_below_a_descriptor(log: ZeebeLog) -> None:
    """A writer must refuse a segment size of 56 bytes, one byte less than a descriptor, even if
    there are no records to write."""
    _refused(log)
    log.context["max_segment_size"] = 56


@APPENDING.appending(one_segment, "ZBJ-051")
def append_to_a_single_file(log: ZeebeLog) -> None:
    """A writer appends to a one-file log. The file keeps its size."""
    _append(log, (b"new", 7))
    log.flushed(4)
    log.expect("intact", survivors=[*range(4), b"new"], end=474)
    log.leaves({"": 512})


@APPENDING.appending(one_segment, "ZBJ-051", control=append_to_a_single_file, kind="eof")
def append_to_a_single_file_that_is_cut(log: ZeebeLog) -> None:
    """A one-file log ends inside its last record. A writer replaces this record and restores the
    full size of the file."""
    log.truncate(400)
    _append(log, (b"new", 7))
    log.flushed(3)
    log.expect("intact", survivors=[0, 1, 2, b"new"])
    log.leaves({"": 512})


@APPENDING.appending(exactly_full_segment, "ZBJ-051", control=append_to_a_single_file, kind="limit")
def append_to_a_single_file_that_is_full(log: ZeebeLog) -> None:
    """A one-file log is full. A writer must refuse to append, because the log cannot continue in
    another segment."""
    _append(log, (b"", 7))
    log.expect_refusal("intact", survivors=range(4))


@APPENDING.appending(descriptor_with_newer_fields, "ZBJ-010", "ZBJ-051")
def append_after_newer_fields(log: ZeebeLog) -> None:
    """A descriptor is 65 bytes long, because it has newer fields. A writer that appends leaves the
    descriptor unchanged, so the first record does not move."""
    _append(log, FOXTROT)
    log.expect("intact", survivors=[0, FOXTROT[0]])


@APPENDING.appending(descriptor_of_45_bytes, "ZBJ-006", "ZBJ-051")
def append_to_a_descriptor_of_45_bytes(log: ZeebeLog) -> None:
    """A 45-byte descriptor has no fields for a seal. A writer leaves the descriptor unchanged and
    appends a record of version 2."""
    _append(log, (b"new", 7))
    log.expect("intact", survivors=[*range(4), b"new"])


@APPENDING.appending(descriptor_of_version_1, "ZBJ-006", "ZBJ-051")
def append_to_a_descriptor_of_version_1(log: ZeebeLog) -> None:
    """A version 1 descriptor is 29 bytes long and has no checksum. A writer that appends leaves the
    descriptor unchanged."""
    _append(log, (b"new", 7))
    log.expect("intact", survivors=[*range(4), b"new"])


@APPENDING.appending(segments_of_45_bytes, "ZBJ-049", "ZBJ-051")
def append_to_segments_of_45_bytes(log: ZeebeLog) -> None:
    """A journal has 45-byte descriptors. A writer appends two records to a new segment with a
    57-byte descriptor."""
    _append(log, FOXTROT, GOLF)
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], GOLF[0]])


@APPENDING.appending(three_segments, "ZBJ-051", control=append_to_three_segments, kind="eof")
def append_to_a_sealed_segment(log: ZeebeLog) -> None:
    """The active segment is missing, and the sealed segment before it is too full for the new
    record. A writer appends to a new segment."""
    log.remove_file("journal-3.log")
    log.remove_file("journal-4.log")
    log.flushed(4)
    _append(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect("intact", survivors=[*range(4), FOXTROT[0]])


@APPENDING.appending(three_segments, "ZBJ-032", "ZBJ-051", control=append_to_three_segments)
def append_after_an_asqn_out_of_order(log: ZeebeLog) -> None:
    """The last record has the fault `asqn-order`. A writer keeps this record and gives the new
    record the next index."""
    log.set("journal-3.log:records[1].data.asqn", 1)
    log.reseal("journal-3.log:records[1]")
    log.flushed(6)
    _append(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect("damaged", "asqn-order", survivors=[*range(6), FOXTROT[0]])


@APPENDING.appending(three_segments, "ZBJ-053", control=append_to_three_segments, kind="limit")
def append_an_asqn_that_is_there(log: ZeebeLog) -> None:
    """A writer must refuse a record with the same asqn as the last record of the journal."""
    _append(log, (GOLF[0], 5))
    log.flushed(6)
    log.expect_refusal("intact", survivors=range(6))


@APPENDING.appending(three_segments, "ZBJ-049", control=append_to_three_segments, kind="limit")
def append_a_record_that_no_segment_takes(log: ZeebeLog) -> None:
    """A writer must refuse a record that does not fit into a new segment, and must not create a
    segment for the record."""
    _append(log, (b"x" * 165, 7))
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect_refusal("intact", survivors=range(6))


@APPENDING.appending(
    three_segments, "ZBJ-044", "ZBJ-051", control=append_to_three_segments, kind="eof"
)
def append_where_nothing_can_be_read(log: ZeebeLog) -> None:
    """The only descriptor is cut and no flushed index is given. A writer removes all segments and
    begins a new journal with index 1."""
    log.truncate(40, "journal-1.log")
    for number in (2, 3):
        log.remove_file(f"journal-{number}.log")
    _append(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect("intact", survivors=[FOXTROT[0]])
    log.leaves({"journal-1.log": 270})


@APPENDING.appending(
    three_segments, "ZBJ-041", "ZBJ-051", control=append_to_three_segments, kind="eof"
)
def append_where_no_segment_is(log: ZeebeLog) -> None:
    """A folder contains only a lock file. A writer begins a new journal with the default name and
    index 1."""
    for number in (1, 2, 3, 4):
        log.remove_file(f"journal-{number}.log")
    log.add_file(".journal.lock", b"0")
    _append(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect("intact", survivors=[FOXTROT[0]])
    log.leaves({".journal.lock": 1, "journal-1.log": 270})


@APPENDING.appending(three_segments, "ZBJ-050", "ZBJ-051", control=append_to_three_segments)
def append_before_stale_bytes(log: ZeebeLog) -> None:
    """Stale bytes follow the last record. A writer replaces these bytes with zeros, although the
    new record goes into the next segment."""
    log.files["journal-3.log"][255:] = b"\1" * 15
    _append(log, (b"", 7))
    log.flushed(6)
    log.context["max_segment_size"] = 270
    log.expect("intact", survivors=[*range(6), b""])


def _numbered(log: ZeebeLog, last: int) -> None:
    """Renumber segments 1 to 3 so that the third has the number ``last``, and remove the prepared
    segment."""
    for id in (3, 2, 1):
        log.rename_file(f"journal-{id}.log", f"journal-{last - 3 + id}.log")
    log.remove_file("journal-4.log")
    log.context["max_segment_size"] = 270
    log.flushed(6)


def _last_number(log: ZeebeLog, number: int) -> None:
    """Renumber the segments as :func:`_numbered` does, and set the ids in the descriptors to
    match."""
    for id in (1, 2, 3):
        log.set(f"journal-{id}.log:descriptor.segment.id", number - 3 + id)
        log.reseal_descriptor(f"journal-{id}.log")
    _numbered(log, number)


@APPENDING.appending(three_segments, "ZBJ-002", "ZBJ-049", control=append_to_three_segments)
def append_to_a_segment_of_another_id(log: ZeebeLog) -> None:
    """File names have the numbers 11 to 13, and descriptors have the ids 1 to 3. A writer gives the
    new segment the number 14."""
    _numbered(log, 13)
    _append(log, FOXTROT)
    log.expect("intact", survivors=[*range(6), FOXTROT[0]])
    log.leaves({f"journal-{number}.log": 270 for number in range(11, 16)})


@APPENDING.appending(
    three_segments, "ZBJ-001", "ZBJ-049", control=append_to_three_segments, kind="limit"
)
def append_after_the_last_number_of_a_segment(log: ZeebeLog) -> None:
    """The active segment has the number 2^31 - 1, the largest valid number. A writer must refuse a
    record that needs another segment."""
    _last_number(log, 2**31 - 1)
    _append(log, FOXTROT)
    log.expect_refusal("intact", survivors=range(6))


@APPENDING.appending(
    three_segments, "ZBJ-014", "ZBJ-049", control=append_to_three_segments, kind="limit"
)
def append_up_to_the_last_number_of_a_segment(log: ZeebeLog) -> None:
    """The new segment has the number 2^31 - 1, the largest valid number. A writer prepares no
    segment after the new segment."""
    _last_number(log, 2**31 - 2)
    _append(log, FOXTROT)
    log.expect("intact", survivors=[*range(6), FOXTROT[0]])
    log.leaves({f"journal-{2**31 - 5 + id}.log": 270 for id in (1, 2, 3, 4)})


@APPENDING.appending(three_segments, "ZBJ-049", control=append_to_three_segments, kind="limit")
def append_to_a_small_segment_without_records(log: ZeebeLog) -> None:
    """The active segment has no records and is too small for the new record. A writer must refuse
    the record, although a new segment would be large enough."""
    for id in (2, 3, 4):
        log.remove_file(f"journal-{id}.log")
    log.files["journal-1.log"] = bytearray(pack_descriptor(1, 1, 100).ljust(100, b"\0"))
    _append(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect_refusal("intact")


@APPENDING.appending(
    three_segments, "ZBJ-023", "ZBJ-048", control=append_to_three_segments, kind="limit"
)
def append_after_the_largest_index(log: ZeebeLog) -> None:
    """The last record has the index 2^63 - 1. A writer must refuse another record, because no
    larger index exists."""
    last = 2**63 - 1
    for id in (2, 3, 4):
        log.remove_file(f"journal-{id}.log")
    whole = pack_descriptor(1, last, 270) + pack_record(last, 6, log.payloads[0])
    log.files["journal-1.log"] = bytearray(whole.ljust(270, b"\0"))
    _append(log, GOLF)
    log.context["max_segment_size"] = 270
    log.expect_refusal("intact", survivors=[0])
