"""Real writers under the models keep the results of the page."""

from __future__ import annotations

import pytest

from conformance.subject import Subject, subject_of
from lab.crash import judge
from lab.crash.model import states
from lab.crash.run import Run, all_writers, run
from lab.crash.trace import Sync, Trace, Write

from .test_recorder import needs_seccomp

pytestmark = needs_seccomp

NONE: set[str] = set()


def _subject(name: str) -> Subject:
    implementation = next(each for each in all_writers() if each.name == name)
    subject = subject_of(implementation, "walproof")
    if subject.unavailable:
        pytest.skip(f"unavailable, because {subject.unavailable}")
    return subject


def violations(done: Run) -> list[set[str]]:
    return [{each.what for each in result.judgement.violations()} for result in done.results]


# The violations after the death of the process, which loses nothing that was written.
@pytest.mark.parametrize(
    ("name", "format", "wrong"),
    [
        ("goleveldb", "leveldb-log", NONE),
        ("pebble", "leveldb-log", NONE),
        ("golang-leveldb", "leveldb-log", {judge.INVENTED}),
        ("leveldb-cpp", "leveldb-log", {judge.UNREAD}),
        ("rusty-leveldb", "leveldb-log", {judge.UNREAD}),
        ("iq80-leveldb", "leveldb-log", NONE),
        ("kahadb-store", "kahadb-journal", NONE),
        ("zmq-raft", "zmq-raft", {judge.LOST}),
        ("rocksdb", "rocksdb-wal", NONE),
    ],
)
def test_a_real_writer_does_what_the_page_says(name: str, format: str, wrong: set[str]) -> None:
    done = run(_subject(name), format, ["process"], 512, 6, 60)
    assert done.trace.acknowledged == 6
    assert violations(done) == [wrong]


def test_a_writer_that_syncs_nothing_loses_what_it_acknowledged() -> None:
    """rusty-leveldb flushes into the file, which its documentation calls the disk."""
    done = run(_subject("rusty-leveldb"), "leveldb-log", ["ordered"], 4096, 3, 10)
    assert done.trace.syncs == 0
    assert judge.LOST in violations(done)[0]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("sqlite-full", NONE),
        ("sqlite-full-no-psow", NONE),
        ("sqlite-normal", {judge.LOST, judge.FORGETS}),
    ],
)
def test_sqlite_syncs_each_commit_only_where_synchronous_is_full(
    name: str, wrong: set[str]
) -> None:
    assert violations(run(_subject(name), "sqlite-wal", ["ordered"], 4096, 2, 60)) == [wrong]


def test_zeebe_syncs_the_pages_that_it_maps() -> None:
    """Nothing is lost; and without its syncs of the segments it would be."""
    models = ["process", "journaled", "any"]
    done = run(_subject("zeebe-journal"), "zeebe-journal", models, 4096, 3, 40)
    assert violations(done) == [NONE] * 3
    mapped = {
        each.file for each in done.trace.operations if isinstance(each, Write) and each.at == 4096
    }
    unsynced = [
        each
        for each in done.trace.operations
        if not (isinstance(each, Sync) and each.node in mapped)
    ]
    for model in ("journaled", "any"):
        outcome, _ = states(Trace(unsynced, done.trace.folders), model, 4096, 40)
        assert any(
            each.acknowledged and name.endswith("-1.log") and not any(content or b"")
            for each in (crash.build() for crash in outcome)
            for name, content in each.files.items()
        )


def test_systemd_loses_nothing_in_whatever_order_its_pages_are_written() -> None:
    """Its first sync comes between the data and the word OFFLINE."""
    models = ["journaled", "any"]
    done = run(_subject("systemd-262"), "systemd-journal", models, 4096, 2, 12)
    assert done.trace.acknowledged == 2
    assert violations(done) == [NONE] * 2
