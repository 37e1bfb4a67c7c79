"""Kernels that read on by themselves find what their callers find who read for them."""

from __future__ import annotations

import functools
import importlib
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from walproof.scan.reading import NO_FILE

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.scan import has_kernel, scanner, window
from walproof.scan.log import LocalSource, Log
from walproof.scan.model import Records, Wanted

SMALL = {
    "leveldb-log": ("leveldb_log.scanner", {"ROOM": 32 << 10}),
    "zeebe-journal": ("zeebe_journal.segment", {"MAX_BYTES": 8 << 10, "WINDOW": 4 << 10}),
    "kahadb-journal": ("kahadb_journal.scanner", {"MAX_BYTES": 8 << 10}),
    "zmq-raft": ("zmq_raft.entries", {"MAX_BYTES": 64 << 10, "HELD": 4 << 10}),
}
"""Where a scanner asks for the number of a file, and what makes its runs and windows small."""
NEAR = {"leveldb-log": 32 << 10, "kahadb-journal": 4 << 10}
RECORDS = 600


@pytest.fixture(params=sorted(SMALL))
def format_id(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    return made_small(str(request.param), monkeypatch)


def made_small(format_id: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same format, with small runs and windows. Skips where its scanner has no kernel."""
    if not has_kernel(format_id):
        pytest.skip("no kernels here")
    module, small = SMALL[format_id]
    for constant, value in small.items():
        monkeypatch.setattr(importlib.import_module(f"walproof.scan.{module}"), constant, value)
    if format_id in NEAR:
        monkeypatch.setattr(window, "NEAR", NEAR[format_id])
    return format_id


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much each call of a scanner's own read was to give."""
    made: list[int] = []
    read_into = LocalSource.read_into

    def noted(source: LocalSource, offset: int, room: Any) -> int:
        made.append(len(room))
        return read_into(source, offset, room)

    monkeypatch.setattr(LocalSource, "read_into", noted)
    return made


def write(format_id: str, folder: Path, longest: int = 5000) -> Path:
    """A log of one file, whose longest records do not fit into a window."""
    rng = random.Random(1)
    sizes = [rng.choice([0, 10, 300, 900, longest]) for _ in range(RECORDS)]
    records = [NewRecord(rng.randbytes(size)) for size in sizes]
    named(format_id).write(folder / "log", records, {})
    return folder / "log"


def found(log: Path, format_id: str, after: int = 0, do: Callable[[], Any] = int) -> Iterator[Any]:
    """What a scan finds; ``do`` is called after so many events."""
    try:
        for number, event in enumerate(scanner(format_id).scan(Log(log), Wanted())):
            if isinstance(event, Records):
                yield from zip(event.at.tolist(), event.payload.to_pylist(), strict=True)
            else:
                yield event
            if number == after:
                do()
    except OSError as error:
        yield type(error).__name__


def by_callers(format_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on no kernel reads."""
    module = importlib.import_module(f"walproof.scan.{SMALL[format_id][0]}")
    monkeypatch.setattr(module, "number_of", lambda _: NO_FILE)


def test_the_same_records_with_fewer_reads(
    format_id: str, tmp_path: Path, reads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(format_id, tmp_path, 900)
    by_kernels = list(found(log, format_id))
    few = len(reads)
    by_callers(format_id, monkeypatch)
    assert list(found(log, format_id)) == by_kernels
    assert len(by_kernels) > RECORDS
    assert 3 * few < len(reads) - few


@pytest.mark.parametrize("share", [0.3, 0.55, 0.9])
def test_a_log_that_is_cut_short_meanwhile(
    format_id: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    for read_by in ("kernels", "callers"):
        folder = tmp_path / read_by
        folder.mkdir()
        log = write(format_id, folder)
        at, _ = list(found(log, format_id))[int(RECORDS * share)]
        if read_by == "callers":
            by_callers(format_id, monkeypatch)
        cut = functools.partial(os.truncate, log, at + 3)
        told.append(list(found(log, format_id, 1, cut)))
    assert told[0] == told[1]
    assert len(told[0]) < RECORDS


def test_an_error_of_reading_is_raised(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel that cannot read leaves it to its caller, who meets the error himself."""
    log = write(format_id, tmp_path)
    opened: list[LocalSource] = []
    made = LocalSource.__init__

    def noted(source: LocalSource, path: Path) -> None:
        made(source, path)
        opened.append(source)

    monkeypatch.setattr(LocalSource, "__init__", noted)
    told = list(found(log, format_id, 1, lambda: [one.close() for one in opened]))
    assert told[-1] == "OSError"
    assert 0 < len(told) < RECORDS
