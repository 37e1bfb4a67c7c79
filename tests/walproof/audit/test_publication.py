"""Whatever happens to an audit, its folder shows the result before it, or the new one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.saving import sync_to_disk
from walproof.audit import work
from walproof.audit.job import audit
from walproof.audit.output import Output, OutputRefused
from walproof.audit.shard import OutputError
from walproof.audit.unit import Task
from walproof.scan.model import PIECE_ROWS, Records

from .dying import killed_audit
from .in_process import InProcess
from .lakes import leveldb, options, vector
from .tables import rows

State = tuple[Any, ...] | None


def state(out: Path) -> State:
    """All that a user sees; None where there is nothing yet."""
    if not (out / "records").exists():
        assert not any((out / name).exists() for name in ("damage", "files", "summary.json"))
        return None
    totals = json.loads((out / "summary.json").read_text())["totals"]
    assert (out / "summary.html").read_text().endswith("</html>\n")
    return (*(rows(out, name) for name in ("records", "damage", "files")), totals)


def small_lake(lake: Path) -> None:
    vector("leveldb-log", "large-lengths-in-every-block.log", lake)
    leveldb(lake / "large.log", 1500)
    leveldb(lake / "old.log", 3)


def change(lake: Path) -> None:
    leveldb(lake / "new.log", 2)
    (lake / "old.log").unlink()


def owed(lake: Path, out: Path) -> State:
    audit(options(lake), out, InProcess(), 64 << 10)
    return state(out)


@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
def test_killed_at_every_touch_of_the_file_system(
    tmp_path: Path, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)  # for power cuts, which do not happen here
    lake, original = tmp_path / "lake", tmp_path / "original"
    small_lake(lake)
    old = None if first else owed(lake, original)
    if not first:
        change(lake)
    new = owed(lake, tmp_path / "fresh")
    assert old != new
    at, seen = 1, []
    while True:
        out = tmp_path / f"out-{at}"
        if original.exists():
            shutil.copytree(original, out, symlinks=True)
        died = killed_audit(lake, out, at)
        found = state(out)
        assert found in (old, new), f"killed at touch {at}"
        seen.append(found == new)
        # The next run puts everything right, and leaves nothing behind.
        audit(options(lake), out, InProcess(), 64 << 10)
        assert state(out) == new
        assert len(list((out / ".results").iterdir())) <= 2
        assert not list(out.glob("**/*.unfinished"))
        shutil.rmtree(out)
        if not died:
            break
        at += 1
    assert at > 30 and seen[0] is False and seen[-1] is True
    assert seen == sorted(seen), "once the new result is there, it stays"


def test_what_was_done_is_not_done_again(tmp_path: Path) -> None:
    lake, out = tmp_path / "lake", tmp_path / "out"
    leveldb(lake / "large.log", 9000)

    class Stopped(Exception):
        pass

    class StopsAfterFive(InProcess):
        def run(self, tasks: Any, tick: Any) -> None:
            super().run(tasks[:5], tick)
            raise Stopped

    with pytest.raises(Stopped):
        audit(options(lake), out, StopsAfterFive(), 64 << 10)
    (note,) = (out / ".results").glob("*.building")
    (note / "done" / ".000009-left.json.unfinished").write_text("{")
    (note / "records" / ".000009-left.parquet.unfinished").write_text("PAR1")
    seen: list[int] = []

    class Counts(InProcess):
        def run(self, tasks: Any, tick: Any) -> None:
            seen.extend(len(task.unit.pieces) for task in tasks)
            super().run(tasks, tick)

    audit(options(lake), out, Counts(), 64 << 10)
    assert sum(seen) == 15 - 5
    audit(options(lake), tmp_path / "fresh", InProcess(), 64 << 10)
    assert state(out) == state(tmp_path / "fresh")


def test_a_reader_that_began_before_comes_to_its_end(tmp_path: Path) -> None:
    lake, out = tmp_path / "lake", tmp_path / "out"
    small_lake(lake)
    owed(lake, out)
    files = [path.resolve() for path in (out / "records").iterdir()]
    change(lake)
    owed(lake, out)
    assert all(file.exists() for file in files)


def test_a_task_whose_twin_was_faster_comes_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark ends a job when each task was done once; another copy of one may still be writing."""
    lake, out = tmp_path / "lake", tmp_path / "out"
    small_lake(lake)
    expected = owed(lake, tmp_path / "fresh")
    begun: list[Task] = []

    class Kept(InProcess):
        def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
            begun.extend(tasks)
            super().run(tasks, tick)

    def late(path: Path) -> None:
        # The last moment before the result is published.
        with pytest.raises(OutputError):
            work.run(begun[0])
        sync_to_disk(path)

    monkeypatch.setattr("walproof.audit.output.sync_to_disk", late)
    audit(options(lake), out, Kept(), 64 << 10)
    assert begun
    assert state(out) == expected


def test_one_audit_at_a_time(tmp_path: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 1)
    output = Output(tmp_path / "out")
    with (
        output.locked(),
        pytest.raises(OutputRefused, match=r"another audit writes here \(process \d+ on .*wait"),
    ):
        audit(options(tmp_path / "lake"), tmp_path / "out", InProcess())
    assert audit(options(tmp_path / "lake"), tmp_path / "out", InProcess()).is_new


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out" / "records").mkdir(parents=True)
    (tmp_path / "out" / "records" / "mine").write_text("kept")
    with pytest.raises(OutputRefused, match="was not made by an audit"):
        audit(options(tmp_path), tmp_path / "out", InProcess())
    assert (tmp_path / "out" / "records" / "mine").read_text() == "kept"


def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, out = tmp_path / "lake", tmp_path / "out"
    small_lake(lake)
    owed(lake, out)
    change(lake)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr("os.link", refuse)
    assert owed(lake, out) == owed(lake, tmp_path / "fresh")


def test_rows_of_a_long_log_are_made_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row is larger than what a scanner makes of a record: it has the names of files as text."""
    lake, counts, made = tmp_path / "lake", [], work.rows
    leveldb(lake / "long.log", 2 * PIECE_ROWS + 1)

    def counted(run: Records, *rest: Any) -> Any:
        counts.append(len(run))
        return made(run, *rest)

    monkeypatch.setattr(work, "rows", counted)
    audit(options(lake), tmp_path / "out", InProcess())
    assert sum(counts) == 2 * PIECE_ROWS + 1
    assert max(counts) <= PIECE_ROWS
