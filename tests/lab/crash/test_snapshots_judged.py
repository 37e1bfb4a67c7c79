"""Writers are judged by snapshots where their syncs can be paused, and without them elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.subject import Subject
from lab.crash import judge, recorder
from lab.crash.call_listener import Listener
from lab.crash.model import MODELS
from lab.crash.observer import CannotRecord
from lab.crash.run import Run, run

from .test_recorder import blind, needs_seccomp

WRITER = Path(__file__).parent / "mapped_writer.py"


def judged(way: str) -> Run:
    words = [sys.executable, str(WRITER), way]
    subject = Subject(way, way, words, isolated=False)
    return run(subject, "zmq-raft", MODELS, 512, 2, 24)


INVENTS = {judge.INVENTED}


@needs_seccomp
@pytest.mark.parametrize(
    ("way", "wrong"), [("data-first", set()), ("header-first", INVENTS), ("together", INVENTS)]
)
def test_a_writer_of_mapped_memory_is_judged_by_what_each_sync_covers(
    way: str, wrong: set[str]
) -> None:
    done = judged(way)
    results = {
        each.model: {finding.what for finding in each.judgement.violations()}
        for each in done.results
    }
    assert results.pop("process") == set()
    # A page is written after those before it in the file: that is all that "ordered" can say.
    assert results == dict.fromkeys(MODELS[1:], wrong)


@needs_seccomp
def test_a_writer_whose_calls_fail_without_a_listener_is_not_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recorder, "Listener", lambda begins, slow: Listener(blind, slow))
    words = [sys.executable, str(WRITER.with_name("wrong_writer.py")), "syncs"]
    with pytest.raises(CannotRecord, match=r"not paused: .*Permission denied"):
        run(Subject("w", "w", words, isolated=False), "leveldb-log", ["process"], 512, 2, 4)
