"""Real writers have the results under the crash models that the page shows."""

from __future__ import annotations

import pytest

from conformance.checked_program import CheckedProgram, checked_implementation
from lab.crash import judge
from lab.crash.crash_run import CrashRun, all_writers, run

from .test_recorder import needs_seccomp

pytestmark = needs_seccomp

NONE: set[str] = set()
UNSYNCED = {judge.LOST, judge.FORGETS, judge.UNREAD}


def _subject(name: str) -> CheckedProgram:
    implementation = next(each for each in all_writers() if each.name == name)
    subject = checked_implementation(implementation, "walproof")
    if subject.unavailable:
        pytest.skip(f"unavailable, because {subject.unavailable}")
    return subject


def violations(done: CrashRun) -> list[set[str]]:
    return [{each.what for each in result.judgement.violations()} for result in done.results]


# Only the writer process dies here, so no written bytes are lost.
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
def test_a_real_writer_has_the_results_on_the_page(name: str, format: str, wrong: set[str]) -> None:
    done = run(_subject(name), format, ["process"], 512, 6, 60)
    assert done.trace.acknowledged == 6
    assert violations(done) == [wrong]


@pytest.mark.parametrize(
    ("name", "format", "models", "sector", "count", "wrong"),
    [
        # rusty-leveldb never syncs. It only writes its buffer to the file, although its
        # documentation says that it writes to the disk.
        ("rusty-leveldb", "leveldb-log", ["ordered"], 4096, 3, UNSYNCED),
        ("sqlite-full", "sqlite-wal", ["ordered"], 4096, 2, NONE),
        ("sqlite-full-no-psow", "sqlite-wal", ["ordered"], 4096, 2, NONE),
        ("sqlite-normal", "sqlite-wal", ["ordered"], 4096, 2, {judge.LOST, judge.FORGETS}),
        # zeebe-journal writes through mapped memory, so records would be lost without its syncs.
        ("zeebe-journal", "zeebe-journal", ["process", "journaled", "any"], 4096, 3, NONE),
        # journald first syncs after it has written the data and before it sets the state OFFLINE.
        ("systemd-262", "systemd-journal", ["journaled", "any"], 4096, 2, NONE),
    ],
)
def test_a_real_writer_keeps_synced_records(
    name: str, format: str, models: list[str], sector: int, count: int, wrong: set[str]
) -> None:
    done = run(_subject(name), format, models, sector, count, 40)
    assert done.trace.acknowledged == count
    assert violations(done) == [wrong] * len(models)
