"""What is fetched ahead changes nothing that is found, takes little memory, and hides no error."""

from __future__ import annotations

import functools
import mmap
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from walproof.scan import prefetch, reading, scanner, window
from walproof.scan.leveldb_log import scanner as leveldb_log
from walproof.scan.log import LocalSource, Log
from walproof.scan.model import Records, Wanted
from walproof.scan.prefetch import Ahead, Prefetch

from .test_reading import RECORDS, SMALL, found, made_small, write
from .test_zeebe_segments import open_files

PAGE = mmap.PAGESIZE
STRETCH, LEFT = 32 * PAGE, 8 * PAGE
SIZE = 100 * PAGE + 5
NOTHING = Ahead(0, 0, prefetch.NEVER)
FORMATS = ("leveldb-log", "zeebe-journal")


def can_be_done() -> bool:
    """Whether this system can do it, for files where those of tests lie."""
    with tempfile.TemporaryFile() as file:
        file.write(bytes(PAGE))
        file.flush()
        try:
            os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
            mapped = mmap.mmap(file.fileno(), PAGE, access=mmap.ACCESS_READ)
            mapped.madvise(prefetch.POPULATE_READ)
        except (AttributeError, OSError):
            return False
    return True


needed = pytest.mark.skipif(not can_be_done(), reason="this system fetches nothing ahead")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    of_files = {"SMALLEST": 0, "STRETCH": STRETCH, "LEFT": LEFT, "STEP": PAGE}
    for constant, value in of_files.items():
        monkeypatch.setattr(prefetch, constant, value)


@pytest.fixture(params=FORMATS)
def format_id(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(leveldb_log, "FEW_ROWS", 10)  # it fetches short records only
    return made_small(str(request.param), monkeypatch)


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Ahead]]:
    """Where kernels went on, and what they were told."""
    told: list[tuple[int, Ahead]] = []
    move = Prefetch.move

    def noted(ahead: Prefetch, at: int) -> Ahead:
        told.append((at, move(ahead, at)))
        return told[-1][1]

    monkeypatch.setattr(Prefetch, "move", noted)
    return told


def nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "SMALLEST", 1 << 60)


@needed
@pytest.mark.parametrize("payload", [True, False])
def test_the_same_is_found(
    format_id: str,
    payload: bool,
    tmp_path: Path,
    moves: list[tuple[int, Ahead]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scanned() -> list[Any]:
        events = scanner(format_id).scan(Log(log), Wanted(payload))
        return [
            (event.at.tolist(), event.payload) if isinstance(event, Records) else event
            for event in events
        ]

    log = write(format_id, tmp_path)
    here = scanned()
    ends = sorted({told.end for _, told in moves})
    assert ends[-1] > max(one[0][-1] for one in here if isinstance(one, tuple))
    assert all(one <= STRETCH for one in np.diff(ends))  # no stretch was left out
    _, constants = SMALL[format_id]
    assert max(told.end - at for at, told in moves) > constants.get("WINDOW", window.NEAR)
    moves.clear()
    nothing_is_fetched(monkeypatch)
    assert scanned() == here
    assert {told for _, told in moves} == {NOTHING}


def test_nobody_reads_at_the_address(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(format_id, tmp_path)
    here = list(found(log, format_id))
    for origin in (0, 1 << 46):
        told = Ahead(origin, 1 << 40, prefetch.NEVER)
        monkeypatch.setattr(Prefetch, "move", lambda *_, told=told: told)
        assert list(found(log, format_id)) == here


@pytest.mark.parametrize("share", [0.3, 0.55, 0.9])
def test_a_log_that_is_cut_short_meanwhile(
    format_id: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    for is_fetched in (True, False):
        folder = tmp_path / str(is_fetched)
        folder.mkdir()
        log = write(format_id, folder)
        at, _ = list(found(log, format_id))[int(RECORDS * share)]
        if not is_fetched:
            nothing_is_fetched(monkeypatch)
        told.append(list(found(log, format_id, 1, functools.partial(os.truncate, log, at + 3))))
    assert told[0] == told[1]
    assert len(told[0]) < RECORDS


def test_each_line_is_fetched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[int] = []
    monkeypatch.setattr(reading, "prefetch", lines.append)
    fetch = getattr(reading.fetch, "py_func", reading.fetch)
    for start, end in ((0, 1), (1, 64), (64, 300), (300, 640), (640, 641), (700, 650)):
        fetch(1000, start, end)
    assert lines == [1000 + line for line in range(0, 641, 64)]


@pytest.fixture
def source(tmp_path: Path) -> LocalSource:
    (tmp_path / "file").write_bytes(bytes(SIZE))
    return LocalSource(tmp_path / "file")


@needed
@pytest.mark.parametrize("last", [None, 50 * PAGE, 50 * PAGE + 5, SIZE, 2 * SIZE])
@pytest.mark.parametrize("step", [PAGE // 2, 5 * PAGE, 40 * PAGE])
def test_what_is_mapped_moves_along(source: LocalSource, last: int | None, step: int) -> None:
    ahead, upto = Prefetch(source, last), min(last or SIZE, SIZE)
    told = Ahead(0, 0, 0)
    for at in range(0, SIZE, step):
        before, told = told, ahead.move(at)
        assert told.end >= before.end
        assert told.end <= upto
        assert told.ask > at
        if at < upto:
            assert told.end - at >= min(LEFT, upto - at)
    assert told.ask == prefetch.NEVER
    ahead.close()
    assert ahead.move(SIZE) == NOTHING


@needed
def test_nothing_is_mapped_for_what_comes_after_a_part(source: LocalSource) -> None:
    ahead = Prefetch(source, 20 * PAGE)
    assert ahead.move(20 * PAGE) == ahead.move(SIZE) == NOTHING


@needed
def test_little_is_mapped_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system maps neighbouring pages too, so the test needs large stretches."""
    path, page, stretch, left = tmp_path / "file", 1 << 18, 1 << 21, 1 << 19
    told = {"STEP": page, "STRETCH": stretch, "LEFT": left, "SPAN": 5 << 20}
    for constant, value in told.items():
        monkeypatch.setattr(prefetch, constant, value)
    path.write_bytes(bytes(40 * page + 5))
    ahead, most, widest = Prefetch(LocalSource(path)), 0, 0
    for at in range(0, path.stat().st_size, page):
        ahead.move(at)
        most, widest = max(most, mapped(path)), max(widest, mapped(path, "Size"))
    assert stretch <= most <= stretch + left + 2 * page
    assert widest == 5 << 20
    ahead.close()
    assert mapped(path) == mapped(path, "Size") == 0


def mapped(path: Path, what: str = "Rss") -> int:
    """Bytes of a file that are in this process's memory, or that have addresses there."""
    text = Path("/proc/self/smaps").read_text()
    sizes = re.findall(rf"{re.escape(str(path))}\n.*?^{what}: +(\d+) kB", text, re.DOTALL | re.M)
    return 1024 * sum(map(int, sizes))


def test_a_small_file_is_not_mapped(source: LocalSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "SMALLEST", SIZE + 1)
    assert Prefetch(source).move(0) == NOTHING


@needed
@pytest.mark.parametrize("missing", [0, 9, 31])
def test_nobody_waits_for_a_stretch_that_is_not_in_the_page_cache(
    source: LocalSource, missing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one may be there again. A second look finds what the first has begun to read."""
    tried, read = [], os.preadv

    def not_yet(file: int, into: list[bytearray], at: int, flags: int) -> int:
        if at // PAGE == missing and at not in tried:
            tried.append(at)
            raise BlockingIOError
        return read(file, into, at, flags)

    monkeypatch.setattr(os, "preadv", not_yet)
    ahead = Prefetch(source)
    for at in range(0, STRETCH, PAGE):
        assert ahead.move(at) == Ahead(0, 0, STRETCH)
    assert ahead.move(STRETCH).end == 2 * STRETCH
    assert tried
    ahead.close()


@needed
@pytest.mark.parametrize("fails", ["preadv", "mmap"])
@pytest.mark.parametrize("error", [OSError, ValueError, OverflowError, NotImplementedError])
def test_where_it_cannot_be_done_it_is_not_tried_again(
    source: LocalSource, fails: str, error: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead, tried = Prefetch(source), []

    def cannot(*_: object, **__: object) -> int:
        tried.append(1)
        raise error

    monkeypatch.setattr(os if fails == "preadv" else mmap, fails, cannot)
    assert ahead.move(0) == ahead.move(PAGE) == ahead.move(SIZE) == NOTHING
    assert len(tried) == 1


@needed
def test_a_file_that_was_cut_is_not_mapped(source: LocalSource, tmp_path: Path) -> None:
    ahead = Prefetch(source)
    assert ahead.move(0).end == STRETCH
    os.truncate(tmp_path / "file", 33 * PAGE)
    assert ahead.move(30 * PAGE) == NOTHING
    assert mapped(tmp_path / "file", "Size") == 0


@needed
def test_no_file_stays_open(source: LocalSource) -> None:
    before = open_files()
    ahead = Prefetch(source)
    assert ahead.move(0) != NOTHING
    ahead.close()
    ahead.close()
    assert open_files() == before
