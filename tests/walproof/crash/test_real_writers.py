"""Real writers under the models: what the page says of them holds, each time."""

from __future__ import annotations

import asyncio

import pytest

from conformance.subject import Subject, subject_of
from walproof.crash import oracles
from walproof.crash.run import run
from walproof.implementations import all_implementations

from .test_writers import may_trace

pytestmark = pytest.mark.skipif(not may_trace(), reason="no program can be traced here")

# By writer: format, and what it does itself where a crash loses what no system call had said.
REAL = {
    "goleveldb": ("leveldb-log", set()),
    "pebble": ("leveldb-log", set()),
    "golang-leveldb": ("leveldb-log", {oracles.INVENTED}),
    "leveldb-cpp": ("leveldb-log", {oracles.UNREAD}),
    "rusty-leveldb": ("leveldb-log", {oracles.UNREAD}),
    "iq80-leveldb": ("leveldb-log", set()),
    "kahadb-store": ("kahadb-journal", set()),
    "zmq-raft": ("zmq-raft", {oracles.LOST}),
}


@pytest.mark.parametrize("name", list(REAL))
def test_a_real_writer_does_what_the_page_says(name: str) -> None:
    format, wrong = REAL[name]
    done = asyncio.run(run(_subject(name), format, ["process"], [512], 8, 60, 1))
    assert done.trace.acknowledged == 8
    (result,) = done.results
    assert {one.what for one in result.judgement.violations()} == wrong


def test_a_writer_that_syncs_nothing_loses_what_it_acknowledged() -> None:
    """rusty-leveldb flushes into the file, which its documentation calls the disk."""
    done = asyncio.run(run(_subject("rusty-leveldb"), "leveldb-log", ["ordered"], [4096], 3, 10, 1))
    assert done.trace.syncs == 0
    (result,) = done.results
    assert oracles.LOST in {one.what for one in result.judgement.violations()}


def _subject(name: str) -> Subject:
    implementation = next(one for one in all_implementations() if one.name == name)
    subject = subject_of(implementation, "walproof")
    if subject.unavailable:
        pytest.skip(f"unavailable, because {subject.unavailable}")
    return subject
