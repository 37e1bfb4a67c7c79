"""Logs may shrink or grow while the specification or a scanner reads them, in all formats."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.recipes.etcd_wal.log import entry
from reference_impl.answer import End, Event, NewRecord, Record
from reference_impl.formats import FORMATS, named
from tests.conftest import unavailable
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.scanners.answers import read as read_by_scanner

RECORDS = 300
PAGE_SIZE = 512
CONTEXTS: dict[str, dict[str, Any]] = {
    "sqlite-wal": {"page_size": PAGE_SIZE},
    "zmq-raft": {"kind": "index"},
    "zeebe-journal": {"max_segment_size": 4 << 20},
}
NAMES = {"zmq-raft": "00000000000001.rlog", "zeebe-journal": "journal-1.log"}

Reader = Callable[[str, Path], Iterator[Event]]


def specification(format_id: str, log: Path) -> Iterator[Event]:
    return named(format_id).read(log, "recover", {})


def scanner(format_id: str, log: Path) -> Iterator[Event]:
    if not plugin_for(format_id).has("scanner"):
        return specification(format_id, log)
    if not plugin_for(format_id).has_scanner:
        unavailable("numba is not installed")
    return read_by_scanner(Log(format_id, log))


@pytest.fixture(params=FORMATS)
def format_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def log(format_id: str, tmp_path: Path) -> Path:
    """Write a one-file log with records of many sizes."""
    rng = random.Random(1)
    path = tmp_path / NAMES.get(format_id, "log")
    records = [_record(format_id, rng, number) for number in range(1, RECORDS + 1)]
    named(format_id).write(path, records, CONTEXTS.get(format_id, {}))
    return path


def _record(format_id: str, rng: random.Random, number: int) -> NewRecord:
    if format_id == "sqlite-wal":
        return NewRecord(rng.randbytes(PAGE_SIZE * rng.choice((1, 2, 3))))
    if format_id == "systemd-journal":
        fields = {"realtime": str(10**15 + number), "monotonic": "1", "boot_id": "1" * 32}
        return NewRecord(b"MESSAGE=%d\n" % number, fields)
    if format_id == "etcd-wal":
        return entry(number, rng.randbytes(rng.choice((1, 100))))
    return NewRecord(rng.randbytes(rng.choice((0, 10, 300, 900, 5000))))


@pytest.mark.parametrize("reader", [specification, scanner])
@pytest.mark.parametrize("after", [0, 3, RECORDS // 2, RECORDS - 2])
def test_records_are_those_of_the_whole_log(
    format_id: str, log: Path, reader: Reader, after: int
) -> None:
    """A short read counts as the end of the file. It raises no exception and invents no record."""
    data = log.read_bytes()
    before = [event for event in reader(format_id, log) if isinstance(event, Record)]
    size = len(data)
    sizes = (0, 1, 31, 32, 33, size // 3, size // 2 + 7, size - 100, size - 1, size + 100, 2 * size)
    for new_size in sizes:
        log.write_bytes(data)
        events = []
        for number, event in enumerate(reader(format_id, log)):
            events.append(event)
            if number == after:
                os.truncate(log, new_size)
        records = [event for event in events if isinstance(event, Record)]
        assert records == before[: len(records)], new_size
        assert isinstance(events[-1], End)
        if new_size > size:
            assert len(records) == RECORDS
