"""Damaged copies of a log that a Prometheus 3.16.0 database wrote.

The folder ``written`` is the ``wal`` folder of a process that was started five times, scraped three
series six times after each start, and was then killed. ``adapter write FOLDER`` from
``lab/databases/implementations/prometheus-database`` wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from conformance.contents import by_name, read_contents
from conformance.recipes.algebra import Damage
from lab.databases.damaged_logs import FormatDatabases, Item, damaged_cases, shortened
from reference_impl.answer import Answer
from walproof.describe import NotDescribed
from walproof.formats.prometheus_wal.describe import describe

FORMAT = "prometheus-wal"
WRITTEN = Path(__file__).with_name("written")
#: The files with records. Segments 4 and 6 are empty, because each restart begins a new segment.
CHECKPOINT, CLOSED, LAST = "checkpoint.00000003/00000000", "00000005", "00000007"


@cache
def control() -> Mapping[str, bytes]:
    """Return the files of the log before any damage."""
    return by_name(read_contents(WRITTEN))


def _frame(file: str, number: int) -> str:
    return f"{file}:pages[0].frames[{number}]"


def _zeros_after_a_cut(log: Damage) -> None:
    """Zero the second half of the last frame."""
    field = log.field(f"{_frame(LAST, 5)}.data")
    half = (field.end - field.start) // 2
    log.overwrite(field.end - half, bytes(half), file=LAST)


DAMAGE: Mapping[str, Callable[[Damage], None]] = {
    "none": lambda log: None,
    "torn-last-record": lambda log: log.truncate_in(f"{_frame(LAST, 5)}.data", 20),
    "size-before-data": _zeros_after_a_cut,
    "going-on-after-a-torn-record": lambda log: log.truncate_in(f"{_frame(CLOSED, 5)}.data", 20),
    "zeroed-sector": lambda log: log.zero_sector(0, 512, CLOSED),
    "lost-file/segment": lambda log: log.remove_file(CLOSED),
    "lost-file/checkpoint": lambda log: log.remove_file(CHECKPOINT),
    "bit-in-a-length": lambda log: log.flip(f"{_frame(CLOSED, 2)}.header.len_data", 4),
    "bit-in-a-checksum": lambda log: log.flip(f"{_frame(CLOSED, 2)}.header.checksum", 3),
    "bit-in-a-payload": lambda log: log.flip(f"{_frame(CLOSED, 2)}.data", 100),
    "bit-in-a-payload/flag": lambda log: log.flip(f"{_frame(CLOSED, 2)}.header.type", 3),
    "bit-in-a-payload/last-segment": lambda log: log.flip(f"{_frame(LAST, 2)}.data", 100),
    "bit-in-a-payload/checkpoint": lambda log: log.flip(f"{_frame(CHECKPOINT, 1)}.data", 100),
    "bit-in-a-payload/padding-of-the-checkpoint": lambda log: log.flip_byte(20000, 0, CHECKPOINT),
    "missing-in-the-middle": lambda log: log.drop(_frame(LAST, 2)),
    "unit-twice": lambda log: log.duplicate(_frame(LAST, 2)),
    "swapped": lambda log: log.swap_files(CLOSED, LAST),
}


def items(answer: Answer) -> frozenset[Item]:
    """Return the samples of all series that the records define."""
    instances: dict[str, str] = {}
    samples: dict[tuple[str, str], str] = {}
    for record in answer.records:
        try:
            described = describe(record).fields
        except NotDescribed:
            continue
        for item in described["items"]:
            if described["type"] == "series":
                instances[item["ref"]] = item["labels"]["instance"]
            elif described["type"] == "samples":
                samples[item["ref"], item["time"]] = item["value"]
    return frozenset(
        (shortened(f"{instances[ref]} at {time}".encode()), shortened(value.encode()))
        for (ref, time), value in samples.items()
        if ref in instances
    )


DATABASES = FormatDatabases(lambda: damaged_cases(FORMAT, control(), DAMAGE, "wal"), items)
