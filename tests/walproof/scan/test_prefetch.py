"""What is fetched ahead changes nothing that is found, takes little memory, and hides no error."""

from __future__ import annotations

import functools
import importlib
import mmap
import os
import re
from pathlib import Path

import pytest

from walproof.scan import has_kernel, prefetch
from walproof.scan.log import LocalSource
from walproof.scan.prefetch import Prefetch

from .test_reading import RECORDS, SMALL, found, write
from .test_zeebe_segments import open_files

PAGE = mmap.PAGESIZE
STRETCH, LEFT = 8 * PAGE, 2 * PAGE
FORMATS = ("leveldb-log", "zeebe-journal")
needs_linux = pytest.mark.skipif(not hasattr(os, "RWF_NOWAIT"), reason="no RWF_NOWAIT here")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    of_files = {"SMALLEST": 0, "STRETCH": STRETCH, "LEFT": LEFT, "PAGE": PAGE}
    for constant, value in of_files.items():
        monkeypatch.setattr(prefetch, constant, value)


@pytest.fixture(params=FORMATS)
def format_id(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = str(request.param)
    if not has_kernel(name):
        pytest.skip("no kernels here")
    module, constants = SMALL[name]
    for constant, value in constants.items():
        monkeypatch.setattr(importlib.import_module(f"walproof.scan.{module}"), constant, value)
    return name


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What kernels were told."""
    told: list[tuple[int, int]] = []
    move = Prefetch.move

    def noted(ahead: Prefetch, at: int) -> tuple[int, int]:
        told.append(move(ahead, at))
        return told[-1]

    monkeypatch.setattr(Prefetch, "move", noted)
    return told


def nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "SMALLEST", 1 << 60)


@needs_linux
def test_the_same_is_found(
    format_id: str,
    tmp_path: Path,
    moves: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = write(format_id, tmp_path)
    here = list(found(log, format_id))
    assert len({end for _, end in moves if end}) > 2
    moves.clear()
    nothing_is_fetched(monkeypatch)
    assert list(found(log, format_id)) == here
    assert set(moves) == {(0, 0)}


def test_nobody_reads_at_the_address(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(format_id, tmp_path)
    here = list(found(log, format_id))
    monkeypatch.setattr(Prefetch, "move", lambda *_: (1 << 46, 1 << 40))
    assert list(found(log, format_id)) == here
    monkeypatch.setattr(Prefetch, "move", lambda *_: (0, 1 << 40))
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


@pytest.fixture
def source(tmp_path: Path) -> LocalSource:
    (tmp_path / "file").write_bytes(bytes(40 * PAGE + 5))
    return LocalSource(tmp_path / "file")


@needs_linux
def test_what_is_mapped_moves_along(source: LocalSource) -> None:
    ahead = Prefetch(source)
    ends = [ahead.move(at)[1] for at in range(0, source.size, PAGE // 2)]
    assert ends == sorted(ends)
    assert ends[0] == STRETCH
    assert ends[-1] == source.size
    for at, end in zip(range(0, source.size, PAGE // 2), ends, strict=True):
        assert end - at >= min(LEFT, source.size - at)
    ahead.close()


@needs_linux
def test_nothing_is_mapped_after_the_end_of_a_part(source: LocalSource) -> None:
    last = 20 * PAGE + 5
    ahead = Prefetch(source, last)
    ends = [ahead.move(at)[1] for at in range(0, source.size, PAGE)]
    assert max(ends) == last
    ahead.close()
    ahead = Prefetch(source, last)
    assert ahead.move(last) == ahead.move(source.size) == (0, 0)
    ahead.close()


@needs_linux
def test_little_is_mapped_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system maps some pages around one, so this takes more than a few."""
    path, page, stretch, left = tmp_path / "file", 1 << 18, 1 << 21, 1 << 19
    for constant, value in {"PAGE": page, "STRETCH": stretch, "LEFT": left}.items():
        monkeypatch.setattr(prefetch, constant, value)
    path.write_bytes(bytes(40 * page + 5))
    ahead, most = Prefetch(LocalSource(path)), 0
    for at in range(0, path.stat().st_size, page):
        ahead.move(at)
        most = max(most, mapped(path))
    assert stretch <= most <= stretch + left + 2 * page
    ahead.close()
    assert mapped(path) == 0


def mapped(path: Path) -> int:
    """Bytes of a file that are in this process's memory."""
    text = Path("/proc/self/smaps").read_text()
    sizes = re.findall(rf"{re.escape(str(path))}\n.*?^Rss: +(\d+) kB", text, re.DOTALL | re.M)
    return 1024 * sum(map(int, sizes))


def test_a_small_file_is_not_mapped(source: LocalSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "SMALLEST", source.size + 1)
    assert Prefetch(source).move(0) == (0, 0)


@needs_linux
def test_what_is_not_in_the_page_cache_is_tried_again(
    source: LocalSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead, read = Prefetch(source), os.preadv

    def not_there(*_: object) -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "preadv", not_there)
    assert ahead.move(0) == (0, 0)
    monkeypatch.setattr(os, "preadv", read)
    assert ahead.move(3 * PAGE)[1] == 3 * PAGE + STRETCH
    ahead.close()


@needs_linux
@pytest.mark.parametrize("fails", ["preadv", "mmap"])
def test_where_it_cannot_be_done_it_is_not_tried_again(
    source: LocalSource, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead, tried = Prefetch(source), []

    def cannot(*_: object, **__: object) -> int:
        tried.append(1)
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os if fails == "preadv" else mmap, fails, cannot)
    assert ahead.move(0) == ahead.move(PAGE) == (0, 0)
    assert len(tried) == 1


@needs_linux
def test_a_file_that_was_cut_is_not_mapped(source: LocalSource, tmp_path: Path) -> None:
    ahead = Prefetch(source)
    assert ahead.move(0) != (0, 0)
    os.truncate(tmp_path / "file", 9 * PAGE)
    assert ahead.move(7 * PAGE) == (0, 0)
    assert mapped(tmp_path / "file") == 0


@needs_linux
def test_no_file_stays_open(source: LocalSource) -> None:
    before = open_files()
    ahead = Prefetch(source)
    assert ahead.move(0) != (0, 0)
    ahead.close()
    ahead.close()
    assert open_files() == before
