"""Records that a writer appends to logs, or must not append."""

from __future__ import annotations

from conformance.recipes.etcd_wal.files import (
    folder_without_entries,
    marker_above_the_last_entry,
    replaced_entries_and_an_old_marker,
    sequence_numbers_with_letters,
)
from conformance.recipes.etcd_wal.layout import (
    a_save_of_three_entries,
    basic,
    entries_without_a_type,
    first_file_of_a_later_checksum,
    indexes_that_jump_after_a_marker,
    metadata_in_preallocated_space,
    no_padding,
    no_preallocated_zeros,
    only_the_checksum_record,
    padding_after_frames_without_padding,
    three_files,
)
from conformance.recipes.etcd_wal.log import (
    APPENDING,
    FIRST,
    SECOND,
    THIRD,
    EtcdLog,
    entry,
    metadata,
    saves,
    state,
)
from conformance.recipes.etcd_wal.writing import configured
from conformance.recipes.recipe import Recipe
from reference_impl.answer import NewRecord


def _appends(log: EtcdLog, *records: NewRecord, survivors: range = range(10)) -> None:
    log.to_append += records
    log.expect("intact", survivors=[*survivors, *(each.payload for each in records)])


#: Each row has a log, the number of its records, and the requirements.
LOGS: tuple[tuple[Recipe[EtcdLog], int, tuple[str, ...]], ...] = (
    (basic, 10, ("ETW-073",)),
    (no_preallocated_zeros, 10, ("ETW-073",)),
    (no_padding, 10, ("ETW-073", "ETW-003")),
    (padding_after_frames_without_padding, 16, ("ETW-073", "ETW-003")),
    (entries_without_a_type, 5, ("ETW-073",)),
    (indexes_that_jump_after_a_marker, 10, ("ETW-073",)),
    (only_the_checksum_record, 0, ("ETW-073",)),
    (metadata_in_preallocated_space, 1, ("ETW-073",)),
    (first_file_of_a_later_checksum, 10, ("ETW-073", "ETW-041")),
    (three_files, 18, ("ETW-073",)),
    (a_save_of_three_entries, 10, ("ETW-073",)),
)


def _to_each_log() -> None:
    for control, count, requirements in LOGS:

        def recipe(log: EtcdLog, count: int = count) -> None:
            _appends(log, *saves(200, 201), survivors=range(count))

        name = control.slug.replace("-", "_")
        recipe.__name__ = f"append_to_{name}"
        recipe.__doc__ = f"A writer appends two Saves to the log `{control.slug}`."
        APPENDING.appending(control, *requirements)(recipe)


_to_each_log()


@APPENDING.appending(no_preallocated_zeros, "ETW-073")
def append_two_saves(log: EtcdLog) -> None:
    """A writer appends two Saves."""
    _appends(log, *saves(5, 6))


@APPENDING.appending(basic, "ETW-073", "ETW-074")
def append_more_than_is_preallocated(log: EtcdLog) -> None:
    """The new records need more space than the preallocated zeros. The file grows."""
    _appends(log, entry(5, b"x" * 900), state(5))
    log.leaves({"": 1368})


@APPENDING.appending(basic, "ETW-073")
def append_into_preallocated_zeros(log: EtcdLog) -> None:
    """A writer appends into preallocated zeros. The length of the file does not change."""
    _appends(log, *saves(5, 6))
    log.leaves({"": 1024})


@APPENDING.appending(basic, "ETW-073")
def append_nothing(log: EtcdLog) -> None:
    """There are no records to append, so the file does not change."""
    _appends(log)
    log.leaves({"": 1024})


@APPENDING.appending(basic, "ETW-073", "ETW-070")
def append_a_marker(log: EtcdLog) -> None:
    """A writer appends a marker."""
    _appends(log, configured(4))


@APPENDING.appending(basic, "ETW-070", "ETW-073")
def append_equal_metadata(log: EtcdLog) -> None:
    """A writer appends metadata that is equal to the metadata of the log."""
    _appends(log, metadata())


@APPENDING.appending(three_files, "ETW-071", "ETW-072", "ETW-073", "ETW-009")
def append_and_cut(log: EtcdLog) -> None:
    """The last file is full after a Save. The next file begins with the metadata and the last
    state."""
    _appends(log, *saves(9, 10, 40), survivors=range(18))
    log.leaves({
        FIRST: 416, SECOND: 424, THIRD: 424, "0000000000000003-000000000000000a.wal": 256,
    })  # fmt: skip


@APPENDING.appending(three_files, "ETW-071", "ETW-072", "ETW-073")
def append_a_marker_and_cut(log: EtcdLog) -> None:
    """The last file is full. The index of the new marker is higher than that of the last entry, so
    it determines the name of the next file."""
    _appends(log, configured(40), state(40, 9), state(41, 10), survivors=range(18))
    log.leaves({
        FIRST: 416, SECOND: 424, THIRD: 384, "0000000000000003-0000000000000029.wal": 256,
    })  # fmt: skip


@APPENDING.appending(three_files, "ETW-071", "ETW-072", "ETW-073")
def append_lower_indexes_and_cut(log: EtcdLog) -> None:
    """The last entry replaces earlier ones, and its index determines the name of the next file."""
    _appends(log, entry(5, b"x" * 40, 3), state(8, 3), entry(6, b"y", 3), state(8, 4),
             survivors=range(18))  # fmt: skip
    log.leaves({
        FIRST: 416, SECOND: 424, THIRD: 424, "0000000000000003-0000000000000006.wal": 256,
    })  # fmt: skip


def _cuts() -> None:
    """Add vectors that append to folders with different segment sizes."""
    for control, count, size, new, files in (
        (replaced_entries_and_an_old_marker, 11, 1, [state(3, 4)],
         {FIRST: 448, "0000000000000001-0000000000000003.wal": 96}),
        (marker_above_the_last_entry, 7, 1, [state(9, 3)],
         {FIRST: 304, "0000000000000001-0000000000000003.wal": 96}),
        (folder_without_entries, 2, 1, [state(0)],
         {FIRST: 120, "0000000000000001-0000000000000001.wal": 96}),
        (marker_above_the_last_entry, 7, 300, [state(3), *saves(10, 11)],
         {FIRST: 384, "0000000000000001-000000000000000b.wal": 300}),
        (marker_above_the_last_entry, 7, 2, [entry(3, b"a")],
         {FIRST: 296, "0000000000000001-0000000000000004.wal": 56}),
        (marker_above_the_last_entry, 7, 400, saves(10, 13),
         {FIRST: 504, "0000000000000001-000000000000000d.wal": 400}),
        (sequence_numbers_with_letters, 18, 256, saves(9, 10, 40), {
            "000000000000000F-0000000000000000.wal": 416,
            "0000000000000010-0000000000000004.wal": 424,
            "0000000000000011-0000000000000007.wal": 424,
            "0000000000000012-000000000000000a.wal": 256,
        }),
    ):  # fmt: skip

        def recipe(log: EtcdLog, count: int = count, size: int = size,
                   new: list[NewRecord] = new, files: dict[str, int] = files) -> None:  # fmt: skip
            log.context = {"segment_size": size}
            _appends(log, *new, survivors=range(count))
            log.leaves(files)

        recipe.__name__ = f"append_{size}_to_{control.slug}".replace("-", "_")
        recipe.__doc__ = (
            f"A writer appends to the log `{control.slug}`. The segment size is {size}."
        )
        APPENDING.appending(control, "ETW-071", "ETW-072", "ETW-073")(recipe)


_cuts()


@APPENDING.appending(no_preallocated_zeros, "ETW-073")
def append_with_a_segment_size(log: EtcdLog) -> None:
    """A log without preallocated zeros is not filled up to the segment size. Only new files are."""
    log.context["segment_size"] = 4096
    _appends(log, *saves(5, 6))
    log.leaves({"": 552})


@APPENDING.appending(no_preallocated_zeros, "ETW-073", "ETW-052", kind="eof",
                     control=append_two_saves)  # fmt: skip
def append_after_a_torn_record(log: EtcdLog) -> None:
    """A writer removes a torn record before it appends."""
    log.truncate(390)
    _appends(log, *saves(5, 6), survivors=range(9))


@APPENDING.appending(no_preallocated_zeros, "ETW-073", "ETW-052", kind="eof",
                     control=append_two_saves)  # fmt: skip
def append_after_a_torn_length(log: EtcdLog) -> None:
    """A writer removes three bytes of a length before it appends."""
    log.truncate(363)
    _appends(log, *saves(5, 6), survivors=range(9))


@APPENDING.appending(no_preallocated_zeros, "ETW-073", "ETW-011", kind="eof",
                     control=append_two_saves)  # fmt: skip
def append_after_a_cut_between_frames(log: EtcdLog) -> None:
    """The last frame is missing. A writer appends where it began."""
    log.truncate(360)
    _appends(log, *saves(5, 6), survivors=range(9))


@APPENDING.appending(
    basic, "ETW-073", "ETW-052", kind="eof", control=append_into_preallocated_zeros
)
def append_after_a_byte_of_ff(log: EtcdLog) -> None:
    """A writer removes a byte after the last frame, together with the preallocated zeros."""
    log.overwrite(400, b"\xff")
    _appends(log, *saves(5, 6))


@APPENDING.appending(a_save_of_three_entries, "ETW-073", "ETW-052", kind="eof",
                     control=append_into_preallocated_zeros)  # fmt: skip
def append_after_a_torn_sector(log: EtcdLog) -> None:
    """A sector of the last Save was never written. A writer removes the torn part of the Save
    before it appends."""
    log.zero_sector(2)
    _appends(log, *saves(4, 5), survivors=range(7))


@APPENDING.appending(no_preallocated_zeros, "ETW-073", kind="eof", control=append_two_saves)
def append_nothing_after_a_torn_record(log: EtcdLog) -> None:
    """There are no records to append, so the writer keeps the torn record."""
    log.truncate(390)
    log.expect("torn", "torn-record", survivors=range(9), end=360)
    log.leaves({"": 390})


@APPENDING.appending(three_files, "ETW-073", "ETW-052", kind="eof", control=append_and_cut)
def append_to_a_folder_after_a_torn_record(log: EtcdLog) -> None:
    """A writer appends to a folder whose last file is torn."""
    log.truncate(290, THIRD)
    _appends(log, *saves(9, 9, 40), survivors=range(17))


def _refuses() -> None:
    for name, title, operations, reason, survivors in (
        ("a_flipped_bit", "a bit of an entry is flipped",
         ["flip bit 0 of frames[5].record.data"], "checksum-mismatch", [0, 1, 2, 3, *range(5, 10)]),
        ("a_gap", "an entry is zeroed",
         ["zero frames[5]"], "zero-gap", [0, 1, 2, 3, *range(6, 10)]),
        ("a_wrong_length", "a length is wrong", ["flip bit 3 of frames[5].length.low"],
         "bad-length",
         range(10)),
        ("a_wrong_checksum", "a stored checksum is wrong",
         ["flip bit 0 of frames[5].record.crc.groups[0]"], "bad-crc", range(10)),
        ("a_missing_head", "the head is missing", ["drop frames[0]"], "missing-head", range(10)),
        ("damage_at_the_end", "a bit of the last record is flipped",
         ["flip bit 0 of frames[10].record.data"], "checksum-mismatch", range(9)),
        ("an_empty_file", "the file is empty", ["truncate at 0"], "missing-head", []),
    ):  # fmt: skip

        def recipe(
            log: EtcdLog,
            operations: list[str] = operations,
            reason: str = reason,
            survivors: list[int] = survivors,  # type: ignore[assignment]
        ) -> None:
            for operation in operations:
                log.operate(operation)
            log.to_append += saves(5, 6)
            log.expect_refusal("damaged", reason, survivors)

        recipe.__name__ = f"append_after_{name}"
        recipe.__doc__ = f"A writer refuses to append because {title}."
        APPENDING.appending(
            no_preallocated_zeros, "ETW-073", "ETW-061", kind="corrupt", control=append_two_saves
        )(recipe)


_refuses()


@APPENDING.appending(three_files, "ETW-073", kind="corrupt", control=append_and_cut)
def append_after_a_missing_file(log: EtcdLog) -> None:
    """A writer refuses to append to a log with a missing file."""
    log.remove_file(SECOND)
    log.to_append += saves(9, 10)
    log.expect_refusal("damaged", "missing-file", [*range(8), *range(13, 18)])


@APPENDING.appending(three_files, "ETW-073", "ETW-001", kind="corrupt", control=append_and_cut)
def append_to_a_folder_without_segments(log: EtcdLog) -> None:
    """A writer refuses to append to a folder without segments."""
    log.add_file("readme.txt", b"U")
    for name in (FIRST, SECOND, THIRD):
        log.remove_file(name)
    log.to_append += saves(9, 10)
    log.expect_refusal("refused", "no-segments")


@APPENDING.appending(basic, "ETW-070", "ETW-073", kind="limit", control=append_a_marker)
def append_other_metadata(log: EtcdLog) -> None:
    """A writer refuses to append metadata that differs from that of the log."""
    log.to_append.append(metadata(b"other"))
    log.expect_refusal("intact", None, range(10))


@APPENDING.appending(basic, "ETW-070", "ETW-073", kind="limit", control=append_a_marker)
def append_text(log: EtcdLog) -> None:
    """A writer refuses to append an entry that is not a valid message. The valid entry before it is
    not appended either."""
    log.to_append += [entry(5), NewRecord(b"text")]
    log.expect_refusal("intact", None, range(10))
