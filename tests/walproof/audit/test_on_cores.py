"""The audit on all cores without Spark: the same tables, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from walproof.audit import work
from walproof.audit.engine import JobFailed, OnCores
from walproof.audit.job import audit
from walproof.audit.unit import Task
from walproof.cli.audit import start_told

from .in_process import InProcess
from .lakes import leveldb, mixed, options
from .tables import rows


@pytest.fixture
def cores() -> OnCores:
    return OnCores()


def test_the_same_as_in_one_process(cores: OnCores, tmp_path: Path) -> None:
    lake = mixed(tmp_path / "lake")
    there = audit(options(lake, payload=True), tmp_path / "a", cores, 64 << 10)
    here = audit(options(lake, payload=True), tmp_path / "b", InProcess(), 64 << 10)
    for table in ("records", "damage", "files"):
        assert rows(tmp_path / "a", table) == rows(tmp_path / "b", table)
    for name in ("totals", "reasons", "where", "over_time", "worst"):
        assert there.summary[name] == here.summary[name]


RUN = work.run


def crash(task: Task, attempt: int) -> None:
    """Read as ever, except that a log of some name ends the process, until it is left out."""
    if attempt < 2 and any(piece.log.endswith("crash.log") for piece in task.unit.pieces):
        os.kill(os.getpid(), signal.SIGSEGV)
    RUN(task, attempt)


def killed(task: Task, attempt: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_is_replaced(
    cores: OnCores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    for name in ("a", "crash", "z"):
        leveldb(lake / f"{name}.log", 3)
    monkeypatch.setattr(work, "run", crash)
    audit(options(lake), tmp_path / "out", cores)
    assert len(rows(tmp_path / "out", "records")) == 9


def test_one_line_says_that_a_worker_was_killed(
    cores: OnCores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leveldb(tmp_path / "lake" / "a.log", 3)
    monkeypatch.setattr(work, "run", killed)
    with pytest.raises(JobFailed) as failed:
        audit(options(tmp_path / "lake"), tmp_path / "out", cores)
    said = str(failed.value)
    assert said.startswith("a worker was killed each time it read ") and "\n" not in said
    assert "a.log" in said and "run it again to go on" in said


@pytest.mark.parametrize(
    ("start", "taken", "said"),
    [(3.0, 4.0, "Of 4.0 s, 3.0 s were the start of Spark"), (3.0, 7.0, None), (0.0, 1.0, None)],
)
def test_a_start_that_is_most_of_the_time_is_told(
    start: float, taken: float, said: str | None
) -> None:
    told = start_told(start, taken)
    assert told is None if said is None else told is not None and told.startswith(said)
