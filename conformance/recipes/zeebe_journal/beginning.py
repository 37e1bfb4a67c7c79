"""Write new journals with valid and invalid sizes, indexes and names."""

import tempfile
from pathlib import Path
from typing import Any

from conformance.recipes.zeebe_journal.appending import write_a_single_file
from conformance.recipes.zeebe_journal.log import FOUR, WRITING, ZeebeLog
from conformance.recipes.zeebe_journal.writing import write_one_segment
from reference_impl.answer import NewRecord
from reference_impl.zeebe_journal.writer import write

LARGEST = 2**63 - 1


def _write(log: ZeebeLog, *records: NewRecord, **context: Any) -> None:
    log.context |= context
    log.written = list(records)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        write(path, log.written, log.context)
        log.files = {file.name: bytearray(file.read_bytes()) for file in sorted(path.iterdir())}


def _refused(log: ZeebeLog, *records: NewRecord, suffix: str = "", **context: Any) -> None:
    log.context |= context
    log.written = list(records)
    log.suffix = suffix
    log.expect_refusal()


def _indexed(index: int, payload: bytes = b"x") -> NewRecord:
    return NewRecord(payload, {"index": str(index)})


@WRITING.writing("ZBJ-048", "ZBJ-049", kind="limit")
def write_descriptors_and_one_byte(log: ZeebeLog) -> None:
    """A new journal without records, with segments of 58 bytes: one byte more than a descriptor."""
    _write(log, max_segment_size=58)
    log.leaves({"journal-1.log": 58})


@WRITING.writing("ZBJ-006", "ZBJ-048", "ZBJ-049", kind="limit")
def write_descriptors_of_45_bytes_and_one_byte(log: ZeebeLog) -> None:
    """A new journal without records, with segments of 46 bytes: one byte more than a 45-byte
    descriptor."""
    _write(log, max_segment_size=46, descriptor="2/1")
    log.leaves({"journal-1.log": 46})


@WRITING.writing("ZBJ-006", "ZBJ-048", "ZBJ-049", kind="limit")
def write_descriptors_of_version_1_and_one_byte(log: ZeebeLog) -> None:
    """A new journal without records, with segments of 30 bytes: one byte more than a version 1
    descriptor."""
    _write(log, max_segment_size=30, descriptor="1")
    log.leaves({"journal-1.log": 30})


@WRITING.writing("ZBJ-049", control=write_one_segment, kind="limit")
def write_nothing_but_descriptors(log: ZeebeLog) -> None:
    """A writer must refuse a segment size of 57 bytes, because no byte would follow the
    descriptor."""
    _refused(log, max_segment_size=57)


@WRITING.writing("ZBJ-049", control=write_one_segment, kind="limit")
def write_nothing_but_descriptors_of_45_bytes(log: ZeebeLog) -> None:
    """A writer must refuse a segment size of 45 bytes for 45-byte descriptors, because no byte
    would follow the descriptor."""
    _refused(log, max_segment_size=45, descriptor="2/1")


@WRITING.writing("ZBJ-049", control=write_one_segment, kind="limit")
def write_nothing_but_descriptors_of_version_1(log: ZeebeLog) -> None:
    """A writer must refuse a segment size of 29 bytes for version 1 descriptors, because no byte
    would follow the descriptor."""
    _refused(log, max_segment_size=29, descriptor="1")


@WRITING.writing("ZBJ-049", control=write_one_segment, kind="limit")
def write_into_segments_beyond_31_bits(log: ZeebeLog) -> None:
    """A writer must refuse a segment size of 2147483648 bytes, which does not fit into a
    descriptor."""
    _refused(log, NewRecord(b"x"), max_segment_size=2**31)


@WRITING.writing("ZBJ-024", "ZBJ-053", kind="limit")
def write_the_largest_asqn(log: ZeebeLog) -> None:
    """A new journal with the smallest asqn, 0, and the largest asqn, 2^63 - 1."""
    records = [NewRecord(b"x", {"asqn": str(asqn)}) for asqn in (0, LARGEST)]
    _write(log, *records, max_segment_size=256)


@WRITING.writing("ZBJ-053", control=write_one_segment, kind="limit")
def write_an_asqn_below_minus_one(log: ZeebeLog) -> None:
    """A writer must refuse an asqn of -2. Only -1 means that a record has no asqn."""
    _refused(log, NewRecord(b"x", {"asqn": "-2"}), max_segment_size=256)


@WRITING.writing("ZBJ-023", "ZBJ-048", kind="limit")
def write_from_index_1(log: ZeebeLog) -> None:
    """The caller gives the first record the index 1, which is also the default."""
    _write(log, _indexed(1), NewRecord(b"y"), max_segment_size=256)


@WRITING.writing("ZBJ-048", control=write_from_index_1, kind="limit")
def write_from_index_0(log: ZeebeLog) -> None:
    """A writer must refuse the index 0 for the first record, because a new journal begins with
    index 1 or higher."""
    _refused(log, _indexed(0), max_segment_size=256)


@WRITING.writing("ZBJ-023", "ZBJ-048", kind="limit")
def write_up_to_the_largest_index(log: ZeebeLog) -> None:
    """A new journal with the indexes 2^63 - 2 and 2^63 - 1, the largest index."""
    _write(log, _indexed(LARGEST - 1), _indexed(LARGEST), max_segment_size=256)


@WRITING.writing("ZBJ-023", "ZBJ-048", control=write_up_to_the_largest_index, kind="limit")
def write_after_the_largest_index(log: ZeebeLog) -> None:
    """A writer must refuse three records if the first record has the index 2^63 - 2, because no
    index is left for the third record."""
    records = (_indexed(LARGEST - 1), NewRecord(b"y"), NewRecord(b"z"))
    _refused(log, *records, max_segment_size=256)


@WRITING.writing("ZBJ-023", "ZBJ-048", "ZBJ-049")
def write_from_index_7(log: ZeebeLog) -> None:
    """A new journal whose first record has index 7, as it would after a compaction. The other
    records follow without a gap."""
    _write(log, _indexed(7, b"seven"), NewRecord(b"eight"), _indexed(9), max_segment_size=112)
    log.leaves({f"journal-{number}.log": 112 for number in (1, 2, 3, 4)})


@WRITING.writing("ZBJ-048", control=write_from_index_7)
def write_an_index_that_is_not_next(log: ZeebeLog) -> None:
    """A writer must refuse both records, because the second record has the index 9 instead of 8."""
    _refused(log, _indexed(7, b"seven"), _indexed(9, b"nine"), max_segment_size=256)


@WRITING.writing("ZBJ-020", "ZBJ-048", "ZBJ-049", kind="limit")
def write_a_single_file_that_is_full(log: ZeebeLog) -> None:
    """A new one-file log whose last record ends at the end of the file."""
    log.segment(*FOUR, size=422)
    log.written = [NewRecord(payload, {"asqn": str(asqn)}) for payload, asqn in FOUR]
    log.context["max_segment_size"] = 422


@WRITING.writing("ZBJ-049", control=write_a_single_file, kind="limit")
def write_more_than_a_single_file_takes(log: ZeebeLog) -> None:
    """A writer must refuse records that need one byte more than a one-file log has, because the log
    cannot continue in another segment."""
    records = [NewRecord(payload, {"asqn": str(asqn)}) for payload, asqn in FOUR]
    _refused(log, *records, suffix=".log", max_segment_size=421)


@WRITING.writing("ZBJ-001", "ZBJ-048")
def write_a_journal_of_another_name(log: ZeebeLog) -> None:
    """A new journal with the name `raft-partition-partition-1`, which a broker uses."""
    name = "raft-partition-partition-1"
    records = [NewRecord(payload, {"asqn": str(asqn)}) for payload, asqn in FOUR]
    _write(log, *records, name=name, max_segment_size=270)
    log.leaves({f"{name}-{number}.log": 270 for number in (1, 2, 3)})


@WRITING.writing("ZBJ-001", control=write_one_segment)
def write_a_journal_without_a_name(log: ZeebeLog) -> None:
    """A writer must refuse an empty journal name, because a file named `-1.log` is not a
    segment."""
    _refused(log, NewRecord(b"x"), name="", max_segment_size=256)


@WRITING.writing("ZBJ-001", control=write_one_segment)
def write_a_journal_whose_name_has_a_slash(log: ZeebeLog) -> None:
    """A writer must refuse the journal name `a/b`, because its segments would not be directly in
    the folder."""
    _refused(log, NewRecord(b"x"), name="a/b", max_segment_size=256)


@WRITING.writing("ZBJ-001", control=write_one_segment)
def write_a_journal_whose_name_has_a_zero_byte(log: ZeebeLog) -> None:
    """A writer must refuse a journal name with a zero byte, because no file name can contain this
    byte."""
    _refused(log, NewRecord(b"x"), name="a\0b", max_segment_size=256)
