"""Append requests that a writer must refuse before it changes anything."""

from conformance.recipes.zeebe_journal.appending import append_to_a_single_file
from conformance.recipes.zeebe_journal.continuing import (
    FIRST,
    FOURTH,
    FOXTROT,
    GOLF,
    SECOND,
    THIRD,
    append_an_index_that_is_next,
    append_records,
    append_two_segments,
    no_segments,
)
from conformance.recipes.zeebe_journal.layout import prepared_segment_alone, three_segments
from conformance.recipes.zeebe_journal.log import ALPHA, APPENDING, BRAVO, ZeebeLog, segment
from conformance.recipes.zeebe_journal.writing import (
    append_to_three_segments,
    flushed_index_from_the_meta_file,
)
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record


@APPENDING.appending(three_segments, "ZBJ-049", control=append_to_three_segments, kind="limit")
def append_where_no_segment_is_what_none_takes(log: ZeebeLog) -> None:
    """A folder has no segments. A writer must refuse a record that does not fit into a new segment,
    and must not create a segment."""
    no_segments(log)
    append_records(log, (b"x" * 165, 7))
    log.context["max_segment_size"] = 270
    log.expect_refusal("intact")


@APPENDING.appending(three_segments, "ZBJ-001", control=append_to_three_segments)
def append_to_a_journal_whose_name_has_a_slash(log: ZeebeLog) -> None:
    """A writer must refuse the journal name `a/b`, because no segment can have this name."""
    log.context |= {"name": "a/b", "max_segment_size": 270}
    append_records(log, FOXTROT)
    log.expect_refusal("intact")


@APPENDING.appending(three_segments, "ZBJ-048", control=append_an_index_that_is_next)
def append_an_index_that_is_not_next(log: ZeebeLog) -> None:
    """A writer must refuse both records, because the caller gives them the indexes 7 and 9 instead
    of 7 and 8."""
    log.append(FOXTROT[0], index="7")
    log.append(GOLF[0], index="9")
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect_refusal("intact", survivors=range(6))


@APPENDING.appending(
    prepared_segment_alone, "ZBJ-051", control=append_to_a_single_file, kind="limit"
)
def append_to_a_single_file_of_zeros(log: ZeebeLog) -> None:
    """A writer must refuse to append to a one-file log without a descriptor, because its number and
    first index are unknown."""
    append_records(log, (b"new", 7))
    log.expect_refusal("intact")


@APPENDING.appending(three_segments, "ZBJ-023", control=append_to_three_segments, kind="limit")
def append_two_records_where_one_index_is_left(log: ZeebeLog) -> None:
    """The last record has the index 2^63 - 2. A writer must refuse two records, because only one
    larger index exists."""
    last = 2**63 - 2
    for name in (SECOND, THIRD, FOURTH):
        log.remove_file(name)
    whole = pack_descriptor(1, last, 270) + pack_record(last, 6, log.payloads[0])
    log.files[FIRST] = bytearray(whole.ljust(270, b"\0"))
    append_records(log, (b"", 7), (b"", 8))
    log.expect_refusal("intact", survivors=[0])


def _last_number(log: ZeebeLog, number: int) -> None:
    """Keep only the first segment, and give it this number."""
    for name in (SECOND, THIRD, FOURTH):
        log.remove_file(name)
    log.set(f"{FIRST}:descriptor.segment.id", number)
    log.reseal_descriptor(FIRST)
    log.rename_file(FIRST, f"journal-{number}.log")


@APPENDING.appending(
    three_segments, "ZBJ-001", "ZBJ-049", control=append_two_segments, kind="limit"
)
def append_beyond_the_last_number_of_a_segment(log: ZeebeLog) -> None:
    """The full active segment has the number 2147483646. A writer must refuse two records that need
    two more segments, because only one larger number is valid."""
    _last_number(log, 2**31 - 2)
    append_records(log, (b"x" * 164, 7), (b"", 8))
    log.context["max_segment_size"] = 270
    log.expect_refusal("intact", survivors=[0, 1])


@APPENDING.appending(three_segments, "ZBJ-049", control=append_two_segments, kind="limit")
def append_with_segments_beyond_31_bits(log: ZeebeLog) -> None:
    """A writer must refuse a record that needs a new segment, because the segment size of
    2147483648 bytes is too large."""
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 2**31
    log.flushed(6)
    log.expect_refusal("intact", survivors=range(6))


@APPENDING.appending(
    flushed_index_from_the_meta_file,
    "ZBJ-051",
    "ZBJ-059",
    control=append_two_segments,
    kind="corrupt",
)
def append_behind_records_that_the_meta_file_promises(log: ZeebeLog) -> None:
    """The last record is corrupt, and the `.meta` file shows that this record was flushed. A writer
    must refuse to append."""
    log.flip(f"{THIRD}:records[1].metadata.checksum", 0)
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect_refusal("damaged", "checksum-mismatch", survivors=range(5))


@APPENDING.appending(three_segments, "ZBJ-003", "ZBJ-051", control=append_two_segments)
def append_to_two_journals_and_no_name(log: ZeebeLog) -> None:
    """A folder contains two journals, and the context has no name. A writer must refuse to
    append."""
    log.add_file("other-1.log", segment((ALPHA, BRAVO), 270))
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect_refusal("refused", "ambiguous-journal")


@APPENDING.appending(
    three_segments, "ZBJ-011", "ZBJ-051", control=append_two_segments, kind="corrupt"
)
def append_to_a_journal_of_an_unknown_version(log: ZeebeLog) -> None:
    """The only descriptor has version 3. A writer must refuse to append and leave the journal
    unchanged."""
    for number in (2, 3, 4):
        log.remove_file(f"journal-{number}.log")
    log.set(f"{FIRST}:descriptor.version", 3)
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.expect_refusal("refused", "unknown-version")


@APPENDING.appending(three_segments, "ZBJ-051", control=append_two_segments, kind="corrupt")
def append_nothing_behind_damage(log: ZeebeLog) -> None:
    """The last record is corrupt and was flushed. A writer must refuse even an append of no
    records."""
    log.flip(f"{THIRD}:records[1].metadata.checksum", 0)
    log.flushed(6)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=range(5))


@APPENDING.appending(three_segments, "ZBJ-049", control=append_two_segments)
def append_where_a_folder_has_the_name(log: ZeebeLog) -> None:
    """A folder has the name of the segment that the new record needs. A writer must refuse the
    record."""
    log.remove_file(FOURTH)
    log.add_file(f"{FOURTH}/readme.txt", b"not a segment")
    append_records(log, FOXTROT)
    log.context["max_segment_size"] = 270
    log.flushed(6)
    log.expect_refusal("intact", survivors=range(6))
