"""Real writers under the models keep the results of the page."""

from __future__ import annotations

import pytest

from conformance.subject import Subject, subject_of
from lab.crash import judge
from lab.crash.model import states
from lab.crash.run import all_writers, run
from lab.crash.trace import Sync, Trace, Write

from .test_writers import may_trace

pytestmark = pytest.mark.skipif(not may_trace(), reason="no program can be traced here")

# By writer: format, and what it does itself where a crash loses what no system call had said.
REAL = {
    "goleveldb": ("leveldb-log", set()),
    "pebble": ("leveldb-log", set()),
    "golang-leveldb": ("leveldb-log", {judge.INVENTED}),
    "leveldb-cpp": ("leveldb-log", {judge.UNREAD}),
    "rusty-leveldb": ("leveldb-log", {judge.UNREAD}),
    "iq80-leveldb": ("leveldb-log", set()),
    "kahadb-store": ("kahadb-journal", set()),
    "zeebe-journal": ("zeebe-journal", set()),
    "zmq-raft": ("zmq-raft", {judge.LOST}),
    "rocksdb": ("rocksdb-wal", set()),
    "sqlite-full": ("sqlite-wal", set()),
    "sqlite-full-no-psow": ("sqlite-wal", set()),
    "sqlite-normal": ("sqlite-wal", set()),
}


@pytest.mark.parametrize("name", list(REAL))
def test_a_real_writer_does_what_the_page_says(name: str) -> None:
    format, wrong = REAL[name]
    done = run(_subject(name), format, ["process"], 512, 8, 60, 1)
    assert done.trace.acknowledged == 8
    (result,) = done.results
    assert {each.what for each in result.judgement.violations()} == wrong


def test_a_writer_that_syncs_nothing_loses_what_it_acknowledged() -> None:
    """rusty-leveldb flushes into the file, which its documentation calls the disk."""
    done = run(_subject("rusty-leveldb"), "leveldb-log", ["ordered"], 4096, 3, 10, 1)
    assert done.trace.syncs == 0
    (result,) = done.results
    assert judge.LOST in {each.what for each in result.judgement.violations()}


@pytest.mark.parametrize(
    ("name", "wrong"), [("sqlite-full", set()), ("sqlite-normal", {judge.LOST, judge.FORGETS})]
)
def test_sqlite_syncs_each_commit_only_where_synchronous_is_full(
    name: str, wrong: set[str]
) -> None:
    done = run(_subject(name), "sqlite-wal", ["ordered"], 4096, 3, 60, 1)
    (result,) = done.results
    assert {each.what for each in result.judgement.violations()} == wrong


def _subject(name: str) -> Subject:
    implementation = next(each for each in all_writers() if each.name == name)
    subject = subject_of(implementation, "walproof")
    if subject.unavailable:
        pytest.skip(f"unavailable, because {subject.unavailable}")
    return subject


@pytest.mark.parametrize("model", ["journaled", "any"])
def test_zeebe_syncs_the_pages_that_it_maps(model: str) -> None:
    """Nothing is lost; and without its syncs of the segments it would be."""
    subject = _subject("zeebe-journal")
    done = run(subject, "zeebe-journal", [model], 4096, 3, 40, 1)
    (result,) = done.results
    assert result.judgement.violations() == []
    mapped = {
        each.file for each in done.trace.operations if isinstance(each, Write) and each.at == 4096
    }
    without = Trace(
        [
            each
            for each in done.trace.operations
            if not (isinstance(each, Sync) and each.node in mapped)
        ],
        done.trace.folders,
    )
    outcome, _ = states(without, model, 4096, 40)
    left = [each.build() for each in outcome]
    assert any(
        each.acknowledged and name.endswith("-1.log") and not any(content or b"")
        for each in left
        for name, content in each.files.items()
    )


@pytest.mark.parametrize("model", ["journaled", "any"])
def test_systemd_loses_nothing_in_whatever_order_its_pages_are_written(model: str) -> None:
    done = run(_subject("systemd-262"), "systemd-journal", [model], 4096, 2, 12, 1)
    assert done.trace.acknowledged == 2
    (result,) = done.results
    # Its first sync comes between the data and the word OFFLINE, which a state has after them only.
    assert result.judgement.violations() == []
