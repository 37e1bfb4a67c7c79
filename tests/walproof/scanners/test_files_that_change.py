"""Scans handle logs that are truncated or become unreadable meanwhile."""

from __future__ import annotations

import functools
import importlib
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from tests.conftest import unavailable
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.scanners import scanner, window
from walproof.scanners.byte_source import LocalSource
from walproof.scanners.model import Records, Wanted

#: Maps each format to the module that limits its runs, and to small values for the limits.
SMALL = {
    "leveldb-log": ("formats.leveldb_log.scanner.block_scan", {"MAX_RUN_BYTES": 32 << 10}),
    "rocksdb-wal": ("formats.leveldb_log.scanner.block_scan", {"MAX_RUN_BYTES": 32 << 10}),
    "zeebe-journal": ("scanners.walk", {"MAX_BYTES": 8 << 10}),
    "kahadb-journal": ("scanners.walk", {"MAX_BYTES": 8 << 10}),
    "zmq-raft": ("scanners.walk", {"MAX_BYTES": 8 << 10}),
}
PASSING_BYTES = {"leveldb-log": 32 << 10, "rocksdb-wal": 32 << 10, "zeebe-journal": 4 << 10,
                 "kahadb-journal": 4 << 10, "zmq-raft": 4 << 10}  # fmt: skip
RECORDS = 600


@pytest.fixture(params=sorted(SMALL))
def format_id(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a scanner's runs and windows small; return its format."""
    format_id = str(request.param)
    if not plugin_for(format_id).has_scanner:
        unavailable("numba is not installed")
    module, small = SMALL[format_id]
    for constant, value in small.items():
        monkeypatch.setattr(importlib.import_module(f"walproof.{module}"), constant, value)
    if format_id in PASSING_BYTES:
        monkeypatch.setattr(window, "PASSING_BYTES", PASSING_BYTES[format_id])
    return format_id


def write(format_id: str, folder: Path) -> Path:
    """Write a one-file log whose longest records do not fit into a window."""
    rng = random.Random(1)
    sizes = [rng.choice([0, 10, 300, 900, 5000]) for _ in range(RECORDS)]
    records = [NewRecord(rng.randbytes(size)) for size in sizes]
    # The zmq-raft scanner reads only index files.
    context = {"kind": "index"} if format_id == "zmq-raft" else {}
    named(format_id).write(folder / "log", records, context)
    return folder / "log"


def scan(log: Path, format_id: str, after: int = 0, do: Callable[[], Any] = int) -> Iterator[Any]:
    """Yield the events of a scan, and call ``do`` after event number ``after``."""
    try:
        for number, event in enumerate(scanner(format_id).scan(Log(format_id, log), Wanted())):
            if isinstance(event, Records):
                yield from zip(event.at.tolist(), event.payload.to_pylist(), strict=True)
            else:
                yield event
            if number == after:
                do()
    except OSError as error:
        yield type(error).__name__


@pytest.mark.parametrize("share", [0.3, 0.55, 0.9])
def test_log_truncated_during_a_scan(format_id: str, share: float, tmp_path: Path) -> None:
    """The records before the cut equal those of the complete log, and the scan ends."""
    log = write(format_id, tmp_path)
    complete = list(scan(log, format_id))
    at, _ = complete[int(RECORDS * share)]
    events = list(scan(log, format_id, 1, functools.partial(os.truncate, log, at + 3)))
    records = [event for event in events if isinstance(event, tuple)]
    assert 0 < len(records) < RECORDS
    assert records == complete[: len(records)]
    assert not isinstance(events[-1], tuple)


def test_read_error_during_a_scan_is_raised(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(format_id, tmp_path)
    sources: list[LocalSource] = []
    original = LocalSource.__init__

    def noted(source: LocalSource, path: Path) -> None:
        original(source, path)
        sources.append(source)

    monkeypatch.setattr(LocalSource, "__init__", noted)
    events = list(scan(log, format_id, 1, lambda: [source.close() for source in sources]))
    assert events[-1] == "OSError"
    assert 0 < len(events) < RECORDS
