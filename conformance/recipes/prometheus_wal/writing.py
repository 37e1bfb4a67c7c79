"""Logs that a writer must write byte for byte, or must refuse."""

from __future__ import annotations

from typing import Any

from conformance.recipes.prometheus_wal.log import PAGE_SIZE, WRITING, PrometheusLog, numbered

#: Each row has the name, title, payloads, context and requirement of a log to write.
LOGS: tuple[tuple[str, str, tuple[bytes, ...], dict[str, Any], str], ...] = (
    ("three_records", "three short records", (b"alpha", b"bravo", b"charlie"), {}, "PRW-011"),
    ("nothing", "no record", (), {}, "PRW-070"),
    ("empty_records", "empty records", (b"", b"alpha", b""), {}, "PRW-013"),
    ("two_pages", "a record over two pages", (b"alpha", numbered(40000)), {}, "PRW-015"),
    ("three_pages", "a record over three pages", (b"alpha", numbered(70000), b"b"), {}, "PRW-015"),
    ("six_bytes_left", "a record that leaves six bytes", (numbered(32755), b"b"), {}, "PRW-014"),
    ("six_bytes_left_at_the_end", "a last record that leaves six bytes", (numbered(32755),), {},
     "PRW-014"),
    ("seven_bytes_left", "a record that leaves seven bytes", (numbered(32754), b"b"), {},
     "PRW-015"),
    ("seven_bytes_left_and_an_empty_record", "an empty record at the end of a page",
     (numbered(32754), b"", b"b"), {}, "PRW-015"),
    ("a_whole_page", "a record that fills a page", (numbered(32761), b"b"), {}, "PRW-015"),
    ("a_folder", "a folder of one segment", (b"alpha", b"bravo"), {"folder": True}, "PRW-071"),
    ("an_empty_folder", "a folder without records", (), {"folder": True}, "PRW-071"),
    ("two_segments", "two segments", (numbered(20000), numbered(20000)),
     {"folder": True, "segment_size": PAGE_SIZE}, "PRW-071"),
    ("segments_that_are_full", "records that fill segments exactly",
     (numbered(2 * 32761), b"alpha", numbered(2 * 32761 - 12), b"bravo"),
     {"folder": True, "segment_size": 2 * PAGE_SIZE}, "PRW-071"),
    ("one_byte_too_many", "a record that is one byte too large for the rest of a segment",
     (b"alpha", numbered(2 * 32761 - 11)), {"folder": True, "segment_size": 2 * PAGE_SIZE},
     "PRW-071"),
    ("a_large_record", "a record that is larger than a segment",
     (b"alpha", numbered(100_000), b"bravo"), {"folder": True, "segment_size": PAGE_SIZE},
     "PRW-071"),
    ("a_large_first_record", "a first record that is larger than a segment",
     (numbered(100_000), b"bravo"), {"folder": True, "segment_size": PAGE_SIZE}, "PRW-071"),
    ("an_empty_record_after_a_full_segment", "an empty record after a full segment",
     (numbered(32761), b"", b"x"), {"folder": True, "segment_size": PAGE_SIZE}, "PRW-071"),
    ("an_empty_record_after_a_large_record", "an empty record after a record larger than a segment",
     (numbered(100_000), b"", b"x"), {"folder": True, "segment_size": PAGE_SIZE}, "PRW-071"),
    ("incompressible_snappy", "records that snappy does not make smaller",
     (b"alpha", bytes(range(256)), b"abcdefghijklmnopabcde0123456789AB"),
     {"compression": "snappy"}, "PRW-072"),
    ("incompressible_zstd", "records that zstd does not make smaller",
     (b"alpha", b"", bytes(range(256))), {"compression": "zstd"}, "PRW-072"),
    ("snappy", "records that Snappy compresses", (b"alpha " * 99, b"bravo " * 9000),
     {"compression": "snappy"}, "PRW-072"),
    ("zstd", "records that zstd compresses", (b"alpha " * 99, b"bravo " * 9000),
     {"compression": "zstd"}, "PRW-072"),
    ("snappy_in_segments", "compressed records in segments, whose sizes count the compressed bytes",
     (b"alpha " * 9000, b"bravo " * 9000, bytes(range(256)) * 300),
     {"compression": "snappy", "folder": True, "segment_size": PAGE_SIZE}, "PRW-072"),
)  # fmt: skip


def free_encoder(log: PrometheusLog) -> None:
    """Allow a writer to choose other compressed bytes."""
    log.free_to("placement", "An encoder may choose other matches.")
    log.free_to("preallocation", "An encoder may choose other matches.")


def _write_each() -> None:
    for name, title, payloads, context, requirement in LOGS:

        def recipe(
            log: PrometheusLog,
            payloads: tuple[bytes, ...] = payloads,
            context: dict[str, Any] = context,
            is_free: bool = "compression" in context and not name.startswith("incompressible"),
        ) -> None:
            log.context |= context
            log.build(*payloads, **context)
            if is_free:
                free_encoder(log)

        recipe.__name__, recipe.__doc__ = f"write_{name}", f"A writer writes {title}."
        requirements = dict.fromkeys((requirement, "PRW-070"))
        WRITING.writing(*requirements)(recipe)


_write_each()


@WRITING.writing("PRW-071", kind="limit", control=None)
def write_one_segment_with_a_size_of_half_a_page(log: PrometheusLog) -> None:
    """A writer refuses a segment size that is not a multiple of a page, even for a log without a
    folder."""
    log.payloads.append(b"alpha")
    log.context["segment_size"] = 3 * PAGE_SIZE // 2
    log.expect_refusal()


@WRITING.writing("PRW-071", kind="limit", control=None)
def write_a_segment_size_of_half_a_page(log: PrometheusLog) -> None:
    """A writer refuses a segment size that is not a multiple of a page."""
    log.payloads.append(b"alpha")
    log.context |= {"folder": True, "segment_size": 3 * PAGE_SIZE // 2}
    log.expect_refusal()
