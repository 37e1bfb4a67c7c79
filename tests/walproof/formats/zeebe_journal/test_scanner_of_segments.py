"""Tests of Zeebe segments that cannot be opened or are truncated during a scan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reference_impl.answer import End, NewRecord
from reference_impl.zeebe_journal.writer import write
from walproof.formats.zeebe_journal import scanner as zeebe_journal
from walproof.scan.log import LocalSource, Log
from walproof.scan.model import Event, Records, Wanted

from .test_scanner import one_by_one, reference_events


@pytest.mark.parametrize("broken", range(1, 21))
def test_an_error_follows_the_records_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: int
) -> None:
    path = tmp_path / "journal"
    write(path, [NewRecord(b"x" * 100) for _ in range(20)], {"max_segment_size": 250})
    assert len(list(path.glob("*.log"))) == 21  # one is prepared

    class Source(LocalSource):
        def __init__(self, path: Path) -> None:
            number = int(path.stem.rpartition("-")[2])
            if number == broken + 1:
                raise OSError(24, "Too many open files", str(path))
            super().__init__(path)

    monkeypatch.setattr(zeebe_journal, "LocalSource", Source)
    result = 0
    with pytest.raises(OSError, match="Too many"):
        for run in records_of(zeebe_journal.scan(Log(path), Wanted())):
            result += len(run)
    assert result == broken - 1


def records_of(events: Iterator[Event]) -> Iterator[Records]:
    return (event for event in events if isinstance(event, Records))


@pytest.mark.parametrize("length", [0, 57, 300])
def test_a_part_ends_where_its_last_segment_was_truncated_after_the_plan(
    tmp_path: Path, length: int
) -> None:
    path = tmp_path / "journal"
    write(path, [NewRecord(b"x" * 100) for _ in range(40)], {"max_segment_size": 900})
    parts = zeebe_journal.plan(Log(path), 1500)
    assert len(parts) > 3
    for number in (0, 1, 2):
        cut = path / str(parts[number + 1].file)
        whole = cut.read_bytes()
        cut.write_bytes(whole[:length])
        events = list(zeebe_journal.scan(Log(path), Wanted(), parts[number]))
        assert not any(isinstance(event, End) for event in events)
        assert {event.file for event in events} <= names_to(path, cut)
        cut.write_bytes(whole)


def names_to(path: Path, last: Path) -> set[str]:
    files = sorted(path.glob("*.log"), key=lambda file: int(file.stem.rpartition("-")[2]))
    return {file.name for file in files[: files.index(last) + 1]}


@pytest.mark.parametrize("free", range(3, 12))
def test_few_file_descriptors_are_enough_and_none_leaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    """A segment of zeros is opened by its path, which also needs a file descriptor."""
    path = tmp_path / "journal"
    write(path, [NewRecord(b"x" * 100) for _ in range(10)], {"max_segment_size": 250})
    for number in range(12, 40):
        (path / f"journal-{number}.log").write_bytes(bytes(250))
    expected = reference_events(path, {})
    taken: set[object] = set()

    def one_more() -> None:
        if len(taken) >= free:
            raise OSError(24, "Too many open files", str(path))

    class Source(LocalSource):
        def __init__(self, path: Path) -> None:
            one_more()
            super().__init__(path)
            taken.add(self)

        def close(self) -> None:
            super().close()
            taken.discard(self)

    def written_end(path: Path, at: int) -> int:
        one_more()
        return result(path, at)

    result = zeebe_journal.written_end
    monkeypatch.setattr(zeebe_journal, "LocalSource", Source)
    monkeypatch.setattr(zeebe_journal, "written_end", written_end)
    assert list(one_by_one(zeebe_journal.scan(Log(path), Wanted()))) == expected
    assert not taken


def test_few_segments_are_open_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    write(path, [NewRecord(b"x" * 100) for _ in range(100)], {"max_segment_size": 250})
    before = open_files()
    most = max(open_files() - before for _ in zeebe_journal.scan(Log(path), Wanted()))
    assert 0 < most <= 2
    assert open_files() == before


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
