"""The faults of faulty writers are reported, and a correct writer has none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.checked_program import CheckedProgram
from lab.crash import judge, recorder
from lab.crash.call_listener import Listener
from lab.crash.crash_run import CrashRun, run
from lab.crash.disk_models import MODELS
from lab.crash.observer import CannotRecord
from walproof.implementations import all_implementations

from .test_recorder import blind, needs_seccomp

WRITER = Path(__file__).parent / "wrong_writer.py"


pytestmark = needs_seccomp


def judged(words: list[str], format: str, slow: float = 0.0) -> CrashRun:
    subject = CheckedProgram(words[-1], words[-1], words, isolated=False)
    return run(subject, format, MODELS, 512, 3, 40, slow=slow)


def violations(done: CrashRun) -> dict[str, set[str]]:
    return {
        each.model: {finding.what for finding in each.judgement.violations()}
        for each in done.results
    }


LOST = {judge.LOST, judge.FORGETS}
NEVER: set[str] = set()


@pytest.mark.parametrize(
    ("way", "process", "ordered", "journaled", "anything"),
    [
        ("syncs", NEVER, NEVER, NEVER, NEVER),
        ("never-syncs", NEVER, LOST, LOST, LOST),
        ("acknowledges-first", LOST, LOST, LOST, LOST),
        ("forgets-the-folder", NEVER, NEVER, NEVER, LOST),
    ],
)
def test_a_wrong_writer_is_reported_by_name(
    way: str, process: set[str], ordered: set[str], journaled: set[str], anything: set[str]
) -> None:
    result = violations(judged([sys.executable, str(WRITER), way], "leveldb-log"))
    for model, expected in zip(MODELS, (process, ordered, journaled, anything), strict=True):
        assert judge.LOST in result[model] if expected else not result[model], (way, model, result)


def test_a_writer_that_does_not_wait_for_its_sync_is_reported_on_a_slow_disk() -> None:
    """The writer acknowledges while its sync still runs, which takes 0.3 seconds here."""
    done = judged([sys.executable, str(WRITER), "does-not-wait"], "leveldb-log", slow=0.3)
    result = violations(done)
    assert result.pop("process") == NEVER
    assert all(judge.LOST in each for each in result.values()), result


def test_a_program_that_acknowledges_nothing_is_not_recorded() -> None:
    command = list(
        next(each for each in all_implementations() if each.name == "kaitai-python").command
    )
    with pytest.raises(CannotRecord, match="acknowledges"):
        judged(command, "leveldb-log")


def test_a_writer_whose_calls_fail_without_a_listener_is_not_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recorder, "Listener", lambda begins, slow: Listener(blind, slow))
    with pytest.raises(CannotRecord, match=r"not paused: .*Permission denied"):
        judged([sys.executable, str(WRITER), "syncs"], "leveldb-log")


def test_a_writer_with_a_missing_program_is_reported() -> None:
    with pytest.raises(CannotRecord, match="it is unavailable, because nothing is installed"):
        judged([sys.executable, str(WRITER), "is-not-here"], "leveldb-log")


@pytest.mark.parametrize(
    "format", ["leveldb-log", "zeebe-journal", "kahadb-journal", "systemd-journal", "rocksdb-wal"]
)
def test_our_writers_keep_synced_records(format: str) -> None:
    ours = next(each for each in all_implementations() if each.name == "executable-spec")
    assert violations(judged(list(ours.command), format)) == dict.fromkeys(MODELS, NEVER)
