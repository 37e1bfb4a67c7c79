"""Records that a writer appends to logs, or must not append."""

from __future__ import annotations

from conformance.recipes.prometheus_wal.checkpoints import checkpoint_and_segments
from conformance.recipes.prometheus_wal.layout import (
    closed_segment,
    empty_record_at_the_end,
    empty_segment,
    old_format,
    page_of_zeros,
    six_bytes_left_at_the_end,
    three_records,
    two_pages,
)
from conformance.recipes.prometheus_wal.log import APPENDING, PAGE_SIZE, PrometheusLog, numbered
from conformance.recipes.prometheus_wal.segments import (
    S0,
    S1,
    S2,
    only_an_empty_segment,
    segment_with_the_highest_number,
    segments_from_seven_on,
    segments_of_restarts,
    three_segments,
)
from conformance.recipes.prometheus_wal.writing import free_encoder
from conformance.recipes.recipe import Recipe

NEW = (b"delta", b"echo")
S3, S4 = "00000003", "00000004"


def _appends(log: PrometheusLog, survivors: range, *new: bytes) -> None:
    log.append(*new)
    log.expect("intact", survivors=[*survivors, *new])


#: Each row has a log, the number of its records, and the sizes of its files after the append.
LOGS: tuple[tuple[Recipe[PrometheusLog], int, dict[str, int]], ...] = (
    (three_records, 3, {"": 61}),
    (closed_segment, 3, {"": 61}),
    (two_pages, 4, {"": 40075}),
    (empty_segment, 0, {"": 23}),
    (page_of_zeros, 0, {"": 23}),
    (six_bytes_left_at_the_end, 1, {"": PAGE_SIZE + 23}),
    (empty_record_at_the_end, 2, {"": 42}),
    (three_segments, 8, {S0: 65536, S1: 65536, S2: 50032, S3: 23}),
    (segments_of_restarts, 3, {S0: 24, S1: 0, S2: 32768, S3: 0, S4: 23}),
    (only_an_empty_segment, 0, {S0: 0, S1: 23}),
    (segments_from_seven_on, 2, {"00000007": 32768, "00000008": 32768, "00000009": 23}),
    (checkpoint_and_segments, 4,
     {"checkpoint.00000001/00000000": 32768, S2: 32768, S3: 32768, S4: 23}),
)  # fmt: skip


def _to_each_log() -> None:
    for control, count, files in LOGS:

        def recipe(log: PrometheusLog, count: int = count, files: dict[str, int] = files) -> None:
            _appends(log, range(count), *NEW)
            log.leaves(files)

        name = control.slug.replace("-", "_")
        recipe.__name__ = f"append_to_{name}"
        recipe.__doc__ = f"A writer appends two records to the log `{control.slug}`."
        APPENDING.appending(control, "PRW-073")(recipe)


_to_each_log()


@APPENDING.appending(three_records, "PRW-073", "PRW-015", "PRW-071")
def append_records_over_two_pages(log: PrometheusLog) -> None:
    """A writer continues a single segment as if one writer had written it, above any size."""
    log.context["segment_size"] = PAGE_SIZE
    _appends(log, range(3), numbered(40000), b"echo")


@APPENDING.appending(three_segments, "PRW-071", "PRW-073")
def append_two_segments(log: PrometheusLog) -> None:
    """The new records need two new segments."""
    log.context["segment_size"] = PAGE_SIZE
    _appends(log, range(8), numbered(20000), numbered(20001))
    log.leaves({S0: 65536, S1: 65536, S2: 50032, S3: PAGE_SIZE, S4: 20008})


@APPENDING.appending(three_segments, "PRW-072", "PRW-073")
def append_compressed_records(log: PrometheusLog) -> None:
    """A writer appends compressed records to a log without compression."""
    log.context["compression"] = "snappy"
    _appends(log, range(8), b"delta " * 50)
    free_encoder(log)


@APPENDING.appending(three_records, "PRW-073")
def append_nothing(log: PrometheusLog) -> None:
    """There are no records to append."""
    _appends(log, range(3))
    log.leaves({"": 38})


@APPENDING.appending(three_segments, "PRW-073")
def append_nothing_to_a_folder(log: PrometheusLog) -> None:
    """There are no records to append, so the writer begins no segment."""
    _appends(log, range(8))
    log.leaves({S0: 65536, S1: 65536, S2: 50032})


@APPENDING.appending(three_records, "PRW-073", kind="eof", control=append_records_over_two_pages)
def append_nothing_after_a_torn_record(log: PrometheusLog) -> None:
    """There are no records to append, so the writer keeps the torn record."""
    log.truncate(30)
    log.expect("torn", "torn-record", survivors=range(2), end=24)
    log.leaves({"": 30})


def _after_torn_records() -> None:
    for name, control, at, count, files in (
        ("a_torn_record", three_records, 30, 2, {"": 47}),
        ("a_torn_header", three_records, 26, 2, {"": 47}),
        ("a_torn_first", two_pages, 20000, 1, {"": 35}),
        ("a_torn_last", two_pages, 40000, 1, {"": 35}),
    ):

        def recipe(
            log: PrometheusLog, at: int = at, count: int = count, files: dict[str, int] = files
        ) -> None:
            log.truncate(at)
            _appends(log, range(count), *NEW)
            log.leaves(files)

        recipe.__name__ = f"append_after_{name}"
        recipe.__doc__ = f"A writer removes {name.replace('_', ' ')} before it appends."
        APPENDING.appending(
            control, "PRW-073", "PRW-040", kind="eof", control=append_records_over_two_pages
        )(recipe)


_after_torn_records()


@APPENDING.appending(three_segments, "PRW-073", kind="eof", control=append_two_segments)
def append_to_a_folder_after_a_torn_record(log: PrometheusLog) -> None:
    """A writer truncates the torn segment and begins the next one."""
    log.truncate(20000, S2)
    _appends(log, range(6), *NEW)
    log.leaves({S0: 65536, S1: 65536, S2: 0, S3: 23})


@APPENDING.appending(segments_of_restarts, "PRW-073", kind="eof", control=append_two_segments)
def append_after_a_torn_record_and_an_empty_segment(log: PrometheusLog) -> None:
    """A writer truncates the torn segment and begins a segment after the empty one."""
    log.truncate(13, S2)
    _appends(log, range(2), *NEW)
    log.leaves({S0: 24, S1: 0, S2: 0, S3: 0, S4: 23})


@APPENDING.appending(
    closed_segment, "PRW-073", "PRW-041", kind="eof", control=append_records_over_two_pages
)
def append_after_a_stray_byte(log: PrometheusLog) -> None:
    """A writer removes a byte that looks like the start of an empty record."""
    log.overwrite(38, b"\x01")
    _appends(log, range(3), *NEW)
    log.leaves({"": 61})


def _segment_sizes() -> None:
    for name, words, new in (("with", "", NEW), ("nothing_with", ", also without records", ())):

        def recipe(log: PrometheusLog, new: tuple[bytes, ...] = new) -> None:
            log.context["segment_size"] = 3 * PAGE_SIZE // 2
            log.append(*new)
            log.expect_refusal("intact", None, range(8))

        recipe.__name__ = f"append_{name}_a_segment_size_of_half_a_page"
        recipe.__doc__ = f"A writer refuses a size that is not a multiple of a page{words}."
        APPENDING.appending(
            three_segments, "PRW-071", "PRW-073", kind="limit", control=append_two_segments
        )(recipe)


_segment_sizes()


def _refuses() -> None:
    for name, control, operation, reason, survivors in (
        ("a_flipped_bit", three_records, "flip bit 0 of pages[0].frames[1].data",
         "checksum-mismatch", [0]),
        ("a_flipped_length", three_records, "flip bit 8 of pages[0].frames[1].header.len_data",
         "bad-length", [0, 1, 2]),
        ("a_byte_in_the_padding", closed_segment, "write 55 at 100", "nonzero-padding", [0, 1, 2]),
        ("a_flipped_bit_in_an_earlier_segment", three_segments,
         f"flip bit 0 of {S0}:pages[0].frames[0].data", "checksum-mismatch", range(3, 8)),
        ("a_missing_segment", three_segments, f"remove {S1}", "missing-segment",
         [0, 1, 2, 3, 6, 7]),
        ("a_torn_earlier_segment", three_segments, f"truncate at 50040 in {S0}",
         "unfinished-record", [0, 1, 2, 4, 5, 6, 7]),
        ("a_bit_in_the_checkpoint", checkpoint_and_segments,
         "flip bit 0 of checkpoint.00000001/00000000:pages[0].frames[1].data",
         "checksum-mismatch", [0, 2, 3]),
    ):  # fmt: skip

        def recipe(
            log: PrometheusLog,
            operation: str = operation,
            reason: str = reason,
            survivors: list[int] = survivors,  # type: ignore[assignment]
        ) -> None:
            log.operate(operation)
            log.append(*NEW)
            log.expect_refusal("damaged", reason, survivors)

        recipe.__name__ = f"append_after_{name}"
        recipe.__doc__ = f"A writer refuses to append after {name.replace('_', ' ')}."
        APPENDING.appending(
            control, "PRW-073", "PRW-061", kind="corrupt", control=append_two_segments
        )(recipe)


_refuses()


@APPENDING.appending(
    old_format, "PRW-073", "PRW-003", kind="limit", control=append_records_over_two_pages
)
def append_to_the_old_format(log: PrometheusLog) -> None:
    """A writer refuses to append to a segment of the old format."""
    log.append(*NEW)
    log.expect_refusal("refused", "old-format")


@APPENDING.appending(
    only_an_empty_segment, "PRW-073", "PRW-001", kind="corrupt", control=append_two_segments
)
def append_to_a_folder_without_segments(log: PrometheusLog) -> None:
    """A writer refuses to append to a folder without segments."""
    log.add_file("readme.txt", b"U")
    log.remove_file(S0)
    log.append(*NEW)
    log.expect_refusal("refused", "no-segments")


def _next_names() -> None:
    """Add vectors in which the name or number of the next segment cannot be used."""
    for name, title, control, file, at, survivors in (
        ("the_next_name_is_in_use", "A folder already has the name of the next segment.",
         three_segments, f"{S3}/readme.txt", None, range(8)),
        ("a_later_name_is_in_use", "A folder already has the name of the second new segment.",
         three_segments, f"{S4}/readme.txt", None, range(8)),
        ("a_torn_record_and_a_name_in_use",
         "The next name is in use, so a writer must not truncate the torn segment either.",
         three_segments, f"{S3}/readme.txt", 20000, range(6)),
        ("the_highest_number", "The next segment number does not fit into 64 bits.",
         segment_with_the_highest_number, None, None, range(1)),
    ):  # fmt: skip

        def recipe(
            log: PrometheusLog,
            file: str | None = file,
            at: int | None = at,
            survivors: range = survivors,
        ) -> None:
            if file:
                log.add_file(file, b"U")
            if at:
                log.truncate(at, S2)
            log.context["segment_size"] = PAGE_SIZE
            log.append(numbered(20000), numbered(20001))
            verdict, reason = ("torn", "torn-record") if at else ("intact", None)
            log.expect_refusal(verdict, reason, survivors)

        recipe.__name__, recipe.__doc__ = f"append_after_{name}", title
        APPENDING.appending(
            control, "PRW-073", "PRW-002", kind="limit", control=append_two_segments
        )(recipe)


_next_names()
